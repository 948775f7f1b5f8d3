//! Sentences for what happens beside the talk.

use folkmoot::core::command::commit::{CommandKey, Commit};
use folkmoot::core::event::{
    CallEvent, CloseReason, Event, Forked, JoinElapsed, MessageEdited, MessageRouted, ModelFailed,
    Notice, OutcomeSettled, ReconciledHow, RoutingRule, SettledHow, SpecRevised, TalkEvent,
    ToolFinished, TurnEvent, Verdict, WarningRecorded, WorldEvent,
};
use folkmoot::core::ids::{Attempt, Position};
use folkmoot::core::text::reply::RoutingTag;
use folkmoot::core::tool::ToolOutcome;
use folkmoot::core::world::approval_text;
use folkmoot::run::refused_because;
pub(crate) use folkmoot::words::{result, told, undeliverable};
use folkmoot::words::{shortened, status_word, unknown_because};

use super::chat::{Chat, ChatLine};
use super::grant;
use super::request::wanted;
use super::{clean, clip, one_line, time};
use crate::text::counted;

/// The index of the script's step that a commit records.
pub(crate) fn step_of(commit: &Commit) -> Option<u32> {
    let index = |event: &Event| {
        if let Event::World(WorldEvent::StepDone(done)) = event {
            Some(done.step.index)
        } else {
            None
        }
    };
    let done = commit.events.iter().find_map(index);
    done.or_else(
        || match commit.header.key.as_ref().map(|keyed| &keyed.key) {
            Some(CommandKey::Step(step)) => Some(step.index),
            Some(CommandKey::Client(_)) | None => None,
        },
    )
}

/// The line of an event that is neither talk nor a call's beginning; `None` if people need not see
/// it.
pub(crate) fn line(chat: &Chat, at: Position, event: &Event) -> Option<ChatLine> {
    match event {
        Event::World(event) => of_world(event),
        Event::Talk(event) => of_talk(chat, event),
        Event::Turn(event) => of_turn(event),
        Event::Call(event) => of_call(chat, at, event),
        Event::Refused(refused) => {
            let about = refused
                .request
                .map(|at| format!(" about {}", chat.request(at)))
                .unwrap_or_default();
            let why = refused_because(refused.reason);
            Some(ChatLine::Quiet(format!(
                "{}'s command{about} was refused: {why}",
                refused.principal
            )))
        }
    }
}

fn of_world(event: &WorldEvent) -> Option<ChatLine> {
    match event {
        WorldEvent::WorldOpened(_)
        | WorldEvent::Opened(_)
        | WorldEvent::EpochOpened(_)
        | WorldEvent::PersonJoined(_)
        | WorldEvent::Labelled(_)
        | WorldEvent::RightsChanged(_)
        | WorldEvent::StepDone(_)
        | WorldEvent::HeadSigned(_) => None,
        WorldEvent::PersonLeft(left) => Some(ChatLine::Quiet(format!("{} left", left.person))),
        WorldEvent::Restored(_) => Some(ChatLine::Quiet(
            "this is a copy of its store: people are asked anew".to_owned(),
        )),
        WorldEvent::Forked(forked) => Some(ChatLine::Quiet(branched(forked))),
        WorldEvent::ErasureRequested(_) => {
            Some(ChatLine::Quiet("content is to be erased".to_owned()))
        }
        WorldEvent::Erased(erased) => Some(ChatLine::Quiet(format!(
            "the content of {} was erased",
            counted(erased.events, "event")
        ))),
        WorldEvent::WithheldViewed(viewed) => Some(ChatLine::Quiet(format!(
            "{} looked at what event {} withholds",
            viewed.by, viewed.withheld
        ))),
        WorldEvent::SpecRevised(revised) => Some(ChatLine::Quiet(rules_changed(revised))),
        WorldEvent::WarningRecorded(warning) => Some(ChatLine::Bad(warned(warning))),
    }
}

