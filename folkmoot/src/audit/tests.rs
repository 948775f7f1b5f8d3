use futures::StreamExt as _;
use futures::stream;

use super::*;

/// What the checks say of a log of `head` events that reads as far as `error`, which stands at its beginning.
async fn checks(error: Option<ReadError>, head: u64) -> Vec<Check> {
    let commits = stream::iter(error.map(Err)).boxed();
    let found = redecide(commits).await;
    vec![
        words::reading(&found, Position::new(head)),
        words::redecision(&found),
    ]
}

#[tokio::test]
async fn damage_is_damage_and_what_lies_behind_it_is_not_checked() {
    let damage = ReadError::Damaged {
        at: Position::new(7),
        what: "a checksum".to_owned(),
    };
    let checks = checks(Some(damage), 9).await;
    let damaged = Check::done(
        READING,
        AuditVerdict::DamagedAt(Position::new(7)),
        "a checksum",
    );
    let missed = Check::missed(
        RE_DECISION,
        "the log cannot be read beyond event 0; up to there: no commits",
    );
    assert_eq!(checks, [damaged, missed]);
    assert!(checks[0].is_bad() && !checks[1].is_bad());
}

#[tokio::test]
async fn newer_event_is_named_and_never_called_damage() {
    let newer = ReadError::Newer {
        at: Position::new(7),
        kind: "MessagePosted".to_owned(),
        version: 9,
    };
    let checks = checks(Some(newer), 9).await;
    let why =
        "event 7 is a MessagePosted of version 9, which this build does not know; use a newer one";
    assert_eq!(checks[0], Check::missed(READING, why));
    assert!(
        checks
            .iter()
            .all(|check| check.is_missed && !check.is_bad())
    );
}

#[tokio::test]
async fn log_that_ends_before_its_head_is_damaged_there() {
    let checks = checks(None, 9).await;
    assert_eq!(checks[0].verdict, AuditVerdict::DamagedAt(Position::new(1)));
}

#[test]
fn verdicts_are_written_by_name() {
    let written = |verdict: AuditVerdict| serde_json::to_string(&verdict).unwrap();
    let all = [
        (AuditVerdict::Intact, r#""intact""#),
        (
            AuditVerdict::DamagedAt(Position::new(3)),
            r#"{"damaged_at":3}"#,
        ),
        (
            AuditVerdict::DivergedAt(Position::new(3)),
            r#"{"diverged_at":3}"#,
        ),
        (
            AuditVerdict::RulesNotInThisBuild,
            r#""rules_not_in_this_build""#,
        ),
        (AuditVerdict::Erased, r#""erased""#),
        (AuditVerdict::NotChecked, r#""not_checked""#),
    ];
    for (verdict, name) in all {
        assert_eq!(written(verdict), name);
    }
}
