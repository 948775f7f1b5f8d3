//! Money: set aside before, settled after, and what a limit of it does.

use crate::command::{Action, Command, TalkAction};
use crate::event::*;
use crate::model::Parameters;
use crate::model::money::{Money, Price};
use crate::model::response::{LLMResponse, ModelError, ModelErrorKind, Reached, Reply, Usage};
use crate::spec::{Limits, WorldSpec};
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::meters::budget;
use crate::world::{Meter, Spent};

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// One money for each token of a request, two for one of an answer; no answer has more than 100.
fn priced(change: impl FnOnce(&mut WorldSpec)) -> Past {
    let price = Price {
        input: "1000000".parse().unwrap(),
        cached: None,
        cache_written: None,
        output: "2000000".parse().unwrap(),
    };
    Past::with(room_with(|spec| {
        spec.models.values_mut().for_each(|model| {
            model.price = Some(price);
            model.parameters.output_tokens_max = Some(100);
        });
        change(spec);
    }))
}

fn counted(response: &LLMResponse, input: u64, output: u64) -> LLMResponse {
    let usage = Usage {
        input: Some(input),
        output: Some(output),
        reasoning: Some(3),
        ..Usage::default()
    };
    let reply = Reply {
        usage,
        ..response.reply().clone()
    };
    if response.reply().calls().next().is_some() {
        LLMResponse::Calls(reply)
    } else {
        LLMResponse::Text(reply)
    }
}

/// What the last model call has set aside.
fn reserved(past: &Past) -> Reserved {
    let of = |event: &Event| {
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
            called.reserved
        } else {
            None
        }
    };
    past.events().filter_map(of).last().unwrap()
}

fn total(past: &Past) -> Meter {
    past.world.meters().total
}

fn limit_of(past: &Past) -> Vec<SpentLimit> {
    let limit = |event: &Event| {
        let Event::Talk(TalkEvent::NoticePosted(posted)) = event else {
            return None;
        };
        if let Notice::LimitReached { limit, .. } = posted.notice {
            Some(limit)
        } else {
            None
        }
    };
    past.events().filter_map(limit).collect()
}

#[test]
fn attempt_sets_its_worst_case_aside_and_is_settled_by_what_was_counted() {
    let past = priced(|_| {}).said("@bob hi").woke("bob");
    let Reserved { attempt, closing } = reserved(&past);
    assert!(
        attempt > money("200") && closing > money("300"),
        "{attempt} and {closing}, answers included"
    );
    assert_eq!(
        total(&past).spent,
        Spent {
            reserved: attempt,
            ..Spent::default()
        }
    );
    let past = past.answered("bob", counted(&text("done"), 50, 10));
    assert_eq!(
        total(&past).spent,
        Spent {
            settled: money("70"),
            ..Spent::default()
        }
    );
    assert_eq!(
        (
            total(&past).tokens.input,
            total(&past).tokens.output,
            total(&past).tokens.reasoning
        ),
        (50, 10, 3)
    );
}

#[test]
fn answer_without_a_count_may_have_cost_its_worst_case() {
    let past = priced(|_| {}).said("@bob hi").woke("bob");
    let worst = reserved(&past).attempt;
    let past = past.answered("bob", text("done"));
    assert_eq!(
        total(&past).spent,
        Spent {
            possible: worst,
            ..Spent::default()
        }
    );
    assert_eq!((total(&past).uncounted, total(&past).unpriced), (1, 0));
}

#[test]
fn answer_of_which_only_one_side_is_counted_is_not_counted() {
    for (input, output) in [(Some(50), None), (None, Some(10))] {
        let reply = Reply {
            usage: Usage {
                input,
                output,
                ..Usage::default()
            },
            ..text("done").reply().clone()
        };
        let past = priced(|_| {})
            .said("@bob hi")
            .woke("bob")
            .answered("bob", LLMResponse::Text(reply));
        assert_eq!(total(&past).uncounted, 1);
    }
}

