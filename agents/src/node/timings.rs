//! The times of a node's life.

use std::time::Duration;

/// How often a node does something, and how long it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timings {
    /// From one renewal of its membership to the next.
    pub renew: Duration,
    /// From a renewal that failed to the next.
    pub retry: Duration,
    /// How long it waits for an answer of the ledger.
    pub answer: Duration,
    /// How long it is a member without renewing.
    pub ttl: Duration,
    /// How long it acts without renewing, counted from before it sent its last renewal.
    pub act: Duration,
    /// From one look for work to the next. Each time another, from half as long to half as long again: so the nodes do not
    /// all look at once.
    pub scan: Duration,
    /// How often it compares the worlds that it has with those that the ledger says it holds, if nothing was in doubt.
    pub compare: Duration,
    /// How long a world that it could not open is left alone.
    pub left_alone: Duration,
    /// How far its clock may be off the ledger's. A node that is further off would drive the times of logs ahead of all
    /// others', and so takes no world.
    pub clock_off_max: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            renew: Duration::from_secs(1),
            retry: Duration::from_millis(250),
            answer: Duration::from_millis(1_500),
            ttl: Duration::from_secs(5),
            act: Duration::from_secs(4),
            scan: Duration::from_millis(500),
            compare: Duration::from_secs(30),
            left_alone: Duration::from_secs(60),
            clock_off_max: Duration::from_secs(2),
        }
    }
}

impl Timings {
    /// Checks that no two nodes act for one world by them.
    ///
    /// # Errors
    /// What is wrong, for people.
    pub fn check(&self) -> Result<(), BadTimings> {
        let Self {
            renew,
            retry,
            answer,
            ttl,
            act,
            scan,
            ..
        } = *self;
        if [renew, retry, answer, scan].contains(&Duration::ZERO) {
            return Err(BadTimings::Nothing);
        }
        if act >= ttl {
            return Err(BadTimings::ActsTooLong { act, ttl });
        }
        if renew + answer + retry >= act {
            return Err(BadTimings::RenewsTooSeldom { renew, answer, act });
        }
        Ok(())
    }
}

/// Times that do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadTimings {
    /// It would do something all the time.
    #[error("no time of a node may be 0")]
    Nothing,
    /// It would act for worlds that another node has by then.
    #[error(
        "a node that acts for {act:?} without renewing outlives its membership of {ttl:?}; let it act for less"
    )]
    ActsTooLong {
        /// [`Timings::act`].
        act: Duration,
        /// [`Timings::ttl`].
        ttl: Duration,
    },
    /// One answer that does not come would cut it off.
    #[error(
        "a node that renews every {renew:?} and waits {answer:?} for an answer cannot act for {act:?} on one renewal; \
         let it act for longer, or renew more often"
    )]
    RenewsTooSeldom {
        /// [`Timings::renew`].
        renew: Duration,
        /// [`Timings::answer`].
        answer: Duration,
        /// [`Timings::act`].
        act: Duration,
    },
}
