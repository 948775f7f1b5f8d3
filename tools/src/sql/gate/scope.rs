//! The names that a part of a statement sees.

use std::collections::BTreeSet;

/// The columns that a table, or what stands in the place of one, is known to have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Any: the engine knows them.
    Open,
    /// These, folded.
    Closed(Vec<String>),
}

impl Shape {
    /// The columns of both, in order.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Closed(one), Self::Closed(other)) => Self::Closed([one, other].concat()),
            (Self::Open, _) | (_, Self::Open) => Self::Open,
        }
    }

    /// The same columns under these names.
    pub(super) fn renamed(self, names: &[String]) -> Self {
        if names.is_empty() {
            self
        } else {
            Self::Closed(names.to_vec())
        }
    }

    fn has(&self, column: &str) -> bool {
        match self {
            Self::Open => true,
            Self::Closed(columns) => columns.iter().any(|one| one == column),
        }
    }
}

/// A table in the place where a select reads.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// The name under which its columns are addressed; `None`: they are addressed without.
    pub(super) name: Option<String>,
    /// Its columns.
    pub(super) shape: Shape,
}

/// The names that a select sees.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// The tables that it reads from, in order.
    pub(super) relations: Vec<Relation>,
    /// The names that it gives to its own results.
    pub(super) results: BTreeSet<String>,
}

impl Scope {
    /// Tells whether a column of that name is in sight.
    pub(super) fn has(&self, column: &str) -> bool {
        self.results.contains(column)
            || self
                .relations
                .iter()
                .any(|relation| relation.shape.has(column))
    }

    /// Tells whether the last table and one before it have a column of that name.
    pub(super) fn shares(&self, column: &str) -> bool {
        let mut with = self.relations.iter().rev().map(|one| one.shape.has(column));
        with.next().unwrap_or_default() && with.any(|has| has)
    }

    /// Returns whether the table has that column; `None`: there is no such table.
    pub(super) fn has_in(&self, table: &str, column: &str) -> Option<bool> {
        let relation = self.named(table)?;
        Some(relation.shape.has(column))
    }

    /// Returns the table of that name.
    pub(super) fn named(&self, table: &str) -> Option<&Relation> {
        self.relations
            .iter()
            .find(|relation| relation.name.as_deref() == Some(table))
    }

    /// Returns all columns, in order.
    pub(super) fn all(&self) -> Shape {
        let shapes = self.relations.iter().map(|relation| relation.shape.clone());
        shapes.fold(Shape::Closed(Vec::new()), Shape::and)
    }
}