#[test]
fn closing_calls_of_others_are_held_against_an_agent_and_its_own_is_not() {
    let past = priced(|spec| spec.limits.cost = Some(money("100000")))
        .said("@bob hi")
        .woke("bob");
    let Reserved { attempt, closing } = reserved(&past);
    let fits = |name: &str, cost: Money| {
        let limits = Limits {
            cost: Some(cost),
            ..Limits::default()
        };
        budget::used(&past.world, &agent(name), episode(4), None)
            .leaves(&limits, Money::ZERO)
            .is_ok()
    };
    assert!(fits("bob", attempt));
    assert!(!fits("eve", attempt) && fits("eve", attempt.plus(closing)));
}

#[test]
fn cost_of_a_model_without_a_price_is_unknown() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", counted(&text("done"), 50, 10));
    assert_eq!(total(&past).spent, Spent::default());
    assert_eq!(
        (
            total(&past).unpriced,
            total(&past).uncounted,
            total(&past).tokens.input
        ),
        (1, 0, 50)
    );
}

#[test]
fn failure_at_the_door_costs_nothing_and_one_behind_it_may() {
    let failed = |kind| {
        total(
            &priced(|_| {})
                .said("@bob hi")
                .woke("bob")
                .model_failed("bob", kind),
        )
    };
    assert_eq!(failed(ModelErrorKind::Rate).spent, Spent::default());
    assert_eq!(
        (
            failed(ModelErrorKind::Rate).failed,
            failed(ModelErrorKind::Rate).uncounted
        ),
        (1, 0)
    );
    let timeout = failed(ModelErrorKind::Timeout);
    assert!(timeout.spent.possible > money("200") && timeout.spent.reserved.is_zero());
}

#[test]
fn failure_behind_the_beginning_of_an_answer_may_cost_whatever_its_kind() {
    let asking = || priced(|_| {}).said("@bob hi").woke("bob");
    let worst = reserved(&asking()).attempt;
    let past = asking();
    let stream = past.stream("bob");
    let seen = past
        .then(stream)
        .model_failed("bob", ModelErrorKind::Overload);
    assert_eq!(
        total(&seen).spent,
        Spent {
            possible: worst,
            ..Spent::default()
        },
        "people saw words of it"
    );
    let failed = |kind, reached| {
        let past = asking();
        let command = past.fail_model("bob", ModelError::new(kind, "d").after(reached));
        total(&past.then(command))
    };
    let begun = failed(ModelErrorKind::Overload, Reached::Answer);
    assert_eq!(
        (begun.spent.possible, begun.uncounted),
        (worst, 1),
        "the adapter saw some"
    );
    let offline = failed(ModelErrorKind::Outage, Reached::Nobody);
    assert_eq!(
        (offline.spent, offline.uncounted),
        (Spent::default(), 0),
        "nothing was sent"
    );
}

#[test]
fn attempt_that_is_lost_or_stopped_stays_possibly_spent() {
    let asking = || priced(|_| {}).said("@bob hi").woke("bob");
    let worst = reserved(&asking()).attempt;
    let lost = Spent {
        possible: worst,
        ..Spent::default()
    };
    let crashed = asking().crashed();
    assert_eq!((total(&crashed).spent, total(&crashed).lost), (lost, 1));
    let again = crashed.retry("bob");
    let again = crashed.then(again);
    assert_eq!(
        total(&again).spent,
        Spent {
            possible: worst,
            reserved: worst,
            ..Spent::default()
        }
    );
    let stopped = asking().then(stop());
    assert_eq!((total(&stopped).spent, total(&stopped).lost), (lost, 1));
}

#[test]
fn call_with_tools_is_made_only_if_a_closing_call_stays_affordable() {
    let asked = priced(|_| {}).said("@bob hi").woke("bob");
    let Reserved { attempt, closing } = reserved(&asked);
    let purpose = |cost: Money| {
        let past = priced(|spec| spec.limits.cost = Some(cost))
            .said("@bob hi")
            .woke("bob");
        past.memory("bob")
            .turn
            .as_ref()
            .map(|turn| turn.model.as_ref().unwrap().purpose)
    };
    let both = attempt.plus(closing);
    assert_eq!(purpose(both), Some(Purpose::Turn));
    assert_eq!(
        purpose(both.minus(money("0.000000000001"))),
        Some(Purpose::Closing)
    );
    assert_eq!(purpose(money("100")), None);
}

