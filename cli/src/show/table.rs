//! Tables.

use comfy_table::{ContentArrangement, Table, presets};

/// A table without lines, under its heads.
pub(crate) fn of(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(heads.to_vec());
    table.add_rows(rows);
    table.trim_fmt()
}
