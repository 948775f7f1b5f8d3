//! The types of columns, from what all of their cells can be read as.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::reading::{
    DateForm, Mark, Marks, Read, Readings, Style, integer, is_marker, read, real, timestamp, truth,
};
use super::rows::{Cell, Spelling};

#[cfg(test)]
mod tests;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnType {
    /// Whole numbers of 64 bits.
    Integer,
    /// Doubles.
    Real,
    /// 0 and 1.
    Boolean,
    /// Texts like `2024-12-31`.
    Date,
    /// Texts like `2024-12-31 23:59:59`. Those that had a zone are of UTC.
    Timestamp,
    /// Texts.
    Text,
}

impl ColumnType {
    /// The word in the table's definition.
    pub(super) const fn declared(self) -> &'static str {
        match self {
            Self::Integer => "INTEGER",
            Self::Real => "REAL",
            Self::Boolean => "BOOLEAN",
            Self::Date => "DATE",
            Self::Timestamp => "TIMESTAMP",
            Self::Text => "TEXT",
        }
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Integer => "integer",
            Self::Real => "real",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Timestamp => "timestamp",
            Self::Text => "text",
        })
    }
}

/// All that the cells of a column have said so far.
#[derive(Debug, Clone)]
pub(super) struct Evidence {
    readings: Readings,
    values: u64,
    markers: u64,
    marks: Marks,
    /// True if letters between delimiters were read, and no author's marks.
    is_loose: bool,
    /// The line of the cell that fits nothing that fitted before.
    odd_line: Option<u64>,
}

impl Default for Evidence {
    fn default() -> Self {
        Self {
            readings: Readings::ALL,
            values: 0,
            markers: 0,
            marks: Marks::default(),
            is_loose: false,
            odd_line: None,
        }
    }
}

impl Evidence {
    /// Takes a cell in.
    pub(super) fn add(&mut self, cell: Cell<'_>, line: u64) {
        if self.readings.is_none() {
            return;
        }
        let (readings, mark) = match read(cell) {
            Read::Null => return,
            Read::Marker => {
                self.markers += 1;
                return;
            }
            Read::Value { readings, mark } => (readings, mark),
        };
        self.is_loose |= cell.spelling == Spelling::Loose;
        let had_type = self.values > 0 && !self.readings.is_letter();
        self.readings = (self.readings & readings).settled();
        if self.readings.is_none() && had_type {
            self.odd_line = Some(line);
        }
        self.values += 1;
        let is_number = readings.has(Readings::POINT | Readings::COMMA);
        let is_whole = readings.has(Readings::POINT_WHOLE | Readings::COMMA_WHOLE);
        if is_number && !is_whole && mark == Mark::None {
            self.marks.insert(Mark::Decimals);
        }
        self.marks.insert(mark);
    }

    /// Tells whether all cells so far have a type that is not text.
    pub(super) fn is_typed(&self) -> bool {
        self.values > 0 && !self.readings.is_none()
    }

    /// Tells whether a cell could stand in this column.
    pub(super) fn takes(&self, cell: Cell<'_>) -> bool {
        match read(cell) {
            Read::Null | Read::Marker => true,
            Read::Value { readings, .. } => !(self.readings & readings).settled().is_none(),
        }
    }

    /// The style of its numbers, if no other fits.
    fn style(&self) -> Option<Style> {
        let point = self.readings.has(Readings::POINT);
        let comma = self.readings.has(Readings::COMMA);
        match (self.values > 0, point, comma) {
            (true, true, false) => Some(Style::Point),
            (true, false, true) => Some(Style::Comma),
            _ => None,
        }
    }
}

/// The styles that a file certainly has, and its delimiter. They decide about columns that have two readings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habits {
    has_point: bool,
    has_comma: bool,
    delimiter: Option<u8>,
}

impl Habits {
    pub(super) fn of(columns: &[Evidence], delimiter: Option<u8>) -> Self {
        let has = |style| columns.iter().any(|column| column.style() == Some(style));
        Self {
            has_point: has(Style::Point),
            has_comma: has(Style::Comma),
            delimiter,
        }
    }

    /// The style of numbers with two readings; `None`: nobody can tell.
    fn style(self, column: &Evidence) -> Option<Style> {
        match (self.has_point, self.has_comma) {
            (true, false) => return Some(Style::Point),
            (false, true) => return Some(Style::Comma),
            (true, true) | (false, false) => {}
        }
        match (
            column.marks.has(Mark::CommaOrGroup),
            column.marks.has(Mark::PointOrGroup),
            self.delimiter,
        ) {
            (false, _, _) => Some(Style::Point),
            (true, false, Some(b',')) => Some(Style::Point),
            (true, false, Some(b';')) => Some(Style::Comma),
            (true, _, _) => None,
        }
    }
}

/// The type of a column, and the way from a cell to its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) kind: ColumnType,
    way: Way,
    /// The words that stand for no value are empty cells.
    has_markers: bool,
    /// All that was assumed, for people.
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Text,
    Number(Style),
    Boolean,
    Date(DateForm),
}

/// The value that the table holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Stored<'c> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'c, str>),
}

impl Decision {
    fn new(kind: ColumnType, way: Way) -> Self {
        Self {
            kind,
            way,
            has_markers: false,
            notes: Vec::new(),
        }
    }

    fn text(note: Option<String>) -> Self {
        Self {
            notes: note.into_iter().collect(),
            ..Self::new(ColumnType::Text, Way::Text)
        }
    }

    fn with(mut self, note: String) -> Self {
        self.notes.push(note);
        self
    }