#[test]
fn turn_that_cannot_pay_for_a_call_is_declined_with_a_notice_that_names_the_limit() {
    let past = priced(|spec| spec.limits.cost_per_episode = Some(money("100"))).said("@bob hi");
    let declined = Event::Turn(TurnEvent::TurnDeclined(TurnDeclined {
        agent: agent("bob"),
        episode: episode(4),
        horizon: past.world.head(),
        news: vec![at(4)],
        reason: CloseReason::Limit,
        parameters: Parameters::default(),
    }));
    let told = Notice::LimitReached {
        agent: agent("bob"),
        limit: SpentLimit::CostPerEpisode,
    };
    check(
        &past,
        &past.wake("bob", ask()),
        &accepted([declined, notice(told, 4)]),
    );
}

#[test]
fn limit_of_an_episode_does_not_hold_for_the_next_one() {
    let room = || priced(|spec| spec.limits.cost_per_episode = Some(money("1300")));
    let spent = room()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", counted(&text("@eve go on"), 1_000, 10));
    let declined = spent.clone().woke("eve");
    assert_eq!(limit_of(&declined), [SpentLimit::CostPerEpisode]);
    let next = declined.said("@bob and now?").woke("bob");
    assert!(next.memory("bob").turn.is_some());
}

#[test]
fn turn_that_has_no_money_left_for_its_results_closes_and_its_command_is_found_again() {
    let room = priced(|spec| spec.limits.cost = Some(money("1500")));
    let past = room.said("@bob go").woke("bob");
    let calling = counted(&calls(&[("look", "{}")]), 300, 100);
    let past = past.answered("bob", calling).started("bob", 0, 1);
    let past = past.finished("bob", 0, 1, ToolOutcome::text("x".repeat(5_000)));
    let turn = past.turn("bob");
    let wanted = Parameters {
        temperature_milli: Some(500),
        ..Parameters::default()
    };
    let command = past.carry_on("bob", reaction::Reaction::AskModel(wanted.clone()));
    let told = notice(
        Notice::LimitReached {
            agent: agent("bob"),
            limit: SpentLimit::Cost,
        },
        4,
    );
    let unasked = Some(Unasked::Call(wanted));
    let over = Event::Turn(TurnEvent::TurnClosed(TurnClosed {
        agent: agent("bob"),
        turn,
        reason: CloseReason::Limit,
        unasked,
    }));
    check(&past, &command, &accepted([told, over]));
}

#[test]
fn further_attempt_is_charged_apart_and_not_made_where_it_does_not_fit() {
    let asked = priced(|_| {}).said("@bob hi").woke("bob");
    let Reserved { attempt, closing } = reserved(&asked);
    let cost = attempt.plus(attempt).plus(closing).minus(money("1"));
    let past = priced(|spec| spec.limits.cost = Some(cost))
        .said("@bob hi")
        .woke("bob");
    let past = past
        .model_failed("bob", ModelErrorKind::Timeout)
        .after_ms(600_000);
    let (turn, retry) = (past.turn("bob"), past.retry("bob"));
    let call = past
        .memory("bob")
        .turn
        .as_ref()
        .unwrap()
        .model
        .as_ref()
        .unwrap()
        .call;
    let told = notice(
        Notice::LimitReached {
            agent: agent("bob"),
            limit: SpentLimit::Cost,
        },
        4,
    );
    let unasked = Some(Unasked::Attempt(call));
    let over = Event::Turn(TurnEvent::TurnClosed(TurnClosed {
        agent: agent("bob"),
        turn,
        reason: CloseReason::Limit,
        unasked,
    }));
    check(&past, &retry, &accepted([told, over]));
    let free = priced(|spec| spec.limits.cost = Some(cost))
        .said("@bob hi")
        .woke("bob");
    let free = free
        .model_failed("bob", ModelErrorKind::Rate)
        .after_ms(600_000);
    let retry = free.retry("bob");
    assert_eq!(
        total(&free.then(retry)).attempts,
        2,
        "what was turned away left room"
    );
}

