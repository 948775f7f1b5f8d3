use crate::audit::why::tests::{allowed, commit_of, done, last};
use crate::audit::why::{Slice, SliceNode};
use crate::command::{Action, Command, ConsentAction, Judgement, Settlement, ShellAction};
use crate::event::{EventKind, Scope, Verdict};
use crate::ids::Position;
use crate::model::response::ModelErrorKind;
use crate::spec::{Join, Limits, Mode};
use crate::testing::*;
use crate::tool::{Reconciliation, ToolOutcome};

/// The causes of the last event of a kind, as `kind < kind kind`, one line an event.
fn of(past: &Past, kind: EventKind) -> Vec<String> {
    let nodes = slice(past, last(past, kind));
    nodes.iter().map(|node| line(past, node)).collect()
}

/// An event and what it would not have happened without.
fn line(past: &Past, node: &SliceNode) -> String {
    let name = |at: &Position| {
        let (_, event) = commit_of(past, *at)
            .numbered()
            .find(|(here, _)| here == at)
            .unwrap();
        event.kind().name()
    };
    let because: Vec<&str> = node.because.iter().map(name).collect();
    if because.is_empty() {
        node.kind.clone()
    } else {
        format!("{} < {}", node.kind, because.join(" "))
    }
}

const ASKED: [&str; 5] = [
    "ModelAnswered < ModelCalled",
    "ModelCalled < TurnOpened",
    "TurnOpened < MessageRouted",
    "MessageRouted < MessagePosted",
    "MessagePosted",
];

const STARTED: [&str; 4] = [
    "ToolStarted < ApprovalDecided",
    "ApprovalDecided < ApprovalRequested",
    "ApprovalRequested < CallsAdmitted",
    "CallsAdmitted < ModelAnswered",
];

