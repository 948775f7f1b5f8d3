//! A skill in code that performs effects, one after another.

use agentplane::core::{Effect, EffectDescriptor, EffectError};
use agentplane::prelude::*;
use serde_json::{Value, json};

use crate::plane::Shared;

/// What the skill provides.
pub(crate) const NAME: &str = "peers.burst";

/// Performs so many effects, or fewer if the meter is over before.
#[derive(Debug)]
pub(crate) struct Burst {
    pub(crate) effects: usize,
}

#[async_trait]
impl Skill for Burst {
    fn descriptor(&self) -> SkillDescriptor {
        SkillDescriptor::new("burst").provides(NAME)
    }

    async fn invoke(
        &self,
        cx: &mut StepCtx<'_>,
        input: Tainted<Value>,
    ) -> Result<Outcome, SkillError> {
        let shared = Shared::get().map_err(|why| SkillError::Other(why.to_owned()))?;
        for _ in 0..self.effects {
            if shared.meter.is_over() {
                break;
            }
            cx.effect(Act).await?;
        }
        Ok(Outcome::done(input))
    }
}

#[derive(Debug)]
struct Act;

#[async_trait]
impl Effect for Act {
    type Output = String;

    fn descriptor(&self) -> EffectDescriptor {
        EffectDescriptor::new("peers.act", json!({}))
    }

    async fn perform(&self) -> Result<String, EffectError> {
        let shared = Shared::get().map_err(|why| EffectError::Other(why.to_owned()))?;
        shared.meter.tick();
        Ok(shared.texts.next())
    }
}