#[test]
fn every_answer_has_a_limit_where_money_has_one() {
    let unlimited = |spec: &mut WorldSpec| {
        spec.models
            .values_mut()
            .for_each(|model| model.parameters.output_tokens_max = None);
    };
    let most = |past: &Past| {
        past.world
            .model_ask(&agent("bob"))
            .unwrap()
            .request
            .parameters
            .output_tokens_max
    };
    assert_eq!(most(&priced(unlimited).said("@bob hi").woke("bob")), None);
    let limited = priced(|spec| {
        unlimited(spec);
        spec.limits.cost = Some(money("1000000"));
    });
    assert_eq!(most(&limited.said("@bob hi").woke("bob")), Some(4_096));
}

#[test]
fn each_warning_of_a_reply_is_recorded_once_and_not_without_end() {
    let codes: Vec<String> = ["a", "b", "a"].map(str::to_owned).into();
    let answer = |warnings: Vec<String>| {
        LLMResponse::Text(Reply {
            warnings,
            ..text("done").reply().clone()
        })
    };
    let warned = |past: &Past| -> Vec<String> {
        let code = |event: &Event| {
            if let Event::World(WorldEvent::WarningRecorded(it)) = event {
                Some(it.code.clone())
            } else {
                None
            }
        };
        past.events().filter_map(code).collect()
    };
    let past = Past::began().said("@bob hi").woke("bob");
    assert_eq!(
        warned(&past.clone().answered("bob", answer(codes))),
        ["a", "b"]
    );
    let many = (0..100).map(|number| format!("w{number}")).collect();
    let many = warned(&past.answered("bob", answer(many)));
    assert_eq!(
        (many.len(), many[15].as_str(), many[16].as_str()),
        (17, "w15", "more_warnings")
    );
}

#[test]
fn no_number_of_warnings_hides_that_an_answer_was_cut() {
    let warnings: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
    let of = |kind: fn(Reply) -> LLMResponse| {
        let answer = kind(Reply {
            warnings: warnings.clone(),
            ..text("do").reply().clone()
        });
        let past = Past::began()
            .said("@bob hi")
            .woke("bob")
            .answered("bob", answer);
        let code = |event: &Event| {
            if let Event::World(WorldEvent::WarningRecorded(it)) = event {
                Some(it.code.clone())
            } else {
                None
            }
        };
        let first = past.events().find_map(code);
        first.unwrap()
    };
    assert_eq!(of(LLMResponse::Truncated), "answer_truncated");
    assert_eq!(of(LLMResponse::Filtered), "answer_filtered");
}

#[test]
fn calls_of_a_closing_call_that_money_forced_name_the_limit_of_money() {
    let asked = priced(|_| {}).said("@bob hi").woke("bob");
    let Reserved { attempt, closing } = reserved(&asked);
    let limit = |change: fn(&mut WorldSpec, Money)| {
        let past = priced(|spec| change(spec, attempt.plus(closing).minus(money("1"))))
            .said("@bob hi")
            .woke("bob");
        assert_eq!(
            past.memory("bob")
                .turn
                .as_ref()
                .unwrap()
                .model
                .as_ref()
                .unwrap()
                .purpose,
            Purpose::Closing
        );
        limit_of(&past.answered("bob", counted(&calls(&[("look", "{}")]), 10, 10)))
    };
    assert_eq!(
        limit(|spec, cost| spec.limits.cost = Some(cost)),
        [SpentLimit::Cost]
    );
    assert_eq!(
        limit(|spec, cost| spec.limits.cost_per_episode = Some(cost)),
        [SpentLimit::CostPerEpisode]
    );
    let both = |spec: &mut WorldSpec, cost| {
        (spec.limits.cost, spec.limits.cost_per_episode) = (Some(money("1000000")), Some(cost));
    };
    assert_eq!(limit(both), [SpentLimit::CostPerEpisode]);
    let of_calls = |spec: &mut WorldSpec, _| {
        (spec.limits.cost, spec.limits.model_calls_per_agent) = (Some(money("1000000")), 1);
    };
    assert_eq!(limit(of_calls), [SpentLimit::ModelCalls]);
}

