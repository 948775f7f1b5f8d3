use crate::event::*;
use crate::spec::{Mentions, WorldSpec};
use crate::testing::*;
use crate::text::reply::RoutingTag;
use crate::tool::ToolOutcome;

/// The verdicts about the last message.
fn verdicts(past: &Past) -> MessageRouted {
    let routed = |event: &Event| {
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            Some(routed.clone())
        } else {
            None
        }
    };
    past.events().filter_map(routed).last().unwrap()
}

fn reasons(past: &Past) -> (RoutingRule, Vec<(String, RoutingReason)>) {
    let MessageRouted { rule, respond, .. } = verdicts(past);
    (
        rule,
        respond
            .into_iter()
            .map(|(name, reason)| (name.to_string(), reason))
            .collect(),
    )
}

fn one(
    rule: RoutingRule,
    name: &str,
    reason: RoutingReason,
) -> (RoutingRule, Vec<(String, RoutingReason)>) {
    (rule, vec![(name.to_owned(), reason)])
}

fn nobody(rule: RoutingRule) -> (RoutingRule, Vec<(String, RoutingReason)>) {
    (rule, Vec::new())
}

fn notices(past: &Past) -> Vec<Notice> {
    let notice = |event: &Event| {
        if let Event::Talk(TalkEvent::NoticePosted(told)) = event {
            Some(told.notice.clone())
        } else {
            None
        }
    };
    past.events().filter_map(notice).collect()
}

fn said_last(past: &Past) -> String {
    past.world
        .transcript()
        .back()
        .unwrap()
        .text
        .present()
        .cloned()
        .unwrap()
}

/// Ada asks bob, who passes it on to eve, who takes it up.
fn passed_on() -> Past {
    Past::began()
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@eve you"))
        .woke("eve")
}

#[test]
fn reply_to_an_agent_that_addresses_nobody_goes_to_that_agent() {
    let past = passed_on().answered("eve", text("all is well"));
    assert_eq!(
        reasons(&past),
        one(RoutingRule::Reply, "bob", RoutingReason::Reply)
    );
    assert_eq!(said_last(&past), "all is well");
}

#[test]
fn reply_after_tools_goes_to_whom_it_replies_as_well() {
    let past = passed_on()
        .answered("eve", calls(&[("look", "{}")]))
        .started("eve", 0, 1);
    let past = past
        .finished("eve", 0, 1, ToolOutcome::text("seen"))
        .crashed();
    let past = past.carried_on("eve").answered("eve", text("I looked"));
    assert_eq!(
        reasons(&past),
        one(RoutingRule::Reply, "bob", RoutingReason::Reply)
    );
}

#[test]
fn reply_at_the_limit_goes_to_whom_it_replies_as_well() {
    let past = Past::with(room_with(|spec| spec.limits.model_calls_per_agent = 1));
    let past = past
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@eve you"))
        .woke("eve");
    let past = past.answered("eve", text("briefly"));
    assert_eq!(
        reasons(&past),
        one(RoutingRule::Reply, "bob", RoutingReason::Reply)
    );
}

#[test]
fn reply_to_a_person_wakes_nobody() {
    let past = Past::began()
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("all is well"));
    assert_eq!(
        (reasons(&past), past.owed()),
        (nobody(RoutingRule::Unaddressed), Vec::new())
    );
}

#[test]
fn reply_that_addresses_a_person_is_theirs_alone() {
    let past = passed_on().answered("eve", text("@ada all is well"));
    assert_eq!(
        (reasons(&past), past.owed()),
        (nobody(RoutingRule::Addressed), Vec::new())
    );
    assert_eq!(verdicts(&past).people, [person("ada").display]);
}

#[test]
fn reply_that_passes_reaches_nobody_and_shows_no_tag() {
    let past = passed_on().answered("eve", text("@bob ok <world>pass</world>"));
    assert_eq!(
        (reasons(&past), past.owed()),
        (nobody(RoutingRule::Tag), Vec::new())
    );
    assert_eq!(
        (said_last(&past).as_str(), verdicts(&past).tag),
        ("@bob ok", Some(RoutingTag::Pass))
    );
}

#[test]
fn tag_names_exactly_those_who_are_to_hear_it() {
    let past = passed_on().answered("eve", text("<world>TO: cody, zed</world>@bob see this"));
    assert_eq!(
        reasons(&past),
        one(RoutingRule::Tag, "cody", RoutingReason::Tag)
    );
    assert_eq!(
        verdicts(&past).unknown.present(),
        Some(&vec!["zed".to_owned()])
    );
    assert!(matches!(
        notices(&past).as_slice(),
        [Notice::Undeliverable { .. }]
    ));
}

