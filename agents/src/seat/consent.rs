//! What people decide from a seat: approvals, questions, unknown outcomes.

use folkmoot_core::command::{Action, ConsentAction, Judgement, Reply, Resolution, Settlement};
use folkmoot_core::event::{Scope, Verdict, Wider};
use folkmoot_core::ids::{AgentName, Digest, GrantId, RequestId};
use folkmoot_core::tool::constraint::Constraint;
use folkmoot_core::world::Accepted;

use super::{Key, Seat};
use crate::error::SeatError;
use folkmoot_core::world::projection::{Waiting, waiting};

/// A person's answer to one recorded request for permission. It has no arguments: those are the request's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResultData {
    /// The request.
    pub request: RequestId,
    /// Yes or no.
    pub decision: Verdict,
    /// How far it reaches.
    pub scope: Scope,
    /// The first eight digits of the digest of what the person saw; `None`: unconfirmed.
    pub shown: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Makes sending it again harmless.
    pub key: Option<Key>,
}

impl ToolResultData {
    /// Decides `request` once.
    #[must_use]
    pub const fn once(request: RequestId, decision: Verdict) -> Self {
        Self {
            request,
            decision,
            scope: Scope::Once,
            shown: None,
            reason: None,
            key: None,
        }
    }
}

impl Seat {
    /// The requests that wait for people, oldest first.
    ///
    /// # Errors
    /// [`SeatError::Refused`] without the right to read; else the world has ended.
    pub async fn waiting(&self) -> Result<Vec<Waiting>, SeatError> {
        self.read(waiting).await
    }

    /// Lets the call of `request` run, once. The decision carries the digest of what the request shows.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn allow(&self, request: &Waiting) -> Result<Accepted, SeatError> {
        self.judge(request, Judgement::new(Verdict::Allow)).await
    }

    /// Lets the call of `request` run, and calls like it as far as `scope` reaches. At the place of each of `constraints`
    /// their arguments may differ as it says; without any they are the same.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn allow_with(
        &self,
        request: &Waiting,
        scope: Scope,
        constraints: Vec<Constraint>,
    ) -> Result<Accepted, SeatError> {
        let wider = if constraints.is_empty() {
            Wider::Same
        } else {
            Wider::Where(constraints)
        };
        let judgement = Judgement::new(Verdict::Allow).within(scope);
        self.judge(request, Judgement { wider, ..judgement }).await
    }

    /// Forbids the call of `request`. People can read the reason in the log; the agent is told only that it was denied.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn deny(
        &self,
        request: &Waiting,
        reason: impl Into<String>,
    ) -> Result<Accepted, SeatError> {
        let judgement = Judgement::new(Verdict::Deny).because(Some(reason.into()));
        self.judge(request, judgement).await
    }

    /// Answers a tool's question, with text or with the numbers of options.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn answer(
        &self,
        request: &Waiting,
        reply: impl Into<Reply>,
    ) -> Result<Accepted, SeatError> {
        self.resolve(request, Resolution::Answer(reply.into()))
            .await
    }

    /// Says what became of a call whose outcome is unknown.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn settle(
        &self,
        request: &Waiting,
        settlement: Settlement,
    ) -> Result<Accepted, SeatError> {
        self.resolve(request, Resolution::Settle(settlement)).await
    }

    /// Decides one recorded request of `agent`. It becomes [`ConsentAction::Decide`] and nothing else.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn publish_tool_result(
        &self,
        agent: &AgentName,
        data: ToolResultData,
    ) -> Result<Accepted, SeatError> {
        let ToolResultData {
            request,
            decision,
            scope,
            shown,
            reason,
            key,
        } = data;
        let judgement = Judgement::new(decision)
            .within(scope)
            .having_seen(shown)
            .because(reason);
        self.decide(agent, request, judgement, key).await
    }

    /// Decides one recorded request of `agent`, with all that a person can say about it: other arguments, wider grants.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn decide(
        &self,
        agent: &AgentName,
        request: RequestId,
        judgement: Judgement,
        key: Option<Key>,
    ) -> Result<Accepted, SeatError> {
        self.give(
            Action::Consent(ConsentAction::Decide {
                agent: Some(agent.clone()),
                request,
                judgement,
            }),
            key,
        )
        .await
    }

    /// Ends a grant before its time.
    ///
    /// # Errors
    /// [`SeatError::Refused`] with the recorded reason; else the world has ended.
    pub async fn revoke(&self, grant: GrantId, key: Option<Key>) -> Result<Accepted, SeatError> {
        self.give(Action::Consent(ConsentAction::Revoke { grant }), key)
            .await
    }

    async fn judge(&self, request: &Waiting, judgement: Judgement) -> Result<Accepted, SeatError> {
        let seen = request.digest().as_ref().map(Digest::short);
        self.resolve(request, Resolution::Judge(judgement.having_seen(seen)))
            .await
    }

    async fn resolve(
        &self,
        request: &Waiting,
        resolution: Resolution,
    ) -> Result<Accepted, SeatError> {
        let action = resolution.of(request.request, Some(request.agent.clone()));
        self.give(action, None).await
    }
}
