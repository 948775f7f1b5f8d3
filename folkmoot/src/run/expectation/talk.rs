//! What was said.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Event, MessageRouted, TalkEvent};
use folkmoot_core::ids::{AgentName, Position};
use folkmoot_core::port::TextEvent;
use folkmoot_core::world::projection::TextProjection;

use super::{Differs, shown};
use crate::script::MessageMatch;

/// The messages of `commits` that stand, each with those who are to answer it: an edited one with its new words, one
/// that was taken back not at all.
fn messages(commits: &[Commit]) -> Vec<(TextEvent, Vec<AgentName>)> {
    let mut projection = TextProjection::default();
    let mut all: BTreeMap<Position, TextEvent> = BTreeMap::new();
    let mut answer: BTreeMap<Position, Vec<AgentName>> = BTreeMap::new();
    for commit in commits {
        all.extend(
            projection
                .take(commit)
                .into_iter()
                .map(|text| (text.at, text)),
        );
        for (_, event) in commit.numbered() {
            gone(event).iter().for_each(|at| drop(all.remove(at)));
            if let Event::Talk(TalkEvent::MessageRouted(MessageRouted {
                message, respond, ..
            })) = event
            {
                answer.insert(
                    *message,
                    respond.iter().map(|(name, _)| name.clone()).collect(),
                );
            }
        }
    }
    all.into_values()
        .map(|text| (answer.remove(&text.at).unwrap_or_default(), text))
        .map(|(to, text)| (text, to))
        .collect()
}

/// Returns where the messages stand that an event takes away.
fn gone(event: &Event) -> &[Position] {
    if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
        return &edited.gone;
    }
    if let Event::Talk(TalkEvent::MessageRetracted(retracted)) = event {
        return &retracted.gone;
    }
    if let Event::Talk(TalkEvent::ReplyRegenerated(made)) = event {
        &made.gone
    } else {
        &[]
    }
}

fn is_meant(wanted: &MessageMatch, (text, respond): &(TextEvent, Vec<AgentName>)) -> bool {
    wanted.from.as_ref().is_none_or(|from| *from == text.from)
        && wanted.to.as_ref().is_none_or(|to| respond.contains(to))
        && wanted.fits_text(&text.text)
}

pub(super) fn message(wanted: &MessageMatch, commits: &[Commit]) -> Result<(), Differs> {
    let all = messages(commits);
    if all.iter().any(|one| is_meant(wanted, one)) {
        return Ok(());
    }
    let came = if all.is_empty() {
        "nobody said anything".to_owned()
    } else {
        shown(all.iter().map(|(text, _)| said(text)))
    };
    Err((format!("a {wanted}"), came))
}

pub(super) fn no_message(unwanted: &MessageMatch, commits: &[Commit]) -> Result<(), Differs> {
    match messages(commits).iter().find(|one| is_meant(unwanted, one)) {
        None => Ok(()),
        Some((text, _)) => Err((format!("no {unwanted}"), said(text))),
    }
}

fn said(text: &TextEvent) -> String {
    format!("{} said: {:?}", text.from, text.text)
}
