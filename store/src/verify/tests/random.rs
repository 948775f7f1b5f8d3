//! Numbers that are the same in every run (SplitMix64).

#[derive(Debug, Clone)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `from` to before `to`.
    pub(super) fn within(&mut self, from: usize, to: usize) -> usize {
        from + usize::try_from(self.next() % (to - from) as u64).unwrap()
    }

    pub(super) fn coin(&mut self) -> bool {
        self.next().is_multiple_of(2)
    }
}
