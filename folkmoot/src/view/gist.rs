//! An event in a few words.

use std::collections::BTreeSet;

use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{
    AdmittedCall, ApprovalDecided, ArtifactWithheld, CallEvent, ErasureRequested, Event,
    GrantGiven, MessageEdited, MessagePosted, MessageRouted, ModelFailed, Notice, Occasion, Opened,
    RightsChanged, Scope, SpecRevised, TalkEvent, TurnEvent, WorldEvent,
};
use folkmoot_core::ids::Position;
use folkmoot_core::model::response::{LLMResponse, Part};

use crate::text::{clip, counted, one_line};
use crate::words::word;

mod speech;
#[cfg(test)]
mod tests;

use speech::{gone, said};

/// The longest gist, in characters.
const GIST_MAX: usize = 160;

/// Tells an event in a few words.
pub(super) fn of(event: &Event, commit: &Commit) -> String {
    clip(&one_line(&whole(event, commit)), GIST_MAX)
}

/// Tells an event in no words but those that people may read in the room: nothing of what a model
/// or a tool gave but what was shown, and nothing of the messages at `gone`.
pub(super) fn for_people(event: &Event, commit: &Commit, gone: &BTreeSet<Position>) -> String {
    clip(&one_line(&shown(event, commit, gone)), GIST_MAX)
}

fn shown(event: &Event, commit: &Commit, gone: &BTreeSet<Position>) -> String {
    if let Event::Turn(TurnEvent::ModelAnswered(answered)) = event {
        return format!("answered, {}", counted(answered.calls, "call"));
    }
    if let Event::Turn(TurnEvent::ModelFailed(failed)) = event {
        return failure(failed);
    }
    if let Event::Call(CallEvent::ToolFinished(finished)) = event {
        return crate::words::shown_result(finished);
    }
    if let Event::World(WorldEvent::ErasureRequested(requested)) = event {
        return format!("events {}", spans(requested));
    }
    match message_of(event, commit).filter(|message| gone.contains(message)) {
        Some(message) => format!("message {message}, which is gone"),
        None => whole(event, commit),
    }
}

/// The position of the message whose words an event repeats.
fn message_of(event: &Event, commit: &Commit) -> Option<Position> {
    if let Event::Talk(TalkEvent::NoticePosted(posted)) = event {
        return posted.notice.message();
    }
    let is_said =
        MessagePosted::of_event(event).is_some() || MessageEdited::of_event(event).is_some();
    let mut numbered = commit.numbered();
    let found = numbered.find(|(_, here)| is_said && std::ptr::eq(*here, event));
    found.map(|(at, _)| at)
}

fn whole(event: &Event, commit: &Commit) -> String {
    match event {
        Event::World(event) => of_world(event),
        Event::Talk(event) => of_talk(event, commit),
        Event::Turn(event) => of_turn(event),
        Event::Call(event) => of_call(event),
        Event::Refused(refused) => format!("{} to {}", refused.reason.code(), refused.principal),
    }
}

fn of_world(event: &WorldEvent) -> String {
    match event {
        WorldEvent::WorldOpened(opened) => format!(
            "the world {} begins, rules {}",
            opened.name,
            opened.decider.short()
        ),
        WorldEvent::Opened(opened) => reopened(opened),
        WorldEvent::SpecRevised(revised) => rules_changed(revised),
        WorldEvent::EpochOpened(epoch) => {
            format!("rules {} of {}", epoch.decider.short(), epoch.binary)
        }
        WorldEvent::Restored(restored) => {
            format!("in copy {} of its store", restored.copy.0.simple())
        }
        WorldEvent::PersonJoined(joined) => {
            let person = &joined.person;
            format!("{} ({} {})", person.display, person.method, person.subject)
        }
        WorldEvent::PersonLeft(left) => left.person.to_string(),
        WorldEvent::Labelled(labelled) => {
            let labels = labelled
                .labels
                .iter()
                .map(|(key, value)| format!("{key}={value}"));
            labelled
                .owner
                .iter()
                .map(|owner| format!("owner {owner}"))
                .chain(labels)
                .collect::<Vec<_>>()
                .join(", ")
        }
        WorldEvent::RightsChanged(changed) => rights(changed),
        WorldEvent::WarningRecorded(warning) => warning.code.clone(),
        WorldEvent::StepDone(done) => format!(
            "step {} of run {}",
            done.step.index.saturating_add(1),
            done.step.run
        ),
        WorldEvent::HeadSigned(signed) => {
            let why = match signed.occasion {
                Occasion::Count => "many were unsigned",
                Occasion::Time => "it was time",
                Occasion::Quiet => "the room is quiet",
                Occasion::Close => "the room was closed",
            };
            format!(
                "{} up to event {}, by {}: {why}",
                counted(signed.head.commits, "commit"),
                signed.head.of,
                signed.key
            )
        }
        WorldEvent::Forked(forked) => {
            format!("off {} behind event {}", forked.parent_name, forked.base.of)
        }
        WorldEvent::ErasureRequested(requested) => {
            let basis = requested
                .basis
                .present()
                .map_or_else(|| gone(&requested.basis), String::clone);
            format!("events {}: {basis}", spans(requested))
        }
        WorldEvent::WithheldViewed(viewed) => {
            format!("event {}, by {}", viewed.withheld, viewed.by)
        }
        WorldEvent::Erased(gone) => {
            format!(
                "{} and {}, as event {} asks",
                counted(gone.events, "event"),
                counted(gone.files, "file"),
                gone.request
            )
        }
    }
}

