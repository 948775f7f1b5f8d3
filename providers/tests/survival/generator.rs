//! Cases from seeds: pieces of real bodies, cut, repeated, joined and spoilt.

/// Texts that mean something to a decoder.
const TOKENS: &[&str] = &[
    "null",
    "true",
    "-1",
    "1e400",
    "18446744073709551616",
    "\"\"",
    "{}",
    "[]",
    "{\"",
    "\":",
    "\\u0000",
    "\\ud800",
    "é",
    "\u{2028}",
    "\n",
    "\r\n",
    "\n\n",
    "data: ",
    "data: {}\n\n",
    "event: error\n",
    "data: [DONE]\n\n",
    "\u{feff}",
    "[[[[[[[[",
    "\"type\":",
    "\"index\":0",
    "\"index\":9",
    "\"error\":{}",
];

/// Bytes as long as this are made at most: what matters happens within a few events.
const BYTES_MAX: usize = 320;

/// Makes cases out of seeds.
#[derive(Debug)]
pub(crate) struct Generator {
    seeds: Vec<Vec<u8>>,
    state: u64,
}

impl Generator {
    pub(crate) fn new(seeds: Vec<Vec<u8>>) -> Self {
        Self { seeds, state: 0x5eed }
    }

    /// The next case. Its first byte is free.
    pub(crate) fn case(&mut self) -> Vec<u8> {
        let mut bytes = self.piece();
        for _ in 0..self.below(4) {
            self.spoil(&mut bytes);
        }
        bytes.truncate(BYTES_MAX);
        bytes.insert(0, self.next().to_le_bytes().first().copied().unwrap_or_default());
        bytes
    }

    fn spoil(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let to = (at + self.below(24)).min(bytes.len());
        match self.below(6) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let again = bytes.get(at..to).unwrap_or_default().to_vec();
                bytes.splice(at..at, again);
            }
            2 => {
                let other = self.piece();
                bytes.splice(at.., other);
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << self.below(8);
                }
            }
            _ => {
                let token = TOKENS.get(self.below(TOKENS.len())).copied().unwrap_or_default();
                bytes.splice(at..to.min(at + self.below(3)), token.bytes());
            }
        }
    }

    /// A seed, or some lines of it.
    fn piece(&mut self) -> Vec<u8> {
        let which = self.below(self.seeds.len());
        let seed = self.seeds.get(which).cloned().unwrap_or_default();
        let lines: Vec<&[u8]> = seed.split_inclusive(|byte| *byte == b'\n').collect();
        let from = if self.below(2) == 0 { 0 } else { self.below(lines.len()) };
        let mut bytes = lines.get(from..).unwrap_or_default().concat();
        bytes.truncate(BYTES_MAX);
        bytes
    }

    fn below(&mut self, bound: usize) -> usize {
        let next = self.next() >> 33;
        usize::try_from(next).unwrap_or_default().checked_rem(bound).unwrap_or_default()
    }

    /// Splitmix64: the same numbers in each run, on every machine.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb)
    }
}
