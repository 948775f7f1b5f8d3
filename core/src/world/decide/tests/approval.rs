use crate::command::{Action, Command, ConsentAction, Judgement, Reply, Settlement, ShellAction};
use crate::event::refusal::{Decided, Refusal, RefusalReason};
use crate::event::*;
use crate::ids::principal::Principal;
use crate::ids::{Attempt, RequestId};
use crate::testing::*;
use crate::tool::ToolOutcome;
use crate::world::effect::{Due, Effect};

fn asked() -> Past {
    Past::began().bob_calls(&[("wipe", "{}")])
}

fn shown(past: &Past, seen: &str) -> Command {
    let Action::Consent(ConsentAction::Decide {
        agent,
        request,
        judgement,
    }) = allow(past.request()).action
    else {
        panic!()
    };
    let judgement = judgement.having_seen(Some(seen.to_owned()));
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Decide {
            agent,
            request,
            judgement,
        }),
    )
}

/// A yes that names its request and says nothing of whose call it is.
fn allow_unnamed(request: RequestId) -> Command {
    let judgement = Judgement::new(Verdict::Allow);
    Command::of(
        ada(),
        Action::Consent(ConsentAction::Decide {
            agent: None,
            request,
            judgement,
        }),
    )
}

/// `command` is refused and recorded for `reason`.
fn refuses(past: &Past, command: &Command, reason: RefusalReason, request: Option<RequestId>) {
    check(
        past,
        command,
        &recorded(reason, [refused(command, reason, request)]),
    );
}

#[test]
fn allowed_call_runs() {
    let past = asked();
    let (request, call) = (past.request(), past.call("bob", 0));
    check(
        &past,
        &allow(request),
        &accepted([decided(request, call, Verdict::Allow)]),
    );
    let run = Effect::RunTool {
        agent: agent("bob"),
        call,
        attempt: Attempt(1),
    };
    assert_eq!(past.then(allow(request)).owed(), [run]);
}

#[test]
fn decision_that_names_no_agent_is_about_the_call_of_the_request() {
    let past = asked();
    let (request, call) = (past.request(), past.call("bob", 0));
    check(
        &past,
        &allow_unnamed(request),
        &accepted([decided(request, call, Verdict::Allow)]),
    );
    let unknown = RequestId(past.world.head().next());
    refuses(
        &past,
        &allow_unnamed(unknown),
        RefusalReason::UnknownRequest,
        None,
    );
}

#[test]
fn denied_call_is_reported_back_to_the_model() {
    let past = asked();
    let (request, call, turn) = (past.request(), past.call("bob", 0), past.turn("bob"));
    let then = accepted([
        decided(request, call, Verdict::Deny),
        ended(call, CallStatus::Denied),
    ]);
    check(&past, &deny(request), &then);
    let past = past.then(deny(request));
    let after = past.world.head();
    assert_eq!(
        past.owed(),
        [Effect::Continue {
            agent: agent("bob"),
            turn,
            after,
            not_before: None
        }]
    );
}

#[test]
fn confirmation_must_be_of_what_was_shown() {
    let past = asked();
    let request = past.request();
    refuses(
        &past,
        &shown(&past, "00000000"),
        RefusalReason::ShownDiffers,
        Some(request),
    );
    let crate::world::RequestKind::Approval { shown: digest, .. } =
        past.world.consent().pending()[&request].kind
    else {
        panic!()
    };
    refuses(
        &past,
        &shown(&past, &digest.short()[..7]),
        RefusalReason::ShownDiffers,
        Some(request),
    );
    past.clone().then(shown(&past, &digest.short()));
}

#[test]
fn decision_about_another_agents_call_is_refused() {
    let past = asked();
    let request = past.request();
    refuses(
        &past,
        &decide_of("eve", request, Verdict::Allow),
        RefusalReason::OtherAgent,
        Some(request),
    );
}

#[test]
fn request_of_another_kind_is_not_decided() {
    let past = asked();
    let request = past.request();
    refuses(
        &past,
        &reply(request, Reply::Options(vec![0])),
        RefusalReason::OtherKind,
        Some(request),
    );
    refuses(
        &past,
        &settle(request, Settlement::NotRun),
        RefusalReason::OtherKind,
        Some(request),
    );
}

#[test]
fn person_who_is_called_like_an_agent_decides_nothing() {
    let past = asked();
    let request = past.request();
    let command = Command::of(Principal::Person(person("Bob")), allow(request).action);
    refuses(&past, &command, RefusalReason::NotAPerson, Some(request));
}

#[test]
fn agents_tools_and_the_runtime_decide_nothing() {
    let past = asked();
    let request = past.request();
    for principal in [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("wipe")),
        Principal::Runtime,
        Principal::World,
    ] {
        let command = Command::of(principal.clone(), allow(request).action);
        refuses(&past, &command, RefusalReason::NotAPerson, Some(request));
        let stranger = Command::of(principal, allow(RequestId(at(1))).action);
        refuses(&past, &stranger, RefusalReason::NotAPerson, None);
    }
}

