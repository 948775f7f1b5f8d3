//! Interrupts: a request as AG-UI asks it, and the decision that an answer is.

use std::collections::BTreeSet;

use folkmoot::core::command::{Judgement, Reply, Resolution, Settlement};
use folkmoot::core::content::canonical::arguments_digest;
use folkmoot::core::tool::Question;
use folkmoot::run::Asks;
use folkmoot::{FeedBody, FeedItem, Verdict};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::frame::Interrupt;
use super::input::{ResumeEntry, ResumeStatus};
use crate::problem::{Problem, ProblemCode};
use crate::protocols::claim::{Offer, Settled};
use crate::request::parse;
use crate::routes::decisions::{NewSettlement, SettledAs};
use crate::wire;

/// The interrupt that asks the caller for a decision.
pub(super) fn interrupt(offer: &Offer) -> Result<Interrupt, Problem> {
    let request = &offer.offered.request;
    let asks = &request.waiting.waiting.asks;
    let (reason, expires_at) = match asks {
        Asks::Approval { expires_at, .. } => ("tool_call", Some(wire::time(*expires_at))),
        Asks::Question { .. } => ("input_required", None),
        Asks::Outcome { .. } => ("folkmoot:unknown_outcome", None),
    };
    let told = wire::json(&offer.offered, &["/asks/expires_at"])?;
    Ok(Interrupt {
        id: offer.claim.to_string(),
        reason,
        message: request.words.clone(),
        tool_call_id: offer.call.to_string(),
        response_schema: response_schema(offer, asks),
        expires_at,
        metadata: json!({ "folkmoot": told }),
    })
}

/// The schema of the answer. Whoever may only say no is asked for nothing else.
fn response_schema(offer: &Offer, asks: &Asks) -> Value {
    match asks {
        Asks::Approval { .. } if offer.offered.you.allow => json!({
            "type": "object",
            "properties": {
                "approved": { "type": "boolean" },
                "editedArgs": offer.offered.request.schema.clone().unwrap_or(json!(true)),
                "reason": { "type": "string" },
            },
            "required": ["approved"],
        }),
        Asks::Approval { .. } => json!({
            "type": "object",
            "properties": { "approved": { "const": false }, "reason": { "type": "string" } },
            "required": ["approved"],
        }),
        Asks::Question { question } => json!({
            "type": "object",
            "properties": { "answer": answer_schema(question.as_ref()) },
            "required": ["answer"],
        }),
        Asks::Outcome { .. } => json!({
            "type": "object",
            "properties": {
                "outcome": { "enum": ["ran", "not_run", "run_again"] },
                "result": { "type": "string" },
            },
            "required": ["outcome"],
        }),
    }
}

fn answer_schema(question: Option<&Question>) -> Value {
    let Some(question) = question else {
        return json!({ "type": "string" });
    };
    match (&question.schema, &question.choose) {
        (Some(schema), _) => schema.clone(),
        (None, _) if question.options.is_empty() => json!({ "type": "string" }),
        (None, None) => json!({ "enum": question.options }),
        (None, Some(choose)) => json!({
            "type": "array",
            "items": { "enum": question.options },
            "minItems": choose.min,
            "maxItems": choose.max,
        }),
    }
}

/// The decision that an answer to the request of `asked` is; `None` if it leaves the request open.
pub(super) fn resolution(
    asked: &FeedItem,
    entry: &ResumeEntry,
) -> Result<Option<Resolution>, Problem> {
    let FeedBody::Request { request, .. } = &asked.body else {
        return Ok(None);
    };
    match (&request.asks, entry.status) {
        (Asks::Approval { .. }, ResumeStatus::Cancelled) => {
            Ok(Some(Resolution::Judge(Judgement::new(Verdict::Deny))))
        }
        (Asks::Question { .. } | Asks::Outcome { .. }, ResumeStatus::Cancelled) => Ok(None),
        (Asks::Approval { .. }, ResumeStatus::Resolved) => {
            let approval: Approval = payload(entry)?;
            let judgement = Judgement::new(approval.verdict());
            Ok(Some(Resolution::Judge(Judgement {
                arguments: approval.arguments.map(|raw| arguments(&raw)),
                reason: approval.reason,
                ..judgement
            })))
        }
        (Asks::Question { question }, ResumeStatus::Resolved) => {
            let Answer { answer } = payload(entry)?;
            let reply = reply(question.as_ref(), &answer)?;
            Ok(Some(Resolution::Answer(reply)))
        }
        (Asks::Outcome { .. }, ResumeStatus::Resolved) => {
            let outcome: SaidOutcome = payload(entry)?;
            outcome.resolution().map(Some)
        }
    }
}

