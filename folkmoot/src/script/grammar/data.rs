//! The tables of the tools over data sets.

use super::Shape::Count;
use super::tool::{ASKED, ROOT, TOOL_SETTINGS};
use super::{Field, Record, field};

const ROWS_MIN: &[Field] = &[field(
    "rows_min",
    Count(1, 1_000_000),
    "Fewer rows than this give models no ranges and no counts of values.",
)
.or("10")];

const BROUGHT: &[Field] = &[field(
    "max_bytes",
    Count(1, u32::MAX as u64),
    "The most bytes of a file.",
)
.or("4294967295")];

pub(super) static LIST: Record = Record::new("the tool data.list", &[TOOL_SETTINGS]);
pub(super) static DESCRIBE: Record =
    Record::new("the tool data.describe", &[TOOL_SETTINGS, ROWS_MIN]);
pub(super) static PREVIEW: Record =
    Record::new("the tool data.preview", &[TOOL_SETTINGS, ROWS_MIN]);
pub(super) static QUERY: Record =
    Record::new("the tool data.query", &[TOOL_SETTINGS, ROWS_MIN, ASKED]);
pub(super) static SEARCH: Record = Record::new("the tool data.search", &[TOOL_SETTINGS]);
pub(super) static CHART: Record = Record::new("the tool data.chart", &[TOOL_SETTINGS, ROWS_MIN]);
pub(super) static STATUS: Record = Record::new("the tool data.status", &[TOOL_SETTINGS]);
pub(super) static IMPORT: Record =
    Record::new("the tool data.import", &[TOOL_SETTINGS, ROOT, BROUGHT]);
pub(super) static DELETE: Record = Record::new("the tool data.delete", &[TOOL_SETTINGS]);