fn of_talk(event: &TalkEvent, commit: &Commit) -> String {
    match event {
        TalkEvent::ArtifactWithheld(kept) => withheld(kept),
        TalkEvent::StateObserved(observed) => {
            format!(
                "{} told by {}, {} dropped",
                observed.name,
                observed.by,
                counted(observed.dropped.len(), "value")
            )
        }
        TalkEvent::MessagePosted(posted) => said(posted, commit),
        TalkEvent::MessageRouted(routed) => addressed(routed),
        TalkEvent::MessageEdited(edited) => {
            let text = edited
                .body
                .present()
                .map_or_else(|| gone(&edited.body), |body| body.text.clone());
            format!(
                "message {}, {} gone: {text}",
                edited.at,
                counted(edited.gone.len(), "answer")
            )
        }
        TalkEvent::MessageRetracted(retracted) => {
            format!(
                "message {}, {} gone",
                retracted.at,
                counted(retracted.gone.len(), "message")
            )
        }
        TalkEvent::ReplyRegenerated(made) => format!(
            "{}'s message {}, {} gone",
            made.agent,
            made.at,
            counted(made.gone.len(), "message")
        ),
        TalkEvent::NoticePosted(posted) => notice(&posted.notice),
    }
}

fn rules_changed(revised: &SpecRevised) -> String {
    let changes: Vec<String> = revised
        .changes
        .iter()
        .map(|change| change.what.clone())
        .collect();
    let by = revised
        .by
        .as_ref()
        .map(|by| format!(" by {by}"))
        .unwrap_or_default();
    format!(
        "definition {}{by} {}",
        revised.spec_digest.short(),
        changes.join(", ")
    )
    .trim_end()
    .to_owned()
}

fn addressed(routed: &MessageRouted) -> String {
    let agents = routed.respond.iter().map(|(name, _)| name.to_string());
    let names: Vec<String> = agents
        .chain(routed.people.iter().map(ToString::to_string))
        .collect();
    let to = if names.is_empty() {
        "nobody".to_owned()
    } else {
        names.join(", ")
    };
    let damped: Vec<String> = routed
        .damped
        .iter()
        .map(|(name, why)| format!(", not {name} ({})", word(why)))
        .collect();
    format!(
        "message {} to {to} ({}){}",
        routed.message,
        word(&routed.rule),
        damped.concat()
    )
}

fn of_turn(event: &TurnEvent) -> String {
    match event {
        TurnEvent::TurnOpened(opened) => {
            format!(
                "episode {}, {} to read",
                opened.episode,
                counted(opened.news.len(), "message")
            )
        }
        TurnEvent::TurnDeclined(declined) => word(&declined.reason),
        TurnEvent::ModelCalled(called) => {
            let most = called
                .reserved
                .map(|reserved| format!(", at most {}", reserved.attempt))
                .unwrap_or_default();
            format!(
                "{}, attempt {}, {}{most}",
                called.model,
                called.attempt,
                counted(called.items, "item")
            )
        }
        TurnEvent::StreamStarted(started) => format!("of call {}", started.call),
        TurnEvent::StreamCut(cut) => {
            format!("reply {}, of call {}", cut.stream, cut.call)
        }
        TurnEvent::ModelAnswered(answered) => answered
            .response
            .present()
            .map_or_else(|| gone(&answered.response), answer),
        TurnEvent::ModelFailed(failed) => {
            format!(
                "{}: {}",
                failure(failed),
                failed
                    .detail
                    .present()
                    .cloned()
                    .unwrap_or_else(|| gone(&failed.detail))
            )
        }
        TurnEvent::AgentReacted(reacted) => {
            if reacted.has_answered {
                format!("answered, {}", counted(reacted.calls, "call"))
            } else {
                "passed".to_owned()
            }
        }
        TurnEvent::AgentFailed(failed) => failed.code.clone(),
        TurnEvent::PrefixBroken(broken) => {
            format!(
                "{}, {} dropped",
                word(&broken.cause),
                counted(broken.dropped, "item")
            )
        }
        TurnEvent::TurnClosed(closed) => {
            format!("turn {}: {}", closed.turn, word(&closed.reason))
        }
        TurnEvent::Stopped(stopped) => format!("by {}", stopped.by),
        TurnEvent::JoinElapsed(elapsed) => {
            let missing: Vec<String> = elapsed.missing.iter().map(ToString::to_string).collect();
            format!("without {}", missing.join(", "))
        }
        TurnEvent::HandedOff(handed) => format!("to {}", handed.to),
        TurnEvent::MemoryCompacted(compacted) => counted(compacted.items, "item"),
    }
}

