//! Random bytes: of the machine, or from the seed of a simulation.

use std::cell::RefCell;
use std::marker::PhantomData;

use folkmoot_core::ids::Digest;

thread_local! {
    /// The seeds of the drivers of this thread, the newest last.
    static DRIVEN: RefCell<Vec<Numbers>> = const { RefCell::new(Vec::new()) };
}

/// Numbers from a seed.
#[derive(Debug)]
struct Numbers {
    seed: u64,
    drawn: u64,
}

impl Numbers {
    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let digest = Digest::of(&[
                b"folkmoot simulation 1",
                &self.seed.to_le_bytes(),
                &self.drawn.to_le_bytes(),
            ]);
            self.drawn = self.drawn.wrapping_add(1);
            chunk
                .iter_mut()
                .zip(digest.as_bytes())
                .for_each(|(to, from)| *to = *from);
        }
    }
}

/// Tells whether work of this thread stays on it.
pub(crate) fn is_driven() -> bool {
    DRIVEN.with_borrow(|drivers| !drivers.is_empty())
}

/// Fills `bytes` from the machine's randomness, or from the seed of this thread's simulation.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    DRIVEN.with_borrow_mut(|drivers| match drivers.last_mut() {
        Some(numbers) => {
            numbers.fill(bytes);
            Ok(())
        }
        None => getrandom::fill(bytes),
    })
}

/// Keeps the randomness and the work of this thread on it, for as long as it lives.
#[derive(Debug)]
pub(crate) struct Seeded {
    /// The mark of the thread that made it: it counts there alone.
    _here: PhantomData<*const ()>,
}

impl Seeded {
    pub(crate) fn begin(seed: u64) -> Self {
        DRIVEN.with_borrow_mut(|drivers| drivers.push(Numbers { seed, drawn: 0 }));
        Self { _here: PhantomData }
    }
}

impl Drop for Seeded {
    fn drop(&mut self) {
        DRIVEN.with_borrow_mut(Vec::pop);
    }
}
