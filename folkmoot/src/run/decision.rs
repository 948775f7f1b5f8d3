//! Steps that decide what waits: approvals, questions, unknown outcomes.

use folkmoot_agents::{Asks, Waiting, waiting};
use folkmoot_core::command::{Judgement, Resolution};
use folkmoot_core::event::Verdict;
use folkmoot_core::ids::{AgentName, RequestId};
use folkmoot_core::world::{Settled, World};

use super::{Run, RunError};
use crate::script::{Selector, Step};

/// What a step found to decide.
enum SelectedRequest {
    /// This request; the agent is the one that the step claims, or whose call it is known to be.
    Request(RequestId, Option<AgentName>),
    /// It was decided meanwhile, in the same way.
    DecidedAlike,
    /// Nothing fits; what does wait, by name.
    Nothing(Vec<String>),
}

impl Run<'_> {
    pub(super) async fn decide(
        &mut self,
        number: u32,
        step: &Step,
        select: &Selector,
        decision: &Resolution,
    ) -> Result<(), RunError> {
        self.quiet().await?;
        let wanted = select.clone();
        let kind = decision.clone();
        let is_refused = step.refused.is_some();
        match self
            .read(move |world| find(world, &wanted, &kind, is_refused))
            .await?
        {
            SelectedRequest::Request(request, agent) => {
                self.give(number, step, decision.clone().of(request, agent))
                    .await
            }
            SelectedRequest::DecidedAlike => self.record(number, step).await,
            SelectedRequest::Nothing(others) => {
                let others = if others.is_empty() {
                    "nothing waits".to_owned()
                } else {
                    others.join(", ")
                };
                let what = format!(
                    "no request fits this `{}`; these wait: {others}",
                    decision.word()
                );
                Err(RunError::Failed(self.fault(step, what)))
            }
        }
    }
}

/// Finds the request of a decision. In a step that is to be refused, the agent is a claim and does not select.
fn find(
    world: &World,
    select: &Selector,
    decision: &Resolution,
    claims_only: bool,
) -> SelectedRequest {
    let all = waiting(world);
    if let Some(position) = select.request {
        let request = RequestId(position);
        let known = all
            .iter()
            .find(|one| one.request == request)
            .map(|one| one.agent.clone());
        return SelectedRequest::Request(request, select.agent.clone().or(known));
    }
    let fits = |one: &&Waiting| {
        is_of_kind(decision, &one.asks)
            && (claims_only
                || select
                    .agent
                    .as_ref()
                    .is_none_or(|agent| *agent == one.agent))
            && select
                .tool
                .as_ref()
                .is_none_or(|tool| Some(tool) == one.tool.as_ref())
            && fits_arguments(select, one)
    };
    let nth = usize::try_from(select.nth.unwrap_or(1))
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    if let Some(one) = all.iter().filter(fits).nth(nth) {
        let claimed = select
            .agent
            .clone()
            .filter(|_| claims_only)
            .unwrap_or_else(|| one.agent.clone());
        return SelectedRequest::Request(one.request, Some(claimed));
    }
    settled(world, select, decision, claims_only)
        .unwrap_or_else(|| SelectedRequest::Nothing(names(&all)))
}

/// A request that no longer waits: one that somebody else decided alike since the last step is done, and one that is to
/// be refused is tried.
fn settled(
    world: &World,
    select: &Selector,
    decision: &Resolution,
    claims_only: bool,
) -> Option<SelectedRequest> {
    let script = world.script();
    let last_step = script
        .done
        .values()
        .map(|record| record.at)
        .max()
        .unwrap_or(script.began);
    let is_it = |one: &Settled| {
        select
            .agent
            .as_ref()
            .is_none_or(|agent| *agent == one.agent)
            && select
                .tool
                .as_ref()
                .is_none_or(|tool| Some(tool) == one.tool.as_ref())
    };
    let mut newest = world
        .consent()
        .settled()
        .iter()
        .rev()
        .filter(|(id, one)| id.0 >= script.began && is_it(one));
    if claims_only {
        return newest
            .next()
            .map(|(id, one)| SelectedRequest::Request(*id, Some(one.agent.clone())));
    }
    let words = settles_as(decision);
    newest
        .any(|(_, one)| one.at > last_step && words.contains(&one.decided.how.as_str()))
        .then_some(SelectedRequest::DecidedAlike)
}

/// The words under which a decision of this kind is remembered.
const fn settles_as(decision: &Resolution) -> &'static [&'static str] {
    match decision {
        Resolution::Judge(Judgement {
            verdict: Verdict::Allow,
            ..
        }) => &["allow", "granted"],
        Resolution::Judge(Judgement {
            verdict: Verdict::Deny,
            ..
        }) => &["deny"],
        Resolution::Answer(_) => &["answered"],
        Resolution::Settle(_) => &["settled"],
    }
}

const fn is_of_kind(decision: &Resolution, asks: &Asks) -> bool {
    match decision {
        Resolution::Judge(_) => matches!(asks, Asks::Approval { .. }),
        Resolution::Answer(_) => matches!(asks, Asks::Question { .. }),
        Resolution::Settle(_) => matches!(asks, Asks::Outcome { .. }),
    }
}

fn fits_arguments(select: &Selector, one: &Waiting) -> bool {
    let given = one
        .arguments
        .as_ref()
        .and_then(|text| serde_json::from_str(text).ok());
    select.arguments.is_none() || given.is_some_and(|given| select.fits_arguments(&given))
}

fn names(all: &[Waiting]) -> Vec<String> {
    let tool = |one: &Waiting| {
        one.tool
            .as_ref()
            .map_or_else(|| "?".to_owned(), ToString::to_string)
    };
    all.iter()
        .map(|one| format!("{} ({} for {})", one.name, tool(one), one.agent))
        .collect()
}
