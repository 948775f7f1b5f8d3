use super::*;
use crate::event::{
    Author, CloseReason, DampReason, EventKind, Notice, NoticePosted, RoutingReason, RoutingRule,
};
use crate::event::{CallEvent, TalkEvent};
use crate::ids::principal::Principal;
use crate::ids::{AgentName, CallId, TurnId};
use crate::testing::*;
use crate::text::reply::RoutingTag;
use crate::world::effect::Effect;

/// The commit that holds `position`.
pub(super) fn commit_of(past: &Past, position: Position) -> &Commit {
    let holds = |commit: &&Commit| commit.header.first <= position && position <= commit.last();
    past.commits.iter().find(holds).unwrap()
}

/// The position of the last event of this kind.
pub(super) fn last(past: &Past, kind: EventKind) -> Position {
    let all = past.commits.iter().flat_map(Commit::numbered);
    all.filter(|(_, event)| event.kind() == kind)
        .map(|(at, _)| at)
        .last()
        .unwrap()
}

fn verdicts(past: &Past) -> Verdicts {
    let at = last(past, EventKind::MessageRouted);
    let names = past
        .world
        .rules()
        .spec()
        .agents
        .iter()
        .map(|agent| &agent.name);
    Verdicts::of(commit_of(past, at), at, names).unwrap()
}

/// Who is silent about the last message, and why.
fn silent(past: &Past) -> Vec<(String, Silence)> {
    verdicts(past)
        .silent
        .into_iter()
        .map(|one| (one.agent.to_string(), one.reason))
        .collect()
}

fn all_but(names: [&str; 2], why: Silence) -> Vec<(String, Silence)> {
    names
        .into_iter()
        .map(|name| (name.to_owned(), why))
        .collect()
}

fn everybody(why: Silence) -> Vec<(String, Silence)> {
    ["bob", "eve", "cody"]
        .into_iter()
        .map(|name| (name.to_owned(), why))
        .collect()
}

/// Changes the verdicts about the last message, as if it had been routed so.
fn rerouted(mut past: Past, change: impl FnOnce(&mut MessageRouted)) -> Past {
    let events = past
        .commits
        .iter_mut()
        .flat_map(|commit| &mut commit.events);
    let routed = |event: &Event| matches!(event, Event::Talk(TalkEvent::MessageRouted(_)));
    let last = events.filter(|event| routed(event)).last();
    let Some(Event::Talk(TalkEvent::MessageRouted(routed))) = last else {
        panic!("{last:?}")
    };
    change(routed);
    past
}

/// Bob asked to wipe, ada allowed it, and bob told eve.
pub(super) fn allowed() -> Past {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    let past = past
        .then(allow(request))
        .started("bob", 0, 1)
        .finished("bob", 0, 1, done());
    past.carried_on("bob")
        .answered("bob", text("@eve wiped"))
        .woke("eve")
}

pub(super) fn done() -> crate::tool::ToolOutcome {
    crate::tool::ToolOutcome::text("done")
}

#[test]
fn every_agent_has_its_verdict_and_its_reason() {
    let past = Past::began().said("@bob hi");
    let answer = |name, reason| AgentVerdict {
        agent: agent(name),
        reason,
    };
    let wanted = Verdicts {
        message: at(4),
        author: Some(Author::Person(person("ada").display)),
        episode: episode(4),
        rule: RoutingRule::Addressed,
        tag: None,
        people: Vec::new(),
        unknown: Vec::new(),
        nearest: Vec::new(),
        others: crate::event::Others::Store,
        answers: vec![answer("bob", RoutingReason::Mentioned)],
        silent: ["eve", "cody"]
            .map(|name| AgentVerdict {
                agent: agent(name),
                reason: Silence::NotAddressed,
            })
            .into(),
        more: 0,
    };
    assert_eq!(verdicts(&past), wanted);
}

#[test]
fn silence_has_its_reason() {
    let past = Past::began().said("@bobby hi");
    assert_eq!(silent(&past), everybody(Silence::Undeliverable));
    assert_eq!(verdicts(&past).nearest, [agent("bob")]);
    let large = Past::with(room_with(|spec| spec.limits.broadcast_max = 2)).said("hi");
    assert_eq!(silent(&large), everybody(Silence::TooMany));
    let full = Past::with(room_with(|spec| spec.limits.inbox_max = 1))
        .said("@bob hi")
        .said("@bob again");
    assert_eq!(silent(&full)[0], ("bob".to_owned(), Silence::InboxFull));
    let people = Past::began().said("hi").said("@ada hi");
    assert_eq!(
        silent(&rerouted(people, |routed| routed.people = vec![person("ada").display])),
        everybody(Silence::OnlyPeople)
    );
}

#[test]
fn silence_after_an_agents_reply_has_its_reason() {
    let past = || {
        Past::began()
            .said("@bob hi")
            .woke("bob")
            .answered("bob", text("fine"))
    };
    let own = ("bob".to_owned(), Silence::Own);
    let rest = |why| [vec![own.clone()], all_but(["eve", "cody"], why)].concat();
    let unaddressed = rerouted(past(), |routed| {
        (routed.rule, routed.respond) = (RoutingRule::Unaddressed, Vec::new());
    });
    assert_eq!(silent(&unaddressed), rest(Silence::Unaddressed));
    let tagged = rerouted(past(), |routed| {
        (routed.rule, routed.tag) = (RoutingRule::Tag, Some(RoutingTag::Stop))
    });
    assert_eq!(silent(&tagged), rest(Silence::Tag(RoutingTag::Stop)));
    let damped = rerouted(past(), |routed| {
        (routed.rule, routed.damped) = (
            RoutingRule::Addressed,
            vec![(agent("cody"), DampReason::Pair)],
        );
    });
    let eve = ("eve".to_owned(), Silence::NotAddressed);
    assert_eq!(
        silent(&damped),
        [
            own,
            ("cody".to_owned(), Silence::Damped(DampReason::Pair)),
            eve
        ]
    );
}

