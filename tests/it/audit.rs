//! Re-decision of real logs: nothing diverges that nobody touched, and whatever is forged is found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::audit::{Auditor, Finding, Redecision};
use folkmoot::core::command::Command;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::EventKind;
use folkmoot::core::world::decider::decider_id;
use folkmoot_tests::{Cut, Dice, Kept, Stage, commits_of};

use crate::{golden, random, replay, scripts};

mod mutation;

use mutation::{Mutant, Pool};

/// The log of a run of `file`.
async fn log_of(file: &Path) -> Vec<Commit> {
    let stage = Stage::of(file, Kept::InMemory);
    let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
    stage.run(&runtime).await.unwrap();
    runtime.shutdown().await;
    commits_of(stage.store(), &stage.script.world).await
}

fn report(commits: &[Commit]) -> Redecision {
    let (mut auditor, mut report) = (Auditor::default(), Redecision::default());
    for commit in commits {
        let finding = auditor.take(commit);
        report.note(commit, &finding);
    }
    report
}

/// That a log comes out as it was; without its content, or a part of it, it does as far as can be told.
fn holds(commits: &[Commit], what: &str) {
    let whole = report(commits);
    assert_eq!(whole.first, None, "{what}");
    assert_eq!(
        (whole.counts.erased, whole.counts.other_rules),
        (0, 0),
        "{what}: {:?}",
        whole.counts
    );
    for every in [1, 2, 3, 5] {
        let erase = |(number, commit): (usize, &Commit)| {
            if number.is_multiple_of(every) {
                replay::erased(commit)
            } else {
                commit.clone()
            }
        };
        let bare: Vec<Commit> = commits.iter().enumerate().map(erase).collect();
        assert_eq!(
            report(&bare).first,
            None,
            "{what}, every {every}th commit erased"
        );
    }
}

#[tokio::test]
async fn logs_of_scripts_are_decided_again_as_they_were() {
    for file in scripts::all() {
        holds(&log_of(&file).await, &file.display().to_string());
    }
}

#[test]
fn logs_of_random_rooms_are_decided_again_as_they_were() {
    for (number, log) in random::some(12).iter().enumerate() {
        holds(log, &format!("random room {number}"));
    }
}

#[test]
fn golden_logs_of_all_rules_verify_and_those_of_others_are_named() {
    for (file, commits) in golden::all() {
        let report = report(&commits);
        assert_eq!(report.first, None, "{}", file.display());
        let is_ours = commits[0].header.decider == decider_id();
        assert_eq!(
            report.counts.other_rules > 0,
            !is_ours,
            "{}",
            file.display()
        );
        assert_eq!(report.epochs.len(), 1, "{}", file.display());
    }
}

/// What a command carries, and its events with it: what people say and do, models answer, tools give, and the room is. It
/// cannot be recomputed from anything, so that another such fact makes another history.
const INPUTS: &[(EventKind, &[&str])] = &[
    (
        EventKind::WorldOpened,
        &["base", "clock", "name", "source", "spec"],
    ),
    (EventKind::Opened, &["node", "base"]),
    (EventKind::StepDone, &["step", "digest"]),
    (EventKind::Labelled, &["owner", "labels"]),
    (EventKind::RightsChanged, &["method", "subject", "rights"]),
    (EventKind::MessagePosted, &["reply_to"]),
    (EventKind::TurnOpened, &["horizon"]),
    (EventKind::TurnDeclined, &["horizon", "parameters"]),
    (EventKind::ModelCalled, &["parameters"]),
    (
        EventKind::ModelFailed,
        &["kind", "retry_after_ms", "played", "reached"],
    ),
    (EventKind::AgentFailed, &["code"]),
    (EventKind::TurnClosed, &["unasked"]),
    (
        EventKind::ApprovalDecided,
        &["shown", "shares_reason", "wider", "scope"],
    ),
    (EventKind::QuestionAnswered, &["options"]),
    (EventKind::ToolFinished, &["progress"]),
    (EventKind::OutcomeSettled, &["how"]),
    (EventKind::Stopped, &["episode"]),
    (EventKind::Refused, &["command", "reason", "request"]),
    (EventKind::EpochOpened, &["binary"]),
];

