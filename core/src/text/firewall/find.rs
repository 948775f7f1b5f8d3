//! Finding the next byte that matters, eight at a time: most bytes of a text matter to nobody.

/// A one in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each byte.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns where the first byte of `bytes` stands that is one of `wanted`.
pub(super) fn first_of<const N: usize>(bytes: &[u8], wanted: [u8; N]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    let hit = words
        .iter()
        .enumerate()
        .find_map(|(n, word)| Some((n, first_in(*word, wanted)?)));
    match hit {
        Some((n, at)) => Some(n.saturating_mul(8) + at),
        None => {
            let at = rest.iter().position(|b| wanted.contains(b))?;
            Some(bytes.len().saturating_sub(rest.len()) + at)
        }
    }
}

fn first_in<const N: usize>(word: [u8; 8], wanted: [u8; N]) -> Option<usize> {
    let word = u64::from_le_bytes(word);
    let hits = wanted.iter().fold(0, |hits, b| {
        hits | zeros(word ^ ONES.wrapping_mul(u64::from(*b)))
    });
    let at = hits.trailing_zeros() / 8;
    usize::try_from(at).ok().filter(|at| *at < 8)
}

/// The highest bits of the bytes of `word` that are zero. Those above the lowest of them may be set
/// as well.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGHS
}
