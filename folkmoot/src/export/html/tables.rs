//! What stands behind the transcript: approvals, runs of tools, spending, integrity.

use folkmoot_core::model::money::Money;
use folkmoot_core::world::Meter;
use serde::Serialize;

use super::views::When;
use crate::export::survey::{Approval, Approvals, Fate, Run, Runs, Survey};
use crate::export::talk::Body;
use crate::export::{CheckVerdict, Integrity};
use crate::text::{counted, one_line};

/// What stands behind the transcript.
#[derive(Debug, Serialize)]
pub(super) struct TablesView {
    approvals: Vec<ApprovalView>,
    approvals_more: usize,
    runs: Vec<RunView>,
    runs_more: usize,
    spending: Vec<SpendingView>,
    spending_notes: Vec<String>,
    checks: Vec<CheckView>,
    is_checked: bool,
}

impl TablesView {
    pub(super) fn of(survey: &Survey, integrity: &Integrity) -> Self {
        let Approvals {
            rows: approvals,
            more: approvals_more,
            ..
        } = &survey.approvals;
        let Runs {
            rows: runs,
            more: runs_more,
            ..
        } = &survey.runs;
        let (checks, is_checked) = match integrity {
            Integrity::NotChecked => (Vec::new(), false),
            Integrity::Checked { lines } => (lines.iter().map(CheckView::of).collect(), true),
        };
        Self {
            approvals: approvals
                .iter()
                .map(|(at, one)| ApprovalView::of(at.get(), one))
                .collect(),
            approvals_more: *approvals_more,
            runs: runs.iter().map(RunView::of).collect(),
            runs_more: *runs_more,
            spending: SpendingView::all(survey),
            spending_notes: open(survey),
            checks,
            is_checked,
        }
    }
}

#[derive(Debug, Serialize)]
struct ApprovalView {
    at: u64,
    time: When,
    agent: String,
    tool: String,
    effect: String,
    arguments: Option<String>,
    /// Stands in the place of arguments that are not there.
    instead: Option<&'static str>,
    shown: String,
    shown_short: String,
    class: &'static str,
    verdict: String,
    decided_at: Option<u64>,
    who: String,
    decided: Option<When>,
    how: Vec<String>,
}

impl ApprovalView {
    fn of(at: u64, one: &Approval) -> Self {
        let arguments = if let Body::Code(text) = &one.arguments {
            Some(text.clone())
        } else {
            None
        };
        let view = Self {
            at,
            time: When::of(one.time),
            agent: one_line(&one.agent),
            tool: one_line(&one.tool),
            effect: one.effect.clone(),
            arguments,
            instead: one.arguments.instead(),
            shown: one.shown.clone(),
            shown_short: one.shown.chars().take(8).collect(),
            class: "open",
            verdict: "waits".to_owned(),
            decided_at: None,
            who: String::new(),
            decided: None,
            how: Vec::new(),
        };
        match &one.fate {
            Fate::Waits => view,
            Fate::Decided {
                at,
                time,
                who,
                is_yes,
                how,
            } => Self {
                class: if *is_yes { "yes" } else { "no" },
                verdict: if *is_yes { "allowed" } else { "denied" }.to_owned(),
                decided_at: Some(at.get()),
                who: one_line(who),
                decided: Some(When::of(*time)),
                how: how.iter().map(|one| one_line(one)).collect(),
                ..view
            },
            Fate::Granted { grant, time } => Self {
                class: "yes",
                verdict: format!("allowed by grant #{grant}"),
                decided: Some(When::of(*time)),
                ..view
            },
            Fate::Expired { time } => Self {
                class: "no",
                verdict: "expired".to_owned(),
                decided: Some(When::of(*time)),
                ..view
            },
            Fate::Closed { time, why } => Self {
                verdict: (*why).to_owned(),
                decided: Some(When::of(*time)),
                ..view
            },
        }
    }
}