/// `first`, then what they all have in common.
fn then<const N: usize>(first: [&str; N], rest: &[&[&str]]) -> Vec<String> {
    first
        .into_iter()
        .chain(rest.iter().copied().flatten().copied())
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_approved_call_leads_over_its_decision_to_the_person_who_spoke() {
    assert_eq!(
        of(&allowed(), EventKind::ToolStarted),
        then([], &[&STARTED, &ASKED])
    );
    let first = [
        "ModelCalled < TurnOpened",
        "TurnOpened < MessageRouted",
        "MessageRouted < MessagePosted",
        "MessagePosted < ModelAnswered",
        "ModelAnswered < ModelCalled",
        "ModelCalled < ToolFinished",
        "ToolFinished < ToolStarted",
    ];
    assert_eq!(
        of(&allowed(), EventKind::ModelCalled),
        then(first, &[&STARTED, &ASKED])
    );
}

#[test]
fn a_turn_goes_on_because_of_all_its_results() {
    let past = Past::began()
        .bob_calls(&[("look", "{}"), ("look", "{\"path\":\"a\"}")])
        .started("bob", 0, 1);
    let past = past
        .started("bob", 1, 1)
        .said("@eve aside")
        .finished("bob", 1, 1, done())
        .finished("bob", 0, 1, done());
    let first = [
        "ModelCalled < ToolFinished ToolFinished",
        "ToolFinished < ToolStarted",
        "ToolFinished < ToolStarted",
        "ToolStarted < CallsAdmitted",
        "ToolStarted < CallsAdmitted",
        "CallsAdmitted < ModelAnswered",
    ];
    assert_eq!(
        of(&past.carried_on("bob"), EventKind::ModelCalled),
        then(first, &[&ASKED])
    );
}

#[test]
fn every_message_that_woke_an_agent_is_a_cause() {
    let past = Past::began()
        .said("@bob one")
        .said("@eve not you")
        .said("@bob two")
        .woke("bob");
    let wanted = [
        "TurnOpened < MessageRouted MessageRouted",
        "MessageRouted < MessagePosted",
        "MessagePosted",
        "MessageRouted < MessagePosted",
        "MessagePosted",
    ];
    assert_eq!(of(&past, EventKind::TurnOpened), then(wanted, &[]));
}

#[test]
fn a_call_that_a_grant_allows_leads_to_the_decision_that_gave_it() {
    let past = Past::began().bob_calls(&[("write", "{}")]);
    let judgement = Judgement::new(Verdict::Allow).within(Scope::World);
    let decide = Action::Consent(ConsentAction::Decide {
        agent: Some(agent("bob")),
        request: past.request(),
        judgement,
    });
    let past = past
        .then(Command::of(ada(), decide))
        .started("bob", 0, 1)
        .finished("bob", 0, 1, done());
    let past = past
        .carried_on("bob")
        .answered("bob", calls(&[("write", "{}")]))
        .started("bob", 0, 1);
    let first = [
        "ToolStarted < GrantUsed",
        "GrantUsed < GrantGiven CallsAdmitted",
        "CallsAdmitted < ModelAnswered",
        "ModelAnswered < ModelCalled",
        "ModelCalled < ToolFinished",
        "ToolFinished < ToolStarted",
        "ToolStarted < ApprovalDecided",
        "GrantGiven < ApprovalDecided",
    ];
    assert_eq!(
        of(&past, EventKind::ToolStarted),
        then(first, &[&STARTED[1..], &ASKED])
    );
}

#[test]
fn an_answer_to_an_agent_leads_to_its_question() {
    let past =
        Past::with(room_that_asks()).bob_calls(&[("ask", "{\"agent\":\"eve\",\"text\":\"Why?\"}")]);
    let past = past
        .woke("eve")
        .answered("eve", text("Because."))
        .carried_on("bob");
    let first = [
        "ModelCalled < ToolFinished",
        "ToolFinished < AgentAsked MessagePosted",
        "MessagePosted < ModelAnswered",
        "ModelAnswered < ModelCalled",
        "ModelCalled < TurnOpened",
        "TurnOpened < MessageRouted",
        "AgentAsked < MessagePosted",
        "MessageRouted < MessagePosted",
        "MessagePosted < CallsAdmitted",
        "CallsAdmitted < ModelAnswered",
    ];
    assert_eq!(of(&past, EventKind::ModelCalled), then(first, &[&ASKED]));
}

#[test]
fn a_handoff_leads_to_the_call_that_made_it() {
    let past = Past::with(room_that_asks())
        .bob_calls(&[("hand", "{\"agent\":\"eve\",\"text\":\"yours\"}")])
        .woke("eve");
    let closed = [
        "TurnClosed < HandedOff",
        "HandedOff < CallsAdmitted",
        "CallsAdmitted < ModelAnswered",
    ];
    assert_eq!(of(&past, EventKind::TurnClosed), then(closed, &[&ASKED]));
    let woken = [
        "TurnOpened < MessageRouted",
        "MessageRouted < MessagePosted",
        "MessagePosted < CallsAdmitted",
        "CallsAdmitted < ModelAnswered",
    ];
    assert_eq!(of(&past, EventKind::TurnOpened), then(woken, &[&ASKED]));
}

#[test]
fn a_join_that_elapsed_is_a_cause_of_the_turn_that_it_lets_begin() {
    let room = room_with(|spec| {
        spec.agents[0].join = Some(Join {
            all_of: vec![agent("eve"), agent("cody")],
            or_after_ms: 1_000,
        });
    });
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("@eve @cody look"));
    let past = past
        .woke("eve")
        .answered("eve", text("@bob seen"))
        .after_ms(2_000);
    let past = past
        .then(runtime(Action::Shell(ShellAction::Tick)))
        .woke("bob");
    let nodes = of(&past, EventKind::TurnOpened);
    assert_eq!(
        nodes[..2],
        [
            "TurnOpened < MessageRouted MessageRouted JoinElapsed",
            "JoinElapsed < MessagePosted"
        ]
    );
}

#[test]
fn what_is_taken_back_leads_to_what_it_was() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("hello"))
        .then(regenerate(9));
    let past = past.woke("bob");
    let nodes = of(&past, EventKind::TurnOpened);
    let wanted = [
        "TurnOpened < MessageRouted ReplyRegenerated",
        "ReplyRegenerated < MessagePosted",
    ];
    assert_eq!(nodes[..2], wanted);
    let past = past.then(retract(4));
    assert_eq!(
        of(&past, EventKind::MessageRetracted),
        ["MessageRetracted < MessagePosted", "MessagePosted"]
    );
    assert_eq!(
        of(&past, EventKind::TurnClosed)[0],
        "TurnClosed < TurnOpened MessageRetracted"
    );
}

#[test]
fn what_a_stop_ends_leads_to_the_stop_and_to_what_it_ended() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]).then(stop());
    let first = [
        "ToolFinished < ApprovalRequested Stopped",
        "Stopped",
        STARTED[2],
        STARTED[3],
    ];
    assert_eq!(of(&past, EventKind::ToolFinished), then(first, &[&ASKED]));
    assert_eq!(
        of(&past, EventKind::TurnClosed)[0],
        "TurnClosed < TurnOpened Stopped"
    );
}

#[test]
fn what_time_ends_leads_to_its_request() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let late = past
        .after_ms(Limits::default().approval_ttl_destructive_ms + 1)
        .then(runtime(Action::Shell(ShellAction::Tick)));
    let first = [
        "ToolFinished < ApprovalExpired",
        "ApprovalExpired < ApprovalRequested",
        STARTED[2],
        STARTED[3],
    ];
    assert_eq!(of(&late, EventKind::ToolFinished), then(first, &[&ASKED]));
}

