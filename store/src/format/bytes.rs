//! Reading and writing little-endian fields.

use super::Malformed;

/// Reads fields one after another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self
            .0
            .split_at_checked(len)
            .ok_or_else(|| cut(len, self.0.len()))?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self
            .0
            .split_first_chunk::<N>()
            .ok_or_else(|| cut(N, self.0.len()))?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }
}

fn cut(wanted: usize, left: usize) -> Malformed {
    Malformed(format!("{wanted} bytes are needed where {left} are left"))
}

/// Every platform that this runs on has at least 32 bits.
pub(crate) const fn to_usize(len: u32) -> usize {
    len as usize
}

/// Fails where a length does not fit its field.
pub(crate) fn to_u32(len: usize) -> Result<u32, Malformed> {
    u32::try_from(len).map_err(|_| Malformed(format!("{len} bytes are too many")))
}
