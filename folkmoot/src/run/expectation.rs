//! Comparing what a script expects with what happened.

use folkmoot_agents::{Asks, Waiting, waiting};
use folkmoot_core::command::commit::Commit;
use folkmoot_core::event::{CloseReason, Event};
use folkmoot_core::world::Activity;

use super::Run;
use super::evidence::Evidence;
use super::grant::{Standing, standing};
use crate::script::{Claim, Expect, Fault, GrantMatch, Mark, Pending, Since, SpecClaim, Step};
use crate::words::word;

mod border;
mod counts;
mod routing;
mod talk;

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

/// What was expected, and what came instead.
type Differs = (String, String);

/// A claim that does not hold: where, what was expected, what came.
pub(super) type Miss = (Mark, String, String);

impl Run<'_> {
    pub(super) fn unmet(&self, step: &Step, (mark, expected, came): Miss) -> super::RunError {
        let mark = if mark == Mark::default() {
            step.at
        } else {
            mark
        };
        let fault = self
            .script
            .sources
            .fault(mark, format!("expected {expected}; {came}"), None);
        super::RunError::Unmet(Box::new(Unmet {
            fault,
            expected,
            came,
        }))
    }
}

impl Evidence {
    /// Checks every claim; the error is the first that does not hold.
    pub(super) fn check(&self, expect: &Expect) -> Result<(), Miss> {
        for (mark, claim) in &expect.claims {
            let commits = self.commits(claim, expect.since);
            let looked = |came: String| format!("{came} ({})", self.stretch(commits, expect.since));
            self.claim(claim, commits)
                .map_err(|(expected, came)| (*mark, expected, looked(came)))?;
        }
        Ok(())
    }

    /// Returns which stretch of which world is looked at.
    fn stretch(&self, commits: &[Commit], since: Option<Since>) -> String {
        let name = &self.name;
        let began = match (since, self.since) {
            (Some(Since::Start), _) | (_, None) => "since the run began".to_owned(),
            (_, Some(step)) if commits.len() < self.run.len() => {
                format!("since step {}", step.saturating_add(1))
            }
            (_, Some(_)) => "since the run began".to_owned(),
        };
        match (commits.first(), commits.last()) {
            (Some(first), Some(last)) => {
                format!(
                    "looked at events {} to {} of {name}, {began}",
                    first.header.first,
                    last.last()
                )
            }
            (_, _) => format!("nothing happened in {name} {began}"),
        }
    }

    /// Counts look at the run, the rest at what happened last, unless the step says otherwise.
    fn commits(&self, claim: &Claim, since: Option<Since>) -> &[Commit] {
        let is_count = matches!(
            claim,
            Claim::ToolRuns(_)
                | Claim::ModelCalls(_)
                | Claim::ModelCallsMax(_)
                | Claim::NotExhausted
        );
        match since {
            Some(Since::Start) => &self.run,
            Some(Since::Last) => &self.last,
            None if is_count => &self.run,
            None => &self.last,
        }
    }

    fn claim(&self, claim: &Claim, commits: &[Commit]) -> Result<(), Differs> {
        match claim {
            Claim::Message(wanted) => talk::message(wanted, commits),
            Claim::NoMessage(unwanted) => talk::no_message(unwanted, commits),
            Claim::Routing(wanted) => routing::last(wanted, commits),
            Claim::Routings(wanted, order) => routing::all(wanted, *order, commits),
            Claim::Approval(wanted) => self.pending("approval", wanted.as_ref(), |asks| {
                matches!(asks, Asks::Approval { .. })
            }),
            Claim::Question(wanted) => self.pending("question", wanted.as_ref(), |asks| {
                matches!(asks, Asks::Question { .. })
            }),
            Claim::Outcome(wanted) => self.pending("unknown outcome", wanted.as_ref(), |asks| {
                matches!(asks, Asks::Outcome { .. })
            }),
            Claim::Grants(wanted) => self.grants(wanted),
            Claim::Requests(count) => same(
                "waiting requests",
                count,
                &number(self.world.consent().pending().len()),
            ),
            Claim::Notices(wanted) => same("notices", wanted, &counts::notices(commits)),
            Claim::ToolRuns(wanted) => {
                let runs = counts::tool_runs(commits);
                let of = |tool| runs.get(tool).copied().unwrap_or_default();
                wanted.iter().try_for_each(|(tool, count)| {
                    same(&format!("runs of {tool}"), count, &of(tool))
                })
            }
            Claim::ModelCalls(wanted) => counts::model_calls(wanted, commits),
            Claim::ModelCallsMax(wanted) => counts::model_calls_max(wanted, commits),
            Claim::Turns(wanted) => {
                let ends = counts::ends(commits);
                let of = |agent| ends.get(agent).cloned().unwrap_or_default();
                wanted.iter().try_for_each(|(agent, wanted)| {
                    same(
                        &format!("turns of {agent}"),
                        &words(wanted),
                        &words(&of(agent)),
                    )
                })
            }
            Claim::Budget(wanted) => counts::budget(wanted, &self.run, &self.world),
            Claim::People(wanted) => same(
                "people",
                wanted,
                &self.world.people().roster().keys().cloned().collect(),
            ),
            Claim::Refusals(wanted) => same("refusals", wanted, &counts::refusals(commits)),
            Claim::Spec(wanted) => self.spec(wanted),
            Claim::EpisodeEnd(wanted) => same(
                "end of the last turn",
                &Some(*wanted),
                &counts::last_end(commits),
            ),
            Claim::Idle(wanted) => same("idle", wanted, &(self.world.activity() == Activity::Idle)),
            Claim::Activity(wanted) => {
                same("activity", &word(wanted), &word(&self.world.activity()))
            }
            Claim::NotExhausted => same(
                "agents out of replies",
                &Vec::new(),
                &counts::exhausted(commits),
            ),
            Claim::Artifact(wanted) => self.artifact(wanted.as_ref(), commits),
            Claim::Withheld(wanted) => border::withheld(wanted, commits),
            Claim::ReplayIdentical => {
                let came = if self.world == self.folded {
                    "the same"
                } else {
                    "another state"
                };
                same("a replay that gives", &"the same", &came)
            }
        }
    }

