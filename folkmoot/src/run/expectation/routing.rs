//! Which way messages went.

use std::collections::BTreeMap;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{Author, Event, MessageRouted, Notice, TalkEvent};
use folkmoot_core::ids::{AgentName, Position};

use super::{Differs, events};
use crate::script::{Order, Routing};

/// Compares the last message's way with `wanted`.
pub(super) fn last(wanted: &Routing, commits: &[Commit]) -> Result<(), Differs> {
    match routings(commits).last() {
        Some(came) if fits(wanted, came) => Ok(()),
        Some(came) => Err((format!("routing {wanted}"), format!("came {came}"))),
        None => Err((
            format!("routing {wanted}"),
            "no message was routed".to_owned(),
        )),
    }
}

/// Compares all messages' ways with those that are `wanted`.
pub(super) fn all(wanted: &[Routing], order: Order, commits: &[Commit]) -> Result<(), Differs> {
    let came = routings(commits);
    let is_met = match order {
        Order::Listed => {
            wanted.len() == came.len()
                && wanted
                    .iter()
                    .zip(&came)
                    .all(|(wanted, came)| fits(wanted, came))
        }
        Order::Any => is_paired(wanted, &came),
    };
    if is_met {
        return Ok(());
    }
    let order = if order == Order::Any {
        " in any order"
    } else {
        ""
    };
    Err((
        format!("routing{order}: {}", list(wanted)),
        format!("came {}", list(&came)),
    ))
}

fn list(all: &[Routing]) -> String {
    if all.is_empty() {
        return "nothing".to_owned();
    }
    all.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}

/// Tells whether each of `wanted` can be given one of `came` of its own, and none is left over. Something that fits several
/// makes way for what fits one alone.
fn is_paired(wanted: &[Routing], came: &[Routing]) -> bool {
    let mut given: Vec<Option<usize>> = vec![None; came.len()];
    let is_given = |one: usize, given: &mut Vec<Option<usize>>| {
        give(wanted, came, one, given, &mut vec![false; came.len()])
    };
    wanted.len() == came.len() && (0..wanted.len()).all(|one| is_given(one, &mut given))
}

/// Gives `wanted[one]` something that fits, moving others where that helps.
fn give(
    wanted: &[Routing],
    came: &[Routing],
    one: usize,
    given: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    let Some(want) = wanted.get(one) else {
        return false;
    };
    for (at, came_here) in came.iter().enumerate() {
        let Some(is_tried) = tried.get_mut(at) else {
            continue;
        };
        if *is_tried || !fits(want, came_here) {
            continue;
        }
        *is_tried = true;
        let holder = given.get(at).copied().flatten();
        if holder.is_none_or(|holder| give(wanted, came, holder, given, tried)) {
            if let Some(place) = given.get_mut(at) {
                *place = Some(one);
            }
            return true;
        }
    }
    false
}

/// Tells whether all that is given in `wanted` is so in `came`, which has everything.
fn fits(wanted: &Routing, came: &Routing) -> bool {
    fn is_so<T: PartialEq + Default + Clone>(wanted: Option<&T>, came: Option<&T>) -> bool {
        wanted.is_none_or(|wanted| *wanted == came.cloned().unwrap_or_default())
    }
    is_so(wanted.from.as_ref(), came.from.as_ref())
        && (wanted.rule.is_none() || wanted.rule == came.rule)
        && is_so(wanted.respond.as_ref(), came.respond.as_ref())
        && is_so(wanted.people.as_ref(), came.people.as_ref())
        && is_so(wanted.tag.as_ref(), came.tag.as_ref())
        && is_so(wanted.damped.as_ref(), came.damped.as_ref())
        && is_so(wanted.undeliverable.as_ref(), came.undeliverable.as_ref())
        && is_so(wanted.unknown.as_ref(), came.unknown.as_ref())
        && is_so(wanted.nearest.as_ref(), came.nearest.as_ref())
}

/// Returns how the messages of `commits` went, in their order. What does not apply is left out.
fn routings(commits: &[Commit]) -> Vec<Routing> {
    let mut authors: BTreeMap<Position, String> = BTreeMap::new();
    let mut nearest: BTreeMap<Position, Vec<AgentName>> = BTreeMap::new();
    for (at, event) in commits.iter().flat_map(Commit::numbered) {
        if let Event::Talk(TalkEvent::MessagePosted(posted)) = event {
            authors.insert(at, speaker(&posted.author));
        } else if let Event::Talk(TalkEvent::MessageEdited(edited)) = event {
            authors.insert(at, speaker(&edited.author));
        } else if let Event::Talk(TalkEvent::NoticePosted(posted)) = event
            && let Notice::Undeliverable {
                message,
                nearest: names,
                ..
            } = &posted.notice
        {
            nearest.insert(*message, names.clone());
        }
    }
    let routed = events(commits).filter_map(routed);
    routed
        .map(|routed| {
            routing(
                routed,
                authors.get(&routed.message),
                nearest.get(&routed.message),
            )
        })
        .collect()
}

const fn routed(event: &Event) -> Option<&MessageRouted> {
    if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
        Some(routed)
    } else {
        None
    }
}

fn routing(
    routed: &MessageRouted,
    from: Option<&String>,
    nearest: Option<&Vec<AgentName>>,
) -> Routing {
    let unknown = routed.unknown.present().filter(|names| !names.is_empty());
    Routing {
        from: from.cloned(),
        rule: Some(routed.rule),
        respond: Some(routed.respond.iter().cloned().collect()),
        people: (!routed.people.is_empty()).then(|| routed.people.iter().cloned().collect()),
        tag: routed.tag.map(Some),
        damped: (!routed.damped.is_empty()).then(|| routed.damped.iter().cloned().collect()),
        undeliverable: (routed.undeliverable > 0).then_some(routed.undeliverable),
        unknown: unknown.cloned(),
        nearest: nearest.cloned(),
    }
}

/// Returns how an author is shown.
pub(super) fn speaker(author: &Author) -> String {
    author.to_string()
}
