//! What happens beside the talk.

use folkmoot_core::event::{Event, TalkEvent, TurnEvent, WorldEvent};

use super::sentence::{ended, more};
use super::{Blank, Entry, EntryKind};
use crate::run::refused_because;
use crate::words::told;

/// What people read of it, if it is anything to them.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "`Talk::entry` names all events"
)]
pub(super) fn of(blank: &Blank, event: &Event) -> Option<Entry> {
    let change = |who: String, deed: String| Some(blank.entry(EntryKind::Change, &who, deed));
    let by = || blank.by.clone();
    match event {
        Event::Talk(TalkEvent::MessageRetracted(gone)) => change(
            by(),
            format!("takes back #{}{}", gone.at, more(gone.gone.len())),
        ),
        Event::Talk(TalkEvent::ReplyRegenerated(made)) => change(
            by(),
            format!(
                "has #{} of {} made anew{}",
                made.at,
                made.agent,
                more(made.gone.len())
            ),
        ),
        Event::Talk(TalkEvent::ArtifactWithheld(withheld)) => change(
            withheld.agent.to_string(),
            "said something that is no prose, which people are not shown".to_owned(),
        ),
        Event::Talk(TalkEvent::NoticePosted(posted)) => {
            let to = posted
                .to
                .as_ref()
                .map(|to| format!(" (to {to})"))
                .unwrap_or_default();
            let deed = format!(
                "{}{to}",
                told(&posted.notice, |request| format!("#{request}"))
            );
            Some(blank.entry(EntryKind::Notice, "", deed))
        }
        Event::Turn(TurnEvent::HandedOff(handed)) => change(
            handed.agent.to_string(),
            format!("hands over to {}", handed.to),
        ),
        Event::Turn(TurnEvent::JoinElapsed(elapsed)) => {
            let missing: Vec<String> = elapsed.missing.iter().map(ToString::to_string).collect();
            change(
                elapsed.agent.to_string(),
                format!("goes on without {}", missing.join(", ")),
            )
        }
        Event::Turn(TurnEvent::TurnClosed(closed)) => {
            ended(closed.reason).and_then(|deed| change(closed.agent.to_string(), deed))
        }
        Event::Turn(TurnEvent::TurnDeclined(declined)) => change(
            declined.agent.to_string(),
            "sets its news aside: it has no model call left".to_owned(),
        ),
        Event::Turn(TurnEvent::Stopped(stopped)) => {
            change(stopped.by.to_string(), "stops what is going on".to_owned())
        }
        Event::World(WorldEvent::SpecRevised(_)) => {
            change(by(), "changes the room's definition".to_owned())
        }
        Event::World(WorldEvent::Restored(_)) => change(
            String::new(),
            "the room goes on in a copy of its store".to_owned(),
        ),
        Event::World(WorldEvent::Forked(forked)) => change(
            by(),
            format!(
                "branches this room off {}, behind #{}",
                forked.parent_name, forked.base.of
            ),
        ),
        Event::World(WorldEvent::ErasureRequested(asked)) => {
            let spans = asked
                .events
                .iter()
                .map(|span| format!("#{} to #{}", span.from, span.to));
            change(
                by(),
                format!(
                    "has the content of {} erased",
                    spans.collect::<Vec<_>>().join(", ")
                ),
            )
        }
        Event::World(WorldEvent::Erased(gone)) => change(
            String::new(),
            format!("the content of {} events was erased", gone.events),
        ),
        Event::World(WorldEvent::PersonLeft(left)) => {
            change(left.person.to_string(), "leaves".to_owned())
        }
        Event::Refused(refused) => {
            let about = refused
                .request
                .map(|at| format!(" about #{at}"))
                .unwrap_or_default();
            let deed = format!(
                "is refused a command{about}: {}",
                refused_because(refused.reason)
            );
            Some(blank.entry(EntryKind::No, &refused.principal, deed))
        }
        _ => None,
    }
}
