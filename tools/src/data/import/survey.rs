use super::Import;
use super::form::Form;
use super::pass::{Findings, Pass};
use crate::data::error::ImportError;
use crate::data::rows::Row;
use crate::data::text::Encoding;
use crate::data::types::Evidence;

/// All that the first pass finds.
pub(super) struct Survey {
    pub(super) names: Vec<String>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) findings: Findings,
}

impl Survey {
    pub(super) fn of(import: &Import, form: &Form) -> Result<Self, ImportError> {
        let mut pass = Pass::new(import, form)?;
        let mut evidence: Vec<Evidence> = Vec::new();
        let mut row = Row::default();
        while pass.next(&mut row)? {
            if evidence.len() < row.len() {
                evidence.resize_with(row.len(), Evidence::default);
            }
            for (place, column) in evidence.iter_mut().enumerate() {
                column.add(row.cell(place), row.line);
            }
        }
        let (names, findings) = pass.end();
        if names.is_empty() {
            return Err(if findings.bad.count == 0 {
                ImportError::Empty
            } else {
                ImportError::NoRow {
                    bad: findings.bad.first,
                    count: findings.bad.count,
                }
            });
        }
        evidence.resize_with(names.len(), Evidence::default);
        Ok(Self {
            names,
            evidence,
            findings,
        })
    }

    /// The encoding that the text has, if some of it is no UTF-8 and none of it shows that it is meant to be.
    pub(super) fn better_encoding(&self, import: &Import, form: &Form) -> Option<Encoding> {
        let is_guessed = import.assume.encoding.is_none()
            && form.sniffed.mark == 0
            && form.sniffed.encoding == Encoding::Utf8;
        let is_other = self.findings.passed.not_utf8 > 0 && self.findings.foreign == 0;
        (is_guessed && is_other).then_some(Encoding::Windows1252)
    }
}