#[test]
fn second_decision_is_told_who_decided_and_how() {
    let past = asked();
    let request = past.request();
    let past = past.then(deny(request));
    let decision = past.decide(&allow(request));
    let by = Decided {
        by: Some(person("ada").into()),
        how: "deny".to_owned(),
    };
    assert_eq!(
        decision.answer,
        Err(Refusal::Right {
            reason: RefusalReason::AlreadyDecided,
            decided: Some(by)
        })
    );
    assert_eq!(
        decision.events,
        [refused(
            &allow(request),
            RefusalReason::AlreadyDecided,
            Some(request)
        )]
    );
}

#[test]
fn unknown_request_is_refused() {
    let request = RequestId(at(4));
    refuses(
        &asked(),
        &allow(request),
        RefusalReason::UnknownRequest,
        None,
    );
}

#[test]
fn decision_at_its_expiry_comes_too_late() {
    let past = asked().after_ms(15 * 60 * 1_000);
    let (request, call) = (past.request(), past.call("bob", 0));
    let expired = Event::Call(CallEvent::ApprovalExpired(ApprovalExpired {
        request,
        call,
        agent: agent("bob"),
    }));
    let told = notice(Notice::RequestExpired { request }, 4);
    let record = refused(&allow(request), RefusalReason::Expired, Some(request));
    let then = [expired, ended(call, CallStatus::Expired), told, record];
    check(
        &past,
        &allow(request),
        &recorded(RefusalReason::Expired, then),
    );
    assert!(matches!(
        past.then_refused(allow(request)).owed()[..],
        [Effect::Continue { .. }]
    ));
}

#[test]
fn decision_a_moment_before_its_expiry_counts() {
    let past = asked().after_ms(15 * 60 * 1_000 - 1);
    let request = past.request();
    past.then(allow(request));
}

#[test]
fn tick_records_what_nobody_decided_in_time() {
    let past = asked();
    let expires = crate::ids::Time(past.now.0 + 15 * 60 * 1_000);
    assert_eq!(
        past.owed(),
        [Effect::TickAt {
            time: expires,
            due: Due::Expiry
        }]
    );
    check(
        &past,
        &runtime(Action::Shell(ShellAction::Tick)),
        &accepted([]),
    );
    let past = past.after_ms(15 * 60 * 1_000);
    let (request, call) = (past.request(), past.call("bob", 0));
    let expired = Event::Call(CallEvent::ApprovalExpired(ApprovalExpired {
        request,
        call,
        agent: agent("bob"),
    }));
    let told = notice(Notice::RequestExpired { request }, 4);
    check(
        &past,
        &runtime(Action::Shell(ShellAction::Tick)),
        &accepted([expired, ended(call, CallStatus::Expired), told]),
    );
}

#[test]
fn one_tick_ends_no_more_requests_than_a_commit_can_have() {
    let room = room_with(|spec| spec.limits.tool_calls_per_answer = 128);
    let past = Past::with(room)
        .bob_calls(&[("wipe", "{}"); 128])
        .after_ms(15 * 60 * 1_000);
    let left = |past: &Past| past.world.consent().pending().len();
    assert_eq!(left(&past), 128);
    let past = past.then(runtime(Action::Shell(ShellAction::Tick)));
    assert_eq!(left(&past), 28);
    assert!(
        matches!(past.owed()[..], [Effect::TickAt { time, due: Due::Expiry }] if time <= past.now)
    );
    assert_eq!(
        left(&past.then(runtime(Action::Shell(ShellAction::Tick)))),
        0
    );
}

#[test]
fn pending_request_survives_a_crash_and_runs_once() {
    let past = asked().crashed();
    let request = past.request();
    let past = past.then(allow(request)).started("bob", 0, 1).finished(
        "bob",
        0,
        1,
        ToolOutcome::text("wiped"),
    );
    assert_eq!(
        past.events()
            .filter(|event| event.kind() == EventKind::ToolStarted)
            .count(),
        1
    );
}

#[test]
fn question_is_asked_of_people_and_its_answer_starts_the_call_again() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1)
        .finished("bob", 0, 1, question());
    let (request, call) = (past.request(), past.call("bob", 0));
    let answered = Event::Call(CallEvent::QuestionAnswered(QuestionAnswered {
        request,
        call,
        agent: agent("bob"),
        options: vec![1],
        by: person("ada").into(),
        text: crate::content::Content::Present(None),
    }));
    check(
        &past,
        &reply(request, Reply::Options(vec![1])),
        &accepted([answered]),
    );
    refuses(
        &past,
        &reply(request, Reply::Options(vec![2])),
        RefusalReason::NoSuchOption,
        Some(request),
    );
    refuses(
        &past,
        &reply(request, Reply::Text("b".to_owned())),
        RefusalReason::NoSuchOption,
        Some(request),
    );
    let past = past.then(reply(request, Reply::Options(vec![1])));
    assert_eq!(
        past.owed(),
        [Effect::RunTool {
            agent: agent("bob"),
            call,
            attempt: Attempt(2)
        }]
    );
    let input = past
        .world
        .runnable(&agent("bob"), call)
        .unwrap()
        .input
        .unwrap();
    assert_eq!(
        input,
        crate::port::Input {
            options: vec![1],
            text: "b".to_owned(),
            value: "b".into()
        }
    );
}
