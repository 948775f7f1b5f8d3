//! Whatever bytes come, the event parser gives the same events however they are split.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/survival/law.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod law;

fuzz_target!(|input: &[u8]| law::events_survive(input));
