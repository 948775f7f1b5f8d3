//! The lease of a node: whether it may act. It has no clock and asks nobody; it is told what was sent and what was heard.

use std::fmt;
use std::time::Duration;

use folkmoot_core::ids::Time;

use super::boot::BootTime;
use super::timings::Timings;

#[cfg(test)]
mod tests;

/// A stretch of time in which a node may act without a break. A right that was given in one does not outlive it: a node
/// that was cut off, and prolonged before anybody missed it, opens its worlds anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretch(u64);

/// The answer to a renewal, or to joining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Renewed {
    /// The node is a member.
    Prolonged(HeardTime),
    /// It was declared dead.
    Dead,
    /// Nobody knows: the ledger was away, or its answer was lost. The node then acts as if it was not prolonged.
    Unheard,
}

/// The ledger's time, with the times of the machine's clock before it was asked and after it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeardTime {
    pub(super) ledger: Time,
    pub(super) before: Time,
    pub(super) after: Time,
}

/// How far the machine's clock is off the ledger's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockOff {
    /// It is ahead by at least so much.
    Ahead(Duration),
    /// It is behind by at least so much.
    Behind(Duration),
}

impl HeardTime {
    /// The least by which the machine's clock must be off.
    fn off(self) -> ClockOff {
        if self.ledger < self.before {
            ClockOff::Ahead(self.ledger.until(self.before))
        } else {
            ClockOff::Behind(self.after.until(self.ledger))
        }
    }
}

impl ClockOff {
    const fn by(self) -> Duration {
        match self {
            Self::Ahead(by) | Self::Behind(by) => by,
        }
    }
}

impl fmt::Display for ClockOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (by, way) = match self {
            Self::Ahead(by) => (by, "ahead of"),
            Self::Behind(by) => (by, "behind"),
        };
        write!(
            f,
            "the clock of this machine is {by:?} {way} the ledger's; set it"
        )
    }
}

#[derive(Debug)]
pub(super) struct Lease {
    timings: Timings,
    stretch: Stretch,
    /// When the last renewal that was heard of was sent; `None`: the node is no member.
    renewed: Option<BootTime>,
    /// When the first of the renewals was sent that none has failed since; `None`: the last one failed, or there was none.
    unbroken: Option<BootTime>,
    /// When the renewal was sent that has no answer yet.
    sent: Option<BootTime>,
    /// When the next one is to be sent.
    next: BootTime,
    /// How far the machine's clock was off when the ledger's was heard last.
    off: ClockOff,
}

impl Lease {
    pub(super) const fn new(timings: Timings, now: BootTime) -> Self {
        Self {
            timings,
            stretch: Stretch(0),
            renewed: None,
            unbroken: None,
            sent: None,
            next: now,
            off: ClockOff::Behind(Duration::ZERO),
        }
    }

    /// Notes that a renewal, or the wish to join, is about to be sent.
    pub(super) fn send(&mut self, now: BootTime) {
        self.sent = Some(now);
        self.next = now.after(self.timings.renew);
    }

    /// Takes the answer to what was sent last.
    pub(super) fn hear(&mut self, now: BootTime, answer: Renewed) {
        let Some(sent) = self.sent.take() else {
            return;
        };
        match answer {
            Renewed::Prolonged(heard) => self.prolong(now, sent, heard),
            Renewed::Dead => self.end(now),
            Renewed::Unheard => {
                self.unbroken = None;
                self.next = now.after(self.timings.retry);
            }
        }
    }

    fn prolong(&mut self, now: BootTime, sent: BootTime, heard: HeardTime) {
        // Whoever asked in between was told no: that is for ever.
        if self.ends().is_none_or(|end| end <= now) {
            self.begin_anew();
        }
        self.unbroken.get_or_insert(sent);
        self.renewed = Some(sent);
        self.off = heard.off();
    }

    /// Ends the membership: the node joins again at once.
    pub(super) fn end(&mut self, now: BootTime) {
        self.begin_anew();
        self.renewed = None;
        self.sent = None;
        self.next = now;
    }

    fn begin_anew(&mut self) {
        self.stretch = Stretch(self.stretch.0.saturating_add(1));
        self.unbroken = None;
    }

    /// The time at which it may act no longer if it hears nothing; `None`: it is no member.
    pub(super) fn ends(&self) -> Option<BootTime> {
        self.renewed.map(|renewed| renewed.after(self.timings.act))
    }

    /// The stretch in which it may act now; `None`: it may not.
    pub(super) fn stretch(&self, now: BootTime) -> Option<Stretch> {
        let acts = self.ends().is_some_and(|end| now < end);
        acts.then_some(self.stretch)
    }

    /// Tells whether a right that was given in `stretch` still counts.
    pub(super) fn holds(&self, now: BootTime, stretch: Stretch) -> bool {
        self.stretch(now) == Some(stretch)
    }

    /// Tells whether the node is a member, as far as it has heard.
    pub(super) const fn is_member(&self) -> bool {
        self.renewed.is_some()
    }

    /// When the next renewal is to be sent.
    pub(super) const fn next(&self) -> BootTime {
        self.next
    }

    /// Has the next renewal sent at once.
    pub(super) const fn hurry(&mut self, now: BootTime) {
        self.next = now;
    }

    /// Tells whether it may declare others dead. Behind a ledger that was away everybody is late: who lives shows only
    /// after a whole TTL of renewals.
    pub(super) fn may_reap(&self, now: BootTime) -> bool {
        let row = self.unbroken.zip(self.renewed);
        let is_long = row.is_some_and(|(first, last)| first.until(last) >= self.timings.ttl);
        is_long && self.stretch(now).is_some()
    }

    /// How far the machine's clock is off the ledger's, if that is too much to take a world.
    pub(super) fn clock_off(&self) -> Option<ClockOff> {
        Some(self.off).filter(|off| off.by() > self.timings.clock_off_max)
    }
}
