//! A right to act that a test takes away, with a journal of what was done under it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use folkmoot::Gatekeeper;
use folkmoot::core::command::CommandKind;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{Incarnation, Time, WorldId};
use folkmoot::core::port::{AppendError, Appended, EventLog, NoTenure, Tenure, Tenures};
use tokio::sync::watch;

/// When a world is lost. Questions are counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    /// Not by itself.
    Never,
    /// This question is answered no.
    At(usize),
    /// This question is answered yes, and the world is lost before anything else happens: the gap that no question closes.
    Behind(usize),
}

/// A thing that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// The world asked whether it may act.
    Asked,
    /// It appended the commits of these commands.
    Appended(Vec<CommandKind>),
    /// Something outside began.
    Began(&'static str),
    /// It gave itself back, to be taken again at this time.
    Released(Option<Time>),
}

type Witness = Box<dyn FnOnce() + Send>;

/// Gives one world, and takes it away. It is also the gate of its log. Cheap to clone: all clones are one.
#[derive(Debug, Clone)]
pub struct Fickle(Arc<Inner>);

struct Inner {
    loss: Loss,
    journal: Mutex<Journal>,
    is_lost: watch::Sender<bool>,
}

#[derive(Default)]
struct Journal {
    deeds: Vec<Deed>,
    asked: usize,
    /// How many deeds there were when the world was lost.
    lost_at: Option<usize>,
    /// Looks around at that moment.
    witness: Option<Witness>,
    refuses: Option<NoTenure>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fickle")
            .field("loss", &self.loss)
            .finish_non_exhaustive()
    }
}

impl Fickle {
    /// One that loses its world as `loss` says.
    #[must_use]
    pub fn new(loss: Loss) -> Self {
        Self(Arc::new(Inner {
            loss,
            journal: Mutex::default(),
            is_lost: watch::Sender::new(false),
        }))
    }

    /// One that gives its world to nobody.
    #[must_use]
    pub fn refusing(why: NoTenure) -> Self {
        let tenure = Self::new(Loss::Never);
        tenure.refuse(why);
        tenure
    }

    /// Gives its world to nobody from now on.
    pub fn refuse(&self, why: NoTenure) {
        self.journal().refuses = Some(why);
    }

    /// Takes the world away.
    pub fn lose(&self) {
        let witness = {
            let mut journal = self.journal();
            let deeds = journal.deeds.len();
            journal.lost_at.get_or_insert(deeds);
            journal.witness.take()
        };
        if let Some(look) = witness {
            look();
        }
        self.0.is_lost.send_replace(true);
    }

    /// Looks around at the moment of the loss.
    pub fn witness(&self, look: impl FnOnce() + Send + 'static) {
        self.journal().witness = Some(Box::new(look));
    }

    /// Writes down what was done.
    pub fn note(&self, deed: Deed) {
        self.journal().deeds.push(deed);
    }

    /// Tells whether the world was lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        *self.0.is_lost.borrow()
    }

    /// How often it was asked.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.journal().asked
    }

    /// Everything that was done, in order.
    #[must_use]
    pub fn deeds(&self) -> Vec<Deed> {
        self.journal().deeds.clone()
    }

    /// What was done behind the loss, questions aside.
    #[must_use]
    pub fn behind_the_loss(&self) -> Vec<Deed> {
        let journal = self.journal();
        let from = journal.lost_at.unwrap_or(journal.deeds.len());
        let behind = journal.deeds.iter().skip(from);
        behind
            .filter(|deed| **deed != Deed::Asked)
            .cloned()
            .collect()
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.0
            .journal
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Tenures for Fickle {
    async fn take(&self, _world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        match self.journal().refuses.clone() {
            Some(why) => Err(why),
            None => Ok(Arc::new(self.clone())),
        }
    }
}

#[async_trait]
impl Tenure for Fickle {
    fn holds(&self) -> bool {
        if self.is_lost() {
            return false;
        }
        let asked = {
            let mut journal = self.journal();
            journal.deeds.push(Deed::Asked);
            journal.asked += 1;
            journal.asked
        };
        let is_lost = match self.0.loss {
            Loss::Never => false,
            Loss::At(question) | Loss::Behind(question) => asked == question,
        };
        if is_lost {
            self.lose();
        }
        !is_lost || matches!(self.0.loss, Loss::Behind(_))
    }

    async fn lost(&self) {
        let mut is_lost = self.0.is_lost.subscribe();
        // The sender lives in the tenure, so that this cannot fail.
        let _lost = is_lost.wait_for(|is_lost| *is_lost).await;
    }

    async fn release(&self, due: Option<Time>) {
        self.note(Deed::Released(due));
    }
}

#[async_trait]
impl Gatekeeper for Fickle {
    async fn append(
        &self,
        log: &dyn EventLog,
        incarnation: Incarnation,
        commits: Vec<Commit>,
    ) -> Result<Appended, AppendError> {
        let kinds = commits.iter().map(|commit| commit.header.command);
        self.note(Deed::Appended(kinds.collect()));
        log.append(incarnation, commits).await
    }

    fn read(&self, _commits: usize) {}
}
