//! Comparing what a script expects with what happened.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_core::commit::Commit;
use folkmoot_core::event::{Event, MessageRouted, Notice};
use folkmoot_core::ids::{AgentName, Attempt, CallId, ToolName};
use folkmoot_core::port::TextEvent;
use folkmoot_core::projection::TextProjection;
use folkmoot_core::world::Activity;

use super::Run;
use super::evidence::Evidence;
use super::pending::{Asks, Waiting, waiting};
use crate::script::{Claim, Expect, Fault, Mark, MessageMatch, Pending, Routing, Since, SpecClaim, Step};

/// What did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// Where it is claimed.
    pub fault: Fault,
    /// What was expected.
    pub expected: String,
    /// What came.
    pub came: String,
}

/// A claim that does not hold: where, what was expected, what came.
pub(super) type Miss = (Mark, String, String);

impl Run<'_> {
    pub(super) fn unmet(&self, step: &Step, (mark, expected, came): Miss) -> super::RunError {
        let mark = if mark == Mark::default() { step.at } else { mark };
        let fault = self.script.sources.fault(mark, format!("expected {expected}; {came}"), None);
        super::RunError::Unmet(Box::new(Unmet { fault, expected, came }))
    }
}

impl Evidence {
    /// Checks every claim; the error is the first that does not hold.
    pub(super) fn check(&self, expect: &Expect) -> Result<(), Miss> {
        for (mark, claim) in &expect.claims {
            let commits = self.commits(claim, expect.since);
            self.claim(claim, commits).map_err(|(expected, came)| (*mark, expected, came))?;
        }
        Ok(())
    }

    /// Counts look at the run, the rest at what happened last, unless the step says otherwise.
    fn commits(&self, claim: &Claim, since: Option<Since>) -> &[Commit] {
        let is_count = matches!(claim, Claim::ToolRuns(_) | Claim::ModelCalls(_) | Claim::NotExhausted);
        match since {
            Some(Since::Start) => &self.run,
            Some(Since::Last) => &self.last,
            None if is_count => &self.run,
            None => &self.last,
        }
    }

    fn claim(&self, claim: &Claim, commits: &[Commit]) -> Result<(), (String, String)> {
        match claim {
            Claim::Message(wanted) => message(wanted, commits),
            Claim::NoMessage(unwanted) => no_message(unwanted, commits),
            Claim::Routing(wanted) => routing(wanted, commits),
            Claim::Approval(wanted) => {
                self.pending("approval", wanted.as_ref(), |asks| matches!(asks, Asks::Approval { .. }))
            }
            Claim::Question(wanted) => {
                self.pending("question", wanted.as_ref(), |asks| matches!(asks, Asks::Question { .. }))
            }
            Claim::Outcome(wanted) => {
                self.pending("unknown outcome", wanted.as_ref(), |asks| matches!(asks, Asks::Outcome { .. }))
            }
            Claim::Requests(count) => same("waiting requests", count, &number(self.world.pending().len())),
            Claim::Notices(wanted) => same("notices", wanted, &notices(commits)),
            Claim::ToolRuns(wanted) => {
                let runs = tool_runs(commits);
                wanted
                    .iter()
                    .try_for_each(|(tool, count)| same(&format!("runs of {tool}"), count, &count_of(&runs, tool)))
            }
            Claim::ModelCalls(wanted) => {
                let calls = model_calls(commits);
                wanted.iter().try_for_each(|(agent, count)| {
                    same(&format!("model calls of {agent}"), count, &count_of(&calls, agent))
                })
            }
            Claim::Refusals(wanted) => same("refusals", wanted, &refusals(commits)),
            Claim::Spec(wanted) => self.spec(wanted),
            Claim::EpisodeEnd(wanted) => same("end of the last turn", &Some(*wanted), &last_end(commits)),
            Claim::Idle(wanted) => same("idle", wanted, &(self.world.activity() == Activity::Idle)),
            Claim::NotExhausted => same("agents out of replies", &Vec::new(), &exhausted(commits)),
            Claim::ReplayIdentical => {
                let came = if self.world == self.folded { "the same" } else { "another state" };
                same("a replay that gives", &"the same", &came)
            }
        }
    }