fn spans(requested: &ErasureRequested) -> String {
    let spans = requested.events.iter();
    let spans = spans.map(|span| format!("{}-{}", span.from, span.to));
    spans.collect::<Vec<_>>().join(", ")
}

fn failure(failed: &ModelFailed) -> String {
    let next = failed.fallback.as_ref();
    let next = next.map(|model| format!(", then {model}"));
    format!("{}{}", failed.kind, next.unwrap_or_default())
}

fn reopened(opened: &Opened) -> String {
    let signer = opened
        .signer
        .as_ref()
        .map(|key| format!(", signed by {key}"));
    format!(
        "incarnation {}{}",
        opened.incarnation,
        signer.unwrap_or_default()
    )
}

fn of_call(event: &CallEvent) -> String {
    match event {
        CallEvent::CallsAdmitted(admitted) => {
            let tool = |call: &AdmittedCall| {
                call.tool
                    .as_ref()
                    .map_or_else(|| "?".to_owned(), ToString::to_string)
            };
            admitted
                .calls
                .iter()
                .map(tool)
                .collect::<Vec<_>>()
                .join(", ")
        }
        CallEvent::ApprovalRequested(asked) => format!(
            "{} ({}), shown {}",
            asked.tool,
            asked.effect,
            asked.shown.short()
        ),
        CallEvent::ApprovalDecided(decided) => {
            let shown = decided.shown.as_deref().unwrap_or("unconfirmed");
            let how = decision_words(decided);
            format!(
                "{} request {}{how} by {}, shown {shown}",
                word(&decided.verdict),
                decided.request,
                decided.by
            )
        }
        CallEvent::ApprovalExpired(expired) => format!("request {}", expired.request),
        CallEvent::GrantGiven(given) => {
            let GrantGiven {
                agent,
                tool,
                scope,
                by,
                ..
            } = given;
            format!("{agent} may run {tool} ({scope}), by {by}")
        }
        CallEvent::GrantUsed(used) => format!("grant {}", used.grant),
        CallEvent::GrantRevoked(revoked) => {
            let by = revoked
                .by
                .as_ref()
                .map_or_else(|| "a changed tool".to_owned(), ToString::to_string);
            format!("grant {} by {by}", revoked.grant)
        }
        CallEvent::QuestionAsked(asked) => asked
            .question
            .present()
            .map_or_else(|| gone(&asked.question), |question| question.text.clone()),
        CallEvent::QuestionAnswered(answered) => {
            format!("request {} by {}", answered.request, answered.by)
        }
        CallEvent::ToolStarted(started) => {
            format!("attempt {} ({})", started.attempt, started.effect)
        }
        CallEvent::ToolFinished(finished) => crate::words::result(finished),
        CallEvent::OutcomeUnknown(unknown) => word(&unknown.cause),
        CallEvent::OutcomeSettled(settled) => {
            format!(
                "request {}: {} by {}",
                settled.request,
                word(&settled.how),
                settled.by
            )
        }
        CallEvent::Reconciled(reconciled) => word(&reconciled.how),
        CallEvent::CallReplaced(replaced) => {
            format!("{} by {}", replaced.call, replaced.by)
        }
        CallEvent::AgentAsked(asked) => {
            format!("{}, in message {}", asked.asked, asked.message)
        }
    }
}

/// Returns what a decision says beside yes or no; empty if it says nothing else.
fn decision_words(decided: &ApprovalDecided) -> String {
    let scope = (decided.scope != Scope::Once).then(|| format!(" for {}", decided.scope));
    let edited = decided.is_edited.then_some(" with other arguments");
    let shared = decided.shares_reason.then_some(" and tells the agent why");
    scope
        .into_iter()
        .chain([edited, shared].into_iter().flatten().map(str::to_owned))
        .collect()
}

fn answer(response: &LLMResponse) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) | Part::Refusal(text) => Some(text.clone()),
        Part::Call(call) => Some(format!("→ {} {}", call.tool, call.arguments)),
        Part::Reasoning(_) | Part::Opaque(_) => None,
    };
    response
        .reply()
        .parts
        .iter()
        .filter_map(part)
        .collect::<Vec<_>>()
        .join(" ")
}

fn notice(notice: &Notice) -> String {
    crate::words::told(notice, |request| format!("request {request}"))
}

fn rights(changed: &RightsChanged) -> String {
    let RightsChanged {
        holder,
        method,
        subject,
        rights,
    } = changed;
    let rights = match rights {
        None => "what the definition says".to_owned(),
        Some(rights) if rights.0.is_empty() => "nothing".to_owned(),
        Some(rights) => rights.0.iter().map(word).collect::<Vec<_>>().join(", "),
    };
    format!("{} may: {rights}", holder.proof(method, subject))
}

fn withheld(withheld: &ArtifactWithheld) -> String {
    let families: Vec<String> = withheld
        .spans
        .iter()
        .map(|span| word(&span.family))
        .collect();
    format!("from answer {}: {}", withheld.answer, families.join(", "))
}
