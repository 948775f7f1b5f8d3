use super::*;
use crate::command::CommandKind;
use crate::event::refusal::RefusalReason;
use crate::event::{CallEvent, TalkEvent, TurnEvent, WorldEvent};
use crate::event::{
    CallStatus, EpochOpened, EventRecord, PrefixBroken, PrefixCause, StoredContent, Verdict,
};
use crate::ids::{Seed, Stamp, Time};
use crate::testing::*;

const OTHERS: Digest = Digest::new([7; 32]);

/// A world in which ada allowed a call, and it ran.
fn past() -> Past {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    past.then(allow(request)).started("bob", 0, 1)
}

fn audit(commits: &[Commit]) -> Vec<Finding> {
    let mut auditor = Auditor::default();
    commits.iter().map(|commit| auditor.take(commit)).collect()
}

fn report(commits: &[Commit]) -> Redecision {
    let (mut auditor, mut report) = (Auditor::default(), Redecision::default());
    for commit in commits {
        let finding = auditor.take(commit);
        report.note(commit, &finding);
    }
    report
}

/// What comes of the one commit of `kind` after `change`, all before it being as it was.
fn after(past: &Past, kind: CommandKind, change: impl FnOnce(&mut Commit)) -> Finding {
    let at = past
        .commits
        .iter()
        .position(|commit| commit.header.command == kind)
        .unwrap();
    let mut commits = past.commits[..=at].to_vec();
    change(&mut commits[at]);
    let mut found = audit(&commits);
    let last = found.pop().unwrap();
    assert!(
        found.iter().all(|found| *found == Finding::Decided),
        "{found:?}"
    );
    last
}

fn difference(found: Finding) -> Difference {
    let Finding::Diverged(divergence) = found else {
        panic!("{found:?}")
    };
    divergence.difference
}

fn erase(event: &mut Event) {
    let record = event.to_record().unwrap();
    *event = Event::from_record(EventRecord {
        content: StoredContent::Erased { by: None },
        ..record
    })
    .unwrap();
}

#[test]
fn log_of_these_rules_is_decided_again_as_it_was() {
    let past = past();
    let report = report(&past.commits);
    assert_eq!(
        report.counts,
        Counts {
            decided: past.commits.len() as u64,
            ..Counts::default()
        }
    );
    assert_eq!(
        (report.verdict(), report.epochs.len()),
        (AuditVerdict::Intact, 1)
    );
    assert_eq!(
        (report.epochs[0].from, report.epochs[0].to),
        (at(1), past.world.head())
    );
}

#[test]
fn commit_of_other_rules_is_folded_and_told() {
    let mut commits = past().commits;
    for commit in &mut commits {
        commit.header.decider = OTHERS;
        if let Some(Event::World(WorldEvent::WorldOpened(opened))) = commit.events.first_mut() {
            opened.decider = OTHERS;
        }
    }
    assert!(
        audit(&commits)
            .iter()
            .all(|found| *found == Finding::OtherRules(OTHERS))
    );
    assert_eq!(
        report(&commits).verdict(),
        AuditVerdict::RulesNotInThisBuild
    );
}

#[test]
fn epoch_is_opened_by_its_own_rules_whatever_their_build_is_called() {
    let mut past = past();
    let first = past.commits[0].clone();
    let mut commits = vec![first];
    commits[0].header.decider = OTHERS;
    if let Some(Event::World(WorldEvent::WorldOpened(opened))) = commits[0].events.first_mut() {
        opened.decider = OTHERS;
    }
    past.world = World::default();
    past.world.apply(&commits[0]);
    let (stamp, command) = (past.stamp(), reopen());
    let mut opening = past
        .world
        .commit(&command, &stamp, &past.world.decide(&command, &stamp))
        .unwrap();
    let Some(Event::World(WorldEvent::EpochOpened(EpochOpened { binary, .. }))) =
        opening.events.get_mut(1)
    else {
        panic!("{opening:?}")
    };
    *binary = "another build of the same rules".to_owned();
    commits.push(opening);
    let report = report(&commits);
    let told: Vec<_> = report
        .epochs
        .iter()
        .map(|epoch| (epoch.verdict, epoch.binary.as_deref()))
        .collect();
    let binary = Some("another build of the same rules");
    assert_eq!(
        told,
        [
            (AuditVerdict::RulesNotInThisBuild, None),
            (AuditVerdict::Intact, binary)
        ]
    );
    assert_eq!(report.verdict(), AuditVerdict::Intact);
}

