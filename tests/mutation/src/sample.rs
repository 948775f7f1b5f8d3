//! Which mutants are judged: drawn by a seed, spread over the files by how much there is in each.

use std::collections::BTreeMap;

use crate::place::Place;

/// The places in the order in which a sample takes them; a larger sample of the same seed holds the smaller one.
pub fn drawn(places: Vec<Place>, seed: u64) -> Vec<Place> {
    let mut files: BTreeMap<String, Vec<(u64, Place)>> = BTreeMap::new();
    for place in places {
        files.entry(place.file.clone()).or_default().push((hashed(seed, &place.id), place));
    }
    let mut all = Vec::new();
    for (file, mut places) in files {
        places.sort_by_key(|(hash, _)| *hash);
        let count = places.len() as f64;
        let offset = (hashed(seed, &file) % 1000) as f64 / 1000.0;
        let ranked = places.into_iter().enumerate();
        all.extend(ranked.map(|(rank, (_, place))| ((rank as f64 + offset) / count, place)));
    }
    all.sort_by(|(a, one), (b, other)| a.total_cmp(b).then_with(|| one.id.cmp(&other.id)));
    all.into_iter().map(|(_, place)| place).collect()
}

/// The same number for the same seed and text on every machine.
fn hashed(seed: u64, text: &str) -> u64 {
    let start = mixed(seed);
    text.bytes().fold(start, |hash, byte| mixed(hash ^ u64::from(byte)))
}

fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
