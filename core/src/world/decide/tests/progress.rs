use crate::command::{Action, Command, ShellAction};
use crate::event::{CallEvent, Event, Progress};
use crate::ids::Digest;
use crate::spec::Mode;
use crate::testing::*;
use crate::tool::{Question, ToolErrorCode, ToolOutcome};

fn running() -> Past {
    Past::with(room_with(|spec| spec.policy.mode = Mode::Auto))
        .bob_calls(&[("write", "{}")])
        .started("bob", 0, 1)
}

fn reported() -> Progress {
    Progress::after(Some(Progress::after(None, "half")), "all")
}

fn reporting(mut finish: Command) -> Command {
    if let Action::Shell(ShellAction::FinishTool { progress, .. }) = &mut finish.action {
        *progress = Some(reported());
    }
    finish
}

/// The progress of the run's result, if there is a result.
fn recorded(past: Past, outcome: ToolOutcome) -> Option<Option<Progress>> {
    let command = reporting(past.finish("bob", 0, 1, outcome));
    let past = past.then(command);
    let finished = |event: &Event| {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            Some(finished.progress)
        } else {
            None
        }
    };
    past.last().iter().find_map(finished)
}

#[test]
fn each_report_is_counted_and_chained_to_those_before_it() {
    let zeros = Digest::default();
    let first = Digest::of(&[zeros.as_bytes(), b"half"]);
    let both = Digest::of(&[first.as_bytes(), b"all"]);
    assert_eq!(
        reported(),
        Progress {
            reports: 2,
            digest: both
        }
    );
    let most = Progress {
        reports: u32::MAX,
        digest: zeros,
    };
    assert_eq!(
        Progress::after(Some(most), "half"),
        Progress {
            reports: u32::MAX,
            digest: first
        }
    );
}

#[test]
fn a_result_says_what_its_run_reported_even_if_nobody_knows_whether_it_took_effect() {
    for outcome in [
        ToolOutcome::text("written"),
        ToolOutcome::failed(ToolErrorCode::NotFound, "d"),
        ToolOutcome::failed(ToolErrorCode::Lost, "d"),
    ] {
        assert_eq!(recorded(running(), outcome), Some(Some(reported())));
    }
}

#[test]
fn what_was_reported_before_a_question_or_after_the_call_was_closed_is_not_recorded() {
    let question = ToolOutcome::NeedsInput(Question {
        text: "Which?".to_owned(),
        ..Question::default()
    });
    assert_eq!(recorded(running(), question), None);
    let past = running();
    let timed_out = past.time_out("bob", 0, 1);
    assert_eq!(
        recorded(past.then(timed_out), ToolOutcome::text("written")),
        None
    );
}