#[test]
fn a_further_attempt_leads_to_the_failure_or_to_the_crash_that_lost_the_one_before() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .model_failed("bob", ModelErrorKind::Overload)
        .after_ms(60_000);
    let retry = past.retry("bob");
    let first = ["ModelCalled < ModelFailed", "ModelFailed < ModelCalled"];
    assert_eq!(
        of(&past.then(retry), EventKind::ModelCalled),
        then(first, &[&ASKED[1..]])
    );
    let past = Past::began().said("@bob hi").woke("bob").crashed();
    let retry = past.retry("bob");
    let first = ["ModelCalled < ModelCalled Opened", "Opened"];
    assert_eq!(
        of(&past.then(retry), EventKind::ModelCalled),
        then(first, &[&ASKED[1..]])
    );
}

#[test]
fn a_further_attempt_is_made_because_its_own_call_failed() {
    let past = Past::began()
        .said("@bob @eve hi")
        .woke("bob")
        .woke("eve")
        .model_failed("bob", ModelErrorKind::Overload);
    let own = last(&past, EventKind::ModelFailed);
    let past = past
        .model_failed("eve", ModelErrorKind::Overload)
        .after_ms(60_000);
    let retry = past.retry("bob");
    let past = past.then(retry);
    let nodes = slice(&past, last(&past, EventKind::ModelCalled));
    assert_eq!(
        nodes.first().map(|node| node.because.as_slice()),
        Some([own].as_slice())
    );
}

/// Bob's call of a tool that may not repeat, lost in a crash.
fn lost(tool: &str) -> Past {
    let room = room_with(|spec| spec.policy.mode = Mode::Auto);
    Past::with(room)
        .bob_calls(&[(tool, "{}")])
        .started("bob", 0, 1)
        .crashed()
}

const LOST: [&str; 3] = [
    "Opened",
    "ToolStarted < CallsAdmitted",
    "CallsAdmitted < ModelAnswered",
];

#[test]
fn a_lost_run_leads_to_the_opening_that_lost_it() {
    let again = lost("keep").started("bob", 0, 2);
    assert_eq!(
        of(&again, EventKind::ToolStarted),
        then(["ToolStarted < ToolStarted Opened"], &[&LOST, &ASKED])
    );
    let past = lost("write");
    let declared = past.declare("bob", 0);
    let past = past.then(declared);
    let first = ["OutcomeUnknown < ToolStarted Opened"];
    assert_eq!(
        of(&past, EventKind::OutcomeUnknown),
        then(first, &[&LOST, &ASKED])
    );
    let request = past.request();
    let past = past
        .then(settle(request, Settlement::NotRun))
        .carried_on("bob");
    let first = [
        "ModelCalled < OutcomeSettled",
        "OutcomeSettled < OutcomeUnknown",
        "OutcomeUnknown < ToolStarted Opened",
    ];
    assert_eq!(
        of(&past, EventKind::ModelCalled),
        then(first, &[&LOST, &ASKED])
    );
}

#[test]
fn what_a_tool_told_of_a_lost_run_is_a_cause() {
    let room = room_with(|spec| {
        spec.policy.mode = Mode::Auto;
        spec.tools.get_mut(&tool("write")).unwrap().reconciles = true;
    });
    let past = Past::with(room)
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1)
        .crashed();
    let told = past.reconcile(
        "bob",
        0,
        Reconciliation::Landed(ToolOutcome::text("it did")),
    );
    let first = [
        "ToolFinished < Reconciled",
        "Reconciled < ToolStarted Opened",
    ];
    assert_eq!(
        of(&past.then(told), EventKind::ToolFinished),
        then(first, &[&LOST, &ASKED])
    );
}

#[test]
fn routing_and_its_notices_lead_to_their_message() {
    let past = Past::began().said("@bobby hi");
    let wanted = [
        "NoticePosted < MessageRouted",
        "MessageRouted < MessagePosted",
        "MessagePosted",
    ];
    assert_eq!(of(&past, EventKind::NoticePosted), wanted);
}

#[test]
fn a_slice_is_cut_at_its_limit() {
    let past = allowed();
    let at = last(&past, EventKind::ModelCalled);
    let mut slice = Slice::of(at, 3);
    while let Some(needed) = slice.needs() {
        slice.take(commit_of(&past, needed));
    }
    let (nodes, is_cut) = slice.finish();
    assert_eq!((nodes.len(), is_cut), (3, true));
}

#[test]
fn the_slices_of_a_whole_log_hold() {
    causes_hold(
        &allowed()
            .answered("eve", text("@nobody hm"))
            .then(post("@bobby hi"))
            .then(post("@bob wait"))
            .crashed(),
    );
}
