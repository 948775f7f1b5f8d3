//! What the store says of a log's integrity, as checks.

use folkmoot_core::audit::AuditVerdict;
use folkmoot_core::ids::{Position, WorldName};
use folkmoot_store::{AnchorOutcome, Damage, Examined, Integrity, LogVerdict, StoreDamage};

use super::{Check, RE_DECISION, Redecision, WorldReport};

/// The name of the check whether the stored records are those that were written.
pub const INTEGRITY: &str = "integrity";
/// The name of the check of what is not one world's alone.
pub const STORE: &str = "store";
/// The name of the check whether given anchors and keys can be used.
pub const ANCHORS: &str = "anchors";

/// Returns what verifying a log said, as a check.
#[must_use]
pub fn integrity(found: &Integrity) -> Check {
    match (&found.damage, &found.newer, found.verdict()) {
        (Some(damage), _, _) => {
            Check::done(INTEGRITY, AuditVerdict::DamagedAt(damage.at), told(damage))
        }
        (None, Some(newer), _) => {
            Check::missed(INTEGRITY, format!("{}; use a newer build", newer.what))
        }
        (None, None, LogVerdict::Intact) => {
            let tail = found.tail;
            let rest = match tail.events {
                0 => String::new(),
                1 => "; one event behind that is not attested".to_owned(),
                events => format!("; {events} events behind that are not attested"),
            };
            let who = if found.heads.signed == 0 {
                "; nobody checked whose anchor it is: --trust KEY"
            } else {
                ""
            };
            let detail = format!("as anchored up to event {}{rest}{who}", tail.attested);
            Check::done(INTEGRITY, AuditVerdict::Intact, detail)
        }
        (None, None, LogVerdict::NotChecked | LogVerdict::Newer | LogVerdict::Damaged) => {
            Check::done(INTEGRITY, AuditVerdict::NotChecked, unanchored(found))
        }
    }
}

/// Returns what can be said without an anchor.
fn unanchored(found: &Integrity) -> String {
    let heads = match (found.heads.seen, found.heads.signed) {
        (0, _) => "no head of this log is signed".to_owned(),
        (seen, 0) => format!("{seen} signed heads fit; no key was given"),
        (_, signed) => format!(
            "{signed} heads are signed, up to event {}",
            found.tail.attested
        ),
    };
    let anchors = if found
        .anchors
        .iter()
        .any(|anchor| anchor.outcome == AnchorOutcome::Altered)
    {
        "somebody changed one of the given anchors"
    } else if found.anchors.is_empty() {
        "no anchor of this world was given"
    } else {
        "no given anchor covers this world"
    };
    format!("{anchors}; links and roots are right, {heads}")
}

fn told(damage: &Damage) -> String {
    let until = damage
        .until
        .map(|until| format!(" between events {} and {until}", damage.at))
        .unwrap_or_default();
    format!("{}{until}: {}", damage.kind, damage.what)
}

/// Returns what is wrong with a store as a whole, as a check of a world that ends at `end`: behind that nothing is sure.
#[must_use]
pub fn of_store(found: &StoreDamage, end: Position) -> Check {
    let frame = found
        .frame
        .map(|frame| format!(" at frame {frame}"))
        .unwrap_or_default();
    match found.kind {
        Some(kind) => Check::done(
            STORE,
            AuditVerdict::DamagedAt(end.next()),
            format!("{kind}{frame}: {}", found.what),
        ),
        None => Check::missed(STORE, format!("{}{frame}; use a newer build", found.what)),
    }
}

/// The reports of a store that does not open.
#[must_use]
pub fn closed(found: &Examined) -> Vec<WorldReport> {
    let report = |of: &Integrity| {
        // A world whose name is lost is called by its id, which a name can always be.
        let name = of
            .name
            .clone()
            .or_else(|| WorldName::new(of.world.to_string()).ok())?;
        let mut checks = vec![integrity(of)];
        checks.extend(found.store.iter().map(|store| of_store(store, of.events)));
        checks.push(Check::missed(RE_DECISION, "the store cannot be opened"));
        Some(WorldReport {
            world: name,
            head: of.events,
            checks,
            redecision: Redecision::default(),
        })
    };
    found.worlds.iter().filter_map(report).collect()
}