#[derive(Debug, Serialize)]
struct RunView {
    at: u64,
    time: When,
    agent: String,
    tool: String,
    effect: String,
    arguments: Option<String>,
    attempts: u32,
    end: String,
    end_at: Option<u64>,
    took: String,
    class: &'static str,
}

impl RunView {
    fn of(run: &Run) -> Self {
        let took = run
            .end
            .map(|(_, ended, _)| duration(ended.0.saturating_sub(run.time.0)))
            .unwrap_or_default();
        let class = match run.end {
            Some((_, _, "done")) => "yes",
            Some(_) => "no",
            None => "open",
        };
        Self {
            at: run.at.get(),
            time: When::of(run.time),
            agent: one_line(&run.agent),
            tool: one_line(&run.tool),
            effect: run.effect.clone(),
            arguments: run.arguments.clone(),
            attempts: run.attempts,
            end: run.end.map_or("runs", |(_, _, how)| how).to_owned(),
            end_at: run.end.map(|(at, _, _)| at.get()),
            took,
            class,
        }
    }
}

fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

#[derive(Debug, Serialize)]
struct SpendingView {
    agent: String,
    model: String,
    calls: u64,
    attempts: u64,
    failed: u64,
    input: u64,
    output: u64,
    cost: String,
    possible: String,
    is_total: bool,
}

impl SpendingView {
    fn all(survey: &Survey) -> Vec<Self> {
        let meters = survey.world.meters();
        let pairs = meters
            .by_agent
            .iter()
            .flat_map(|(agent, models)| models.iter().map(move |row| (agent, row)));
        let pairs =
            pairs.map(|(agent, (model, meter))| Self::of(agent.as_str(), model.as_str(), meter));
        let others = Some(&meters.others).filter(|others| others.attempts > 0);
        let total = Self {
            is_total: true,
            ..Self::of("all", "", &meters.total)
        };
        pairs
            .chain(others.map(|meter| Self::of("others", "", meter)))
            .chain([total])
            .collect()
    }

    fn of(agent: &str, model: &str, meter: &Meter) -> Self {
        let cost = match (meter.unpriced, meter.spent.settled) {
            (0, known) => known.to_string(),
            (_, Money::ZERO) => "unknown".to_owned(),
            (_, known) => format!("{known} + unknown"),
        };
        Self {
            agent: one_line(agent),
            model: one_line(model),
            calls: meter.calls,
            attempts: meter.attempts,
            failed: meter.failed,
            input: meter.tokens.input,
            output: meter.tokens.output,
            cost,
            possible: meter.spent.possible.to_string(),
            is_total: false,
        }
    }
}

/// Returns what the numbers leave open.
fn open(survey: &Survey) -> Vec<String> {
    let meter = &survey.world.meters().total;
    let attempts = |count: u64| counted(count, "attempt");
    let unpriced = (meter.unpriced > 0).then(|| {
        format!(
            "The cost of {} is unknown: no price is given for the model.",
            attempts(meter.unpriced)
        )
    });
    let uncounted = (meter.uncounted > 0).then(|| {
        format!(
            "Nobody counted the tokens of {}; “possible” is the most that they may have cost.",
            attempts(meter.uncounted)
        )
    });
    let limit = survey.world.rules().spec().limits.cost;
    let left = limit.map(|limit| {
        format!(
            "Of the limit of {limit}, {} is left.",
            limit.minus(meter.spent.total())
        )
    });
    unpriced.into_iter().chain(uncounted).chain(left).collect()
}

#[derive(Debug, Serialize)]
struct CheckView {
    what: String,
    verdict: &'static str,
    class: &'static str,
    detail: String,
}

impl CheckView {
    fn of((what, verdict): &(String, CheckVerdict)) -> Self {
        let (verdict, class, detail) = match verdict {
            CheckVerdict::Intact => ("intact", "yes", ""),
            CheckVerdict::Broken(how) => ("broken", "no", how.as_str()),
            CheckVerdict::NotChecked(why) => ("not checked", "open", why.as_str()),
        };
        Self {
            what: one_line(what),
            verdict,
            class,
            detail: one_line(detail),
        }
    }
}