#[test]
fn reply_of_a_tag_alone_is_a_pass() {
    let past = passed_on();
    let turn = past.turn("eve");
    let past = past.answered("eve", text("<world>DONE</world>"));
    assert_eq!(
        past.last().last(),
        Some(&closed("eve", turn, CloseReason::Passed))
    );
    assert_eq!(past.world.transcript().len(), 2);
}

#[test]
fn own_mention_is_neither_shown_nor_heard() {
    let past = passed_on().answered("eve", text("@eve, @cody look at this"));
    assert_eq!(
        reasons(&past),
        one(RoutingRule::Addressed, "cody", RoutingReason::Mentioned)
    );
    assert_eq!(said_last(&past), "@cody look at this");
}

#[test]
fn unknown_tag_is_removed_and_warned_of() {
    let past = passed_on().answered("eve", text("well <world>jump</world>"));
    assert_eq!(said_last(&past), "well");
    let is_warning = |event: &&Event| matches!(event, Event::World(WorldEvent::WarningRecorded(warning)) if warning.code == "unknown_routing_tag");
    assert_eq!(past.last().iter().filter(is_warning).count(), 1);
}

#[test]
fn tag_that_sends_no_words_is_warned_of() {
    let past = passed_on().answered("eve", text("<world>TO: cody</world>"));
    let is_warning = |event: &&Event| matches!(event, Event::World(WorldEvent::WarningRecorded(warning)) if warning.code == "routing_tag_without_words");
    assert_eq!(past.last().iter().filter(is_warning).count(), 1);
}

#[test]
fn people_name_agents_in_mid_text_where_no_line_begins_with_one() {
    let past = Past::began().said("could @bob or @eve help?");
    let both = [
        ("bob".to_owned(), RoutingReason::Named),
        ("eve".to_owned(), RoutingReason::Named),
    ];
    assert_eq!(reasons(&past), (RoutingRule::Named, both.into()));
    assert_eq!(
        reasons(&past.said("@cody, ask @eve")),
        one(RoutingRule::Addressed, "cody", RoutingReason::Mentioned)
    );
}

fn only_named(message: u64, agents: &[&str]) -> Notice {
    let agents = agents.iter().map(|name| agent(name)).collect();
    Notice::OnlyNamed {
        message: at(message),
        agents,
        people: Vec::new(),
    }
}

/// A room of five agents with people in it.
fn large_room() -> Past {
    let room = room_with(|spec: &mut WorldSpec| {
        let member = spec.agents[0].clone();
        spec.agents
            .extend(["dora", "finn"].map(|name| crate::spec::AgentSpec {
                name: agent(name),
                ..member.clone()
            }));
        spec.policy.main_agent = Some(agent("bob"));
    });
    let past = Past::with(room).said("@bob hi");
    let carl = crate::ids::principal::Principal::Person(person("carl"));
    let hello = of(carl, &post("@bob hi"));
    past.then(hello)
}

