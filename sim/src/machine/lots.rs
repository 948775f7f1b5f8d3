//! Lots: numbers from the story's seed.

use std::time::Duration;

use fastrand::Rng;

/// Lots that depend on the story's seed and on what they are drawn for, and on nothing that was
/// drawn before.
pub(crate) fn lots(seed: u64, what: &str, number: u64) -> Rng {
    let mut hash = seed ^ 0xcbf2_9ce4_8422_2325;
    for byte in what.bytes().chain(number.to_le_bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    let mut rng = Rng::with_seed(hash);
    // Neighbouring seeds begin alike.
    rng.fork()
}

/// Returns how long a model or a tool takes: mostly below a second, sometimes seconds, now and then
/// very long.
pub(crate) fn working_time(lots: &mut Rng) -> Duration {
    let ms = match lots.u32(0..100) {
        0..88 => lots.u64(1..900),
        88..98 => lots.u64(900..8_000),
        _ => lots.u64(8_000..40_000),
    };
    Duration::from_millis(ms)
}

/// Returns how long a write of the disk takes.
pub(crate) fn writing_time(lots: &mut Rng) -> Duration {
    let us = match lots.u32(0..100) {
        0..80 => lots.u64(100..4_000),
        80..97 => lots.u64(4_000..60_000),
        _ => lots.u64(60_000..2_000_000),
    };
    Duration::from_micros(us)
}

/// A time between two numbers of milliseconds.
pub(crate) fn between_ms(lots: &mut Rng, least: u64, most: u64) -> Duration {
    Duration::from_millis(lots.u64(least..most))
}