#[test]
fn rules_that_no_epoch_opened_are_no_way_out() {
    let found = after(&past(), CommandKind::Decide, |commit| {
        commit.header.decider = OTHERS
    });
    assert_eq!(
        difference(found),
        Difference::Rules {
            expected: decider_id()
        }
    );
}

#[test]
fn commit_follows_the_one_before_it_in_its_own_world_and_no_earlier() {
    let past = past();
    let at = past.commits[1].header.first;
    let found = after(&past, CommandKind::PostMessage, |commit| {
        commit.header.first = at.next()
    });
    assert_eq!(difference(found), Difference::Order { expected: at });
    let other = crate::ids::WorldId(uuid::Uuid::max());
    let found = after(&past, CommandKind::PostMessage, |commit| {
        commit.header.world = other
    });
    assert_eq!(
        difference(found),
        Difference::World {
            expected: past.world.id()
        }
    );
    let early = Stamp {
        time: Time(1),
        seed: Seed::new([0; 16]),
    };
    let found = after(&past, CommandKind::PostMessage, |commit| {
        commit.header.stamp = early
    });
    assert_eq!(
        difference(found),
        Difference::Time {
            before: Time::SIMULATED_START
        }
    );
}

#[test]
fn yes_of_somebody_without_the_right_is_named_with_what_the_rules_say() {
    let past = past();
    let at = past
        .commits
        .iter()
        .find(|commit| commit.header.command == CommandKind::Decide)
        .unwrap()
        .header
        .first;
    let found = after(&past, CommandKind::Decide, |commit| {
        commit.header.principal = crate::ids::principal::Principal::Agent(agent("bob"));
    });
    let Finding::Diverged(found) = found else {
        panic!("{found:?}")
    };
    assert_eq!((found.at, found.command), (at, CommandKind::Decide));
    let Difference::Event {
        recorded,
        recomputed,
    } = found.difference
    else {
        panic!()
    };
    assert!(matches!(
        recorded.as_deref(),
        Some(Event::Call(CallEvent::ApprovalDecided(_)))
    ));
    let Some(Event::Refused(refused)) = recomputed.as_deref() else {
        panic!("{recomputed:?}")
    };
    assert_eq!(refused.reason, RefusalReason::NotAPerson);
}

#[test]
fn run_that_these_rules_do_not_start_is_told_with_the_reason() {
    let past = past();
    let started = past.commits.last().unwrap().clone();
    let denied = Past::began().bob_calls(&[("wipe", "{}")]);
    let (request, call) = (denied.request(), denied.call("bob", 0));
    let mut commits = denied.then(deny(request)).commits;
    assert!(
        matches!(&started.events[0], Event::Call(CallEvent::ToolStarted(event)) if event.call == call)
    );
    let first = commits.last().unwrap().last().next();
    commits.push(Commit {
        header: crate::command::commit::CommitHeader {
            first,
            ..started.header
        },
        ..started
    });
    let found = audit(&commits).pop().unwrap();
    assert!(matches!(
        difference(found),
        Difference::Refused {
            refusal: crate::event::refusal::Refusal::Stale,
            ..
        }
    ));
}

#[test]
fn refusal_that_the_world_contradicts_diverges() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    let eve = of(
        crate::ids::principal::Principal::Agent(agent("eve")),
        &allow(request),
    );
    let past = past.then_refused(&eve);
    assert_eq!(audit(&past.commits).pop(), Some(Finding::RecordedRefusal));
    for reason in [
        RefusalReason::AlreadyDecided,
        RefusalReason::Expired,
        RefusalReason::NoRight,
    ] {
        let found = after(&past, CommandKind::Decide, |commit| {
            let Some(Event::Refused(refused)) = commit.events.last_mut() else {
                panic!()
            };
            refused.reason = reason;
        });
        assert!(
            matches!(found, Finding::Diverged(_)),
            "{reason:?}: {found:?}"
        );
    }
}