#[test]
fn whoever_is_named_and_not_addressed_is_told_of_once() {
    let past = large_room();
    let message = past.world.head().next();
    let named = |agents: &[&str], people: &[&str]| Named {
        agents: agents.iter().map(|name| agent(name)).collect(),
        people: people.iter().map(|name| person(name).display).collect(),
    };
    let only = |agents: &[&str], people: &[&str]| {
        let Named { agents, people } = named(agents, people);
        Some(Notice::OnlyNamed {
            message,
            agents,
            people,
        })
    };
    let lost = |nearest: &[&str], named: Named| {
        let nearest = nearest.iter().map(|name| agent(name)).collect();
        Some(Notice::Undeliverable {
            message,
            nearest,
            named,
        })
    };
    let nobody = Named::default();
    let table = [
        ("@bob, ask @eve", only(&["eve"], &[])),
        ("@bob: @eve is late", only(&["eve"], &[])),
        (
            "could @bob, @eve, @cody or @dora help? or @finn",
            only(&["dora", "finn"], &[]),
        ),
        ("@bob tell @carl of @eve", only(&["eve"], &["carl"])),
        ("could @bbo help?", lost(&["bob"], nobody.clone())),
        (
            "@bob ask @evve and @dora",
            lost(&["eve"], named(&["dora"], &[])),
        ),
        (
            "@tim and @evve: ask @dora",
            lost(&["eve"], named(&["dora"], &[])),
        ),
        ("@bob ask @crl", lost(&[], nobody)),
        ("@bob I am @ada", None),
        ("@bob, @eve/@cody; **@dora** & [@finn] go", None),
        ("could @bob, @eve or @cody help?", None),
        ("@bob use @Override, mail eve@example.org, 5@2", None),
        (
            "@bob `@eve` says\n> @cody said\n```\n@dora\n```\n<!-- @finn -->",
            None,
        ),
        ("@bob see <!-- @eve --> there", None),
        ("what now?", None),
        ("@carl hi", None),
    ];
    for (text, expected) in table {
        let told: Vec<Notice> = notices(&past.clone().said(text)).split_off(notices(&past).len());
        assert_eq!(told, expected.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn one_notice_says_that_nobody_answers_and_whom_a_name_may_mean() {
    let room = room_with(|spec: &mut WorldSpec| {
        spec.limits.broadcast_max = 2;
        spec.policy.mentions = Mentions::LineStart;
    });
    let past = Past::with(room).said("could @bbo or @eve help?");
    let named = Named {
        agents: vec![agent("eve")],
        people: Vec::new(),
    };
    let nearest = vec![agent("bob")];
    assert_eq!(
        notices(&past),
        [Notice::NobodyAnswers {
            message: at(4),
            nearest,
            named
        }]
    );
}

#[test]
fn people_are_known_by_their_name_in_their_first_message() {
    let past = Past::began().said("@ada asks: who is here?");
    assert_eq!(
        (reasons(&past), notices(&past)),
        (nobody(RoutingRule::Addressed), Vec::new())
    );
    assert_eq!(verdicts(&past).people, [person("ada").display]);
}

#[test]
fn people_are_told_how_to_address_where_only_line_starts_count() {
    let room = room_with(|spec: &mut WorldSpec| {
        spec.policy.mentions = Mentions::LineStart;
        spec.policy.main_agent = Some(agent("bob"));
    });
    let past = Past::with(room).said("could @eve help?");
    assert_eq!(
        reasons(&past),
        one(RoutingRule::MainAgent, "bob", RoutingReason::MainAgent)
    );
    assert_eq!(notices(&past), [only_named(4, &["eve"])]);
}

#[test]
fn message_to_a_person_wakes_nobody_and_makes_no_notice() {
    let past = Past::began().said("@bob hi").said("@ada note to self");
    assert_eq!(
        (reasons(&past), notices(&past)),
        (nobody(RoutingRule::Addressed), Vec::new())
    );
}

/// The speakers mention each other in turn until nobody is woken any more. Gives how often they spoke.
fn talk(mut past: Past, speakers: &[&str]) -> (Past, usize) {
    let mut said = 0;
    for (speaker, next) in speakers
        .iter()
        .zip(speakers.iter().skip(1).chain(&speakers[..1]))
        .cycle()
        .take(60)
    {
        if past.memory(speaker).inbox.is_empty() {
            break;
        }
        said += 1;
        past = past
            .woke(speaker)
            .answered(speaker, text(&format!("@{next} you")));
    }
    (past, said)
}

fn talkative() -> WorldSpec {
    room_with(|spec| {
        (
            spec.limits.model_calls_per_agent,
            spec.limits.model_calls_per_episode,
        ) = (100, 100);
        spec.agents[2].model = spec.agents[1].model.clone();
    })
}

#[test]
fn two_agents_that_only_answer_each_other_are_damped() {
    let (past, said) = talk(Past::with(talkative()).said("@bob go"), &["bob", "eve"]);
    assert_eq!(
        (said, verdicts(&past).damped),
        (9, vec![(agent("eve"), DampReason::Pair)])
    );
    assert_eq!(
        notices(&past),
        [Notice::PairDamped {
            agent: agent("bob"),
            other: agent("eve")
        }]
    );
}

#[test]
fn agents_that_talk_in_a_ring_spend_the_hop_budget() {
    let (past, said) = talk(
        Past::with(talkative()).said("@bob go"),
        &["bob", "eve", "cody"],
    );
    assert_eq!(
        (said, verdicts(&past).damped),
        (13, vec![(agent("eve"), DampReason::HopBudget)])
    );
    assert_eq!(
        notices(&past),
        [Notice::HopBudgetSpent {
            agent: agent("bob")
        }]
    );
}

#[test]
fn hop_budget_is_told_once_in_an_episode_and_begins_anew_with_a_persons_word() {
    let room = WorldSpec {
        limits: crate::spec::Limits {
            hop_budget: 0,
            ..talkative().limits
        },
        ..talkative()
    };
    let past = Past::with(room)
        .said("@bob @eve go")
        .woke("bob")
        .woke("eve");
    let past = past
        .answered("bob", text("@cody you"))
        .answered("eve", text("@cody you"));
    assert_eq!(notices(&past).len(), 1);
    assert_eq!(
        notices(
            &past
                .said("@bob go")
                .woke("bob")
                .answered("bob", text("@cody you"))
        )
        .len(),
        2
    );
}

#[test]
fn damped_message_is_still_remembered_by_whom_it_addresses() {
    let room = WorldSpec {
        limits: crate::spec::Limits {
            hop_budget: 0,
            ..talkative().limits
        },
        ..talkative()
    };
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@eve you"));
    let past = past.said("@eve hello").woke("eve");
    assert_eq!(past.memory("eve").items.len(), 3);
}
