use folkmoot_core::audit::Redecision;
use folkmoot_core::ids::WorldName;

use super::*;
use crate::audit::{ANCHORS, READING};

fn report(checks: Vec<Check>) -> WorldReport {
    WorldReport {
        world: WorldName::new("desk").unwrap(),
        head: Position::new(1_204),
        checks,
        redecision: Redecision::default(),
    }
}

fn anchor(position: u64) -> BadgeAnchor {
    BadgeAnchor {
        position: Position::new(position),
        time: Some(Time(1_777_802_400_000)),
    }
}

#[test]
fn a_badge_says_up_to_where_and_by_which_anchor_a_log_is_intact() {
    let whole = report(vec![Check::done(INTEGRITY, AuditVerdict::Intact, "")]);
    let badge = Badge::of(&whole, Some(anchor(1_204)));
    assert_eq!(badge.state, BadgeState::Intact);
    assert_eq!(badge.to, Position::new(1_204));
    assert_eq!(
        badge.words,
        "intact up to 1,204 by the anchor of 3 May 2026"
    );
    let badge = Badge::of(&whole, Some(anchor(1_000)));
    assert_eq!(
        badge.words,
        "intact up to 1,000 by the anchor of 3 May 2026; 204 events are behind it"
    );
}

#[test]
fn a_badge_without_an_anchor_says_so() {
    let detail = "no anchor of this world was given; links and roots are right";
    let check = Check::done(INTEGRITY, AuditVerdict::NotChecked, detail);
    let badge = Badge::of(&report(vec![check]), None);
    assert_eq!(badge.state, BadgeState::Intact);
    assert_eq!(
        badge.words,
        "intact up to 1,204; no anchor of this world was given"
    );
}

#[test]
fn a_badge_names_the_first_damage_of_any_check() {
    let at = |at| AuditVerdict::DamagedAt(Position::new(at));
    let checks = vec![
        Check::done(INTEGRITY, at(1_100), ""),
        Check::done(READING, at(1_050), ""),
        Check::missed(ANCHORS, ""),
    ];
    let badge = Badge::of(&report(checks), None);
    assert_eq!(badge.state, BadgeState::Damaged);
    assert_eq!(badge.to, Position::new(1_049));
    assert_eq!(badge.damaged_at, Some(Position::new(1_050)));
    assert_eq!(badge.words, "damaged at event 1,050");
}

#[test]
fn a_badge_is_not_intact_where_a_check_could_not_be_done() {
    let checks = vec![
        Check::done(INTEGRITY, AuditVerdict::NotChecked, ""),
        Check::missed(ANCHORS, "this is no anchor"),
    ];
    let badge = Badge::of(&report(checks), None);
    assert_eq!(badge.state, BadgeState::NotChecked);
    assert_eq!(badge.words, "not checked: anchors: this is no anchor");
}
