//! A page of a transcript, for people: oldest first, as it was said.

use anstyle::Style;
use folkmoot::core::event::{Attachment, Author};
use folkmoot::core::ids::{Position, WorldName};
use folkmoot::view::transcript::TranscriptView;
use folkmoot::{TranscriptEntry, TranscriptMessage, TranscriptNotice, TranscriptShown};

use super::blocks::ShownView;
use super::style::{BOLD, DIM, paint};
use super::words::told;
use super::{clean, time};
use crate::arguments::CommonArgs;
use crate::terminal;
use crate::text::gutter::{columns_of, guarded, named};

/// The widest column of names.
const NAMES_MAX: usize = 24;
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
    let names = page.entries.iter().filter_map(speaker);
    let names = names.map(|name| columns_of(&name)).max();
    let names = names.unwrap_or_default().min(NAMES_MAX);
    lines.extend(page.entries.iter().rev().flat_map(|entry| match entry {
        TranscriptEntry::Message(message) => said(message, names),
        TranscriptEntry::Notice(notice) => vec![noted(world, notice)],
        TranscriptEntry::Shown(shown) => showed(common, view, shown, names),
    }));
    lines
}

/// Whoever an entry is of, as they are named before the time; `None` for what has no time.
fn speaker(entry: &TranscriptEntry) -> Option<String> {
    match entry {
        TranscriptEntry::Message(message) => Some(author(message)),
        TranscriptEntry::Shown(shown) => Some(tool_of(shown)),
        TranscriptEntry::Notice(_) => None,
    }
}

fn author(message: &TranscriptMessage) -> String {
    match &message.author {
        Author::Person(person) => named(&person.to_string()),
        Author::Service(service) => format!("{} (service)", named(service.as_str())),
        Author::Agent(agent) => named(agent.as_str()),
        Author::World => "world".to_owned(),
    }
}

fn tool_of(shown: &TranscriptShown) -> String {
    format!("a tool of {}", clean(shown.agent.as_str()))
}

/// The line above what somebody said or showed: its times stand in one column.
fn headed(at: Position, from: &str, style: Style, names: usize, when: &str) -> String {
    let room = " ".repeat(names.saturating_sub(columns_of(from)));
    let (at, from, when) = (at.get(), paint(style, from), paint(DIM, when));
    format!("{at:>5}  {from}{room}  {when}")
}

fn said(message: &TranscriptMessage, names: usize) -> Vec<String> {
    let answers = message
        .reply_to
        .map(|to| format!(", answers {to}"))
        .unwrap_or_default();
    let edited = if message.edited { ", edited" } else { "" };
    let when = format!("{}{answers}{edited}", time(message.time));
    let from = author(message);
    let mut lines = vec![headed(message.at, &from, BOLD, names, &when)];
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

fn showed(
    common: &CommonArgs,
    view: &TranscriptView,
    shown: &TranscriptShown,
    names: usize,
) -> Vec<String> {
    let TranscriptShown { at, views, .. } = shown;
    let from = tool_of(shown);
    let when = time(shown.time);
    let mut lines = vec![headed(*at, &from, Style::new(), names, &when)];
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
