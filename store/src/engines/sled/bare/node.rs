//! The pages of sled's trees: a node, and the changes that were made to it since it was written.

use super::log::{MessageKind, MessagePlace};

/// Bytes that are read field by field, in sled's forms.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    /// A number of eight bytes.
    pub(super) fn long(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    /// A number of one to nine bytes.
    pub(super) fn number(&mut self) -> Option<u64> {
        let first = u64::from(self.byte()?);
        match first {
            0..=240 => Some(first),
            241..=248 => Some(240 + 256 * (first - 241) + u64::from(self.byte()?)),
            249 => Some(2288 + 256 * u64::from(self.byte()?) + u64::from(self.byte()?)),
            _ => {
                let size = usize::try_from(first - 247).ok()?;
                let mut bytes = [0; 8];
                bytes.get_mut(..size)?.copy_from_slice(self.take(size)?);
                Some(u64::from_le_bytes(bytes))
            }
        }
    }

    pub(super) fn bytes(&mut self) -> Option<Vec<u8>> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len).map(<[u8]>::to_vec)
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn list<T>(
        &mut self,
        len: usize,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        (0..len).map(|_| read(self)).collect()
    }
}

/// The things below a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Below {
    /// Rows, by what their keys have behind the prefix.
    Rows(Vec<(Vec<u8>, Vec<u8>)>),
    /// Other nodes, by where they begin, behind the prefix.
    Nodes(Vec<(Vec<u8>, u64)>),
}

/// A page of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreePage {
    /// The right neighbour.
    pub(super) next: Option<u64>,
    /// The child that is being merged into the one before it.
    pub(super) merging: Option<u64>,
    prefix: usize,
    pub(super) lo: Vec<u8>,
    /// Empty: it has no end.
    pub(super) hi: Vec<u8>,
    pub(super) below: Below,
}

impl TreePage {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields(bytes);
        let page = |number: u64| (number != 0).then_some(number);
        let next = page(fields.number()?);
        let merging = page(fields.number()?);
        let _is_merging = fields.byte()?;
        let prefix = usize::from(fields.byte()?);
        let lo = fields.bytes()?;
        let hi = fields.bytes()?;
        let is_index = fields.byte()?;
        let len = usize::try_from(fields.number()?)
            .ok()
            .filter(|len| *len <= bytes.len())?;
        let keys = fields.list(len, Fields::bytes)?;
        let below = match is_index {
            0 => Below::Rows(
                keys.into_iter()
                    .zip(fields.list(len, Fields::bytes)?)
                    .collect(),
            ),
            1 => Below::Nodes(
                keys.into_iter()
                    .zip(fields.list(len, Fields::number)?)
                    .collect(),
            ),
            _ => return None,
        };
        (prefix <= lo.len()).then_some(Self {
            next,
            merging,
            prefix,
            lo,
            hi,
            below,
        })
    }

    /// Makes a change that was made to it.
    pub(super) fn apply(&mut self, link: &[u8]) -> Option<()> {
        let mut fields = Fields(link);
        match fields.byte()? {
            0 => {
                let key = fields.bytes()?;
                let value = fields.bytes()?;
                let Below::Rows(rows) = &mut self.below else {
                    return None;
                };
                match rows.binary_search_by(|(known, _)| known.cmp(&key)) {
                    Ok(at) => rows.get_mut(at)?.1 = value,
                    Err(at) => rows.insert(at, (key, value)),
                }
            }
            1 => {
                let key = fields.bytes()?;
                let Below::Rows(rows) = &mut self.below else {
                    return None;
                };
                rows.retain(|(known, _)| *known != key);
            }
            2 => self.merging = Some(fields.number()?),
            3 => {
                let merged = self.merging.take()?;
                let Below::Nodes(nodes) = &mut self.below else {
                    return None;
                };
                nodes.retain(|(_, page)| *page != merged);
            }
            4 => {}
            _ => return None,
        }
        Some(())
    }

    /// The whole key of one of its rows.
    pub(super) fn key(&self, behind: &[u8]) -> Vec<u8> {
        [self.lo.get(..self.prefix).unwrap_or_default(), behind].concat()
    }

    /// The child that has `key`, or, if `before` is asked for, what is right before it.
    pub(super) fn child(&self, key: &[u8], is_before: bool) -> Option<u64> {
        let Below::Nodes(nodes) = &self.below else {
            return None;
        };
        let fits = |(begin, _): &&(Vec<u8>, u64)| {
            let begin = self.key(begin);
            if is_before {
                begin.as_slice() < key
            } else {
                begin.as_slice() <= key
            }
        };
        // One that is being merged away is reached through its neighbour, in which it may be
        // already.
        let mut found = nodes
            .iter()
            .rev()
            .filter(|(_, page)| self.merging != Some(*page));
        found.find(fits).map(|(_, page)| *page)
    }
}

/// A page, as far as the log tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Page {
    /// A page that nobody wrote.
    #[default]
    Unknown,
    Free,
    /// A page as it was written, and the changes since, oldest first.
    Present(Vec<MessagePlace>),
}

impl Page {
    pub(super) fn take(&mut self, kind: MessageKind, place: MessagePlace) {
        match (kind, self) {
            (MessageKind::Replace, page) => *page = Self::Present(vec![place]),
            (MessageKind::Free, page) => *page = Self::Free,
            // What changes a page that was written anew later, or that is gone.
            (MessageKind::Link, Self::Present(places)) => {
                if places.last().is_none_or(|last| last.lsn < place.lsn) {
                    places.push(place);
                }
            }
            (MessageKind::Link, Self::Unknown | Self::Free) => {}
        }
    }
}
