//! Runs the example programs as they were built and reads what they print.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Runs the example called `name`; cargo builds it beside this test.
fn run(name: &str, arguments: &[&str]) -> std::io::Result<String> {
    let own = std::env::current_exe()?;
    let program: PathBuf = own
        .ancestors()
        .skip(2)
        .take(1)
        .map(|dir| dir.join("examples").join(name))
        .collect();
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(&program).args(arguments).output()?;
    let (printed, complaint) = (
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr),
    );
    assert!(
        status.success(),
        "{name} ended with {status}:\n{printed}\n{complaint}"
    );
    assert_eq!(complaint, "", "{name} complained");
    Ok(printed.into_owned())
}

#[test]
fn the_embedding_example_writes_what_was_allowed() -> std::io::Result<()> {
    let printed = run("embed", &[])?;
    assert!(
        printed.contains("scribe asks to run write_file (write) with"),
        "{printed}"
    );
    assert!(
        printed.ends_with("The file: We ship on Friday.\n"),
        "{printed}"
    );
    Ok(())
}

#[test]
fn an_own_tool_runs_only_with_arguments_that_fit_its_schema() -> std::io::Result<()> {
    let printed = run("custom_tool", &[])?;
    assert!(printed.contains("on_call gave: Grace"), "{printed}");
    assert!(printed.contains("on_call did not run"), "{printed}");
    Ok(())
}

#[test]
fn the_support_desk_waits_through_a_restart_for_a_second_person() -> std::io::Result<()> {
    let printed = run("support_desk", &[])?;
    // Drafts are printed by a task of their own.
    let (drafts, lines): (Vec<&str>, Vec<&str>) =
        printed.lines().partition(|line| line.contains(" writes: "));
    assert_eq!(
        drafts,
        [
            "front writes: @ada your money",
            "front writes:  is on its way."
        ]
    );
    assert_eq!(
        lines,
        [
            "ada tries: Some(refused: same_person)",
            r#"eve allows: clerk asks to run refund (destructive) with {"cents":1200,"order":7}"#,
            "ada: My kettle broke.",
            "front: @clerk please refund order 7",
            "clerk: @front done",
            "front: @ada your money is on its way.",
            "the replay is the same: true",
        ]
    );
    let program = include_str!("../support_desk.rs");
    assert!(program.lines().count() <= 90, "a first app is small");
    Ok(())
}

#[test]
fn a_blocking_tool_is_killed_at_its_time_limit() -> std::io::Result<()> {
    let printed = run("blocking_tool", &[])?;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.first(), Some(&"divisor: 7"));
    assert!(
        lines
            .get(1)
            .is_some_and(|line| line.contains("took longer than its limit")),
        "{printed}"
    );
    Ok(())
}

#[test]
fn an_agent_in_code_remembers_by_its_note() -> std::io::Result<()> {
    let printed = run("custom_agent", &[])?;
    assert!(printed.contains("abacus: Sum number 1: 42"), "{printed}");
    assert!(printed.contains("abacus: Sum number 2: 6"), "{printed}");
    Ok(())
}

#[test]
fn the_benchmark_prints_every_row() -> std::io::Result<()> {
    let printed = run("bench_log", &["--quick"])?;
    assert_eq!(printed.lines().count(), 36, "{printed}");
    Ok(())
}

#[test]
fn the_benchmark_of_the_server_prints_every_row() -> std::io::Result<()> {
    let printed = run("bench_server", &["--quick"])?;
    assert_eq!(printed.lines().count(), 8, "{printed}");
    Ok(())
}

#[test]
fn an_app_mounts_the_rooms_behind_its_own_sign_in() -> std::io::Result<()> {
    let printed = run("mounted", &[])?;
    assert_eq!(
        printed,
        "ada: My kettle broke.\nclerk: A new kettle is on its way.\n"
    );
    Ok(())
}
