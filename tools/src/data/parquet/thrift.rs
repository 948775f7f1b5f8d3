//! Thrift's compact protocol, as far as one must go along it to find lengths before anything is allocated for them.

/// The deepest nesting of structures.
const DEPTH_MAX: usize = 32;

/// The type of a field or an element, by its number in the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind(u8);

impl Kind {
    pub(super) const FALSE: Self = Self(2);
    pub(super) const I32: Self = Self(5);
    const STRUCT: Self = Self(12);
    pub(super) const LIST: Self = Self(9);

    pub(super) fn is_struct(self) -> bool {
        self == Self::STRUCT
    }
}

/// A place in encoded bytes.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'b> {
    rest: &'b [u8],
    depth: usize,
}

/// A walk along a structure: what to do with one field. `None`: the bytes are broken, or end.
pub(super) type Visit<'v, 'b> = &'v mut dyn FnMut(&mut Cursor<'b>, i16, Kind) -> Option<()>;

impl<'b> Cursor<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self {
            rest: bytes,
            depth: 0,
        }
    }

    /// The bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take(&mut self, count: u64) -> Option<()> {
        let count = usize::try_from(count).ok()?;
        self.rest = self.rest.get(count..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A whole number of any width.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let raw = self.varint()?;
        Some((raw >> 1).cast_signed() ^ -(raw & 1).cast_signed())
    }

    /// Goes along a structure. `visit` reads each field, or skips it.
    pub(super) fn structure(&mut self, visit: Visit<'_, 'b>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let mut id = 0_i16;
        loop {
            let head = self.byte()?;
            let kind = Kind(head & 0x0f);
            if kind == Kind(0) {
                self.depth -= 1;
                return Some(());
            }
            id = match head >> 4 {
                0 => i16::try_from(self.integer()?).ok()?,
                delta => id.checked_add(i16::from(delta))?,
            };
            visit(self, id, kind)?;
        }
    }

    /// The type and the number of a list's elements. Each has at least one byte.
    pub(super) fn list(&mut self) -> Option<(Kind, usize)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            few => usize::from(few),
        };
        (count <= self.left()).then_some((Kind(head & 0x0f), count))
    }

    /// Goes behind a field of this type.
    pub(super) fn skip(&mut self, kind: Kind) -> Option<()> {
        match kind.0 {
            // The value of a boolean field is its type.
            1 | 2 => Some(()),
            _ => self.skip_element(kind),
        }
    }

    fn skip_element(&mut self, kind: Kind) -> Option<()> {
        match kind.0 {
            1..=3 => self.take(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.take(8),
            8 => {
                let length = self.varint()?;
                self.take(length)
            }
            9 | 10 => self.skip_list(),
            11 => self.skip_map(),
            12 => self.structure(&mut |cursor, _, kind| cursor.skip(kind)),
            13 => self.take(16),
            _ => None,
        }
    }

    fn skip_list(&mut self) -> Option<()> {
        let (kind, count) = self.list()?;
        self.nested(|cursor| (0..count).try_for_each(|_| cursor.skip_element(kind)))
    }

    fn skip_map(&mut self) -> Option<()> {
        let count = self.varint()?;
        if count == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        let (key, value) = (Kind(kinds >> 4), Kind(kinds & 0x0f));
        self.nested(|cursor| {
            (0..count).try_for_each(|_| {
                cursor.skip_element(key)?;
                cursor.skip_element(value)
            })
        })
    }

    /// Lists and maps count as a depth as well: lists of lists are no structures.
    fn nested(&mut self, walk: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        walk(self)?;
        self.depth -= 1;
        Some(())
    }
}