fn is_input(mutant: &Mutant) -> bool {
    INPUTS
        .iter()
        .any(|(kind, fields)| *kind == mutant.kind && fields.contains(&mutant.field.as_str()))
}

/// Whether the changed commit is that of another command: one that was given would have been recorded so. Of a refusal only
/// the command's digest is known.
fn is_another_command(commit: &Commit, mutant: &Mutant) -> bool {
    let Some(changed) = &mutant.changed else {
        return false;
    };
    mutant.kind == EventKind::Refused || Command::rebuild(changed) != Command::rebuild(commit)
}

/// How the mutants of a kind of event were found.
#[derive(Debug, Default)]
struct Row {
    made: usize,
    unread: usize,
    at_once: usize,
    later: usize,
    inputs: usize,
    /// The facts that were changed and are inputs.
    fields: BTreeSet<String>,
}

/// What comes of a mutant: whether it was found, and whether at the commit that was changed.
fn found(auditor: &Auditor, mutant: &Commit, rest: &[Commit]) -> Option<bool> {
    let mut auditor = auditor.clone();
    if let Finding::Diverged(_) = auditor.take(mutant) {
        return Some(true);
    }
    let is_later = rest
        .iter()
        .any(|commit| matches!(auditor.take(commit), Finding::Diverged(_)));
    is_later.then_some(false)
}

/// Changes one fact of one event at a time, or takes an event away or doubles it, of each log at most `each` times.
fn mutate(logs: &[(String, Vec<Commit>)], each: usize) -> BTreeMap<&'static str, Row> {
    let (pool, mut dice, mut rows) = (Pool::of(logs), Dice::new(7), BTreeMap::<_, Row>::new());
    for (what, log) in logs {
        let all: usize = log.iter().map(|commit| pool.mutants(commit).len()).sum();
        let percent = (each * 100).div_ceil(all.max(1));
        let mut auditor = Auditor::default();
        for (number, commit) in log.iter().enumerate() {
            for mutant in pool.mutants(commit) {
                if !dice.happens(percent) {
                    continue;
                }
                let row = rows.entry(mutant.kind.name()).or_default();
                row.made += 1;
                match mutant
                    .changed
                    .as_ref()
                    .map(|changed| found(&auditor, changed, &log[number + 1..]))
                {
                    None => row.unread += 1,
                    Some(Some(true)) => row.at_once += 1,
                    Some(Some(false)) => row.later += 1,
                    Some(None) => {
                        assert!(
                            is_input(&mutant),
                            "{what}, event {}: {mutant:?}",
                            commit.header.first
                        );
                        assert!(
                            is_another_command(commit, &mutant),
                            "{what}, event {}: {mutant:?}",
                            commit.header.first
                        );
                        row.inputs += 1;
                        row.fields.insert(mutant.field);
                    }
                }
            }
            auditor.take(commit);
        }
    }
    rows
}

fn print(rows: &BTreeMap<&'static str, Row>) {
    println!(
        "{:<18} {:>7} {:>9} {:>7} {:>6} {:>7}",
        "event", "changed", "unreadable", "at once", "later", "inputs"
    );
    for (
        kind,
        Row {
            made,
            unread,
            at_once,
            later,
            inputs,
            fields,
        },
    ) in rows
    {
        let fields = fields.iter().cloned().collect::<Vec<_>>().join(" ");
        println!("{kind:<18} {made:>7} {unread:>9} {at_once:>7} {later:>6} {inputs:>7}  {fields}");
    }
    let sum = |of: fn(&Row) -> usize| rows.values().map(of).sum::<usize>();
    let (made, unread, inputs) = (
        sum(|row| row.made),
        sum(|row| row.unread),
        sum(|row| row.inputs),
    );
    let (at_once, later) = (sum(|row| row.at_once), sum(|row| row.later));
    println!(
        "{:<18} {made:>7} {unread:>9} {at_once:>7} {later:>6} {inputs:>7}",
        "all"
    );
}

