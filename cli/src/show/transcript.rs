//! A page of a transcript, for people: oldest first, as it was said.

use folkmoot::core::event::{Attachment, Author};
use folkmoot::core::ids::WorldName;
use folkmoot::{TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptShown};

use super::blocks::ShownView;
use super::style::{BOLD, DIM, paint};
use super::words::told;
use super::{clean, time};
use crate::arguments::CommonArgs;
use crate::terminal;
use crate::text::gutter::{guarded, named};
use crate::view::transcript::TranscriptView;

/// The indentation of texts, in columns.
const INDENT: u16 = 7;

/// The lines of a page.
pub(crate) fn lines(common: &CommonArgs, view: &TranscriptView) -> Vec<String> {
    let TranscriptView { world, page, .. } = view;
    let mut lines = Vec::new();
    lines.extend(page.next.map(|next| {
        let older = format!(
            "older: {} replay {world} --transcript --before {next}",
            common.program()
        );
        paint(DIM, &older)
    }));
    if page.entries.is_empty() {
        let what = if page.next.is_some() {
            "On this page nobody says anything."
        } else {
            "Nobody has said anything."
        };
        lines.push(what.to_owned());
    }
    lines.extend(page.entries.iter().rev().flat_map(|entry| match entry {
        TranscriptEntry::Message(message) => said(message),
        TranscriptEntry::Notice(notice) => vec![noted(world, notice)],
        TranscriptEntry::Shown(shown) => showed(common, view, shown),
    }));
    lines
}

fn said(message: &TranscriptMessage) -> Vec<String> {
    let from = match &message.author {
        Author::Person(person) => person.to_string(),
        Author::Agent(agent) => agent.to_string(),
        Author::World => "world".to_owned(),
    };
    let answers = message
        .reply_to
        .map(|to| format!(", answers {to}"))
        .unwrap_or_default();
    let edited = if message.edited { ", edited" } else { "" };
    let when = format!("{}{answers}{edited}", time(message.time));
    let mut lines = vec![format!(
        "{:>5}  {}  {}",
        message.at.get(),
        paint(BOLD, &named(&from)),
        paint(DIM, &when)
    )];
    let text = message.text.as_deref().unwrap_or("[erased]");
    lines.extend(guarded(text).iter().map(|line| format!("       {line}")));
    lines.extend(
        message
            .attachments
            .iter()
            .map(|file| format!("       {}", paint(DIM, &attached(file)))),
    );
    lines
}

fn showed(common: &CommonArgs, view: &TranscriptView, shown: &TranscriptShown) -> Vec<String> {
    let TranscriptShown {
        at,
        time: when,
        agent,
        views,
        ..
    } = shown;
    let from = format!("a tool of {}", clean(agent.as_str()));
    let mut lines = vec![format!(
        "{:>5}  {}  {}",
        at.get(),
        from,
        paint(DIM, &time(*when))
    )];
    let room = terminal::width().map(|width| width.saturating_sub(INDENT));
    let drawn: Vec<_> = views
        .iter()
        .map(|one| ShownView::of(one, &view.kinds).lines(room))
        .collect();
    let is_cut = drawn.iter().any(|(_, is_cut)| *is_cut);
    lines.extend(
        drawn
            .into_iter()
            .flat_map(|(lines, _)| lines)
            .map(|line| format!("       {line}")),
    );
    let all = format!(
        "all of it: {} log {} --from {at} --json",
        common.program(),
        view.world
    );
    lines.extend(is_cut.then(|| format!("       {}", paint(DIM, &all))));
    lines
}

fn attached(file: &Attachment) -> String {
    format!(
        "+ {} ({}, {} bytes)",
        clean(&file.name),
        clean(&file.media_type),
        file.bytes
    )
}

fn noted(world: &WorldName, notice: &TranscriptNotice) -> String {
    let to = notice
        .to
        .as_ref()
        .map(|to| format!(" (to {})", clean(to.as_str())))
        .unwrap_or_default();
    let told = told(&notice.notice, |request| format!("{world}#{request}"));
    format!(
        "{:>5}  {}",
        notice.at.get(),
        paint(DIM, &format!("{}{to}", clean(&told)))
    )
}
