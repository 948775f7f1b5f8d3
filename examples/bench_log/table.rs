//! The table that is printed, row by row, as it becomes known.
#![expect(
    clippy::print_stdout,
    reason = "printing it is what the program is for"
)]

/// A table under way.
pub(crate) struct Table;

impl Table {
    /// Prints its head.
    pub(crate) fn begin() -> Self {
        let table = Self;
        table.row("what", "figure", "beside", "aim");
        println!("|{:-<66}|{:-<22}|{:-<32}|{:-<10}|", "", "", "", "");
        table
    }

    /// Prints a row: what was measured, the figure, what it is to be compared with, and the aim.
    pub(crate) fn row(&self, what: &str, figure: &str, beside: &str, aim: &str) {
        println!("| {what:<64} | {figure:>20} | {beside:<30} | {aim:<8} |");
    }
}
