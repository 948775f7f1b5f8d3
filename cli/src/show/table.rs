//! Tables.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use folkmoot::core::text::view::Column;

use super::one_line;

/// A table without lines, under its heads.
pub(crate) fn of(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(heads.to_vec());
    table.add_rows(rows);
    table.trim_fmt()
}

/// A table of data, in at most `width` columns of a terminal if there is a limit: then cells go on
/// in further lines. Numbers stand at the right. All of it is made safe to show.
pub(crate) fn of_data(columns: &[Column], rows: &[Vec<String>], width: Option<u16>) -> String {
    let safe = |cells: &[String]| cells.iter().map(|cell| one_line(cell)).collect::<Vec<_>>();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
    }
    table.set_header(
        columns
            .iter()
            .map(|column| one_line(&column.name))
            .collect::<Vec<_>>(),
    );
    table.add_rows(rows.iter().map(|row| safe(row)));
    for (drawn, column) in table.column_iter_mut().zip(columns) {
        drawn.set_cell_alignment(if column.is_numeric {
            CellAlignment::Right
        } else {
            CellAlignment::Left
        });
    }
    table.trim_fmt()
}