fn of_talk(chat: &Chat, event: &TalkEvent) -> Option<ChatLine> {
    match event {
        TalkEvent::StateObserved(_) | TalkEvent::MessagePosted(_) => None,
        TalkEvent::MessageRouted(routed) => unseen_way(routed),
        TalkEvent::ArtifactWithheld(withheld) => Some(ChatLine::Quiet(format!(
            "part of what {} said is no prose and is not shown",
            withheld.agent
        ))),
        TalkEvent::MessageEdited(edited) => Some(ChatLine::Quiet(now_says(edited))),
        TalkEvent::MessageRetracted(retracted) => Some(ChatLine::Quiet(gone(
            "was taken back",
            retracted.at,
            &retracted.gone,
        ))),
        TalkEvent::ReplyRegenerated(made) => {
            Some(ChatLine::Quiet(gone("is made anew", made.at, &made.gone)))
        }
        TalkEvent::NoticePosted(posted) => notice(chat, &posted.notice),
    }
}

fn of_turn(event: &TurnEvent) -> Option<ChatLine> {
    match event {
        TurnEvent::TurnOpened(_)
        | TurnEvent::StreamStarted(_)
        | TurnEvent::ModelAnswered(_)
        | TurnEvent::AgentReacted(_)
        | TurnEvent::PrefixBroken(_)
        | TurnEvent::MemoryCompacted(_) => None,
        TurnEvent::StreamCut(cut) => Some(ChatLine::Quiet(format!(
            "what {} was saying broke off",
            cut.agent
        ))),
        TurnEvent::JoinElapsed(elapsed) => Some(ChatLine::Quiet(goes_on(elapsed))),
        TurnEvent::HandedOff(handed) => Some(ChatLine::Quiet(format!(
            "{} hands over to {}",
            handed.agent, handed.to
        ))),
        TurnEvent::TurnDeclined(declined) => ended(&declined.agent.to_string(), declined.reason),
        TurnEvent::TurnClosed(closed) => ended(&closed.agent.to_string(), closed.reason),
        TurnEvent::ModelCalled(called) if called.attempt == Attempt(1) => None,
        TurnEvent::ModelCalled(called) => Some(ChatLine::Quiet(format!(
            "{}'s model {} is asked (attempt {})",
            called.agent, called.model, called.attempt
        ))),
        TurnEvent::ModelFailed(failed) => Some(ChatLine::Bad(model_failed(failed))),
        TurnEvent::AgentFailed(failed) => {
            let detail = failed
                .detail
                .present()
                .map(|detail| format!(": {}", clip(&one_line(detail), 200)));
            Some(ChatLine::Bad(format!(
                "{} failed ({}{})",
                failed.agent,
                failed.code,
                detail.unwrap_or_default()
            )))
        }
        TurnEvent::Stopped(stopped) => Some(ChatLine::Quiet(format!(
            "{} stopped what was going on",
            stopped.by
        ))),
    }
}

fn branched(forked: &Forked) -> String {
    format!(
        "{} is branched off {} behind event {}",
        forked.name, forked.parent_name, forked.base.of
    )
}

/// Says where a message goes, if its words do not: people would wonder who answers, or why nobody
/// does.
fn unseen_way(routed: &MessageRouted) -> Option<ChatLine> {
    let names: Vec<String> = routed
        .respond
        .iter()
        .map(|(name, _)| name.to_string())
        .collect();
    let names = names.join(" and ");
    let what = match (routed.rule, routed.tag) {
        (_, Some(RoutingTag::Stop | RoutingTag::Done)) => "nobody is to go on from here".to_owned(),
        (RoutingRule::Reply | RoutingRule::Tag | RoutingRule::Asked, _) if !names.is_empty() => {
            format!("to {names}")
        }
        (
            RoutingRule::Addressed
            | RoutingRule::Named
            | RoutingRule::Tag
            | RoutingRule::Reply
            | RoutingRule::Asked
            | RoutingRule::HandedOff
            | RoutingRule::MainAgent
            | RoutingRule::Everyone
            | RoutingRule::TooMany
            | RoutingRule::Unaddressed
            | RoutingRule::Undeliverable
            | RoutingRule::BesideCalls
            | RoutingRule::Joined,
            _,
        ) => return None,
    };
    Some(ChatLine::Quiet(what))
}

fn goes_on(elapsed: &JoinElapsed) -> String {
    let missing: Vec<String> = elapsed.missing.iter().map(ToString::to_string).collect();
    format!("{} goes on without {}", elapsed.agent, missing.join(", "))
}

