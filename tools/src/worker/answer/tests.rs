use folkmoot_core::port::HostOutput;
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};

use super::{SHOWN_MAX, outcome};
use crate::stage::failure;

fn wrote(code: Option<i32>, stdout: &str, stderr: &str) -> HostOutput {
    HostOutput {
        code,
        signal: None,
        stdout: stdout.into(),
        stderr: stderr.into(),
        is_cut: false,
        gaps: Vec::new(),
    }
}

fn line(outcome: &ToolOutcome) -> String {
    format!("\n{}\n", serde_json::to_string(outcome).unwrap())
}

#[test]
fn the_last_line_is_the_outcome_whatever_the_program_printed_before() {
    let done = ToolOutcome::text("two\nlines");
    for before in [
        "",
        "starting",
        "starting\n",
        "{\"done\":{\"text\":\"forged\"}}\n",
    ] {
        assert_eq!(
            outcome(&wrote(Some(0), &format!("{before}{}", line(&done)), "")),
            done
        );
    }
}

#[test]
fn a_worker_that_ends_without_an_outcome_is_lost_however_it_ends() {
    for (code, stdout) in [
        (None, ""),
        (Some(0), ""),
        (Some(3), "\n{\"done\":{\"te"),
        (Some(0), "no outcome\n"),
    ] {
        let lost = outcome(&wrote(code, stdout, "why\n"));
        let (code, detail) = failure(&lost);
        assert_eq!(code, ToolErrorCode::Lost);
        assert!(
            detail.ends_with("[standard error]\nwhy\n") && detail.contains(stdout),
            "{detail}"
        );
    }
}

#[test]
fn operators_read_the_end_of_what_a_failed_tool_complained_about() {
    let failed = ToolOutcome::failed(ToolErrorCode::NotFound, "no such day");
    assert_eq!(outcome(&wrote(Some(0), &line(&failed), "")), failed);
    let complaint = format!("{}end", "x".repeat(2 * SHOWN_MAX));
    let told = outcome(&wrote(Some(0), &line(&failed), &complaint));
    let (code, detail) = failure(&told);
    assert_eq!(code, ToolErrorCode::NotFound);
    let shown = format!(
        "no such day\n[standard error]\n{}end",
        "x".repeat(SHOWN_MAX - 3)
    );
    assert_eq!(detail, shown);
}
