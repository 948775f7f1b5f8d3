//! A decision about a call as it would be, before anybody takes it.

use folkmoot_core::command::{Judgement, Resolution};
use folkmoot_core::event::refusal::Refusal;
use folkmoot_core::event::{ApprovalDecided, CallEvent, Event, GrantGiven, Reach, Scope, Verdict};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{RequestId, Time};
use folkmoot_core::tool::EffectClass;
use folkmoot_core::world::World;
use serde::{Deserialize, Serialize};

use super::permit::decision;
use crate::text::{counted, time};
use crate::words;

#[cfg(test)]
mod tests;

/// A decision that nobody took yet, in words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewView {
    /// The outcome in sentences: what becomes of the call, and of calls to come.
    pub words: String,
    /// The places at which arguments of calls to come may differ, each in words.
    pub constraints: Vec<String>,
    /// Sentences that whoever decides is to read first; empty if there is nothing to warn of.
    pub warnings: Vec<String>,
    /// True if the call would run with other arguments than those that were asked about.
    pub arguments_differ: bool,
}

impl PreviewView {
    /// The decision of `principal` about `request`, if they took it now. The machine's clock says
    /// `now`. `None` if no such call waits.
    ///
    /// # Errors
    /// The refusal that the decision would get.
    pub fn of(
        world: &World,
        request: RequestId,
        principal: &Principal,
        judgement: &Judgement,
        now: Time,
    ) -> Result<Option<Self>, Refusal> {
        let resolution = Resolution::Judge(judgement.clone());
        let decision = decision(world, request, principal, resolution, now);
        decision.answer?;
        let outcome = Outcome::of(&decision.events);
        Ok(outcome.decided.map(|decided| Self {
            words: outcome.sentences(decided).join(" "),
            constraints: outcome.constraints(),
            warnings: outcome.warnings(world, judgement),
            arguments_differ: decided.is_edited,
        }))
    }
}

/// The events of a decision that people are told of.
#[derive(Default)]
struct Outcome<'e> {
    decided: Option<&'e ApprovalDecided>,
    given: Option<&'e GrantGiven>,
    /// The effect for which people are asked once more.
    asked_again: Option<EffectClass>,
    /// The number of other requests that the grant allows.
    others: usize,
}

impl<'e> Outcome<'e> {
    fn of(events: &'e [Event]) -> Self {
        let mut outcome = Self::default();
        for event in events {
            let Event::Call(event) = event else { continue };
            if let CallEvent::ApprovalDecided(decided) = event {
                outcome.decided = Some(decided);
            } else if let CallEvent::GrantGiven(given) = event {
                outcome.given = Some(given);
            } else if let CallEvent::ApprovalRequested(asked) = event {
                outcome.asked_again = Some(asked.effect);
            } else if let CallEvent::GrantUsed(used) = event {
                outcome.others += usize::from(used.request.is_some());
            }
        }
        outcome
    }

    fn sentences(&self, decided: &ApprovalDecided) -> Vec<String> {
        let mut sentences = vec![self.of_call(decided)];
        if self.others > 0 {
            let others = counted(self.others, "request");
            sentences.push(format!("It also lets {others} run that wait now."));
        }
        sentences.extend(self.given.map(of_grant));
        sentences
    }

    /// The sentence about the call that waits.
    fn of_call(&self, decided: &ApprovalDecided) -> String {
        let agent = &decided.agent;
        match (decided.verdict, self.asked_again) {
            (Verdict::Deny, _) => {
                format!("The call does not run. {agent} is told that it was denied.")
            }
            (Verdict::Allow, Some(effect)) => format!(
                "The call gets other arguments. With these it may do more ({effect}), so a person is asked once more."
            ),
            (Verdict::Allow, None) if decided.is_edited => {
                format!("The call of {agent} runs with other arguments.")
            }
            (Verdict::Allow, None) => format!("The call of {agent} runs as it was asked."),
        }
    }

    fn constraints(&self) -> Vec<String> {
        let constraints = self.given.map(|given| given.reach.constraints());
        let constraints = constraints.unwrap_or_default().iter();
        constraints.map(words::constraint).collect()
    }

    fn warnings(&self, world: &World, judgement: &Judgement) -> Vec<String> {
        let Some(given) = self.given else {
            return self.of_edited(world, judgement);
        };
        let mut warnings = self.of_edited(world, judgement);
        if given.reach == Reach::Any {
            warnings.push("nobody sees the arguments of calls to come before they run".to_owned());
        }
        if let Some(effect) = words::effect_warning(given.effect) {
            warnings.push(format!(
                "{effect}, and calls to come run without a question"
            ));
        }
        warnings
    }

    /// The warnings about the arguments that a person wrote.
    fn of_edited(&self, world: &World, judgement: &Judgement) -> Vec<String> {
        let edited = self.decided.filter(|decided| decided.is_edited);
        let tool = edited.and_then(|decided| {
            let pending = world.consent().pending().get(&decided.request)?;
            pending.tool.as_ref()
        });
        let (Some(tool), Some(arguments)) = (tool, judgement.arguments.as_deref()) else {
            return Vec::new();
        };
        let findings = world.rules().findings(tool, arguments);
        findings.iter().map(words::warning).collect()
    }
}

/// The sentence about calls to come.
fn of_grant(given: &GrantGiven) -> String {
    let GrantGiven {
        agent,
        tool,
        effect,
        reach,
        ..
    } = given;
    let often = match given.scope {
        Scope::Once => "once".to_owned(),
        Scope::Turn => "as often as it likes in this turn".to_owned(),
        Scope::World => "as often as it likes".to_owned(),
        Scope::Uses(uses) => format!("{} with this one", counted(uses, "time")),
    };
    let until = time(given.expires_at);
    // A list of places follows, if there are any.
    let end = if reach.constraints().is_empty() {
        "."
    } else {
        ""
    };
    format!(
        "Until {until} {agent} may run {tool} ({effect}) {often}, {}{end}",
        words::reach(reach)
    )
}
