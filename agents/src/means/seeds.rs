//! Where stamps get their randomness.

use std::sync::atomic::{AtomicU64, Ordering};

use folkmoot_core::ids::{Digest, NodeId, Position, Seed, Stamp, Time, WorldName};
use folkmoot_core::port::Clock as _;

use crate::clock::SystemClock;

/// A source of seeds.
#[derive(Debug)]
pub(crate) struct Seeds {
    number: SeedNumber,
    /// What seeds are hashed with.
    key: [u8; 32],
    /// When whoever takes them began.
    began: Time,
    /// The number of requests to other processes so far: none may have the id of another, wherever the world stands.
    asks: AtomicU64,
}

/// What tells one seed from another of the same place.
#[derive(Debug)]
enum SeedNumber {
    /// It grows with each seed.
    Growing(AtomicU64),
    /// It stays: the place alone decides. A decision that led to nothing then leaves no trace in
    /// the next one.
    Fixed(u64),
}

impl Seeds {
    /// Seeds that nobody can guess: a counter, hashed with a key from the machine's randomness.
    pub(crate) fn random() -> Self {
        let mut key = [0; 32];
        // `RandomState` takes its keys from the machine's randomness; four of them fill the key.
        for (word, chunk) in (0_u64..).zip(key.as_chunks_mut::<8>().0) {
            use std::hash::BuildHasher as _;
            *chunk = std::hash::RandomState::new().hash_one(word).to_le_bytes();
        }
        Self {
            number: SeedNumber::Growing(AtomicU64::new(0)),
            key,
            began: SystemClock.now(),
            asks: AtomicU64::new(0),
        }
    }

    /// Seeds that are the same every time, for the same `start` and the same place.
    pub(crate) const fn counted(start: u64) -> Self {
        Self {
            number: SeedNumber::Fixed(start),
            key: [0; 32],
            began: Time::SIMULATED_START,
            asks: AtomicU64::new(0),
        }
    }

    /// The id of the process that takes them.
    pub(crate) fn node(&self) -> NodeId {
        NodeId::from_stamp(&Stamp {
            time: self.began,
            seed: self.hash(&[]),
        })
    }

    /// The seed of the next request to another process.
    pub(crate) fn ask(&self) -> Seed {
        let asks = self.asks.fetch_add(1, Ordering::Relaxed);
        self.hash(&[b"ask", &asks.to_le_bytes()])
    }

    /// The seed of a decision of `world` at `head`.
    pub(crate) fn at(&self, world: Option<&WorldName>, head: Position) -> Seed {
        let world = world.map_or("", WorldName::as_str);
        self.hash(&[world.as_bytes(), &head.get().to_le_bytes()])
    }

    fn hash(&self, place: &[&[u8]]) -> Seed {
        let number = match &self.number {
            SeedNumber::Growing(counter) => counter.fetch_add(1, Ordering::Relaxed),
            SeedNumber::Fixed(start) => *start,
        }
        .to_le_bytes();
        let parts: [&[u8]; 2] = [&self.key, &number];
        let hash = Digest::of(&[&parts, place].concat());
        let mut seed = [0; 16];
        seed.iter_mut()
            .zip(hash.as_bytes())
            .for_each(|(to, from)| *to = *from);
        Seed::new(seed)
    }
}
