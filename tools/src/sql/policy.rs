//! The things that a statement may name.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The function that lets numbers pass, and fails on texts.
pub(crate) const NUMBER: &str = "a_number";

/// The language of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// SQLite: names have no case.
    Sqlite,
    /// PostgreSQL: names without quotes are in lower case.
    Postgres,
}

impl Dialect {
    /// Returns the engine's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }

    /// Returns the form under which two spellings of a name are the same.
    pub(crate) fn folded(self, name: &str, is_quoted: bool) -> String {
        match (self, is_quoted) {
            (Self::Postgres, true) => name.to_owned(),
            (Self::Sqlite, _) | (Self::Postgres, false) => name.to_ascii_lowercase(),
        }
    }
}

/// The columns of a table that may be read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "ColumnsSetting")]
pub(crate) enum Columns {
    /// All that the table has.
    All,
    /// These, as the table spells them.
    Listed(Vec<String>),
}

/// The columns as a script writes them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ColumnsSetting {
    Word(String),
    Listed(Vec<String>),
}

impl TryFrom<ColumnsSetting> for Columns {
    type Error = &'static str;

    fn try_from(setting: ColumnsSetting) -> Result<Self, Self::Error> {
        match setting {
            ColumnsSetting::Word(word) if word == "all" => Ok(Self::All),
            ColumnsSetting::Word(_) => Err("write a list of columns, or `all`"),
            ColumnsSetting::Listed(columns) if columns.is_empty() => {
                Err("list at least one column, or write `all`")
            }
            ColumnsSetting::Listed(columns) => Ok(Self::Listed(columns)),
        }
    }
}

/// A table that may be read.
#[derive(Debug, Clone)]
pub(crate) struct AllowedTable {
    /// Its name, as the engine spells it.
    pub(crate) name: String,
    /// Its columns.
    pub(crate) columns: Columns,
    /// The place of its database among those of the query, from 0.
    pub(crate) database: usize,
    /// The name under which that database has it.
    pub(crate) inside: String,
}

/// The things that a statement may name.
#[derive(Debug, Clone)]
pub(crate) struct Policy {
    /// The engine's language.
    pub(crate) dialect: Dialect,
    /// The schema of the tables. SQLite: the one of the views that stand for them.
    pub(crate) schema: String,
    /// The tables, by their folded names.
    tables: BTreeMap<String, AllowedTable>,
    /// The functions, in lower case.
    functions: BTreeSet<String>,
}

impl Policy {
    /// The policy with these tables, and the usual functions of the engine.
    pub(crate) fn new(
        dialect: Dialect,
        tables: impl IntoIterator<Item = (String, Columns)>,
    ) -> Self {
        let tables = tables.into_iter().map(|(name, columns)| {
            let folded = dialect.folded(&name, true);
            let inside = name.clone();
            let table = AllowedTable {
                name,
                columns,
                database: 0,
                inside,
            };
            (folded, table)
        });
        let (schema, functions) = match dialect {
            Dialect::Sqlite => ("temp", SQLITE_FUNCTIONS),
            Dialect::Postgres => ("public", POSTGRES_FUNCTIONS),
        };
        Self {
            dialect,
            schema: schema.to_owned(),
            tables: tables.collect(),
            functions: functions
                .iter()
                .flat_map(|names| names.split(' '))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// The same with these functions, in place of the usual ones.
    pub(crate) fn with_functions(self, functions: impl IntoIterator<Item = String>) -> Self {
        let functions = functions.into_iter().map(|name| name.to_ascii_lowercase());
        Self {
            functions: functions.collect(),
            ..self
        }
    }

    /// The same, with the place that `place_of` gives for each table: that of its database, and its name there.
    #[cfg(feature = "data")]
    pub(crate) fn with_places(self, place_of: impl Fn(&str) -> (usize, String)) -> Self {
        let placed = self.tables.into_iter().map(|(folded, table)| {
            let (database, inside) = place_of(&table.name);
            let table = AllowedTable {
                database,
                inside,
                ..table
            };
            (folded, table)
        });
        Self {
            tables: placed.collect(),
            ..self
        }
    }

    /// Returns the tables, by name.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &AllowedTable> {
        self.tables.values()
    }

    /// Returns the table whose folded name this is.
    pub(crate) fn table(&self, folded: &str) -> Option<&AllowedTable> {
        self.tables.get(folded)
    }

    /// Tells whether the function may be called; its name is in lower case.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.functions.contains(name)
    }

    /// Tells whether the column of an allowed table may be read.
    pub(crate) fn allows(&self, table: &AllowedTable, column: &str) -> bool {
        let folded = |name: &str| self.dialect.folded(name, true);
        match &table.columns {
            Columns::All => true,
            Columns::Listed(columns) => columns.iter().any(|one| folded(one) == folded(column)),
        }
    }
}

/// Functions that depend on nothing but their arguments and the time, and give back no more than a few times what they get.
const SQLITE_FUNCTIONS: &[&str] = &[
    "count sum avg min max total group_concat string_agg",
    "abs coalesce ifnull nullif iif if round sign typeof",
    "length lower upper trim ltrim rtrim substr substring replace instr concat concat_ws",
    "char unicode hex unhex quote printf format like glob",
    "date time datetime julianday strftime unixepoch timediff current_date current_time current_timestamp",
    "json_extract json_type json_valid json_array_length json_array json_object -> ->>",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value",
];

/// The same of PostgreSQL. Those that repeat or pad a text are left out: the server's memory is not ours to bound.
const POSTGRES_FUNCTIONS: &[&str] = &[
    "count sum avg min max stddev stddev_pop stddev_samp variance var_pop var_samp corr",
    "percentile_cont percentile_disc mode bool_and bool_or every string_agg",
    "abs ceil ceiling floor round trunc sign sqrt power exp ln log mod div",
    "coalesce nullif greatest least concat concat_ws",
    "length char_length lower upper initcap btrim ltrim rtrim substr strpos replace left right split_part reverse starts_with",
    "date_trunc date_part extract age to_char to_date to_timestamp make_date now current_date current_timestamp",
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value",
];
