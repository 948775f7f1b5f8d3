//! The forgery matrix: whoever names a wrong request or call is refused, each time for a reason of its own in the log,
//! and every client is told the same.

use crate::command::ShellAction;
use crate::event::refusal::Refusal;
use crate::ids::{CallId, Position, Seed, Stamp, Time, WorldId};
use crate::tool::ToolOutcome;
use crate::world::decide::tests::consent::*;

/// One way to be wrong: the past, the agent and the request that are named, and the world that is named with them.
struct Forged {
    past: Past,
    agent: &'static str,
    request: RequestId,
    world: Option<WorldId>,
    call: CallId,
    /// The recorded reason where a decision is forged, and where a result is.
    reasons: (RefusalReason, RefusalReason),
}

fn other_world() -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(9),
        seed: Seed::new([9; 16]),
    })
}

fn forged() -> Vec<(&'static str, Forged)> {
    let past = asks_to_wipe(&["a"]);
    let (request, call) = (past.oldest(), past.call("bob", 0));
    let here = |reasons| Forged {
        past: past.clone(),
        agent: "bob",
        request,
        world: None,
        call,
        reasons,
    };
    let elsewhere = CallId::of(other_world(), Position::new(1), 0);
    let denied = past.clone().then(deny(request));
    let late = past
        .clone()
        .after_ms(15 * 60 * 1_000)
        .then(Command::of_runtime(Action::Shell(ShellAction::Tick)));
    let stopped = past.clone().then(stop());
    let of_world = || Forged {
        world: Some(other_world()),
        call: elsewhere,
        ..here((RefusalReason::OtherWorld, RefusalReason::UnknownCall))
    };
    let child = past.clone().forked();
    let asked_again = child.oldest();
    let (parent_id, child_id) = (past.world.id(), child.world.id());
    let of_parent = Forged {
        past: child.clone(),
        world: parent_id,
        ..here((RefusalReason::OfParent, RefusalReason::OfParent))
    };
    let by_number = Forged {
        past: child.clone(),
        ..here((RefusalReason::OfParent, RefusalReason::OfParent))
    };
    let of_child = Forged {
        request: asked_again,
        world: child_id,
        call: child.call("bob", 0),
        ..here((RefusalReason::OtherWorld, RefusalReason::UnknownCall))
    };
    let decided = past.clone().then(deny(request)).forked();
    let historical = Forged {
        past: decided,
        ..here((RefusalReason::OfParent, RefusalReason::OfParent))
    };
    let unknown = Forged {
        request: RequestId(Position::new(999)),
        call: elsewhere,
        ..here((RefusalReason::UnknownRequest, RefusalReason::UnknownCall))
    };
    let other = Forged {
        agent: "eve",
        ..here((RefusalReason::OtherAgent, RefusalReason::OtherAgent))
    };
    let resolved = Forged {
        past: denied,
        ..here((RefusalReason::AlreadyDecided, RefusalReason::AlreadyDecided))
    };
    let expired = Forged {
        past: late,
        ..here((RefusalReason::Expired, RefusalReason::Expired))
    };
    let closed = Forged {
        past: stopped,
        ..here((RefusalReason::Closed, RefusalReason::Closed))
    };
    vec![
        ("unknown id", unknown),
        ("other agent", other),
        ("other world", of_world()),
        ("pending in the parent, to the fork", of_parent),
        ("the same by its number", by_number),
        ("decided in the parent, to the fork", historical),
        ("of the fork, to the parent", of_child),
        ("resolved", resolved),
        ("expired", expired),
        ("closed", closed),
    ]
}

fn commands(forged: &Forged) -> Vec<(&'static str, Command, RefusalReason)> {
    let Forged {
        agent: name,
        request,
        world,
        call,
        reasons,
        ..
    } = forged;
    let decided = |judgement: Judgement| {
        judged(
            name,
            *request,
            Judgement {
                world: *world,
                ..judgement
            },
        )
    };
    let result = Action::Shell(ShellAction::FinishTool {
        agent: agent(name),
        call: *call,
        attempt: crate::ids::Attempt(1),
        outcome: ToolOutcome::text("yes, approved"),
        progress: None,
    });
    vec![
        ("approve", decided(yes()), reasons.0),
        ("deny", decided(Judgement::new(Verdict::Deny)), reasons.0),
        ("edit", decided(edited(&json!({ "path": "b" }))), reasons.0),
        ("tool result", Command::of(ada(), result), reasons.1),
    ]
}

/// What a client is told, whoever decided before left out.
fn outward(refusal: Refusal) -> String {
    refusal.outward().code()
}

#[test]
fn every_forgery_is_refused_recorded_and_answered_alike() {
    for (row, forged) in forged() {
        for (column, command, reason) in commands(&forged) {
            let decision = forged.past.decide(&command);
            let Some(Event::Refused(refused)) = decision.events.last() else {
                panic!("{row}, {column}: {decision:?}")
            };
            assert_eq!(refused.reason, reason, "{row}, {column}");
            assert_eq!(decision.events.len(), 1, "{row}, {column}");
            assert_eq!(
                outward(decision.answer.unwrap_err()),
                "not_open",
                "{row}, {column}"
            );
            let past = forged.past.clone().then_refused(command);
            assert_eq!(past.owed(), forged.past.owed(), "{row}, {column}");
        }
    }
}

#[test]
fn true_request_in_a_forgers_hand_is_refused_as_well() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    for principal in [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("wipe")),
        Principal::World,
        Principal::Runtime,
    ] {
        let command = judged_by(principal, "bob", request, yes());
        refuses(&past, &command, RefusalReason::NotAPerson, Some(request));
    }
}

#[test]
fn key_that_was_used_for_another_command_is_recorded_and_answered_alike() {
    let past = asks_to_wipe(&["a"]);
    let command = judged("bob", past.oldest(), yes());
    let decision = past.world.refuse_reused(&command, &past.stamp());
    let [Event::Refused(refused)] = decision.events.as_slice() else {
        panic!("{decision:?}")
    };
    assert_eq!(
        (refused.reason, refused.command),
        (RefusalReason::KeyReused, command.digest())
    );
    assert_eq!(outward(decision.answer.unwrap_err()), "not_open");
}

#[test]
fn client_learns_who_was_first_and_nothing_else() {
    let past = asks_to_wipe(&["a"]);
    let request = past.oldest();
    let past = past.then(deny(request));
    let refusal = past.decide(&allow(request)).answer.unwrap_err().outward();
    let Refusal::Right {
        reason: RefusalReason::NotOpen,
        decided: Some(decided),
    } = refusal
    else {
        panic!()
    };
    assert_eq!(
        (decided.by, decided.how.as_str()),
        (Some(person("ada").into()), "deny")
    );
}
