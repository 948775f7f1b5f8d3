//! The first gate: a statement is taken apart, and what is understood is written anew.

use std::collections::BTreeSet;
use std::thread;

use sqlparser::ast::Statement;
use sqlparser::dialect::{PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Tokenizer};

use super::policy::{Dialect, Policy};
use super::refusal::Refusal;
use writer::Writer;
pub(crate) use writer::quoted;

mod expression;
mod function;
mod kinds;
mod scope;
mod select;
mod writer;

/// The most bytes of a statement.
pub(crate) const STATEMENT_MAX: usize = 16 * 1024;
/// The most levels of parentheses, subqueries and cases.
const LEVELS_MAX: usize = 48;
/// The most signs and words of a statement: a chain of operators is as deep as it is long.
const TOKENS_MAX: usize = 4096;
/// The stack on which a statement is read. Deep ones are dropped on it as well.
const STACK_BYTES: usize = 32 * 1024 * 1024;

/// The first gate.
#[derive(Debug, Clone)]
pub(crate) struct Gate {
    /// The things that a statement may name.
    policy: Policy,
}

/// A statement that has passed. Only a gate makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passed {
    text: String,
    tables: BTreeSet<String>,
}

impl Passed {
    /// Returns the text for the engine.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the tables of the policy that it reads.
    #[cfg(feature = "data")]
    pub(crate) fn tables(&self) -> &BTreeSet<String> {
        &self.tables
    }

    /// A statement that no gate has seen, for tests of what the engine alone stops.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn unseen(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            tables: BTreeSet::new(),
        }
    }
}

impl Gate {
    /// A gate that lets through queries over what `policy` lists.
    pub(crate) const fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// Returns the policy.
    pub(crate) const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Takes `statement` apart. It does no I/O, and takes a thread for its stack.
    ///
    /// # Errors
    /// [`Refusal`] says which part does not pass.
    pub(crate) fn check(&self, statement: &str) -> Result<Passed, Refusal> {
        if statement.len() > STATEMENT_MAX {
            return Err(Refusal::TooLong { max: STATEMENT_MAX });
        }
        // Some parsers end there, others do not.
        if statement.contains('\0') {
            return Err(Refusal::unsupported("a character of code 0"));
        }
        let cannot = || Refusal::Malformed {
            why: "no thread to read it on".into(),
        };
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK_BYTES);
            let reader = thread
                .spawn_scoped(scope, || self.rewritten(statement))
                .map_err(|_| cannot())?;
            reader.join().map_err(|_| cannot())?
        })
    }

    fn rewritten(&self, statement: &str) -> Result<Passed, Refusal> {
        let statements = match self.policy.dialect {
            Dialect::Sqlite => parsed(&SQLiteDialect {}, statement),
            Dialect::Postgres => parsed(&PostgreSqlDialect {}, statement),
        }?;
        let [one] = statements.as_slice() else {
            return Err(Refusal::NotOne {
                found: statements.len(),
            });
        };
        let Statement::Query(query) = one else {
            return Err(Refusal::NotAQuery);
        };
        let (text, tables) = Writer::new(&self.policy).statement(query)?;
        Ok(Passed { text, tables })
    }
}

fn parsed(
    dialect: &dyn sqlparser::dialect::Dialect,
    statement: &str,
) -> Result<Vec<Statement>, Refusal> {
    let tokens = Tokenizer::new(dialect, statement)
        .tokenize_with_location()
        .map_err(|error| Refusal::Malformed {
            why: error.to_string(),
        })?;
    let words = tokens
        .iter()
        .filter(|token| !matches!(token.token, Token::Whitespace(_)));
    if words.count() > TOKENS_MAX {
        return Err(Refusal::TooDeep);
    }
    Parser::new(dialect)
        .with_recursion_limit(LEVELS_MAX)
        .with_tokens_with_locations(tokens)
        .parse_statements()
        .map_err(|error| match error {
            ParserError::RecursionLimitExceeded => Refusal::TooDeep,
            ParserError::TokenizerError(why) | ParserError::ParserError(why) => {
                Refusal::Malformed { why }
            }
        })
}
