//! A transcript in Markdown. What people, models and tools wrote stands in quotes, escaped, so that no text can pass for
//! structure.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::WorldName;
use folkmoot_core::text::view::plain;

use super::survey::Survey;
use super::talk::{Body, Entry, Talk, VIEW_MAX};
use crate::text::{clean, clip, counted, one_line, time};

mod escape;

pub(super) use escape::{fenced, inline, quoted};

/// Writes a transcript.
#[derive(Debug)]
pub(super) struct Transcript {
    head: String,
    talk: Talk,
}

impl Transcript {
    pub(super) fn new(name: &WorldName, survey: Survey) -> Self {
        let events = survey.events;
        let last = survey.world.time();
        let from = survey.began.map(time).unwrap_or_default();
        let messages = counted(
            usize::try_from(survey.messages).unwrap_or(usize::MAX),
            "message",
        );
        let head = format!(
            "# {}\n\n{messages} in {events} events, from {from} to {}. Times are in UTC; #N names event N.\n",
            inline(name.as_str()),
            time(last)
        );
        let kinds = survey.world.rules().spec().kinds();
        Self {
            head,
            talk: Talk::new(survey.revisions, kinds),
        }
    }

    pub(super) fn begin(&self) -> String {
        self.head.clone()
    }

    pub(super) fn take(&mut self, commit: &Commit) -> String {
        self.talk.take(commit).iter().map(block).collect()
    }

    pub(super) fn end(&self) -> String {
        "\n---\n\nHere the transcript ends.\n".to_owned()
    }
}

/// An entry: who and when, and below it, in a quote, what was said.
fn block(entry: &Entry) -> String {
    let Entry {
        at,
        time: when,
        kind,
        who,
        deed,
        body,
        views,
        in_words,
        notes,
        gone,
    } = entry;
    let mut text = if kind.is_talk() {
        format!(
            "\n**{}** · #{at} · {}\n",
            inline(&one_line(who)),
            time(*when)
        )
    } else {
        let who = if who.is_empty() {
            String::new()
        } else {
            format!("**{}** ", inline(&one_line(who)))
        };
        format!(
            "\n*#{at} · {}* — {who}{}\n",
            time(*when),
            inline(&one_line(deed))
        )
    };
    if let Some(gone) = gone {
        text.push_str(&format!("\n> *{}*\n", inline(gone)));
        return text;
    }
    match body {
        Body::None => {}
        Body::Prose(prose) => text.push_str(&format!("\n{}", quoted(&clean(prose)))),
        Body::Code(code) => text.push_str(&format!("\n{}", fenced(code))),
        Body::Erased | Body::Lost => {
            let instead = body.instead().map(inline).unwrap_or_default();
            text.push_str(&format!("\n> *{instead}*\n"));
        }
    }
    for view in views {
        text.push_str(&format!(
            "\n{}",
            fenced(&clip(&clean(&plain(view)), VIEW_MAX))
        ));
    }
    if let Some(words) = in_words {
        text.push_str(&format!("\nIn words:\n\n{}", fenced(words)));
    }
    let lines: String = notes
        .iter()
        .map(|note| format!("- {}\n", inline(&one_line(note))))
        .collect();
    if !lines.is_empty() {
        text.push_str(&format!("\n{lines}"));
    }
    text
}