    /// The type that the cells of the column `name` have in common.
    pub(super) fn of(column: &Evidence, name: &str, habits: Habits) -> Self {
        if column.values == 0 {
            return Self::text(None);
        }
        let mut decision = if column.readings.is_none() {
            let odd = |line| {
                format!("text, since the cell in line {line} does not fit the type of those before")
            };
            Self::text(column.odd_line.map(odd))
        } else if column.readings.has(Readings::POINT | Readings::COMMA) {
            Self::number(column, name, habits)
        } else if column.readings.has(Readings::BOOLEAN) {
            Self::boolean(column)
        } else {
            Self::date(column)
        };
        if decision.kind != ColumnType::Text && column.markers > 0 {
            decision.has_markers = true;
            let count = column.markers;
            decision = decision.with(format!("{count} cells like `NA` or `null` are empty"));
        }
        decision
    }

    fn number(column: &Evidence, name: &str, habits: Habits) -> Self {
        if column.is_loose && is_code(name) {
            return Self::text(Some("text, since its name says that it holds codes".into()));
        }
        if column.marks.has(Mark::BareExponent) && !column.marks.has(Mark::Decimals) {
            return Self::text(Some("text, since cells like `12E4` may be codes".into()));
        }
        let has_separators =
            column.marks.has(Mark::PointOrGroup) || column.marks.has(Mark::CommaOrGroup);
        let style = column.style().or_else(|| {
            if has_separators {
                habits.style(column)
            } else {
                Some(Style::Point)
            }
        });
        let Some(style) = style else {
            let why = "text, since a comma may stand between thousands or before decimals";
            return Self::text(Some(why.into()));
        };
        let whole = match style {
            Style::Point => Readings::POINT_WHOLE,
            Style::Comma => Readings::COMMA_WHOLE,
        };
        let kind = if column.readings.has(whole) {
            ColumnType::Integer
        } else {
            ColumnType::Real
        };
        let decision = Self::new(kind, Way::Number(style));
        match (column.style(), has_separators, style) {
            (None, true, Style::Point) => {
                decision.with("read as `1,234.5`, though `1.234,5` fits as well".into())
            }
            (None, true, Style::Comma) => {
                decision.with("read as `1.234,5`, though `1,234.5` fits as well".into())
            }
            (Some(Style::Comma), _, _) => decision.with("read as `1.234,5`".into()),
            (Some(Style::Point), _, _) | (None, false, _) => decision,
        }
    }

    fn boolean(column: &Evidence) -> Self {
        let is_word = column
            .readings
            .has(Readings::TRUE_FALSE | Readings::YES_NO | Readings::JA_NEIN);
        // One letter alone may be anything.
        if is_word || column.marks.has(Mark::True) && column.marks.has(Mark::False) {
            Self::new(ColumnType::Boolean, Way::Boolean)
        } else {
            Self::text(None)
        }
    }

    fn date(column: &Evidence) -> Self {
        let mut forms = column.readings.dates();
        let (Some(form), None) = (forms.next(), forms.next()) else {
            let why = "text, since day and month could be either way round in all of its dates";
            return Self::text(Some(why.into()));
        };
        let kind = if column.marks.has(Mark::Time) {
            ColumnType::Timestamp
        } else {
            ColumnType::Date
        };
        let mut decision = Self::new(kind, Way::Date(form));
        if form != DateForm::IsoDash {
            decision = decision.with(format!("read as {}", form.pattern()));
        }
        if column.marks.has(Mark::Time) && column.readings.has(Readings::ZONED) {
            decision = decision.with("times are of UTC".into());
        }
        decision
    }

    /// The value of a cell. One that does not fit stays as it is written.
    pub(super) fn value<'c>(&self, cell: Cell<'c>) -> Stored<'c> {
        let Cell { text, spelling } = cell;
        let is_blank = || spelling == Spelling::Loose && text.trim().is_empty();
        match self.way {
            _ if spelling == Spelling::Null => Stored::Null,
            Way::Text if text.is_empty() && spelling == Spelling::Loose => Stored::Null,
            Way::Text => Stored::Text(text.into()),
            Way::Number(_) | Way::Boolean | Way::Date(_) if is_blank() => Stored::Null,
            Way::Number(_) | Way::Boolean | Way::Date(_)
                if self.has_markers && spelling == Spelling::Loose && is_marker(text) =>
            {
                Stored::Null
            }
            Way::Number(style) => self.number_value(text, style),
            Way::Boolean => {
                truth(text).map_or(Stored::Text(text.into()), |is| Stored::Integer(is.into()))
            }
            Way::Date(form) => timestamp(text, form, self.kind == ColumnType::Timestamp)
                .map_or(Stored::Text(text.into()), |text| Stored::Text(text.into())),
        }
    }

    fn number_value<'c>(&self, text: &'c str, style: Style) -> Stored<'c> {
        let value = if self.kind == ColumnType::Integer {
            integer(text, style).map(Stored::Integer)
        } else {
            real(text, style).map(Stored::Real)
        };
        value.unwrap_or(Stored::Text(text.into()))
    }
}

/// Words in the name of a column whose digits are no amount.
const CODES: [&str; 24] = [
    "zip",
    "zipcode",
    "plz",
    "postal",
    "postcode",
    "postleitzahl",
    "phone",
    "telephone",
    "telefon",
    "tel",
    "mobile",
    "mobil",
    "handy",
    "fax",
    "iban",
    "bic",
    "ean",
    "isbn",
    "gtin",
    "ssn",
    "vat",
    "imei",
    "msisdn",
    "blz",
];

fn is_code(name: &str) -> bool {
    let mut words = name.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| CODES.iter().any(|code| word.eq_ignore_ascii_case(code)))
}