/// Tells whether the end of a request is what `resolution` wants. A no is, if the call ended
/// without anybody's decision.
pub(super) fn is_recorded(resolution: &Resolution, settled: &Settled) -> bool {
    let FeedBody::Request { request, .. } = &settled.asked.body else {
        return false;
    };
    let FeedBody::Decision {
        how,
        by,
        text,
        options,
        arguments,
        ..
    } = &settled.decision.body
    else {
        return false;
    };
    match resolution {
        Resolution::Judge(judgement) if judgement.verdict == Verdict::Deny => {
            how == "deny" || by.is_none()
        }
        Resolution::Judge(judgement) => {
            let ours = judgement.arguments.as_ref().or(request.arguments.as_ref());
            let theirs = arguments.as_ref().or(request.arguments.as_ref());
            let digest = |arguments: &String| arguments_digest(arguments);
            how == "allow" && ours.map(digest) == theirs.map(digest)
        }
        Resolution::Answer(Reply::Options(chosen)) => {
            let sorted = |options: &[u32]| options.iter().copied().collect::<BTreeSet<u32>>();
            how == "answered" && sorted(chosen) == sorted(options)
        }
        Resolution::Answer(Reply::Text(answer)) => {
            // One that was erased is not known to be another.
            how == "answered" && text.as_ref().is_none_or(|text| text == answer)
        }
        Resolution::Settle(Settlement::Ran(_)) => how == "ran",
        Resolution::Settle(Settlement::NotRun) => how == "not_run",
        Resolution::Settle(Settlement::RunAgain) => how == "run_again",
    }
}

/// The answer to whether a call may run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    approved: bool,
    /// All arguments of the call, in place of its own: a value, or JSON in a string.
    #[serde(default, alias = "editedArgs")]
    arguments: Option<Box<RawValue>>,
    #[serde(default)]
    reason: Option<String>,
}

impl Approval {
    const fn verdict(&self) -> Verdict {
        if self.approved {
            Verdict::Allow
        } else {
            Verdict::Deny
        }
    }
}

/// The answer to a question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    answer: Value,
}

/// The answer to whether a call took effect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidOutcome {
    outcome: SettledAs,
    #[serde(default)]
    result: Option<String>,
}

impl SaidOutcome {
    fn resolution(self) -> Result<Resolution, Problem> {
        NewSettlement::of(self.outcome, self.result).resolution()
    }
}

fn payload<T: DeserializeOwned>(entry: &ResumeEntry) -> Result<T, Problem> {
    let text = entry.payload.as_ref().map_or("{}", |payload| payload.get());
    let read = parse(text.as_bytes());
    read.map_err(|problem: Problem| {
        let why = format!(
            "the answer to {} does not fit: {}",
            entry.interrupt_id,
            problem.detail()
        );
        Problem::new(ProblemCode::Invalid, why).about("resume")
    })
}

/// The arguments, byte for byte.
fn arguments(raw: &RawValue) -> String {
    serde_json::from_str::<String>(raw.get()).unwrap_or_else(|_| raw.get().to_owned())
}

/// The reply to a question: the numbers of the chosen options, or text.
fn reply(question: Option<&Question>, answer: &Value) -> Result<Reply, Problem> {
    let options = question.map_or(&[][..], |question| &question.options);
    if options.is_empty() {
        let text = answer.as_str().map(str::to_owned);
        return Ok(Reply::Text(text.unwrap_or_else(|| answer.to_string())));
    }
    let chosen = match answer {
        Value::Array(chosen) => chosen.iter().collect(),
        one @ (Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Object(_)) => vec![one],
    };
    let number = |answer: &Value| {
        let mut options = options.iter();
        let place = options.position(|option| Some(option.as_str()) == answer.as_str());
        place.and_then(|place| u32::try_from(place).ok())
    };
    let numbers: Option<Vec<u32>> = chosen.into_iter().map(number).collect();
    numbers.map(Reply::Options).ok_or_else(|| {
        let why = format!("the question has these answers: {}", options.join(", "));
        Problem::new(ProblemCode::Invalid, why).about("resume")
    })
}
