//! Beginning a world, opening it again, changing its definition, and the steps of world scripts.

use crate::event::refusal::Refusal;
use crate::event::{ClockKind, EpochOpened, Labelled, Opened, SpecRevised, StepDone, WorldOpened};
use crate::ids::{CopyId, Digest, Incarnation, NodeId, Position, StepKey, WorldId, WorldName};
use crate::spec::rules::Rules;
use crate::spec::{Definition, SpecText};
use crate::world::consent::decide::{approval, grant};
use crate::world::decide::{Draft, No};
use crate::world::decider::{BINARY, decider_id};
use crate::world::opening::decide::restore;
use crate::world::owed;
use crate::world::people::decide::{named, rights};
use crate::world::turns::decide::turn;
use crate::world::upkeep::decide::label;

/// The code of work that the processes died of which did it.
pub(in crate::world) const LOST_TO_CRASHES: &str = "lost_to_crashes";

pub(in crate::world) fn create(
    draft: &mut Draft<'_>,
    world: WorldId,
    name: &WorldName,
    clock: ClockKind,
    base: Option<&str>,
    definition: &Definition,
    (opened, labelled): (Opened, &Labelled),
) -> Result<(), No> {
    if draft.world.head != Position::ZERO {
        return Err(No::STALE);
    }
    let (rules, spec_digest) = check(definition)?;
    draft.push(WorldOpened {
        world,
        name: name.clone(),
        clock,
        decider: decider_id(),
        base: base.map(str::to_owned),
        source: definition.source.clone(),
        spec_digest,
        spec: Box::new(definition.spec.clone()),
        text: definition.text.clone(),
    });
    draft.push(opened);
    label::label(draft, labelled.owner.as_deref(), &labelled.labels)?;
    rights::own(draft, &rules)
}

/// The opening that a new world begins with.
pub(in crate::world) fn first_opening(node: NodeId, signer: Option<&str>) -> Opened {
    Opened {
        incarnation: Incarnation(1),
        node,
        base: None,
        signer: signer.map(str::to_owned),
    }
}

pub(in crate::world) fn open(
    draft: &mut Draft<'_>,
    node: NodeId,
    base: Option<&str>,
    revise: Option<&Definition>,
    signer: Option<&str>,
    copy: Option<CopyId>,
) -> Result<(), No> {
    let incarnation = draft.world.incarnation.next();
    let base = base.map(str::to_owned);
    let signer = signer.map(str::to_owned);
    draft.push(Opened {
        incarnation,
        node,
        base,
        signer,
    });
    if draft.world.decider != decider_id() {
        draft.push(EpochOpened {
            decider: decider_id(),
            binary: BINARY.to_owned(),
        });
    }
    restore::cut_streams(draft);
    restore::restore(draft, copy);
    if let Some(definition) = revise {
        self::revise(draft, definition)?;
    }
    count_lost_deliveries(draft);
    Ok(())
}

/// A delivery that three processes died of counts as failed: the agent in code behind it may be
/// what kills them.
fn count_lost_deliveries(draft: &mut Draft<'_>) {
    let world = draft.world;
    for (agent, memory) in world.agents.busy_memories() {
        let max = memory
            .turn
            .as_ref()
            .map_or(&world.rules, |turn| &turn.rules)
            .spec()
            .limits
            .attempts;
        // An agent that kills its process would do so at each opening, for ever (decision 0032).
        if owed::is_delivered(world, agent, memory, draft.now())
            && memory.lost.saturating_add(1) >= max
        {
            turn::record_agent_failure(draft, agent, memory, LOST_TO_CRASHES, "", None);
            turn::give_up(draft, agent, memory, LOST_TO_CRASHES);
        }
    }
}

pub(in crate::world) fn revise(draft: &mut Draft<'_>, definition: &Definition) -> Result<(), No> {
    let (_, spec_digest) = check(definition)?;
    if definition.spec.policy.privacy != draft.world.rules.spec().policy.privacy {
        let why = "the privacy of a world cannot change; begin another world".to_owned();
        return Err(No::Quiet(Refusal::BadDefinition { why }));
    }
    named::check_newcomers(draft, definition)?;
    if !draft.world.is_in_force(definition) {
        let spec = Box::new(definition.spec.clone());
        let text = definition.text.clone();
        let source = definition.source.clone();
        let by = Some(draft.principal.clone());
        let changes = draft.world.definition().changes_to(definition);
        draft.push(SpecRevised {
            by,
            changes,
            source,
            spec_digest,
            spec,
            text,
        });
        grant::end_grants_of_changed(draft, &definition.spec);
        approval::ask_again_where_moved(draft, &definition.spec);
    }
    Ok(())
}

pub(in crate::world) fn record_step(
    draft: &mut Draft<'_>,
    step: StepKey,
    digest: Digest,
) -> Result<(), No> {
    let script = &draft.world.script;
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
            draft.push(StepDone { step, digest });
            Ok(())
        }
    }
}

/// Checks a definition and computes its digest.
fn check(definition: &Definition) -> Result<(Rules, Digest), No> {
    let bad = |why: String| No::Quiet(Refusal::BadDefinition { why });
    let text = definition
        .text
        .present()
        .ok_or_else(|| bad("the text of the definition was erased".to_owned()))?;
    let rules = Rules::check(definition.spec.clone()).map_err(|error| bad(error.to_string()))?;
    Ok((rules, definition.spec.digest(text)))
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
