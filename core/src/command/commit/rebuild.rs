//! The way back from a commit to its command.

use super::Commit;
use crate::command::{Action, Command, CommandKind, ShellAction, TalkAction};
use crate::content::Content;
use crate::event::Event;
use crate::ids::{Digest, Position};

mod call;
mod people;
mod proof;
mod turn;
mod world;

/// The reason that a commit does not give its command back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RebuildError {
    /// No command of its kind makes these events.
    #[error("the commit at {at} does not have the events of its command: {why}")]
    Misfit {
        /// The commit's first position.
        at: Position,
        /// The misfit.
        why: &'static str,
    },
    /// The command was refused; the log holds its digest only.
    #[error("the commit at {at} is a refusal, of the command {command}")]
    Refused {
        /// The commit's first position.
        at: Position,
        /// The digest of the refused command.
        command: Digest,
    },
    /// A text of the command was erased.
    #[error("a text of the command that made the commit at {at} was erased")]
    Erased {
        /// The commit's first position.
        at: Position,
    },
}

/// The events that a family of commands is rebuilt from.
struct RebuildSource<'c> {
    at: Position,
    events: &'c [Event],
    /// True if nothing stands for an erased text that no decision reads.
    is_lenient: bool,
}

impl RebuildSource<'_> {
    /// The first value that `of` finds among the events.
    fn find<'s, T>(
        &'s self,
        why: &'static str,
        of: impl Fn(&'s Event) -> Option<T>,
    ) -> Result<T, RebuildError> {
        self.events
            .iter()
            .find_map(of)
            .ok_or(RebuildError::Misfit { at: self.at, why })
    }

    fn misfit<T>(&self, why: &'static str) -> Result<T, RebuildError> {
        Err(RebuildError::Misfit { at: self.at, why })
    }

    fn text<T: Clone>(&self, content: &Content<T>) -> Result<T, RebuildError> {
        content
            .present()
            .cloned()
            .ok_or(RebuildError::Erased { at: self.at })
    }

    /// A text that is recorded and told, and decides nothing.
    fn remark<T: Clone + Default>(&self, content: &Content<T>) -> Result<T, RebuildError> {
        if self.is_lenient {
            Ok(content.present().cloned().unwrap_or_default())
        } else {
            self.text(content)
        }
    }
}

impl Command {
    /// Rebuilds the command that made `commit`, as its world [meant](crate::world::World::meant)
    /// it.
    ///
    /// # Errors
    /// [`RebuildError`].
    pub fn rebuild(commit: &Commit) -> Result<Self, RebuildError> {
        Self::rebuild_from(commit, false)
    }

    /// Rebuilds a command that decides the same as the one that made `commit`: an erased text that
    /// no decision reads, such as the reason of a yes, is left empty.
    ///
    /// # Errors
    /// [`RebuildError`].
    pub(crate) fn rebuild_to_decide(commit: &Commit) -> Result<Self, RebuildError> {
        Self::rebuild_from(commit, true)
    }

    fn rebuild_from(commit: &Commit, is_lenient: bool) -> Result<Self, RebuildError> {
        let source = RebuildSource {
            at: commit.header.first,
            events: &commit.events,
            is_lenient,
        };
        if let Some(Event::Refused(refused)) = commit.events.last() {
            return Err(RebuildError::Refused {
                at: source.at,
                command: refused.command,
            });
        }
        let principal = commit.header.principal.clone();
        let key = commit.header.key.clone();
        Ok(Self {
            principal,
            key,
            action: source.action(commit.header.command)?,
        })
    }
}

impl RebuildSource<'_> {
    fn action(&self, kind: CommandKind) -> Result<Action, RebuildError> {
        match kind {
            CommandKind::Create => self.create(),
            CommandKind::Open => self.open(),
            CommandKind::Revise => self.revise(),
            CommandKind::PostMessage => self.post_message(),
            CommandKind::Edit => self.edit(),
            CommandKind::Retract => self.retract(),
            CommandKind::Regenerate => self.regenerate(),
            CommandKind::Join => Ok(Action::Talk(TalkAction::Join)),
            CommandKind::Leave => Ok(Action::Talk(TalkAction::Leave)),
            CommandKind::Label => self.label(),
            CommandKind::OpenTurn => self.open_turn(),
            CommandKind::ContinueTurn => self.continue_turn(),
            CommandKind::FailAgent => self.fail_agent(),
            CommandKind::RetryModel => self.retry_model(),
            CommandKind::StartStream => self.start_stream(),
            CommandKind::RecordAnswer => self.record_answer(),
            CommandKind::RecordFailure => self.record_failure(),
            CommandKind::StartTool => self.start_tool(),
            CommandKind::FinishTool => self.finish_tool(),
            CommandKind::TimeOutTool => self.time_out_tool(),
            CommandKind::RecordReconcile => self.record_reconcile(),
            CommandKind::DeclareUnknown => self.declare_unknown(),
            CommandKind::Decide => self.decide(),
            CommandKind::Revoke => self.revoke(),
            CommandKind::SetRights => self.set_rights(),
            CommandKind::Observe => self.observe(),
            CommandKind::Answer => self.answer(),
            CommandKind::Settle => self.settle(),
            CommandKind::Stop => self.stop(),
            CommandKind::Fork => self.fork(),
            CommandKind::Erase => self.erase(),
            CommandKind::ViewWithheld => self.view_withheld(),
            CommandKind::RecordErased => self.record_erased(),
            CommandKind::Sign => self.sign(),
            CommandKind::Tick => Ok(Action::Shell(ShellAction::Tick)),
            CommandKind::RecordStep => self.record_step(),
        }
    }
}
