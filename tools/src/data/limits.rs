/// The bounds of an import. A file that breaks one of them is refused, a row or a cell that does is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of the file.
    pub bytes: u64,
    /// The most bytes of all cells together, which compression can make more than those of the file.
    pub cell_bytes: u64,
    /// The most columns.
    pub columns: usize,
    /// The most bytes of a cell.
    pub field_bytes: usize,
    /// The most bytes of a row.
    pub row_bytes: usize,
    /// The most rows.
    pub rows: u64,
}

impl Limits {
    /// The bounds that hold unless a caller sets others.
    pub const STANDARD: Self = Self {
        bytes: 4 << 30,
        cell_bytes: 8 << 30,
        // As many as SQLite takes in a table.
        columns: 2_000,
        field_bytes: 1 << 20,
        row_bytes: 8 << 20,
        rows: 100_000_000,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::STANDARD
    }
}
