use rusqlite::{Statement, Transaction};

use super::Import;
use super::form::Form;
use super::pass::{Findings, Pass, Tally};
use super::survey::Survey;
use crate::data::describe::{Column, Description};
use crate::data::error::ImportError;
use crate::data::figures::Figures;
use crate::data::names::{Named, named};
use crate::data::rows::Row;
use crate::data::text::Encoding;
use crate::data::types::{Decision, Habits, Stored};
use crate::sql::quoted;

/// The table that the second pass fills.
pub(super) struct Plan {
    names: Vec<Named>,
    decisions: Vec<Decision>,
    findings: Findings,
}

impl Plan {
    pub(super) fn new(form: &Form, survey: Survey) -> Self {
        let habits = Habits::of(&survey.evidence, form.delimiter());
        let names = named(survey.names.iter().map(String::as_str));
        let columns = survey.evidence.iter().zip(&names);
        Self {
            decisions: columns
                .map(|(evidence, named)| Decision::of(evidence, &named.name, habits))
                .collect(),
            names,
            findings: survey.findings,
        }
    }

    /// Makes the table, and writes the rows of the second pass into it.
    pub(super) fn write(
        &self,
        import: &Import,
        form: &Form,
        transaction: &Transaction<'_>,
        table: &str,
    ) -> Result<Vec<Figures>, ImportError> {
        if transaction.table_exists(None, table)? {
            return Err(ImportError::TableExists);
        }
        let columns = self.names.iter().zip(&self.decisions);
        let columns: Vec<String> = columns
            .map(|(named, decision)| {
                format!("{} {}", quoted(&named.name), decision.kind.declared())
            })
            .collect();
        let table = quoted(table);
        transaction.execute_batch(&format!("CREATE TABLE {table} ({})", columns.join(", ")))?;
        let places = vec!["?"; columns.len()].join(", ");
        let mut insert = transaction.prepare(&format!("INSERT INTO {table} VALUES ({places})"))?;
        let mut figures: Vec<Figures> = Vec::new();
        figures.resize_with(columns.len(), Figures::default);
        let mut pass = Pass::new(import, form)?;
        let mut row = Row::default();
        while pass.next(&mut row)? {
            let columns = self.decisions.iter().zip(&mut figures);
            for (place, (decision, figures)) in columns.enumerate() {
                let value = decision.value(row.cell(place));
                figures.add(decision.kind, &value);
                bind(&mut insert, place + 1, &value)?;
            }
            insert.raw_execute()?;
        }
        Ok(figures)
    }

    pub(super) fn description(self, bytes: u64, form: &Form, figures: Vec<Figures>) -> Description {
        let columns = self.names.into_iter().zip(self.decisions).zip(figures);
        Description {
            format: form.sniffed.format,
            encoding: form.sniffed.encoding,
            has_header: form.has_header,
            bytes,
            rows: self.findings.rows,
            columns: columns
                .map(|((named, decision), figures)| column(named, decision, figures))
                .collect(),
            notes: notes(form, &self.findings),
            bad_rows: self.findings.bad,
        }
    }
}

fn bind(insert: &mut Statement<'_>, place: usize, value: &Stored<'_>) -> rusqlite::Result<()> {
    match value {
        Stored::Null => insert.raw_bind_parameter(place, rusqlite::types::Null),
        Stored::Integer(integer) => insert.raw_bind_parameter(place, integer),
        Stored::Real(real) => insert.raw_bind_parameter(place, real),
        Stored::Text(text) => insert.raw_bind_parameter(place, &**text),
    }
}

fn column(named: Named, decision: Decision, figures: Figures) -> Column {
    let mut notes = decision.notes;
    if figures.formulas() > 0 {
        let count = figures.formulas();
        notes.push(format!("{count} cells begin like formulas; they are texts"));
    }
    Column {
        name: named.name,
        original: named.original,
        kind: decision.kind,
        nulls: figures.nulls(),
        distinct: figures.distinct(),
        range: figures.range(),
        examples: figures.into_examples(),
        notes,
    }
}

fn notes(form: &Form, findings: &Findings) -> Vec<String> {
    let mut notes = form.sniffed.notes.clone();
    if form.sniffed.encoding == Encoding::Windows1252 {
        notes.push("read as Windows-1252, since it is no UTF-8".into());
    }
    if form.sniffed.has_sep_line {
        notes.push("line 1 names the delimiter".into());
    }
    let mut told = |Tally { count, line }: Tally, what: &str| {
        if count > 0 {
            notes.push(format!("{count} rows {what}, first in line {line}"));
        }
    };
    told(findings.short, "have too few cells and end in empty ones");
    told(findings.long, "have empty cells behind the last column");
    told(
        findings.stray,
        "have text behind a closing quote, and keep their quotes",
    );
    let passed = findings.passed;
    if passed.blank_lines > 0 {
        notes.push(format!("{} lines are blank", passed.blank_lines));
    }
    if passed.is_lossy {
        notes.push("some bytes are no text, and stand as U+FFFD".into());
    }
    if passed.no_numbers > 0 {
        notes.push(format!(
            "{} cells that are no number (NaN) are empty",
            passed.no_numbers
        ));
    }
    notes
}
