//! Every script that ships, and every script of the sweep, runs to its end.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot_tests::{Cut, Kept, Stage};

/// The example scripts and those that only the tests have.
pub(crate) fn all() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = [
        "../examples/worlds",
        "../examples/worlds/patterns",
        "worlds",
    ]
    .iter()
    .flat_map(|folder| std::fs::read_dir(here.join(folder)).unwrap())
    .map(|entry| entry.unwrap().path())
    .filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    })
    // A room to talk in has no steps, and its model is a real one.
    .filter(|path| !path.ends_with("chat.yaml"))
    .filter(|path| cfg!(feature = "data") || !path.ends_with("data-copilot.yaml"))
    .collect();
    files.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    files
}

/// The script called `name`.
pub(crate) fn named(name: &str) -> PathBuf {
    let found = all()
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem == name));
    found.unwrap_or_else(|| panic!("there is no script {name}"))
}

#[tokio::test]
async fn every_script_runs_to_its_end() {
    for file in all() {
        let stage = Stage::of(&file, Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        let report = stage.run(&runtime).await;
        assert!(
            report.is_ok(),
            "{}: {}",
            file.display(),
            report.unwrap_err()
        );
        runtime.shutdown().await;
    }
}

#[tokio::test]
async fn a_finished_script_is_only_checked_again() {
    for file in all() {
        let stage = Stage::of(&file, Kept::InMemory);
        let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        stage.run(&runtime).await.unwrap();
        runtime.shutdown().await;
        let again = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
        let report = stage.run(&again).await.unwrap();
        assert_eq!(
            (report.done, report.done_before),
            (0, stage.script.steps.len()),
            "{}",
            file.display()
        );
    }
}
