//! What the templates are given: texts and numbers, nothing else.

use folkmoot_core::ids::{Time, WorldName};
use folkmoot_core::money::Money;
use folkmoot_core::world::Meter;
use serde::Serialize;

use super::picture::Picture;
use crate::export::survey::{Approval, Approvals, Fate, Run, Runs, Survey};
use crate::export::talk::{Body, Entry, counted};
use crate::export::{CheckVerdict, Integrity};
use crate::text::{clean, one_line, time};

/// A moment: for machines, and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct When {
    exact: String,
    words: String,
}

impl When {
    fn of(when: Time) -> Self {
        let exact = time(when);
        let words = exact.replace('T', " ");
        let words = words.split(['.', 'Z']).next().unwrap_or_default().to_owned();
        Self { exact, words }
    }
}

/// The page's beginning, up to the transcript.
#[derive(Debug, Serialize)]
pub(super) struct FrontView {
    name: String,
    description: String,
    began: Option<When>,
    ended: When,
    /// Who takes part, and with which tools.
    rosters: Vec<(&'static str, Vec<String>)>,
    facts: Vec<(&'static str, String)>,
    /// How the log's integrity stands, in a word and a class.
    verdict: &'static str,
    standing: &'static str,
    picture: Picture,
}

impl FrontView {
    pub(super) fn of(name: &WorldName, survey: &Survey, integrity: &Integrity) -> Self {
        let spec = survey.world.rules().spec();
        let (standing, verdict) = standing(integrity);
        let people: Vec<String> = survey.people.iter().map(|name| one_line(name)).collect();
        let agents: Vec<String> = spec.agents.iter().map(|agent| one_line(agent.name.as_str())).collect();
        let tools: Vec<String> = spec.tools.keys().map(|tool| one_line(tool.as_str())).collect();
        let mut facts = vec![
            ("Events", survey.events.to_string()),
            ("Commits", survey.commits.to_string()),
            ("Messages", survey.messages.to_string()),
            ("Model calls", survey.model_calls.to_string()),
        ];
        if survey.erased > 0 {
            facts.push(("Erased", format!("the content of {} events", survey.erased)));
        }
        Self {
            name: one_line(name.as_str()),
            description: survey.description.as_deref().map(one_line).unwrap_or_default(),
            began: survey.began.map(When::of),
            ended: When::of(survey.world.time()),
            rosters: vec![("People", listed(&people)), ("Agents", listed(&agents)), ("Tools", listed(&tools))],
            facts,
            verdict,
            standing,
            picture: Picture::of(&survey.steps, &survey.revisions),
        }
    }
}

/// Each name with a comma behind it, but the last.
fn listed(names: &[String]) -> Vec<String> {
    let last = names.len();
    let comma = |(number, name): (usize, &String)| if number == last { name.clone() } else { format!("{name},") };
    (1..).zip(names).map(comma).collect()
}

fn standing(integrity: &Integrity) -> (&'static str, &'static str) {
    let Integrity::Checked { lines } = integrity else { return ("open", "integrity not checked") };
    let is = |wanted: fn(&CheckVerdict) -> bool| lines.iter().any(|(_, verdict)| wanted(verdict));
    if is(|verdict| matches!(verdict, CheckVerdict::Broken(_))) {
        ("no", "not as it was written")
    } else if is(|verdict| matches!(verdict, CheckVerdict::NotChecked(_))) {
        ("open", "intact as far as checked")
    } else {
        ("yes", "intact")
    }
}

/// One entry of the transcript.
#[derive(Debug, Serialize)]
pub(super) struct EntryView {
    at: u64,
    time: When,
    kind: &'static str,
    is_talk: bool,
    who: String,
    initial: String,
    deed: String,
    prose: Option<String>,
    code: Option<String>,
    is_erased: bool,
    notes: Vec<String>,
    gone: Option<String>,
}

impl EntryView {
    pub(super) fn of(entry: &Entry) -> Self {
        let who = one_line(&entry.who);
        let (prose, code) = match &entry.body {
            Body::Prose(text) => (Some(clean(text)), None),
            Body::Code(text) => (None, Some(clean(text))),
            Body::None | Body::Erased => (None, None),
        };
        Self {
            at: entry.at.get(),
            time: When::of(entry.time),
            kind: entry.kind.name(),
            is_talk: entry.kind.is_talk(),
            initial: who.chars().next().map(|c| c.to_uppercase().collect()).unwrap_or_default(),
            who,
            deed: one_line(&entry.deed),
            prose,
            code,
            is_erased: entry.body == Body::Erased && entry.gone.is_none(),
            notes: entry.notes.iter().map(|note| one_line(note)).collect(),
            gone: entry.gone.clone(),
        }
    }
}

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
        let Approvals { rows: approvals, more: approvals_more, .. } = &survey.approvals;
        let Runs { rows: runs, more: runs_more, .. } = &survey.runs;
        let (checks, is_checked) = match integrity {
            Integrity::NotChecked => (Vec::new(), false),
            Integrity::Checked { lines } => (lines.iter().map(CheckView::of).collect(), true),
        };
        Self {
            approvals: approvals.iter().map(|(at, one)| ApprovalView::of(at.get(), one)).collect(),
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
        let arguments = if let Body::Code(text) = &one.arguments { Some(text.clone()) } else { None };
        let view = Self {
            at,
            time: When::of(one.time),
            agent: one_line(&one.agent),
            tool: one_line(&one.tool),
            effect: one.effect.clone(),
            arguments,
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
            Fate::Decided { at, time, who, is_yes, how } => Self {
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
            Fate::Expired { time } => {
                Self { class: "no", verdict: "expired".to_owned(), decided: Some(When::of(*time)), ..view }
            }
            Fate::Closed { time, why } => Self { verdict: (*why).to_owned(), decided: Some(When::of(*time)), ..view },
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
        let took = run.end.map(|(_, ended, _)| duration(ended.0.saturating_sub(run.time.0))).unwrap_or_default();
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
        let pairs = meters.by_agent.iter().flat_map(|(agent, models)| models.iter().map(move |row| (agent, row)));
        let pairs = pairs.map(|(agent, (model, meter))| Self::of(agent.as_str(), model.as_str(), meter));
        let others = Some(&meters.others).filter(|others| others.attempts > 0);
        let total = Self { is_total: true, ..Self::of("all", "", &meters.total) };
        pairs.chain(others.map(|meter| Self::of("others", "", meter))).chain([total]).collect()
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

/// What the numbers leave open.
fn open(survey: &Survey) -> Vec<String> {
    let meter = &survey.world.meters().total;
    let attempts = |count: u64| counted(usize::try_from(count).unwrap_or(usize::MAX), "attempt");
    let unpriced = (meter.unpriced > 0)
        .then(|| format!("The cost of {} is unknown: no price is given for the model.", attempts(meter.unpriced)));
    let uncounted = (meter.uncounted > 0).then(|| {
        format!(
            "Nobody counted the tokens of {}; “possible” is the most that they may have cost.",
            attempts(meter.uncounted)
        )
    });
    let limit = survey.world.rules().spec().limits.cost;
    let left = limit.map(|limit| format!("Of the limit of {limit}, {} is left.", limit.minus(meter.spent.total())));
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
        Self { what: one_line(what), verdict, class, detail: one_line(detail) }
    }
}
