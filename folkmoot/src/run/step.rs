//! Doing one step.

use std::time::Duration;

use folkmoot_agents::{FoldError, Key, Proof, Seat, SeatError};
use folkmoot_core::command::{Action, ConsentAction, TalkAction, WorldAction};
use folkmoot_core::event::{Holder, Rights};
use folkmoot_core::ids::{MessageId, PersonName, WorldName};
use folkmoot_core::port::WorldEntry;
use folkmoot_core::world::{Activity, World};

use super::refused::told;
use super::{Run, RunError, opening};
use crate::room::definition_of;
use crate::script::{Actor, Amendment, Expect, SpecDraft, Step, Verb};

impl Run<'_> {
    /// Does a step and records it.
    pub(super) async fn step(&mut self, number: u32, step: &Step) -> Result<(), RunError> {
        match &step.verb {
            Verb::Say(post) => self.say(number, step, post).await,
            Verb::Decide(select, decision) => self.decide(number, step, select, decision).await,
            Verb::Revoke(which) => {
                let grant = self.grant(step, which).await?;
                self.give(
                    number,
                    step,
                    Action::Consent(ConsentAction::Revoke { grant }),
                )
                .await
            }
            Verb::Stop => {
                self.give(
                    number,
                    step,
                    Action::Talk(TalkAction::Stop { episode: None }),
                )
                .await
            }
            Verb::Amend(which, amendment) => {
                let message = self.message(step, which).await?;
                self.give(number, step, amend(message, amendment)).await
            }
            Verb::Join(_) => {
                self.give(number, step, Action::Talk(TalkAction::Join))
                    .await
            }
            Verb::Leave(_) => {
                self.give(number, step, Action::Talk(TalkAction::Leave))
                    .await
            }
            Verb::Rights(person, rights) => {
                self.give(number, step, set_rights(person, rights.as_ref()))
                    .await
            }
            Verb::Observe(name, state) => {
                self.give(
                    number,
                    step,
                    Action::Talk(TalkAction::Observe {
                        name: name.clone(),
                        state: state.clone(),
                    }),
                )
                .await
            }
            Verb::Revise(spec) => self.revise(number, step, spec).await,
            Verb::Fork(fork) => self.fork(number, step, fork).await,
            Verb::Restart => self.restart(number, step).await,
            Verb::Crash => {
                self.record(number, step).await?;
                self.lay_fuse().await
            }
            Verb::Advance(by) => {
                self.advance(number, step, *by).await?;
                self.wait_after(step).await
            }
            Verb::Idle => {
                self.until_idle().await?;
                self.record(number, step).await
            }
            Verb::Expect(expect) => self.expect(number, step, expect).await,
            Verb::Note(_) => self.record(number, step).await,
        }
    }

    async fn advance(&mut self, number: u32, step: &Step, by: Duration) -> Result<(), RunError> {
        let key = self.key(number);
        let seat = self.world.as_principal(Proof::world());
        if let Err(error) = seat.advance(by, key, step.digest).await {
            self.recover(error).await?;
            let seat = self.world.as_principal(Proof::world());
            seat.advance(by, key, step.digest).await?;
        }
        Ok(())
    }

    async fn expect(&mut self, number: u32, step: &Step, expect: &Expect) -> Result<(), RunError> {
        self.quiet_unless_running(step).await?;
        let evidence = self.evidence_now(number).await?;
        evidence
            .check(expect)
            .map_err(|unmet| self.unmet(step, unmet))?;
        self.record(number, step).await
    }

    async fn revise(&mut self, number: u32, step: &Step, spec: &SpecDraft) -> Result<(), RunError> {
        let definition = definition_of(self.script, spec)?;
        let own = self.key(number);
        let key = || Some(Key::Step(own, step.digest));
        let seat = self.seat(&step.by).await?;
        let answer = match seat.revise(definition.clone(), key()).await {
            Err(error @ SeatError::Stopped(_)) => {
                self.recover(error).await?;
                self.seat(&step.by).await?.revise(definition, key()).await
            }
            answer => answer,
        };
        self.expect_answer(number, step, answer.map(|_| ())).await
    }

    async fn quiet_unless_running(&mut self, step: &Step) -> Result<(), RunError> {
        if step.wait {
            self.quiet().await?;
        }
        Ok(())
    }

    async fn say(
        &mut self,
        number: u32,
        step: &Step,
        post: &crate::script::Post,
    ) -> Result<(), RunError> {
        let reply_to = match &post.reply_to {
            Some(id) => Some(self.message_of(step, id).await?),
            None => None,
        };
        let attachments = match self.attach(step, post).await? {
            Ok(attachments) => attachments,
            Err(error) => return self.expect_answer(number, step, Err(error)).await,
        };
        self.give(
            number,
            step,
            Action::Talk(TalkAction::PostMessage {
                text: post.text.clone(),
                attachments,
                reply_to,
            }),
        )
        .await
    }

    /// Gives a command under the step's key. A world that crashed meanwhile, as it was told to, is reopened first.
    pub(super) async fn give(
        &mut self,
        number: u32,
        step: &Step,
        action: Action,
    ) -> Result<(), RunError> {
        let own = self.key(number);
        let digest = step.digest;
        let key = || Some(Key::Step(own, digest));
        let answer = match self.seat(&step.by).await?.give(action.clone(), key()).await {
            Err(error @ SeatError::Stopped(_)) => {
                let key = key();
                self.recover(error).await?;
                self.seat(&step.by).await?.give(action, key).await
            }
            answer => answer,
        };
        self.expect_answer(number, step, answer.map(|_| ())).await
    }

    /// Compares the answer with what the step expects, makes sure that the step is recorded, and waits.
    pub(super) async fn expect_answer(
        &mut self,
        number: u32,
        step: &Step,
        answer: Result<(), SeatError>,
    ) -> Result<(), RunError> {
        match (answer, &step.refused) {
            (Ok(()), None) => {}
            (Err(SeatError::Refused(refusal)), Some(wanted)) if refusal.code() == *wanted => {}
            (Err(SeatError::Refused(refusal)), Some(wanted)) => {
                let what = format!(
                    "the world refused this as `{}`, not as `{wanted}`",
                    refusal.code()
                );
                return Err(RunError::Failed(self.fault(step, what)));
            }
            (Err(SeatError::Refused(refusal)), None) => {
                let what = format!("the world refused this: {}", told(&refusal));
                return Err(RunError::Failed(self.fault(step, what)));
            }
            (Ok(()), Some(wanted)) => {
                let what = format!(
                    "the world accepted this, and the script expects a refusal as `{wanted}`"
                );
                return Err(RunError::Failed(self.fault(step, what)));
            }
            (Err(error), _) => return Err(error.into()),
        }
        self.record(number, step).await?;
        self.wait_after(step).await
    }

    /// Records that the step is done; nothing is appended if its command did so.
    pub(super) async fn record(&mut self, number: u32, step: &Step) -> Result<(), RunError> {
        let key = self.key(number);
        let seat = self.world.as_principal(Proof::world());
        if let Err(error) = seat.record_step(key, step.digest).await {
            self.recover(error).await?;
            self.world
                .as_principal(Proof::world())
                .record_step(key, step.digest)
                .await?;
        }
        Ok(())
    }

    pub(super) async fn seat(&mut self, by: &Actor) -> Result<Seat, RunError> {
        let proof = match by {
            Actor::Person(name) => self.proof_of(name).await?,
            Actor::Agent(name) => Proof::agent(name.clone()),
            Actor::Tool(name) => Proof::tool(name.clone()),
        };
        Ok(self.world.as_principal(proof))
    }

    /// Returns how a person of the script is proven: by the script, as long as nobody else has acted in the world. From then on it
    /// is the user who runs it who acts, whatever they are called.
    async fn proof_of(&mut self, name: &PersonName) -> Result<Proof, RunError> {
        let Some(runner) = self
            .options
            .by
            .as_ref()
            .and_then(|by| by.principal().person())
        else {
            return Ok(Proof::script(name.clone()));
        };
        if !self
            .read(|world| world.people().are_in_other_hands())
            .await?
        {
            return Ok(Proof::script(name.clone()));
        }
        let proof = Proof::by(runner.method.clone()).user(runner.subject.clone());
        Ok(proof.called(name.clone()))
    }

    /// Reopens a world that stopped because a `crash` told it to. Any other end is the run's.
    pub(super) async fn recover(&mut self, error: SeatError) -> Result<(), RunError> {
        if !self.mends(&self.name).await? {
            return Err(error.into());
        }
        self.reopen().await
    }

    /// Drops everything in memory and opens the world from its log. The world stops at the record of a step that nobody does,
    /// for its log takes nothing more: to close it would record what still runs.
    async fn restart(&mut self, number: u32, step: &Step) -> Result<(), RunError> {
        self.record(number, step).await?;
        self.lay_fuse().await?;
        let seat = self.world.as_principal(Proof::world());
        let answer = seat.record_step(self.key(u32::MAX), step.digest).await;
        self.mends(&self.name).await?;
        match answer {
            Err(SeatError::Stopped(_)) => self.reopen().await,
            Ok(_) => Err(RunError::Failed(self.fault(
                step,
                "the world took a command after the script told it to crash",
            ))),
            Err(error) => Err(error.into()),
        }
    }

    /// Lets the world die at its next append.
    async fn lay_fuse(&mut self) -> Result<(), RunError> {
        if let Some(entry) = self.entry(&self.name).await? {
            self.fuse.lay(entry.world);
        }
        Ok(())
    }

    /// Lets the log take what comes of the world called `name`. Tells whether it was to die.
    pub(super) async fn mends(&self, name: &WorldName) -> Result<bool, RunError> {
        let entry = self.entry(name).await?;
        Ok(entry.is_some_and(|entry| self.fuse.mend(entry.world)))
    }

    async fn entry(&self, name: &WorldName) -> Result<Option<WorldEntry>, RunError> {
        Ok(self
            .runtime
            .log()
            .find(name)
            .await
            .map_err(FoldError::from)?)
    }

    /// Opens the world from its log.
    async fn reopen(&mut self) -> Result<(), RunError> {
        self.runtime.close(&self.name).await;
        self.world = self
            .runtime
            .open(opening(self.script, self.options, &self.name, None))
            .await?;
        self.watch.opened(&self.world);
        Ok(())
    }

    /// Waits as the step asks for. An `idle` that is recorded has held once: what waits for a person now was asked by
    /// later steps, and is theirs to decide.
    pub(super) async fn wait_after(&mut self, step: &Step) -> Result<(), RunError> {
        if step.wait {
            self.quiet().await?;
        }
        Ok(())
    }

    /// Waits until the world is idle or parked. One that crashes, as it was told to, is reopened.
    pub(super) async fn quiet(&mut self) -> Result<Activity, RunError> {
        match self.world.quiet().await {
            Err(error) => {
                self.recover(error).await?;
                Ok(self.world.quiet().await?)
            }
            Ok(activity) => Ok(activity),
        }
    }

    /// Waits until nothing is owed and nothing waits; with `wait`, until somebody else has decided what does.
    pub(super) async fn until_idle(&mut self) -> Result<(), RunError> {
        let mut activity = self.quiet().await?;
        while activity == Activity::Parked && self.options.wait {
            self.world.unparked().await?;
            activity = self.quiet().await?;
        }
        if activity == Activity::Parked {
            return Err(RunError::Parked(self.read(super::waiting).await?));
        }
        Ok(())
    }

    /// Looks at the state, wherever the world stands.
    pub(super) async fn read<T: Send + 'static>(
        &mut self,
        look: impl Fn(&World) -> T + Clone + Send + 'static,
    ) -> Result<T, RunError> {
        match self.world.operator().read(look.clone()).await {
            Ok(seen) => Ok(seen),
            Err(error) => {
                self.recover(error).await?;
                Ok(self.world.operator().read(look).await?)
            }
        }
    }
}

/// The command that changes the rights of a person of the script.
fn set_rights(person: &PersonName, rights: Option<&Rights>) -> Action {
    let method = Proof::SCRIPT.to_owned();
    let subject = person.to_string();
    let rights = rights.cloned();
    Action::World(WorldAction::SetRights {
        holder: Holder::Person,
        method,
        subject,
        rights,
    })
}

/// The command of an amendment.
fn amend(message: MessageId, amendment: &Amendment) -> Action {
    match amendment {
        Amendment::Retract => Action::Talk(TalkAction::Retract { message }),
        Amendment::Edit(text) => Action::Talk(TalkAction::Edit {
            message,
            text: text.clone(),
        }),
        Amendment::Regenerate => Action::Talk(TalkAction::Regenerate { message }),
    }
}