/// What is decided of who decides what: no change of it may pass.
const NEVER: [&str; 12] = [
    "MessageRouted",
    "CallsAdmitted",
    "ApprovalRequested",
    "ApprovalExpired",
    "GrantGiven",
    "GrantUsed",
    "ToolStarted",
    "PersonJoined",
    "NoticePosted",
    "PrefixBroken",
    "ModelAnswered",
    "HandedOff",
];

async fn forge(files: Vec<PathBuf>, rooms: usize, each: usize) -> BTreeMap<&'static str, Row> {
    let mut logs = Vec::new();
    for file in files {
        logs.push((file.display().to_string(), log_of(&file).await));
    }
    tokio::task::spawn_blocking(move || {
        logs.extend(
            random::some(rooms)
                .into_iter()
                .enumerate()
                .map(|(number, log)| (format!("room {number}"), log)),
        );
        let rows = mutate(&logs, each);
        print(&rows);
        for (kind, row) in &rows {
            assert!(!NEVER.contains(kind) || row.inputs == 0, "{kind}: {row:?}");
        }
        rows
    })
    .await
    .unwrap()
}

/// How many facts of each log are changed, if nobody says otherwise.
const EACH: usize = 40;

#[tokio::test]
async fn a_forged_fact_is_found_unless_it_is_an_input() {
    let files = [
        "release-room",
        "grants",
        "budget",
        "handoff",
        "people",
        "forged-approval",
        "fan-in",
        "compacted",
    ];
    let files = files.into_iter().filter_map(|name| {
        scripts::all()
            .into_iter()
            .find(|file| file.ends_with(format!("{name}.yaml")))
    });
    let rows = forge(files.collect(), 2, EACH).await;
    for kind in ["MessageRouted", "ApprovalDecided", "ModelCalled"] {
        assert!(rows[kind].at_once > 0, "{kind}: {:?}", rows[kind]);
    }
}

#[tokio::test]
#[ignore = "changes every fact of every script's log and of 40 random rooms', one by one: minutes"]
async fn every_forged_fact_is_found_unless_it_is_an_input() {
    forge(scripts::all(), 40, usize::MAX / 100).await;
}

/// What hangs on how long a request to a model is, and so on what was erased; see `Finding::Erased`.
const HIDDEN: &[(EventKind, &[&str])] = &[
    (
        EventKind::ModelCalled,
        &[
            "fingerprint",
            "items",
            "reserved",
            "model",
            "purpose",
            "parameters",
            "(left out)",
            "(doubled)",
        ],
    ),
    (EventKind::PrefixBroken, &["(left out)", "(doubled)"]),
];

#[tokio::test]
async fn an_erased_message_hides_no_forgery_but_of_what_hangs_on_its_words() {
    let whole = log_of(&scripts::named("release-room")).await;
    let says = |commit: &Commit| {
        commit
            .events
            .iter()
            .any(|event| event.kind() == EventKind::MessagePosted)
    };
    let at = whole.iter().position(says).unwrap();
    let mut log = whole.clone();
    log[at] = replay::erased(&log[at]);
    let pool = Pool::of(&[("release-room".to_owned(), log.clone())]);
    let (mut auditor, mut of_whole, mut counts) = (Auditor::default(), Auditor::default(), (0, 0));
    for (number, (commit, original)) in log.iter().zip(&whole).enumerate() {
        for mutant in pool.mutants(commit).into_iter().filter(|_| number > at) {
            let Some(changed) = &mutant.changed else {
                continue;
            };
            if !matches!(of_whole.clone().take(changed), Finding::Diverged(_)) {
                continue;
            }
            counts.0 += 1;
            if !matches!(auditor.clone().take(changed), Finding::Diverged(_)) {
                counts.1 += 1;
                let is_hidden = HIDDEN.iter().any(|(kind, fields)| {
                    *kind == mutant.kind && fields.contains(&mutant.field.as_str())
                });
                assert!(is_hidden, "{mutant:?}");
            }
        }
        auditor.take(commit);
        of_whole.take(original);
    }
    println!(
        "of {} forgeries that are found in the whole log, {} are hidden",
        counts.0, counts.1
    );
    assert!(counts.0 > 100 && counts.1 * 10 < counts.0, "{counts:?}");
}
