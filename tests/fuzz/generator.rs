//! Cases from seeds: pieces of real inputs, cut, repeated, joined and spoilt.

/// Texts and bytes that mean something to a reader.
const TOKENS: &[&[u8]] = &[
    b"null",
    b"true",
    b"-1",
    b"1e400",
    b"18446744073709551616",
    b"\"\"",
    b"{}",
    b"[]",
    b"{\"",
    b"\":",
    b"\\u0000",
    b"\\ud800",
    "é".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{feff}".as_bytes(),
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b"\n\n",
    b": ",
    b"- ",
    b"@",
    b"```",
    b"data: ",
    b"data: {}\n\n",
    b"event: error\n",
    b"data: [DONE]\n\n",
    b"[[[[[[[[",
    b"\"type\":",
    b"\"index\":0",
    b"\"index\":9",
    b"\"error\":{}",
    b"\"$ref\":\"#\"",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\0\0\0\0",
];

/// Half of the cases are no longer than this: what matters happens within a few events.
const SHORT: usize = 320;

/// No case is longer.
const LONG: usize = 8 * 1_024;

/// Makes cases out of seeds: the case of a number is always the same.
pub(crate) struct Generator {
    seeds: Vec<Vec<u8>>,
    name: u64,
}

impl Generator {
    /// Of the target `name`, with its seeds.
    pub(crate) fn new(name: &str, seeds: Vec<Vec<u8>>) -> Self {
        let name = name.bytes().fold(0x5eed, |hash: u64, byte| {
            hash.wrapping_mul(31).wrapping_add(byte.into())
        });
        Self { seeds, name }
    }

    pub(crate) fn case(&self, number: u64) -> Vec<u8> {
        let mut dice = Dice(
            self.name
                .wrapping_add(number.wrapping_mul(0x2545_f491_4f6c_dd1d)),
        );
        let max = if dice.below(2) == 0 { SHORT } else { LONG };
        let mut bytes = self.piece(&mut dice, max);
        for _ in 0..dice.below(4) {
            self.spoil(&mut bytes, &mut dice);
        }
        bytes.truncate(max);
        bytes
    }

    fn spoil(&self, bytes: &mut Vec<u8>, dice: &mut Dice) {
        let at = dice.below(bytes.len() + 1);
        let to = (at + dice.below(24)).min(bytes.len());
        match dice.below(8) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let again = bytes[at..to].to_vec();
                bytes.splice(at..at, again);
            }
            2 => {
                let other = self.piece(dice, SHORT);
                bytes.splice(at.., other);
            }
            3 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
            4 => {
                if let Some(byte) = bytes.first_mut() {
                    *byte = dice.byte();
                }
            }
            5 => {
                let token = dice.token();
                let to = (at + token.len()).min(bytes.len());
                bytes.splice(at..to, token.iter().copied());
            }
            _ => {
                let to = to.min(at + dice.below(3));
                bytes.splice(at..to, dice.token().iter().copied());
            }
        }
    }

    /// A seed, or what stands in it from some line on.
    fn piece(&self, dice: &mut Dice, max: usize) -> Vec<u8> {
        let seed = &self.seeds[dice.below(self.seeds.len())];
        let lines: Vec<&[u8]> = seed.split_inclusive(|byte| *byte == b'\n').collect();
        let from = if dice.below(2) == 0 {
            0
        } else {
            dice.below(lines.len())
        };
        let mut bytes = lines[from..].concat();
        bytes.truncate(max);
        bytes
    }
}

/// Splitmix64: the same numbers in each run, on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let next = usize::try_from(self.next() >> 33).unwrap();
        next.checked_rem(bound).unwrap_or_default()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    fn token(&mut self) -> &'static [u8] {
        TOKENS[self.below(TOKENS.len())]
    }
}