#[test]
fn what_was_erased_explains_a_fingerprint_and_no_decision() {
    let mut past = past();
    past.commits[1].events.iter_mut().for_each(|event| {
        if matches!(event, Event::Talk(TalkEvent::MessagePosted(_))) {
            erase(event);
        }
    });
    let found = audit(&past.commits);
    let erased: Vec<_> = past
        .commits
        .iter()
        .zip(&found)
        .filter(|(_, found)| **found == Finding::Erased)
        .collect();
    let kinds: Vec<_> = erased
        .iter()
        .map(|(commit, _)| commit.header.command)
        .collect();
    assert_eq!(
        kinds,
        [CommandKind::PostMessage, CommandKind::OpenTurn],
        "{found:?}"
    );
    assert!(
        !found
            .iter()
            .any(|found| matches!(found, Finding::Diverged(_))),
        "{found:?}"
    );
    let decided = past
        .commits
        .iter()
        .position(|commit| commit.header.command == CommandKind::Decide)
        .unwrap();
    if let Some(Event::Call(CallEvent::ApprovalDecided(event))) =
        past.commits[decided].events.last_mut()
    {
        event.verdict = Verdict::Deny;
    }
    assert!(matches!(
        audit(&past.commits)[decided],
        Finding::Diverged(_)
    ));
}

#[test]
fn first_of_several_divergences_is_shown_and_the_others_are_counted() {
    let mut past = past();
    let count = past.commits.len();
    for commit in &mut past.commits[count - 2..] {
        commit.header.cause = None;
    }
    let report = report(&past.commits);
    let first = past.commits[count - 2].header.first;
    assert_eq!(
        (report.verdict(), report.counts.diverged),
        (AuditVerdict::DivergedAt(first), 2)
    );
    let shown = report.first.unwrap();
    assert_eq!(
        (shown.at, shown.recorded),
        (first, serde_json::json!({ "cause": null }))
    );
    assert_eq!(report.epochs[0].verdict, AuditVerdict::DivergedAt(first));
}

#[test]
fn many_epochs_are_bounded_and_none_with_a_divergence_is_left_out() {
    let mut report = Redecision::default();
    let commit = past().commits[0].clone();
    let found = Finding::Diverged(Box::new(Divergence::in_header(
        &commit,
        Difference::Order { expected: at(1) },
    )));
    report.note(&commit, &found);
    (0..EPOCHS_MAX + 4).for_each(|_| report.note(&commit, &Finding::Decided));
    assert_eq!((report.epochs.len(), report.left_out), (EPOCHS_MAX, 5));
    assert_eq!(report.epochs[0].counts.diverged, 1);
    assert_eq!(report.counts.commits(), EPOCHS_MAX as u64 + 5);
}

#[test]
fn result_that_nobody_gave_is_seen() {
    let past = past().finished("bob", 0, 1, crate::tool::ToolOutcome::text("gone"));
    let found = after(&past, CommandKind::FinishTool, |commit| {
        let Some(Event::Call(CallEvent::ToolFinished(finished))) = commit.events.first_mut() else {
            panic!()
        };
        finished.status = CallStatus::Denied;
    });
    assert!(matches!(found, Finding::Diverged(_)), "{found:?}");
}

#[test]
fn yes_that_is_smuggled_into_an_explained_commit_diverges() {
    let past = Past::began().bob_calls(&[("wipe", "{}")]);
    let request = past.request();
    let decided = past
        .clone()
        .then(allow(request))
        .last()
        .last()
        .cloned()
        .unwrap();
    let mut commits = past.commits;
    let said = commits.iter_mut().flat_map(|commit| &mut commit.events);
    said.filter(|event| matches!(event, Event::Talk(TalkEvent::MessagePosted(_))))
        .for_each(erase);
    let answer = commits
        .iter_mut()
        .find(|commit| commit.header.command == CommandKind::RecordAnswer)
        .unwrap();
    answer.events.extend([
        Event::Turn(TurnEvent::PrefixBroken(PrefixBroken {
            agent: agent("bob"),
            cause: PrefixCause::MemoryFull,
            dropped: 0,
        })),
        decided,
    ]);
    let first = report(&commits).first.expect("a divergence");
    assert_eq!(first.command, CommandKind::RecordAnswer);
}

#[test]
fn what_was_erased_explains_no_other_attempt() {
    let mut past = past();
    erase(
        past.commits[1]
            .events
            .iter_mut()
            .find(|event| matches!(event, Event::Talk(TalkEvent::MessagePosted(_))))
            .unwrap(),
    );
    let opened = past
        .commits
        .iter()
        .position(|commit| commit.header.command == CommandKind::OpenTurn)
        .unwrap();
    let Some(Event::Turn(TurnEvent::ModelCalled(called))) = past.commits[opened].events.last_mut()
    else {
        panic!()
    };
    called.attempt = crate::ids::Attempt(2);
    assert!(matches!(audit(&past.commits)[opened], Finding::Diverged(_)));
}
