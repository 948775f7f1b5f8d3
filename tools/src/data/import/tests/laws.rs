//! Laws that hold for every file.

use std::io;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::data::Source;

/// Bytes that come in parts of a few sizes.
struct Parts {
    bytes: Vec<u8>,
    size: usize,
}

impl Source for Parts {
    fn bytes(&self) -> u64 {
        self.bytes.bytes()
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(self.size);
        self.bytes.read_at(at, into.get_mut(..length).unwrap())
    }
}

/// A name above, so that the first row is never guessed to be one.
fn csv_of(cells: &[Vec<String>], width: usize, delimiter: u8, ends: csv::Terminator) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter)
        .terminator(ends)
        .from_writer(Vec::new());
    writer
        .write_record((0..width).map(|place| format!("name {place}")))
        .unwrap();
    for row in cells {
        writer.write_record(row.iter().take(width)).unwrap();
    }
    writer.into_inner().unwrap()
}

/// A text that is no number, no date and no word with a meaning, or nothing.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Zäß€ ,;|\t\"'\r\n=+@-]{0,12}",
        1 => Just(String::new()),
        1 => "[0-9.,:/ -]{0,12}",
    ]
    .prop_map(|text| {
        if text.is_empty() {
            text
        } else {
            format!("§{text}")
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn table_of_any_writer_has_the_cells_that_were_written(
        cells in vec(vec(text(), 5), 0..12),
        width in 2_usize..=5,
        delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|']),
        ends in prop::sample::select(vec![csv::Terminator::CRLF, csv::Terminator::Any(b'\n'), csv::Terminator::Any(b'\r')]),
    ) {
        let import = Import {
            assume: crate::data::Assume {
                delimiter: Some(char::from(delimiter)),
                header: Some(true),
                encoding: None,
            },
            ..file("x.csv", csv_of(&cells, width, delimiter, ends))
        };
        let imported = imported(&import).unwrap();
        let blank = |cell: &String| if cell.is_empty() { "∅".to_owned() } else { cell.clone() };
        let expected: Vec<Vec<String>> = cells.iter().map(|row| row.iter().take(width).map(blank).collect()).collect();
        prop_assert_eq!(imported.rows, expected);
    }

    #[test]
    fn numbers_come_back_as_they_were_written(
        whole in vec(any::<i32>(), 1..20),
        reals in vec(-1.0e12..1.0e12_f64, 20),
    ) {
        let lines: String = whole.iter().zip(&reals).map(|(whole, real)| format!("{whole},{real:?}\n")).collect();
        let imported = imported(&file("x.csv", format!("whole,real\n{lines}"))).unwrap();
        let expected: Vec<Vec<String>> = whole
            .iter()
            .zip(&reals)
            .map(|(whole, real)| vec![whole.to_string(), format!("{real:?}")])
            .collect();
        prop_assert_eq!(imported.rows, expected);
    }

    #[test]
    fn borders_of_what_is_read_at_a_time_do_not_matter(
        bytes in hostile(),
        size in 1_usize..9,
        name in prop::sample::select(vec!["x.csv", "x.jsonl"]),
    ) {
        let whole = imported(&file(name, bytes.clone())).map_err(|error| words(&error));
        let parts = Import::new(name, Arc::new(Parts { bytes, size }));
        let parts = imported(&parts).map_err(|error| words(&error));
        prop_assert_eq!(whole, parts);
    }

    #[test]
    fn same_bytes_give_the_same_table_and_description(bytes in hostile()) {
        let once = imported(&file("x.csv", bytes.clone())).map_err(|error| words(&error));
        let again = imported(&file("x.csv", bytes)).map_err(|error| words(&error));
        prop_assert_eq!(once, again);
    }

    #[test]
    fn any_bytes_end_in_a_table_or_in_words(
        bytes in vec(any::<u8>(), 0..300),
        start in prop::sample::select(vec!["", "a,b\n", "{\"a\":1}\n", "PAR1", "\u{feff}", "\"", "sep=;\n"]),
        end in prop::sample::select(vec!["", "PAR1", "\"", "\r", "\\"]),
    ) {
        let bytes = [start.as_bytes(), &bytes, end.as_bytes()].concat();
        if let Err(error) = imported(&file("x", bytes)) {
            prop_assert!(!words(&error).is_empty());
        }
    }

    /// Each row that the file has is in the table or among the bad ones.
    #[test]
    fn no_row_is_lost_in_silence(rows in vec(vec("[a-z0-9]{1,3}", 1..5), 1..20)) {
        let lines: String = rows.iter().map(|row| format!("{}\n", row.join(","))).collect();
        let import = Import {
            assume: crate::data::Assume { delimiter: Some(','), header: Some(true), encoding: None },
            ..file("x.csv", format!("a,b,c\n{lines}"))
        };
        let description = imported(&import).unwrap().description;
        prop_assert_eq!(description.rows + description.bad_rows.count, u64::try_from(rows.len()).unwrap());
    }
}

/// Bytes of the kind that readers stumble over.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let part = prop::sample::select(vec![
        "a",
        "1",
        "2.5",
        ",",
        ",",
        ";",
        "\n",
        "\n",
        "\r",
        "\r\n",
        "\"",
        "\"\"",
        "ä",
        "\0",
        " ",
        "=",
        "{\"a\":1}",
        "{",
        "}",
        "2024-01-31",
        "NA",
        "\u{feff}",
    ]);
    vec(part, 0..60).prop_map(|parts| parts.concat().into_bytes())
}

