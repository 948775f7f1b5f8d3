//! An agent's next request, and what of it may go so that it fits.

use crate::ids::Position;
use crate::prompt::Item;
use crate::prompt::tokens::of_files;
use crate::world::memory::{Memory, Remembered};

/// The items of a request in the making: those of the memory, then what was heard since.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reading<'m> {
    items: &'m [Remembered],
    fresh: &'m [Remembered],
    news: &'m [Position],
    weighs: Weighs,
    tokens: u64,
}

/// The kind of an item's tokens.
#[derive(Debug, Clone, Copy)]
enum Weighs {
    /// Tokens of its text: a context is filled with those.
    Text,
    /// And an allowance for its files: what money is set aside for.
    Files,
}

impl Weighs {
    fn of<'i>(self, items: impl Iterator<Item = &'i Remembered> + Clone) -> u64 {
        let text = items
            .clone()
            .map(|kept| u64::from(kept.tokens))
            .fold(0, u64::saturating_add);
        match self {
            Self::Text => text,
            Self::Files => text.saturating_add(of_files(items.map(|kept| &*kept.item))),
        }
    }
}

impl<'m> Reading<'m> {
    /// The items of `memory` and then `fresh`; the turn is there for the messages at `news`, in
    /// ascending order.
    pub(crate) fn new(memory: &'m Memory, fresh: &'m [Remembered], news: &'m [Position]) -> Self {
        let tokens = fresh.iter().fold(memory.tokens, |sum, kept| {
            sum.saturating_add(u64::from(kept.tokens))
        });
        Self {
            items: &memory.items,
            fresh,
            news,
            weighs: Weighs::Text,
            tokens,
        }
    }

    /// The same items, weighed with the files that are attached to them.
    pub(crate) fn with_files(self) -> Self {
        let weighed = Self {
            weighs: Weighs::Files,
            ..self
        };
        Self {
            tokens: weighed.weighs.of(weighed.all()),
            ..weighed
        }
    }

    /// The tokens of the `count` oldest items.
    pub(crate) fn first(&self, count: usize) -> u64 {
        self.weighs.of(self.all().take(count))
    }

    /// The tokens of all but the `dropped` oldest items.
    pub(crate) fn without(&self, dropped: usize) -> u64 {
        if dropped == 0 {
            self.tokens
        } else {
            self.weighs.of(self.all().skip(dropped))
        }
    }

    /// The turn's items that it has heard and said already are in the memory.
    pub(crate) fn of_open_turn(memory: &'m Memory) -> Self {
        Self::new(
            memory,
            &[],
            memory.turn.as_ref().map_or(&[], |turn| &turn.because),
        )
    }

    pub(crate) const fn fresh(&self) -> &'m [Remembered] {
        self.fresh
    }

    pub(crate) const fn tokens(&self) -> u64 {
        self.tokens
    }

    pub(crate) const fn count(&self) -> usize {
        self.items.len() + self.fresh.len()
    }

    /// Returns which item is the oldest of the turn's news.
    fn news_from(&self) -> usize {
        let is_news = |kept: &Remembered| {
            kept.because
                .iter()
                .any(|at| self.news.binary_search(at).is_ok())
        };
        self.all().position(is_news).unwrap_or_else(|| self.count())
    }

    /// All items, oldest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'m Remembered> + Clone + use<'m> {
        self.items.iter().chain(self.fresh)
    }

    /// Returns how many items must go once there are more than `max`: the older half, but no news
    /// that is just taken up, and no result without its call.
    pub(crate) fn surplus(&self, max: u32) -> usize {
        let max = usize::try_from(max).unwrap_or(usize::MAX);
        let count = self.count();
        if count <= max {
            return 0;
        }
        let limit = self.items.len().max(self.news_from());
        let half = count.saturating_sub(max / 2).min(limit);
        self.cuts(half).last().map_or(0, |cut| cut.items)
    }

    /// Returns how many items must go so that about half of `room` is left: none of the turn's
    /// news, however large they are.
    pub(crate) fn too_old(&self, room: u64) -> usize {
        if self.tokens <= room {
            return 0;
        }
        let goal = self.tokens.saturating_sub(room / 2);
        self.cut(self.news_from(), goal, u64::MAX)
            .map_or(0, |cut| cut.items)
    }

    /// Returns how many items a summary of at most `summary` tokens is to stand for, so that about
    /// half of `room` is left; the items that are summarised may have `readable` tokens. `None` if
    /// a summary would not help.
    pub(crate) fn summarisable(&self, room: u64, readable: u64, summary: u64) -> Option<usize> {
        let after = self.tokens.saturating_add(summary);
        let goal = after.saturating_sub(room / 2);
        let helps = |cut: &SummaryCut| after.saturating_sub(cut.tokens) <= room;
        let whole = [self.news_from(), self.last_answer()]
            .into_iter()
            .filter_map(|limit| {
                let most = self.cuts(limit).last().filter(helps)?;
                (most.items > 0).then_some(limit)
            });
        let limit = whole.min()?;
        self.cut(limit, goal, readable)
            .filter(|cut| cut.tokens > summary.saturating_mul(2))
            .map(|cut| cut.items)
    }

    /// Returns where the agent's last answer stands, if it is one of this turn: its calls have just
    /// given their results.
    fn last_answer(&self) -> usize {
        let is_said = |kept: &Remembered| matches!(*kept.item, Item::Said { .. });
        let news_from = self.news_from();
        let last = self.items.iter().rposition(is_said).unwrap_or_default();
        if self.fresh.is_empty() {
            last.max(news_from)
        } else {
            news_from
        }
    }

    /// The first cut up to `limit` that takes `goal` tokens away, else the last one; none that
    /// takes more than `most`.
    fn cut(&self, limit: usize, goal: u64, most: u64) -> Option<SummaryCut> {
        let mut found = None;
        for cut in self.cuts(limit).take_while(|cut| cut.tokens <= most) {
            found = Some(cut);
            if cut.tokens >= goal {
                break;
            }
        }
        found
    }

    /// The places up to `limit` before which all items may go: no result is left without its call.
    fn cuts(&self, limit: usize) -> impl Iterator<Item = SummaryCut> + use<'m> {
        let is_result = |kept: &Remembered| matches!(*kept.item, Item::Result { .. });
        let weighs = self.weighs;
        let ends = (self.count() <= limit).then(|| SummaryCut {
            items: self.count(),
            tokens: self.tokens,
        });
        let mut before = 0_u64;
        let places = self
            .all()
            .take(limit.saturating_add(1))
            .enumerate()
            .filter_map(move |(items, kept)| {
                let cut = SummaryCut {
                    items,
                    tokens: before,
                };
                before = before.saturating_add(weighs.of(std::iter::once(kept)));
                (!is_result(kept)).then_some(cut)
            });
        places.chain(ends)
    }
}

/// A place in front of which all items may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SummaryCut {
    /// The number of items in front of it.
    items: usize,
    /// The number of their tokens.
    tokens: u64,
}
