//! An event in a few words.

use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{
    AdmittedCall, ApprovalDecided, ArtifactWithheld, CallEvent, Event, GrantGiven, MessageRouted,
    Notice, Occasion, Opened, RightsChanged, Scope, SpecRevised, TalkEvent, TurnEvent, WorldEvent,
};
use folkmoot::core::model::response::{LLMResponse, Part};

use crate::text::{clip, one_line};

mod speech;

pub(super) use speech::response_of;
use speech::{gone, said};

/// The longest gist, in characters.
const GIST_MAX: usize = 160;

/// Tells an event in a few words.
pub(crate) fn of(event: &Event, commit: &Commit) -> String {
    clip(&one_line(&whole(event, commit)), GIST_MAX)
}

fn whole(event: &Event, commit: &Commit) -> String {
    match event {
        Event::World(WorldEvent::WorldOpened(opened)) => format!(
            "the world {} begins, rules {}",
            opened.name,
            opened.decider.short()
        ),
        Event::World(WorldEvent::Opened(opened)) => reopened(opened),
        Event::World(WorldEvent::SpecRevised(revised)) => rules_changed(revised),
        Event::World(WorldEvent::EpochOpened(epoch)) => {
            format!("rules {} of {}", epoch.decider.short(), epoch.binary)
        }
        Event::World(WorldEvent::Restored(restored)) => {
            format!("in copy {} of its store", restored.copy.0.simple())
        }
        Event::World(WorldEvent::PersonJoined(joined)) => {
            let person = &joined.person;
            format!("{} ({} {})", person.display, person.method, person.subject)
        }
        Event::World(WorldEvent::PersonLeft(left)) => left.person.to_string(),
        Event::World(WorldEvent::Labelled(labelled)) => {
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
        Event::World(WorldEvent::RightsChanged(changed)) => rights(changed),
        Event::World(WorldEvent::HeadSigned(_))
        | Event::World(WorldEvent::Forked(_))
        | Event::World(WorldEvent::ErasureRequested(_))
        | Event::World(WorldEvent::Erased(_)) => of_log(event),
        Event::Talk(TalkEvent::ArtifactWithheld(kept)) => withheld(kept),
        Event::Talk(TalkEvent::StateObserved(observed)) => {
            format!(
                "{} told by {}, {} dropped",
                observed.name,
                observed.by,
                observed.dropped.len()
            )
        }
        Event::World(WorldEvent::WarningRecorded(warning)) => warning.code.clone(),
        Event::World(WorldEvent::StepDone(done)) => format!(
            "step {} of run {}",
            done.step.index.saturating_add(1),
            done.step.run
        ),
        Event::Talk(TalkEvent::MessagePosted(posted)) => said(posted, commit),
        Event::Talk(TalkEvent::MessageRouted(routed)) => addressed(routed),
        Event::Talk(TalkEvent::MessageEdited(edited)) => {
            let text = edited
                .body
                .present()
                .map_or_else(|| gone(&edited.body), |body| body.text.clone());
            format!("message {}, {} gone: {text}", edited.at, edited.gone.len())
        }
        Event::Talk(TalkEvent::MessageRetracted(retracted)) => {
            format!("message {}, {} gone", retracted.at, retracted.gone.len())
        }
        Event::Talk(TalkEvent::ReplyRegenerated(made)) => format!(
            "{}'s message {}, {} gone",
            made.agent,
            made.at,
            made.gone.len()
        ),
        Event::Talk(TalkEvent::NoticePosted(posted)) => notice(&posted.notice),
        Event::Turn(TurnEvent::TurnOpened(_))
        | Event::Turn(TurnEvent::TurnDeclined(_))
        | Event::Turn(TurnEvent::ModelCalled(_))
        | Event::Turn(TurnEvent::StreamStarted(_))
        | Event::Turn(TurnEvent::StreamCut(_))
        | Event::Turn(TurnEvent::ModelAnswered(_))
        | Event::Turn(TurnEvent::ModelFailed(_))
        | Event::Turn(TurnEvent::AgentReacted(_))
        | Event::Turn(TurnEvent::AgentFailed(_))
        | Event::Turn(TurnEvent::PrefixBroken(_))
        | Event::Turn(TurnEvent::TurnClosed(_))
        | Event::Turn(TurnEvent::Stopped(_))
        | Event::Turn(TurnEvent::JoinElapsed(_))
        | Event::Turn(TurnEvent::HandedOff(_))
        | Event::Turn(TurnEvent::MemoryCompacted(_)) => of_work(event),
        Event::Call(CallEvent::CallsAdmitted(_))
        | Event::Call(CallEvent::ApprovalRequested(_))
        | Event::Call(CallEvent::ApprovalDecided(_))
        | Event::Call(CallEvent::ApprovalExpired(_))
        | Event::Call(CallEvent::GrantGiven(_))
        | Event::Call(CallEvent::GrantUsed(_))
        | Event::Call(CallEvent::GrantRevoked(_))
        | Event::Call(CallEvent::QuestionAsked(_))
        | Event::Call(CallEvent::QuestionAnswered(_))
        | Event::Call(CallEvent::ToolStarted(_))
        | Event::Call(CallEvent::ToolFinished(_))
        | Event::Call(CallEvent::OutcomeUnknown(_))
        | Event::Call(CallEvent::OutcomeSettled(_))
        | Event::Call(CallEvent::Reconciled(_))
        | Event::Call(CallEvent::CallReplaced(_))
        | Event::Call(CallEvent::AgentAsked(_))
        | Event::Refused(_) => of_call(event),
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

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "`whole` hands over the events of turns only, and names them all"
)]
fn of_work(event: &Event) -> String {
    match event {
        Event::Turn(TurnEvent::TurnOpened(opened)) => {
            format!("episode {}, {} news", opened.episode, opened.news.len())
        }
        Event::Turn(TurnEvent::TurnDeclined(declined)) => word(&declined.reason),
        Event::Turn(TurnEvent::ModelCalled(called)) => {
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
        Event::Turn(TurnEvent::StreamStarted(started)) => format!("of call {}", started.call),
        Event::Turn(TurnEvent::StreamCut(cut)) => {
            format!("reply {}, of call {}", cut.stream, cut.call)
        }
        Event::Turn(TurnEvent::ModelAnswered(answered)) => answered
            .response
            .present()
            .map_or_else(|| gone(&answered.response), answer),
        Event::Turn(TurnEvent::ModelFailed(failed)) => {
            let next = failed
                .fallback
                .as_ref()
                .map(|model| format!(", then {model}"))
                .unwrap_or_default();
            format!(
                "{}{next}: {}",
                failed.kind,
                failed
                    .detail
                    .present()
                    .cloned()
                    .unwrap_or_else(|| gone(&failed.detail))
            )
        }
        Event::Turn(TurnEvent::AgentReacted(reacted)) => {
            if reacted.has_answered {
                format!("answered, {} calls", reacted.calls)
            } else {
                "passed".to_owned()
            }
        }
        Event::Turn(TurnEvent::AgentFailed(failed)) => failed.code.clone(),
        Event::Turn(TurnEvent::PrefixBroken(broken)) => {
            format!("{}, {} dropped", word(&broken.cause), broken.dropped)
        }
        Event::Turn(TurnEvent::TurnClosed(closed)) => {
            format!("turn {}: {}", closed.turn, word(&closed.reason))
        }
        Event::Turn(TurnEvent::Stopped(stopped)) => format!("by {}", stopped.by),
        Event::Turn(TurnEvent::JoinElapsed(elapsed)) => {
            let missing: Vec<String> = elapsed.missing.iter().map(ToString::to_string).collect();
            format!("without {}", missing.join(", "))
        }
        Event::Turn(TurnEvent::HandedOff(handed)) => format!("to {}", handed.to),
        Event::Turn(TurnEvent::MemoryCompacted(compacted)) => counted(compacted.items, "item"),
        _ => String::new(),
    }
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

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "`whole` hands over the events about the log only, and names them"
)]
fn of_log(event: &Event) -> String {
    match event {
        Event::World(WorldEvent::HeadSigned(signed)) => {
            let why = match signed.occasion {
                Occasion::Count => "many were unsigned",
                Occasion::Time => "it was time",
                Occasion::Quiet => "the room is quiet",
                Occasion::Close => "the room was closed",
            };
            format!(
                "{} commits up to event {}, by {}: {why}",
                signed.head.commits, signed.head.of, signed.key
            )
        }
        Event::World(WorldEvent::Forked(forked)) => {
            format!("off {} behind event {}", forked.parent_name, forked.base.of)
        }
        Event::World(WorldEvent::ErasureRequested(requested)) => {
            let spans = requested
                .events
                .iter()
                .map(|span| format!("{}-{}", span.from, span.to));
            let basis = requested
                .basis
                .present()
                .map_or_else(|| gone(&requested.basis), String::clone);
            format!("events {}: {basis}", spans.collect::<Vec<_>>().join(", "))
        }
        Event::World(WorldEvent::Erased(gone)) => {
            format!(
                "{} events and {} files, as event {} asks",
                gone.events, gone.files, gone.request
            )
        }
        _ => String::new(),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "`whole` hands over the events of calls only, and names them all"
)]
fn of_call(event: &Event) -> String {
    match event {
        Event::Call(CallEvent::CallsAdmitted(admitted)) => {
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
        Event::Call(CallEvent::ApprovalRequested(asked)) => format!(
            "{} ({}), shown {}",
            asked.tool,
            asked.effect,
            asked.shown.short()
        ),
        Event::Call(CallEvent::ApprovalDecided(decided)) => {
            let shown = decided.shown.as_deref().unwrap_or("unconfirmed");
            let how = decision_words(decided);
            format!(
                "{} request {}{how} by {}, shown {shown}",
                word(&decided.verdict),
                decided.request,
                decided.by.display
            )
        }
        Event::Call(CallEvent::ApprovalExpired(expired)) => format!("request {}", expired.request),
        Event::Call(CallEvent::GrantGiven(given)) => {
            let GrantGiven {
                agent,
                tool,
                scope,
                by,
                ..
            } = given;
            format!("{agent} may run {tool} ({scope}), by {}", by.display)
        }
        Event::Call(CallEvent::GrantUsed(used)) => format!("grant {}", used.grant),
        Event::Call(CallEvent::GrantRevoked(revoked)) => {
            let by = revoked
                .by
                .as_ref()
                .map_or_else(|| "a changed tool".to_owned(), |by| by.display.to_string());
            format!("grant {} by {by}", revoked.grant)
        }
        Event::Call(CallEvent::QuestionAsked(asked)) => asked
            .question
            .present()
            .map_or_else(|| gone(&asked.question), |question| question.text.clone()),
        Event::Call(CallEvent::QuestionAnswered(answered)) => {
            format!("request {} by {}", answered.request, answered.by.display)
        }
        Event::Call(CallEvent::ToolStarted(started)) => {
            format!("attempt {} ({})", started.attempt, started.effect)
        }
        Event::Call(CallEvent::ToolFinished(finished)) => folkmoot::words::result(finished),
        Event::Call(CallEvent::OutcomeUnknown(unknown)) => word(&unknown.cause),
        Event::Call(CallEvent::OutcomeSettled(settled)) => {
            format!(
                "request {}: {} by {}",
                settled.request,
                word(&settled.how),
                settled.by
            )
        }
        Event::Call(CallEvent::Reconciled(reconciled)) => word(&reconciled.how),
        Event::Call(CallEvent::CallReplaced(replaced)) => {
            format!("{} by {}", replaced.call, replaced.by)
        }
        Event::Call(CallEvent::AgentAsked(asked)) => {
            format!("{}, in message {}", asked.asked, asked.message)
        }
        Event::Refused(refused) => format!("{} to {}", refused.reason.code(), refused.principal),
        _ => String::new(),
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

fn counted(number: u32, what: &str) -> String {
    if number == 1 {
        format!("1 {what}")
    } else {
        format!("{number} {what}s")
    }
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
    let value = serde_json::to_value(notice).unwrap_or_default();
    match value.as_object().and_then(|map| map.iter().next()) {
        Some((name, fields)) => format!("{name} {fields}"),
        None => String::new(),
    }
}

/// The serialised name of a unit variant.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}

fn rights(changed: &RightsChanged) -> String {
    let rights = changed
        .rights
        .as_ref()
        .map_or_else(|| "those of everyone".to_owned(), word);
    format!("{} {}: {rights}", changed.method, changed.subject)
}

fn withheld(withheld: &ArtifactWithheld) -> String {
    let families: Vec<String> = withheld
        .spans
        .iter()
        .map(|span| word(&span.family))
        .collect();
    format!("from answer {}: {}", withheld.answer, families.join(", "))
}