#[test]
fn stop_ends_an_import_and_leaves_no_table() {
    let mut connection = Connection::open_in_memory().unwrap();
    let import = Import {
        is_stopped: Arc::new(|| true),
        ..file("x.csv", "a\n1\n")
    };
    let error = import.run(&mut connection, "t").unwrap_err();
    assert_eq!(words(&error), "the import was stopped");
    assert!(!connection.table_exists(None, "t").unwrap());
}

#[test]
fn failure_in_the_second_pass_leaves_no_table() {
    let reads = std::sync::atomic::AtomicU32::new(0);
    let mut connection = Connection::open_in_memory().unwrap();
    let import = Import {
        // The first pass reads a little; the second is stopped on its way.
        is_stopped: Arc::new(move || reads.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 40),
        ..file("x.csv", format!("a\n{}", "1\n".repeat(6_000)))
    };
    let error = import.run(&mut connection, "t").unwrap_err();
    assert_eq!(words(&error), "the import was stopped");
    assert!(!connection.table_exists(None, "t").unwrap());
}

#[test]
fn table_of_the_name_is_not_touched() {
    let mut connection = Connection::open_in_memory().unwrap();
    file("x.csv", "a\n1\n").run(&mut connection, "t").unwrap();
    let error = file("x.csv", "a\n2\n")
        .run(&mut connection, "t")
        .unwrap_err();
    assert_eq!(
        words(&error),
        "there is a table of this name already: delete that data set first, or choose another name"
    );
    assert_eq!(rows(&connection), [["1"]]);
}

/// A text without end, that is never in memory as a whole.
struct Endless {
    head: &'static [u8],
    filler: u8,
    bytes: u64,
}

impl Source for Endless {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read_at(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let length = u64::try_from(into.len())
            .unwrap()
            .min(self.bytes.saturating_sub(at));
        let length = usize::try_from(length).unwrap();
        into.get_mut(..length).unwrap().fill(self.filler);
        let at = usize::try_from(at).unwrap();
        for (place, byte) in self.head.iter().enumerate().skip(at) {
            if let Some(slot) = into.get_mut(place - at).filter(|_| place - at < length) {
                *slot = *byte;
            }
        }
        Ok(length)
    }
}

fn endless(head: &'static [u8], filler: u8, bytes: u64) -> String {
    let import = Import::new(
        "x.csv",
        Arc::new(Endless {
            head,
            filler,
            bytes,
        }),
    );
    match imported(&import) {
        Ok(imported) => told(&imported.description).join(" | "),
        Err(error) => words(&error),
    }
}

const LINE: &str = "line 3: more than 8388608 bytes in a row";
const QUOTE: &str = "line 3: the quote that begins in line 3 is not closed";

#[test]
fn line_of_40_mb_is_one_bad_row() {
    assert_eq!(endless(b"a,b\n1,2\n3,", b'x', 40 << 20), LINE);
    assert_eq!(endless(b"a,b\n1,2\n3,\"", b'x', 40 << 20), QUOTE);
}

/// The same with 2 GB, whose memory is bounded: see `tests/long.sh`.
#[test]
#[ignore = "it reads 10 GB; tests/long.sh runs it"]
fn line_of_2_gb_is_one_bad_row() {
    let before = memory_peak();
    assert_eq!(endless(b"a,b\n1,2\n3,", b'x', 2 << 30), LINE);
    assert_eq!(endless(b"a,b\n1,2\n3,\"", b'x', 2 << 30), QUOTE);
    assert_eq!(endless(b"a,b\n1,2\n3,", b',', 2 << 30), LINE);
    assert!(
        memory_peak() - before < 600 << 10,
        "KiB: {}",
        memory_peak() - before
    );
}

/// The most memory that this process ever had, in KiB.
fn memory_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
