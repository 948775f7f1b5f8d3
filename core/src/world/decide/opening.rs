//! Beginning a world, opening it again, changing its definition, and the steps of world scripts.

use super::{Draft, No};
use crate::event::refusal::Refusal;
use crate::event::{ClockKind, EpochOpened, Opened, SpecRevised, StepDone, WorldOpened};
use crate::ids::{CopyId, Digest, Incarnation, NodeId, Position, StepKey, WorldId, WorldName};
use crate::spec::rules::Rules;
use crate::spec::{Definition, SpecText};
use crate::world::decider::{BINARY, decider_id};

/// The code of work that the processes died of which did it.
pub(super) const LOST_TO_CRASHES: &str = "lost_to_crashes";

impl Draft<'_> {
    pub(super) fn create(
        &mut self,
        world: WorldId,
        name: &WorldName,
        clock: ClockKind,
        base: Option<&str>,
        definition: &Definition,
        opened: Opened,
    ) -> Result<(), No> {
        if self.world.head != Position::ZERO {
            return Err(No::STALE);
        }
        let spec_digest = check(definition)?;
        self.push(WorldOpened {
            world,
            name: name.clone(),
            clock,
            decider: decider_id(),
            base: base.map(str::to_owned),
            source: definition.source.clone(),
            spec_digest,
            spec: definition.spec.clone(),
            text: definition.text.clone(),
        });
        self.push(opened);
        Ok(())
    }

    /// The opening that a new world begins with.
    pub(super) fn first_opening(&self, node: NodeId, signer: Option<&str>) -> Opened {
        Opened {
            incarnation: Incarnation(1),
            node,
            base: None,
            signer: signer.map(str::to_owned),
        }
    }

    pub(super) fn open(
        &mut self,
        node: NodeId,
        base: Option<&str>,
        revise: Option<&Definition>,
        signer: Option<&str>,
        copy: Option<CopyId>,
    ) -> Result<(), No> {
        let incarnation = self.world.incarnation.next();
        let base = base.map(str::to_owned);
        let signer = signer.map(str::to_owned);
        self.push(Opened {
            incarnation,
            node,
            base,
            signer,
        });
        if self.world.decider != decider_id() {
            self.push(EpochOpened {
                decider: decider_id(),
                binary: BINARY.to_owned(),
            });
        }
        self.cut_streams();
        self.restore(copy);
        revise.map_or(Ok(()), |definition| self.revise(definition))?;
        self.count_lost_deliveries();
        Ok(())
    }

    /// A delivery that three processes died of counts as failed: the agent in code behind it may be what kills them.
    fn count_lost_deliveries(&mut self) {
        let world = self.world;
        for agent in &world.busy {
            let Some(memory) = world.memories.get(agent) else {
                continue;
            };
            let max = memory
                .turn
                .as_ref()
                .map_or(&world.rules, |turn| &turn.rules)
                .spec()
                .limits
                .attempts;
            if world.is_delivered(agent, memory, self.now()) && memory.lost.saturating_add(1) >= max
            {
                self.record_agent_failure(agent, memory, LOST_TO_CRASHES, "", None);
                self.give_up(agent, memory, LOST_TO_CRASHES);
            }
        }
    }

    pub(super) fn revise(&mut self, definition: &Definition) -> Result<(), No> {
        let spec_digest = check(definition)?;
        if definition.spec.policy.privacy != self.world.rules.spec().policy.privacy {
            let why = "the privacy of a world cannot change; begin another world".to_owned();
            return Err(No::Quiet(Refusal::BadDefinition { why }));
        }
        self.check_newcomers(definition)?;
        if !self.world.is_in_force(definition) {
            let spec = definition.spec.clone();
            let text = definition.text.clone();
            let source = definition.source.clone();
            let by = Some(self.principal.clone());
            let changes = self.world.definition().changes_to(definition);
            self.push(SpecRevised {
                by,
                changes,
                source,
                spec_digest,
                spec,
                text,
            });
            self.end_grants_of_changed(&definition.spec);
            self.ask_again_where_moved(&definition.spec);
        }
        Ok(())
    }

    pub(super) fn record_step(&mut self, step: StepKey, digest: Digest) -> Result<(), No> {
        let script = &self.world.script;
        if step.run < script.run {
            return Err(No::STALE);
        }
        match script
            .done
            .get(&step.index)
            .filter(|_| script.run == step.run)
        {
            Some(known) if known.digest == digest => Ok(()),
            Some(_) => Err(No::STALE),
            None => {
                self.push(StepDone { step, digest });
                Ok(())
            }
        }
    }
}

/// Checks a definition and computes its digest.
fn check(definition: &Definition) -> Result<Digest, No> {
    let bad = |why: String| No::Quiet(Refusal::BadDefinition { why });
    let text = definition
        .text
        .present()
        .ok_or_else(|| bad("its text was erased".to_owned()))?;
    Rules::check(definition.spec.clone()).map_err(|error| bad(error.to_string()))?;
    Ok(definition.spec.digest(text))
}

impl Definition {
    /// The digest of a whole definition; `None` if its text was erased.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.text
            .present()
            .map(|text: &SpecText| self.spec.digest(text))
    }
}