fn now_says(edited: &MessageEdited) -> String {
    let text = edited
        .body
        .present()
        .map_or("[erased]", |body| body.text.as_str());
    format!("message {} now says: {}", edited.at, clean(text))
}

fn gone(what: &str, at: Position, gone: &[Position]) -> String {
    match gone.len().saturating_sub(1) {
        0 => format!("message {at} {what}"),
        1 => format!("message {at} {what}, and one more with it"),
        more => format!("message {at} {what}, and {more} more with it"),
    }
}

/// The line of an event about a call.
fn of_call(chat: &Chat, at: Position, event: &CallEvent) -> Option<ChatLine> {
    match event {
        CallEvent::CallsAdmitted(_) | CallEvent::AgentAsked(_) | CallEvent::CallReplaced(_) => None,
        CallEvent::ApprovalRequested(asked) => {
            let arguments = chat
                .calls
                .get(&asked.call)
                .map_or("", |call| call.arguments.as_str());
            let text = clean(&approval_text(
                &asked.agent,
                &asked.tool,
                asked.effect,
                arguments,
                &asked.warnings,
            ));
            let until = format!(
                "expires {}, shown {}",
                time(asked.expires_at),
                asked.shown.short()
            );
            Some(ChatLine::Asks(chat.request(at), vec![text, until]))
        }
        CallEvent::ApprovalDecided(decided) => {
            let request = chat.request(decided.request);
            let reason = decided.text.present().and_then(|text| text.reason.as_ref());
            let reason = reason
                .map(|reason| format!(": {}", one_line(reason)))
                .unwrap_or_default();
            Some(match decided.verdict {
                Verdict::Allow => {
                    ChatLine::Good(format!("{} allows {request}{reason}", decided.by))
                }
                Verdict::Deny => ChatLine::Bad(format!("{} denies {request}{reason}", decided.by)),
            })
        }
        CallEvent::ApprovalExpired(expired) => Some(ChatLine::Bad(format!(
            "nobody decided {} in time",
            chat.request(expired.request)
        ))),
        CallEvent::QuestionAsked(asked) => {
            let mut lines = vec![format!(
                "{} of {} asks:",
                chat.tool(asked.call),
                asked.agent
            )];
            lines.extend(asked.question.present().into_iter().flat_map(wanted));
            Some(ChatLine::Asks(chat.request(at), lines))
        }
        CallEvent::QuestionAnswered(answered) => {
            let text = answered
                .text
                .present()
                .and_then(Option::as_ref)
                .map(|text| one_line(text));
            let options: Vec<String> = answered
                .options
                .iter()
                .map(|option| option.saturating_add(1).to_string())
                .collect();
            let said = text.unwrap_or_else(|| format!("option {}", options.join(", ")));
            let request = chat.request(answered.request);
            Some(ChatLine::Good(format!(
                "{} answers {request}: {said}",
                answered.by
            )))
        }
        CallEvent::ToolStarted(started) if started.attempt == Attempt(1) => None,
        CallEvent::ToolStarted(started) => {
            let what = format!(
                "↻ {} runs again (attempt {})",
                chat.tool(started.call),
                started.attempt
            );
            Some(ChatLine::Does {
                from: started.agent.to_string(),
                what,
            })
        }
        CallEvent::ToolFinished(finished) => Some(ChatLine::Does {
            from: finished.agent.to_string(),
            what: format!(
                "← {}: {}",
                chat.tool(finished.call),
                result_beside_views(finished)
            ),
        }),
        CallEvent::OutcomeUnknown(unknown) => {
            let tool = chat.tool(unknown.call);
            let what = format!(
                "whether {tool} of {} took effect is not known: {}",
                unknown.agent,
                unknown_because(unknown.cause)
            );
            Some(ChatLine::Asks(chat.request(at), vec![what]))
        }
        CallEvent::OutcomeSettled(settled) => Some(ChatLine::Good(settlement(chat, settled))),
        CallEvent::Reconciled(reconciled) => {
            let told = match reconciled.how {
                ReconciledHow::Landed => "took effect",
                ReconciledHow::DidNot => "did not take effect",
                ReconciledHow::CannotTell => "cannot tell whether it took effect",
            };
            let what = format!("? {} {told}", chat.tool(reconciled.call));
            Some(ChatLine::Does {
                from: reconciled.agent.to_string(),
                what,
            })
        }
        CallEvent::GrantGiven(given) => Some(grant::given(chat, at, given)),
        CallEvent::GrantUsed(used) => Some(grant::used(chat, used)),
        CallEvent::GrantRevoked(revoked) => Some(grant::revoked(chat, revoked)),
    }
}

