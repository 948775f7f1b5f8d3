//! Whatever bytes come, the decoders of this wire answer or fail, and the split makes no difference.
#![no_main]

use folkmoot_providers::codec::Wire;
use libfuzzer_sys::fuzz_target;

#[path = "../../tests/survival/law.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod law;

fuzz_target!(|input: &[u8]| law::decoders_survive(Wire::OpenaiChat, input));
