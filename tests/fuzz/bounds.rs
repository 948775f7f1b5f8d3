//! What one input may cost, however hostile it is.

use rustix::time::{ClockId, clock_gettime};

/// The most memory that is held at a time for a short input.
const MEMORY_MAX: u64 = 16 * 1024 * 1024;

/// The most memory for each byte of the input.
const MEMORY_FOR_BYTE: u64 = 512;

/// The deadline of one input, in seconds of the processor: a hang, or a cost that grows with the square of the input. It says
/// nothing about speed. The longest inputs take 2 s on an idle machine, and took 11 s on a busy one.
const SECONDS_MAX: i64 = 120;

/// Holds a law against an input, and the work against what is allowed.
///
/// # Panics
/// If the law does not hold, or the input cost too much.
pub(crate) fn bounded(input: &[u8], law: fn(&[u8])) {
    let begun = clock_gettime(ClockId::ThreadCPUTime).tv_sec;
    let memory = allocation_counter::measure(|| law(input)).bytes_max;
    let seconds = clock_gettime(ClockId::ThreadCPUTime).tv_sec - begun;
    let allowed = MEMORY_MAX + MEMORY_FOR_BYTE * input.len() as u64;
    assert!(
        memory <= allowed,
        "{memory} bytes of memory for {} of input",
        input.len()
    );
    assert!(
        seconds <= SECONDS_MAX,
        "{seconds} seconds for {} bytes of input",
        input.len()
    );
}