fn settlement(chat: &Chat, settled: &OutcomeSettled) -> String {
    let how = match settled.how {
        SettledHow::Ran => "it took effect",
        SettledHow::NotRun => "it did not take effect",
        SettledHow::RunAgain => "it is to run again",
        SettledHow::Late => "its result arrived after all",
    };
    format!(
        "{} settles {}: {how}",
        settled.by,
        chat.request(settled.request)
    )
}

/// The same, where what the tool shows stands below: then its words are for models.
fn result_beside_views(finished: &ToolFinished) -> String {
    let outcome = finished.outcome.present().and_then(Option::as_ref);
    match outcome {
        Some(ToolOutcome::Done(output)) if finished.views().next().is_some() => output
            .summary
            .as_deref()
            .map_or_else(|| status_word(&finished.status).to_owned(), shortened),
        Some(ToolOutcome::Done(_) | ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_)) | None => {
            result(finished)
        }
    }
}

fn warned(warning: &WarningRecorded) -> String {
    let agent = warning
        .agent
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    match warning.code.as_str() {
        "script_exhausted" => format!("{agent} has no scripted replies left (script_exhausted)"),
        "answer_truncated" => format!("{agent}'s answer was cut at its limit"),
        "answer_filtered" => format!("{agent}'s answer was cut by a content filter"),
        "artifact_dropped" => {
            format!("a tool of {agent} gave an artifact that is not as declared; it is not shown")
        }
        "answer_refused" => format!("{agent}'s model refused to answer"),
        code if agent.is_empty() => format!("warning: {code}"),
        code => format!("warning about {agent}: {code}"),
    }
}

fn ended(agent: &str, reason: CloseReason) -> Option<ChatLine> {
    match reason {
        CloseReason::Answered
        | CloseReason::Limit
        | CloseReason::Failed
        | CloseReason::HandedOff => None,
        CloseReason::Passed => Some(ChatLine::Quiet(format!("{agent} has nothing to say"))),
        CloseReason::Stopped => Some(ChatLine::Quiet(format!("{agent} was stopped"))),
        CloseReason::Superseded => Some(ChatLine::Quiet(format!(
            "{agent} leaves off: what it worked on was taken back, or replaced"
        ))),
    }
}

/// The most characters of a failed model's words: what differs from a recording should be among
/// them.
const DETAIL_MAX: usize = 400;

fn model_failed(failed: &ModelFailed) -> String {
    let detail = failed
        .detail
        .present()
        .map(|detail| format!(": {}", clip(&one_line(detail), DETAIL_MAX)));
    let then = match (&failed.fallback, failed.retry_at) {
        (Some(model), _) => format!("; {model} is asked in its place"),
        (None, Some(_)) => "; it will be asked again".to_owned(),
        (None, None) => failed.retry_after_ms.map_or_else(String::new, |wait| {
            format!(
                "; the provider asks to wait {} s, so it is not asked again",
                wait.div_ceil(1_000)
            )
        }),
    };
    format!(
        "{}'s model failed ({}{}){then}",
        failed.agent,
        failed.kind,
        detail.unwrap_or_default()
    )
}

/// The line of a notice; `None` if something else tells it already.
fn notice(chat: &Chat, notice: &Notice) -> Option<ChatLine> {
    let is_told = matches!(
        notice,
        Notice::RequestExpired { .. } | Notice::OutcomeUnknown { .. }
    );
    (!is_told).then(|| ChatLine::Quiet(told(notice, |request| chat.request(request))))
}

/// Says who changed the room, and what of it.
fn rules_changed(revised: &SpecRevised) -> String {
    let by = revised
        .by
        .as_ref()
        .map(|by| format!("{by} changed the room"));
    let what: Vec<String> = revised
        .changes
        .iter()
        .map(|change| clean(&change.to_string()))
        .collect();
    let by = by.unwrap_or_else(|| "the room's definition changed".to_owned());
    if what.is_empty() {
        by
    } else {
        format!("{by}: {}", what.join("; "))
    }
}
