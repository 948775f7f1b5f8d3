//! The lines of a chat for the items of a feed.

use folkmoot::core::ids::WorldName;
use folkmoot::words::told;
use folkmoot::{Author, FeedBody};
use serde_json::Value;

use super::chat::ChatLine;
use super::{clip, one_line, request};

/// The longest arguments and results that are shown in a line, in characters.
const GIST_MAX: usize = 100;

/// The lines that tell of an item of the room `world`: `body` is what it says, and `item` all of
/// it.
pub(crate) fn lines(world: &WorldName, item: &Value, body: &FeedBody) -> Vec<ChatLine> {
    let line = match body {
        FeedBody::Message { gone: true, .. } => return Vec::new(),
        FeedBody::Message {
            message,
            author,
            text,
            attachments,
            ..
        } => {
            let text = text.clone().unwrap_or_else(|| "[erased]".to_owned());
            let files = attachments.iter().map(ToString::to_string);
            let text = [text].into_iter().chain(files).collect::<Vec<_>>();
            ChatLine::Said {
                message: *message,
                from: author.to_string(),
                is_person: matches!(author, Author::Person(_)),
                text: text.join("\n"),
            }
        }
        FeedBody::Notice { notice, .. } => {
            ChatLine::Quiet(told(notice, |at| format!("{world}#{at}")))
        }
        FeedBody::Request { request, .. } => {
            ChatLine::Asks(request.name.clone(), request::asked(request))
        }
        FeedBody::Decision { request, how, .. } => {
            let how = one_line(how);
            match decider(item) {
                Some(by) => ChatLine::Good(format!("{}: {by}, {world}#{request}", verb(&how))),
                None => ChatLine::Quiet(format!("{world}#{request} waits no longer: {how}")),
            }
        }
        FeedBody::CallStarted {
            tool, arguments, ..
        } => {
            let arguments = arguments.as_deref().unwrap_or("[erased]");
            let what = format!("→ {} {}", one_line(tool), gist(arguments));
            ChatLine::Does {
                from: agent(item),
                what,
            }
        }
        FeedBody::CallFinished {
            tool, status, text, ..
        } => {
            let result = text
                .as_deref()
                .map_or_else(|| format!("{status:?}").to_lowercase(), gist);
            let what = format!("← {}: {result}", one_line(tool));
            ChatLine::Does {
                from: agent(item),
                what,
            }
        }
        FeedBody::Revised { message, .. } => {
            ChatLine::Quiet(format!("{world}#{message} was changed or taken back"))
        }
        FeedBody::Branched {} => ChatLine::Quiet("the room was branched off here".to_owned()),
        FeedBody::Erased { .. } => ChatLine::Quiet("something said here is erased".to_owned()),
        FeedBody::CallReplaced { .. } | FeedBody::Activity { .. } => return Vec::new(),
    };
    vec![line]
}

fn gist(text: &str) -> String {
    clip(&one_line(text), GIST_MAX)
}

/// The agent that an item is of.
fn agent(item: &Value) -> String {
    let agent = item.get("agent").and_then(Value::as_str);
    one_line(agent.unwrap_or("the room"))
}

/// The name of whoever decided; `None` if nobody did.
fn decider(item: &Value) -> Option<String> {
    let by = item.get("by")?;
    let all = ["/display", "/person/display", "/service/display"];
    let mut names = all.iter().filter_map(|at| by.pointer(at)?.as_str());
    names.next().map(one_line)
}

/// The decision in a word of the past.
fn verb(how: &str) -> &str {
    match how {
        "allow" => "allowed",
        "deny" => "denied",
        "ran" | "not_run" | "run_again" | "late" => "settled",
        other => other,
    }
}
