//! How much a test does, and the numbers that it draws.

/// How many cases a test runs: what the variable says, else `default`.
pub(crate) fn scale(variable: &str, default: u64) -> u64 {
    match std::env::var(variable) {
        Ok(count) => count
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is {count:?}: not a number")),
        Err(_) => default,
    }
}

/// A number that is hard to guess from its seed, and the same every time.
pub(crate) fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
