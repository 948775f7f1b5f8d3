//! Full text of a table: its texts in an index that can be thrown away.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{
    AsciiFoldingFilter, LowerCaser, RemoveLongFilter, SimpleTokenizer, TextAnalyzer,
};
use tantivy::{
    DocId, Index, IndexReader, Score, SegmentReader, TantivyDocument, TantivyError, Term,
};

use super::describe::Description;
use super::error::ImportError;
use super::import::IsStopped;
use super::types::ColumnType;
use crate::sql::quoted;

#[cfg(test)]
mod tests;

/// The memory of the writer.
const HEAP: usize = 50 << 20;

/// The most words of a question, and hits of an answer.
const WORDS_MAX: usize = 16;
const HITS_MAX: usize = 1_000;

/// The bytes of the longest word. Longer ones are keys or codes of machines, and are left out.
const WORD_BYTES_MAX: usize = 60;

/// The rows that are indexed without a look at the sign to stop.
const ROWS_PER_CHECK: i64 = 256;

/// The name of the way in which texts become words.
const ANALYZER: &str = "words";

/// The place of an index.
#[derive(Debug, Clone, Copy)]
pub enum IndexPlace<'p> {
    /// Memory alone.
    Memory,
    /// A folder that is there and empty.
    Folder(&'p Path),
}

/// An index of the texts of a table.
pub struct TextIndex {
    index: Index,
    reader: IndexReader,
    fields: Fields,
}

impl fmt::Debug for TextIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextIndex").finish_non_exhaustive()
    }
}

/// A row in which all words of a question stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The number of the row in the table (`rowid`).
    pub row: i64,
    /// The measure of how well it fits; more is better.
    pub score: f32,
}

#[derive(Debug, Clone, Copy)]
struct Fields {
    row: Field,
    text: Field,
}

const ROW: &str = "row";

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER)
        .set_index_option(IndexRecordOption::WithFreqs);
    let fields = Fields {
        row: schema.add_i64_field(ROW, FAST),
        text: schema.add_text_field(
            "text",
            TextOptions::default().set_indexing_options(indexing),
        ),
    };
    (schema.build(), fields)
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(WORD_BYTES_MAX))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .build()
}

fn failure(error: TantivyError) -> ImportError {
    ImportError::Index(Box::new(error))
}

impl TextIndex {
    /// Makes the index of the text columns of `table`.
    ///
    /// # Errors
    /// [`ImportError::Stopped`] when `is_stopped` says so, [`ImportError::Write`] if the table cannot be read and
    /// [`ImportError::Index`] if the index cannot be written.
    pub fn make(
        connection: &Connection,
        table: &str,
        description: &Description,
        place: IndexPlace<'_>,
        is_stopped: &IsStopped,
    ) -> Result<Self, ImportError> {
        let (schema, fields) = schema();
        let index = match place {
            IndexPlace::Memory => Index::create_in_ram(schema),
            IndexPlace::Folder(folder) => Index::create_in_dir(folder, schema).map_err(failure)?,
        };
        index.tokenizers().register(ANALYZER, analyzer());
        write(&index, fields, connection, table, description, is_stopped)?;
        Self::of(index, fields)
    }

    /// Opens the index in a folder.
    ///
    /// # Errors
    /// [`ImportError::Index`] if there is none, or if it is broken: make it again.
    pub fn open(folder: &Path) -> Result<Self, ImportError> {
        let (_, fields) = schema();
        let index = Index::open_in_dir(folder).map_err(failure)?;
        index.tokenizers().register(ANALYZER, analyzer());
        Self::of(index, fields)
    }

    fn of(index: Index, fields: Fields) -> Result<Self, ImportError> {
        let reader = index.reader().map_err(failure)?;
        Ok(Self {
            index,
            reader,
            fields,
        })
    }

    /// Returns the rows in which all these words stand, whatever their case and accents, best first. No sign has a
    /// meaning of its own. Without a word there is no hit.
    ///
    /// # Errors
    /// [`ImportError::Index`] if the index is broken.
    pub fn find(&self, words: &str, hits_max: usize) -> Result<Vec<Hit>, ImportError> {
        let terms: Vec<(Occur, Box<dyn Query>)> = self.terms(words);
        let max = hits_max.min(HITS_MAX);
        if terms.is_empty() || max == 0 {
            return Ok(Vec::new());
        }
        // Rows of one score are in their order, however the index was written.
        let best = TopDocs::with_limit(max).tweak_score(|segment: &SegmentReader| {
            let rows = segment.fast_fields().i64(ROW).ok();
            move |document: DocId, score: Score| {
                let row = rows.as_ref().and_then(|rows| rows.first(document));
                (score, Reverse(row.unwrap_or(i64::MAX)))
            }
        });
        let found = self
            .reader
            .searcher()
            .search(&BooleanQuery::new(terms), &best);
        let found = found.map_err(failure)?.into_iter();
        Ok(found
            .map(|((score, Reverse(row)), _)| Hit { row, score })
            .collect())
    }

    fn terms(&self, words: &str) -> Vec<(Occur, Box<dyn Query>)> {
        let mut analyzer = analyzer();
        let mut stream = analyzer.token_stream(words);
        let mut unique = BTreeSet::new();
        while unique.len() < WORDS_MAX && stream.advance() {
            unique.insert(stream.token().text.clone());
        }
        let term = |word: String| {
            let term = Term::from_field_text(self.fields.text, &word);
            let query: Box<dyn Query> =
                Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            (Occur::Must, query)
        };
        unique.into_iter().map(term).collect()
    }

    /// Returns the number of rows in the index.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Returns the bytes that the index takes in its folder or in memory.
    ///
    /// # Errors
    /// [`ImportError::Index`] if the index is broken.
    pub fn bytes(&self) -> Result<u64, ImportError> {
        let space = self
            .index
            .reader()
            .map_err(failure)?
            .searcher()
            .space_usage();
        Ok(space
            .map_err(|error| failure(error.into()))?
            .total()
            .get_bytes())
    }
}

fn write(
    index: &Index,
    fields: Fields,
    connection: &Connection,
    table: &str,
    description: &Description,
    is_stopped: &IsStopped,
) -> Result<(), ImportError> {
    let texts = description
        .columns
        .iter()
        .filter(|column| column.kind == ColumnType::Text);
    let names: Vec<String> = std::iter::once("rowid".into())
        .chain(texts.map(|column| quoted(&column.name)))
        .collect();
    let (columns, table) = (names.join(", "), quoted(table));
    let mut select =
        connection.prepare(&format!("SELECT {columns} FROM {table} ORDER BY rowid"))?;
    let mut rows = select.query([])?;
    let mut writer = index
        .writer_with_num_threads::<TantivyDocument>(1, HEAP)
        .map_err(failure)?;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get(0)?;
        if number % ROWS_PER_CHECK == 0 && is_stopped() {
            return Err(ImportError::Stopped);
        }
        let mut document = TantivyDocument::new();
        document.add_i64(fields.row, number);
        for place in 1..names.len() {
            if let ValueRef::Text(text) = row.get_ref(place)? {
                document.add_text(fields.text, String::from_utf8_lossy(text));
            }
        }
        writer.add_document(document).map_err(failure)?;
    }
    writer.commit().map_err(failure)?;
    writer.wait_merging_threads().map_err(failure)
}
