//! Words of agents and people in a gist, and what stands in the place of those that are gone.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::content::Content;
use folkmoot_core::event::{Author, Event, MessagePosted, TurnEvent};

/// Returns the text that takes the place of content that is not there: erased, or lost without
/// anybody's wish.
pub(super) fn gone<T>(content: &Content<T>) -> String {
    match content {
        Content::Erased { by: None } => "[content lost]".to_owned(),
        Content::Present(_) | Content::Erased { by: Some(_) } => "[erased]".to_owned(),
    }
}

/// Returns that text for the answer in an event; `None` if the event has no answer.
fn gone_answer(event: &Event) -> Option<String> {
    if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event {
        return Some(gone(&answered.response));
    }
    if let Event::Turn(TurnEvent::AgentReacted(reacted)) = event {
        Some(gone(&reacted.reaction))
    } else {
        None
    }
}

/// Tells who said what; in the place of text that is not there, why.
pub(super) fn said(posted: &MessagePosted, commit: &Commit) -> String {
    let text = match &posted.answer {
        None => posted.body.present().map_or_else(
            || gone(&posted.body),
            |body| {
                let files: String = body
                    .attachments
                    .iter()
                    .map(|file| format!(" {file}"))
                    .collect();
                format!("{}{files}", body.text)
            },
        ),
        Some(place) => {
            let response = commit.events.iter().find_map(Event::response);
            let gone = || {
                commit
                    .events
                    .iter()
                    .find_map(gone_answer)
                    .unwrap_or_default()
            };
            response.map_or_else(gone, |response| response.spoken_without(&place.cut))
        }
    };
    match &posted.author {
        Author::Person(name) => format!("{name}: {text}"),
        Author::Service(_) => format!("{}: {text}", posted.author),
        Author::Agent(name) => format!("{name}: {text}"),
        Author::World => text,
    }
}