#[test]
fn what_a_summary_cost_counts_for_the_call_behind_it() {
    let room = |limit: &str| {
        let past = priced(|spec| {
            spec.agents
                .iter_mut()
                .for_each(|agent| agent.tools.retain(|tool| tool.as_str() == "look"));
            spec.models
                .values_mut()
                .for_each(|model| model.context_tokens_max = 500);
            spec.limits.cost = Some(money(limit));
        });
        let long = format!("@bob {}", "x".repeat(150));
        let talk = |past: Past| {
            past.said(&long)
                .woke("bob")
                .answered("bob", counted(&text("yes"), 0, 0))
        };
        let past = (0..4)
            .fold(past, |past, _| talk(past))
            .said(&long)
            .woke("bob");
        assert_eq!(
            past.memory("bob")
                .turn
                .as_ref()
                .unwrap()
                .model
                .as_ref()
                .unwrap()
                .purpose,
            Purpose::Compaction
        );
        past
    };
    let dear = room("100000").answered("bob", counted(&text("older"), 99_990, 0));
    assert_eq!(
        limit_of(&dear),
        [SpentLimit::Cost],
        "the summary took what there was"
    );
    let cheap = room("100000").answered("bob", counted(&text("older"), 10, 0));
    assert_eq!(limit_of(&cheap), []);
}

/// A little more than bob's first call and its closing call may cost.
fn tight(more: &str) -> Past {
    let Reserved { attempt, closing } = reserved(&priced(|_| {}).said("@bob hi").woke("bob"));
    let most = attempt.plus(closing).plus(money(more));
    priced(|spec| spec.limits.cost_per_episode = Some(most))
}

#[test]
fn memory_that_no_episode_could_pay_for_loses_its_oldest_items() {
    let talk = |past: Past| {
        let past = past.said(&format!("@bob {}", "x".repeat(400))).woke("bob");
        assert!(past.memory("bob").turn.is_some(), "{:?}", past.last());
        past.answered("bob", counted(&text("yes"), 0, 0))
    };
    let past = (0..20).fold(tight("1000"), |past, _| talk(past));
    assert_eq!(limit_of(&past), []);
    let dropped = |event: &Event| matches!(event, Event::Turn(TurnEvent::PrefixBroken(it)) if it.cause == PrefixCause::MemoryFull);
    assert!(past.events().any(dropped));
    assert!(
        past.memory("bob").items.len() > 3,
        "about half of the room is kept"
    );
}

#[test]
fn agent_that_could_not_pay_for_its_results_answers_in_the_next_episode() {
    let past = tight("1000").said("@bob go").woke("bob");
    let past = past
        .answered("bob", counted(&calls(&[("look", "{}")]), 300, 100))
        .started("bob", 0, 1);
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("x".repeat(8_000)))
        .carried_on("bob");
    assert_eq!(limit_of(&past), [SpentLimit::CostPerEpisode]);
    let next = past.said("@bob and now?").woke("bob");
    assert!(next.memory("bob").turn.is_some(), "{:?}", next.last());
    assert_eq!(next.memory("bob").items.len(), 1, "the results are gone");
}

#[test]
fn attached_files_are_set_aside_for_in_each_attempt() {
    let asked = |media_type: &str, bytes: usize| {
        let attachments = vec![Attachment::of("a.txt", media_type, &vec![b'x'; bytes])];
        let action = Action::Talk(TalkAction::PostMessage {
            text: "@bob look".to_owned(),
            attachments,
            reply_to: None,
        });
        priced(|_| {}).then(Command::of(ada(), action)).woke("bob")
    };
    let kept = |media_type, bytes| reserved(&asked(media_type, bytes));
    let more = |more: Reserved, less: Reserved| {
        (
            more.attempt.minus(less.attempt),
            more.closing.minus(less.closing),
        )
    };
    let thousand = (money("1000"), money("1000"));
    assert_eq!(
        more(kept("text/plain", 8_000), kept("text/plain", 4_000)),
        thousand,
        "four bytes to a token"
    );
    assert_eq!(
        more(kept("image/jpeg", 8_000), kept("image/jpeg", 4_000)).0,
        Money::ZERO
    );
    assert_eq!(
        more(kept("image/jpeg", 4_000), kept("text/plain", 4_000)).0,
        money("4000")
    );
    let past = asked("text/plain", 8_000)
        .model_failed("bob", ModelErrorKind::Timeout)
        .after_ms(600_000);
    let retry = past.retry("bob");
    assert_eq!(reserved(&past.then(retry)), kept("text/plain", 8_000));
}