    fn pending(
        &self,
        what: &str,
        wanted: Option<&Pending>,
        is_kind: fn(&Asks) -> bool,
    ) -> Result<(), Differs> {
        let all: Vec<Waiting> = waiting(&self.world)
            .into_iter()
            .filter(|one| is_kind(&one.asks))
            .collect();
        let came = format!("waiting are: {}", shown(all.iter().map(describe)));
        match wanted {
            None if all.is_empty() => Ok(()),
            None => Err((format!("no {what}"), came)),
            Some(wanted) if all.iter().any(|one| fits(wanted, one)) => Ok(()),
            Some(wanted) => Err((format!("{what}{wanted}"), came)),
        }
    }

    fn grants(&self, wanted: &[GrantMatch]) -> Result<(), Differs> {
        let all = standing(&self.world);
        let is_fit = wanted.len() == all.len()
            && wanted
                .iter()
                .zip(&all)
                .all(|(wanted, one)| is_such(wanted, one));
        let expected = if wanted.is_empty() {
            "no grants".to_owned()
        } else {
            shown(wanted.iter().map(GrantMatch::to_string))
        };
        if is_fit {
            Ok(())
        } else {
            Err((
                expected,
                format!("standing are: {}", shown(all.iter().map(name_grant))),
            ))
        }
    }

    fn spec(&self, wanted: &SpecClaim) -> Result<(), Differs> {
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

fn same<T: PartialEq + std::fmt::Debug>(what: &str, wanted: &T, came: &T) -> Result<(), Differs> {
    if wanted == came {
        Ok(())
    } else {
        Err((format!("{what} {wanted:?}"), format!("came {came:?}")))
    }
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

fn words(ends: &[CloseReason]) -> Vec<String> {
    ends.iter().map(word).collect()
}

/// Returns what came, in a line.
fn shown(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() {
        "nothing".to_owned()
    } else {
        all.join("; ")
    }
}

fn describe(one: &Waiting) -> String {
    let tool = one
        .tool
        .as_ref()
        .map_or_else(|| "?".to_owned(), ToString::to_string);
    format!(
        "{}: {tool} for {} with {}",
        one.name,
        one.agent,
        one.arguments.as_deref().unwrap_or("[erased]")
    )
}

fn fits(wanted: &Pending, one: &Waiting) -> bool {
    let arguments = one
        .arguments
        .as_ref()
        .and_then(|text| serde_json::from_str(text).ok());
    let question = match &one.asks {
        Asks::Question {
            question: Some(question),
        } => question.text.clone(),
        Asks::Question { question: None } | Asks::Approval { .. } | Asks::Outcome { .. } => {
            String::new()
        }
    };
    wanted
        .agent
        .as_ref()
        .is_none_or(|agent| *agent == one.agent)
        && wanted
            .tool
            .as_ref()
            .is_none_or(|tool| Some(tool) == one.tool.as_ref())
        && (wanted.arguments.is_none()
            || arguments.is_some_and(|given| wanted.fits_arguments(&given)))
        && wanted
            .contains
            .as_ref()
            .is_none_or(|part| question.contains(part.as_str()))
}

fn is_such(wanted: &GrantMatch, one: &Standing) -> bool {
    wanted
        .agent
        .as_ref()
        .is_none_or(|agent| *agent == one.agent)
        && wanted.tool.as_ref().is_none_or(|tool| *tool == one.tool)
        && wanted.scope.is_none_or(|scope| scope == one.scope)
        && wanted.left.is_none_or(|left| Some(left) == one.left)
        && wanted.by.as_ref().is_none_or(|by| by == one.by.display())
}

fn name_grant(one: &Standing) -> String {
    let left = one
        .left
        .map(|left| format!(", {left} left"))
        .unwrap_or_default();
    format!(
        "{}: {} for {} ({}{left}) by {}",
        one.name, one.tool, one.agent, one.scope, one.by
    )
}

fn events(commits: &[Commit]) -> impl DoubleEndedIterator<Item = &Event> {
    commits.iter().flat_map(|commit| &commit.events)
}