#[test]
fn agents_that_are_only_named_are_told_so() {
    let mut past = rerouted(Past::began().said("hi bob"), |routed| {
        (routed.rule, routed.respond) = (
            RoutingRule::MainAgent,
            vec![(agent("eve"), RoutingReason::MainAgent)],
        );
    });
    let notice = Notice::OnlyNamed {
        message: at(4),
        agents: vec![agent("bob")],
        people: Vec::new(),
    };
    let told = Event::Talk(TalkEvent::NoticePosted(NoticePosted {
        notice,
        to: None,
        episode: None,
    }));
    past.commits.last_mut().unwrap().events.push(told);
    assert_eq!(
        silent(&past),
        [
            ("bob".to_owned(), Silence::OnlyNamed),
            ("cody".to_owned(), Silence::NotAddressed)
        ]
    );
}

#[test]
fn a_big_room_is_listed_in_part() {
    let past = Past::began().said("@bob hi");
    let names: Vec<AgentName> = (0..100)
        .map(|number| agent(&format!("a{number}")))
        .collect();
    let found = Verdicts::of(commit_of(&past, at(4)), at(4), names.iter()).unwrap();
    assert_eq!(
        (found.silent.len(), found.more),
        (Verdicts::SILENT_MAX, 100 - Verdicts::SILENT_MAX)
    );
}

fn story(past: &Past, turn: TurnId) -> TurnStory {
    let mut commits = past
        .commits
        .iter()
        .skip_while(|commit| commit.last() < turn.0);
    let mut story = TurnStory::begin(commits.next().unwrap(), turn).unwrap();
    commits.for_each(|commit| story.take(commit));
    story
}

#[test]
fn a_turn_is_told_from_its_news_to_its_end() {
    let past = allowed();
    let wanted = TurnStory {
        agent: agent("bob"),
        turn: TurnId(at(6)),
        episode: episode(4),
        news: vec![at(4)],
        model_calls: 2,
        tool_calls: 1,
        end: Some(TurnEnd {
            at: last(&past, EventKind::TurnClosed),
            reason: CloseReason::Answered,
            by: Principal::Runtime,
            message: Some(last(&past, EventKind::MessagePosted)),
            code: None,
            to: None,
        }),
    };
    assert_eq!(story(&past, TurnId(at(6))), wanted);
    assert_eq!(story(&past, past.turn("eve")).end, None);
}

#[test]
fn a_turn_that_was_stopped_failed_or_declined_says_so() {
    let end = |past: &Past| story(past, TurnId(at(6))).end.unwrap();
    let stopped = end(&Past::began().said("@bob hi").woke("bob").then(stop()));
    assert_eq!((stopped.reason, stopped.by), (CloseReason::Stopped, ada()));
    let failed = Past::with(room_with(|spec| spec.limits.attempts = 1))
        .said("@bob hi")
        .woke("bob");
    let failed = end(&failed.model_failed("bob", crate::model::response::ModelErrorKind::Overload));
    assert_eq!(
        (failed.reason, failed.code.is_some()),
        (CloseReason::Failed, true)
    );
    let declined = Past::with(room_with(|spec| spec.limits.model_calls_per_agent = 0))
        .said("@bob hi")
        .woke("bob");
    assert_eq!(end(&declined).reason, CloseReason::Limit);
    assert_eq!(declined.owed(), Vec::<Effect>::new());
}

#[test]
fn events_of_a_turn_name_it() {
    let past = allowed();
    let named = |kind| {
        let at = last(&past, kind);
        let (_, event) = commit_of(&past, at)
            .numbered()
            .find(|(here, _)| *here == at)
            .unwrap();
        turn_of(at, event)
    };
    assert_eq!(named(EventKind::TurnClosed), Some(TurnId(at(6))));
    assert_eq!(named(EventKind::CallsAdmitted), Some(TurnId(at(6))));
    assert_eq!(named(EventKind::TurnOpened), Some(past.turn("eve")));
    assert_eq!(named(EventKind::MessageRouted), None);
}

#[test]
fn a_request_shows_what_it_asked_and_what_was_decided() {
    let past = allowed();
    let request = last(&past, EventKind::ApprovalRequested);
    let asked = Asked::of(commit_of(&past, request), crate::ids::RequestId(request)).unwrap();
    assert_eq!(
        asked.text.as_deref(),
        Some("bob asks to run wipe (destructive) with {}")
    );
    assert_eq!(
        (asked.agent, asked.tool, asked.call == CallId::default()),
        (agent("bob"), tool("wipe"), false)
    );
    let decided = last(&past, EventKind::ApprovalDecided);
    let (_, event) = commit_of(&past, decided).numbered().next().unwrap();
    assert_eq!(request_of(decided, event), Some(asked.request));
    let Event::Call(CallEvent::ApprovalDecided(event)) = event else {
        panic!("{event:?}")
    };
    let decision = PersonDecision::from((decided, event));
    assert_eq!(
        (decision.at, decision.by, decision.is_confirmed),
        (decided, person("ada").into(), false)
    );
}

#[test]
fn turn_that_was_handed_off_says_to_whom() {
    let past = Past::with(room_that_asks()).said("@bob do it").woke("bob");
    let turn = past.turn("bob");
    let past = past.answered(
        "bob",
        calls(&[("hand", "{\"agent\":\"eve\",\"text\":\"you\"}")]),
    );
    assert_eq!(story(&past, turn).end.unwrap().to, Some(agent("eve")));
}