    fn pending(
        &self,
        what: &str,
        wanted: Option<&Pending>,
        is_kind: fn(&Asks) -> bool,
    ) -> Result<(), (String, String)> {
        let all: Vec<Waiting> = waiting(&self.world).into_iter().filter(|one| is_kind(&one.asks)).collect();
        let came = format!("waiting are: {}", shown(all.iter().map(describe)));
        match wanted {
            None if all.is_empty() => Ok(()),
            None => Err((format!("no {what}"), came)),
            Some(wanted) if all.iter().any(|one| fits(wanted, one)) => Ok(()),
            Some(wanted) => Err((format!("{what}{wanted}"), came)),
        }
    }

    fn spec(&self, wanted: &SpecClaim) -> Result<(), (String, String)> {
        let spec = self.world.rules().spec();
        if let Some(agents) = &wanted.agents {
            let names: Vec<_> = spec.agents.iter().map(|agent| agent.name.clone()).collect();
            same("agents", agents, &names)?;
        }
        if let Some(tools) = &wanted.tools {
            let mut tools = tools.clone();
            tools.sort();
            same("tools", &tools, &spec.tools.keys().cloned().collect())?;
        }
        match &wanted.main_agent {
            Some(main) => same("main agent", &Some(main.clone()), &spec.policy.main_agent),
            None => Ok(()),
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, wanted: &T, came: &T) -> Result<(), (String, String)> {
    if wanted == came { Ok(()) } else { Err((format!("{what} {wanted:?}"), format!("came {came:?}"))) }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn count_of<K: Ord>(counts: &BTreeMap<K, u32>, key: &K) -> u32 {
    counts.get(key).copied().unwrap_or_default()
}

fn shown(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join("; ") }
}

fn describe(one: &Waiting) -> String {
    let tool = one.tool.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string);
    format!("{}: {tool} for {} with {}", one.name, one.agent, one.arguments.as_deref().unwrap_or("[erased]"))
}

fn fits(wanted: &Pending, one: &Waiting) -> bool {
    let arguments = one.arguments.as_ref().and_then(|text| serde_json::from_str(text).ok());
    let question = match &one.asks {
        Asks::Question { question: Some(question) } => question.text.clone(),
        Asks::Question { question: None } | Asks::Approval { .. } | Asks::Outcome { .. } => String::new(),
    };
    wanted.agent.as_ref().is_none_or(|agent| *agent == one.agent)
        && wanted.tool.as_ref().is_none_or(|tool| Some(tool) == one.tool.as_ref())
        && (wanted.arguments.is_none() || arguments.is_some_and(|given| wanted.fits_arguments(&given)))
        && wanted.contains.as_ref().is_none_or(|part| question.contains(part.as_str()))
}

/// The messages of `commits`, each with those who are to answer it.
fn messages(commits: &[Commit]) -> Vec<(TextEvent, Vec<AgentName>)> {
    let mut projection = TextProjection::default();
    let mut all = Vec::new();
    for commit in commits {
        for text in projection.take(commit) {
            let mut routed = commit.events.iter().filter_map(routed);
            let routed = routed.find(|routed| routed.message == text.at);
            let respond = routed.map(|routed| routed.respond.iter().map(|(name, _)| name.clone()).collect());
            all.push((text, respond.unwrap_or_default()));
        }
    }
    all
}

fn is_meant(wanted: &MessageMatch, (text, respond): &(TextEvent, Vec<AgentName>)) -> bool {
    wanted.from.as_ref().is_none_or(|from| *from == text.from)
        && wanted.to.as_ref().is_none_or(|to| respond.contains(to))
        && wanted.text.fits(&text.text)
}

fn message(wanted: &MessageMatch, commits: &[Commit]) -> Result<(), (String, String)> {
    let all = messages(commits);
    if all.iter().any(|one| is_meant(wanted, one)) {
        return Ok(());
    }
    let came = shown(all.iter().map(|(text, _)| format!("{}: {:?}", text.from, text.text)));
    Err((format!("a {wanted}"), format!("said was: {came}")))
}

fn no_message(unwanted: &MessageMatch, commits: &[Commit]) -> Result<(), (String, String)> {
    match messages(commits).iter().find(|one| is_meant(unwanted, one)) {
        None => Ok(()),
        Some((text, _)) => Err((format!("no {unwanted}"), format!("{} said {:?}", text.from, text.text))),
    }
}

fn routing(wanted: &Routing, commits: &[Commit]) -> Result<(), (String, String)> {
    let last = events(commits).filter_map(routed).next_back();
    let Some(MessageRouted { rule, respond, undeliverable, .. }) = last else {
        return Err((wanted.to_string(), "no message was routed".to_owned()));
    };
    if let Some(wanted) = &wanted.rule {
        same("routing rule", wanted, rule)?;
    }
    if let Some(wanted) = &wanted.respond {
        same("responders", wanted, &respond.iter().cloned().collect())?;
    }
    wanted.undeliverable.as_ref().map_or(Ok(()), |wanted| same("undeliverable names", wanted, undeliverable))
}

fn events(commits: &[Commit]) -> impl DoubleEndedIterator<Item = &Event> {
    commits.iter().flat_map(|commit| &commit.events)
}

const fn routed(event: &Event) -> Option<&MessageRouted> {
    if let Event::MessageRouted(routed) = event { Some(routed) } else { None }
}

fn notices(commits: &[Commit]) -> Vec<String> {
    let word = |event: &Event| if let Event::NoticePosted(posted) = event { Some(word(&posted.notice)) } else { None };
    events(commits).filter_map(word).collect()
}

/// The serialised name of a notice.
fn word(notice: &Notice) -> String {
    let value = serde_json::to_value(notice).unwrap_or_default();
    value.as_object().and_then(|map| map.keys().next().cloned()).unwrap_or_default()
}

/// Calls that were started, by tool. Further attempts of a call do not count, and neither does a call that runs in the
/// place of one that was started: to the agent that asked, both are one.
fn tool_runs(commits: &[Commit]) -> BTreeMap<ToolName, u32> {
    let mut admitted: BTreeMap<CallId, (ToolName, CallId)> = BTreeMap::new();
    let mut started = BTreeSet::new();
    for event in events(commits) {
        if let Event::CallsAdmitted(calls) = event {
            for call in &calls.calls {
                let Some(tool) = call.tool.clone() else { continue };
                let first = call.origin.map(|origin| admitted.get(&origin).map_or(origin, |(_, first)| *first));
                admitted.insert(call.call, (tool, first.unwrap_or(call.call)));
            }
        }
        if let Event::ToolStarted(start) = event
            && start.attempt == Attempt(1)
            && let Some(entry) = admitted.get(&start.call)
        {
            started.insert(entry.clone());
        }
    }
    let mut runs = BTreeMap::new();
    for (tool, _) in started {
        let count: &mut u32 = runs.entry(tool).or_default();
        *count = count.saturating_add(1);
    }
    runs
}

fn model_calls(commits: &[Commit]) -> BTreeMap<AgentName, u32> {
    let mut calls = BTreeMap::new();
    for event in events(commits) {
        if let Event::ModelCalled(called) = event
            && called.attempt == Attempt(1)
        {
            let count: &mut u32 = calls.entry(called.agent.clone()).or_default();
            *count = count.saturating_add(1);
        }
    }
    calls
}

fn refusals(commits: &[Commit]) -> Vec<String> {
    let reason = |event: &Event| if let Event::Refused(refused) = event { Some(refused.reason.code()) } else { None };
    events(commits).filter_map(reason).collect()
}

fn last_end(commits: &[Commit]) -> Option<folkmoot_core::event::CloseReason> {
    events(commits).rev().find_map(|event| {
        if let Event::TurnClosed(closed) = event {
            Some(closed.reason)
        } else if let Event::TurnDeclined(declined) = event {
            Some(declined.reason)
        } else {
            None
        }
    })
}

fn exhausted(commits: &[Commit]) -> Vec<String> {
    let warned = |event: &Event| {
        let Event::WarningRecorded(warning) = event else { return None };
        let agent = warning.agent.as_ref().map(ToString::to_string).unwrap_or_default();
        (warning.code == "script_exhausted").then_some(agent)
    };
    events(commits).filter_map(warned).collect()
}
