//! Cells and files that are refused, or kept as they are, and bounds.

use super::*;

#[test]
fn hostile_cells_stay_what_they_are() {
    check(vec![
        case(
            "formulas.csv",
            "a,b\n1,=cmd|' /C calc'!A0\n2,+x\n3,-x\n4,@SUM(A1)\n5,x\n",
            "a:integer b:text | 1,=cmd|' /C calc'!A0 | 2,+x | 3,-x | 4,@SUM(A1) | 5,x",
            &["b: 4 cells begin like formulas; they are texts"],
        ),
        case(
            "nul.csv",
            b"a,b\n1,x\0y\n2,z\n",
            "a:integer b:text | 2,z",
            &["line 2: a NUL byte"],
        ),
        case(
            "sql.csv",
            "a\"; DROP TABLE t; --,b\n1,x'); DROP TABLE t; --\n2,y\n",
            "a\"; DROP TABLE t; --:integer b:text | 1,x'); DROP TABLE t; -- | 2,y",
            &[],
        ),
        case(
            "names.csv",
            "a,A,a,,rowid, b \u{202e}c\n1,2,3,4,5,6\n",
            "a:integer A_2:integer a_3:integer column_4:integer rowid_2:integer b c:integer | 1,2,3,4,5,6",
            &[],
        ),
        case(
            "control.csv",
            "a\tb\u{1},c\n1,2\n",
            "a b:integer c:integer | 1,2",
            &[],
        ),
    ]);
}

#[test]
fn other_files_are_named_and_refused() {
    check(vec![
        case(
            "x.xlsx",
            b"PK\x03\x04rest",
            "the file is a ZIP archive, as those of spreadsheets are: save the sheet as CSV, or unpack the archive",
            &[],
        ),
        case(
            "x.xls",
            b"\xd0\xcf\x11\xe0rest",
            "the file is an old office document: save the sheet as CSV",
            &[],
        ),
        case(
            "x.csv.gz",
            b"\x1f\x8brest",
            "the file is compressed by gzip: unpack it first",
            &[],
        ),
        case(
            "x.pdf",
            b"%PDF-1.7",
            "the file is a PDF: a PDF has no rows: give the data that it was made of",
            &[],
        ),
        case(
            "x.db",
            b"SQLite format 3\0",
            "the file is an SQLite database: use the tool `sql` for it",
            &[],
        ),
        case(
            "x.csv",
            b"\x00\x01\x02\x03\x05\x06".repeat(100),
            "the file is no text: give CSV, TSV, JSON lines or Parquet",
            &[],
        ),
        case(
            "x.json",
            "[\n{\"a\":1}\n]",
            "the file is one JSON value over several lines: write an object in each line (JSON lines)",
            &[],
        ),
        case(
            "x.json",
            "{\n\"a\":1\n}",
            "the file is one JSON value over several lines: write an object in each line (JSON lines)",
            &[],
        ),
    ]);
}

#[test]
fn json_lines_keep_the_types_of_their_author() {
    check(vec![
        case(
            "a.jsonl",
            "{\"n\":1,\"s\":\"007\",\"b\":true}\n{\"n\":2.5,\"b\":null,\"z\":{\"k\": [1]}}\n",
            "n:real s:text b:boolean z:text | 1.0,007,1,∅ | 2.5,∅,∅,{\"k\": [1]}",
            &[],
        ),
        case(
            "a.json",
            "{\"n\":\"5\"}\n{\"n\":6}\n",
            "n:text | 5 | 6",
            &[],
        ),
        case(
            "b.jsonl",
            "{\"n\":1}\n{\"n\":\"x\"}\n",
            "n:text | 1 | x",
            &["n: text, since the cell in line 2 does not fit the type of those before"],
        ),
        case(
            "big.jsonl",
            "{\"n\":9223372036854775807}\n{\"n\":-5}\n",
            "n:integer | 9223372036854775807 | -5",
            &[],
        ),
        case(
            "bigger.jsonl",
            "{\"n\":9223372036854775808}\n",
            "n:text | 9223372036854775808",
            &[],
        ),
        case(
            "empty.jsonl",
            "{\"s\":\"\"}\n{\"s\":null}\n",
            "s:text |  | ∅",
            &[],
        ),
        case(
            "dates.jsonl",
            "{\"d\":\"2024-01-31\"}\n",
            "d:date | 2024-01-31",
            &[],
        ),
        case(
            "broken.jsonl",
            "{\"a\":1}\n{\"a\":\n[1]\n\n{\"a\":1,\"a\":2}\n{\"a\":\"\\ud800\"}\n{\"a\":\"x\\u0000\"}\n{\"a\":3}",
            "a:integer | 1 | 3",
            &[
                "1 lines are blank",
                "line 2: no JSON object (column 5)",
                "line 3: no JSON object (column 0)",
                "line 5: one key twice",
                "line 6: a text with half a letter",
                "line 7: a NUL byte",
            ],
        ),
        case(
            "none.jsonl",
            "x\n",
            "none of the 1 rows can be read, first line 1: no JSON object (column 1)",
            &[],
        ),
    ]);
}

/// Small bounds, each of them broken: the row or the file, and the words.
#[test]
fn bounds_hold_with_words() {
    let limits = Limits {
        bytes: 1_000,
        cell_bytes: 300,
        columns: 3,
        field_bytes: 20,
        row_bytes: 40,
        rows: 5,
    };
    let long = "x".repeat(30);
    let line = "y".repeat(100);
    let cases: [(&str, String, &str, &[&str]); 9] = [
        (
            "field",
            format!("a,b\n1,{long}\n2,x\n"),
            "a:integer b:text | 2,x",
            &["line 2: a cell of more than 20 bytes"],
        ),
        (
            "line",
            format!("a,b\n1,{line}\n2,x\n"),
            "a:integer b:text | 2,x",
            &["line 2: more than 40 bytes in a row"],
        ),
        (
            "quote",
            format!("a,b\n1,\"{line}\"\n2,x\n"),
            "a:integer b:text | 2,x",
            &["line 2: more than 40 bytes in a row"],
        ),
        (
            "columns",
            "a,b,c,d\n".into(),
            "the file has more than 3 columns: split it, or leave some of it out",
            &[],
        ),
        (
            "cells",
            "a,b,c\n1,2,3\n1,2,3,4,5\n".into(),
            "a:integer b:integer c:integer | 1,2,3",
            &["line 3: over 3 cells, where the table has 3 columns"],
        ),
        (
            "rows",
            "a\n1\n2\n3\n4\n5\n6\n".into(),
            "the file has more than 5 rows: split it, or leave some of it out",
            &[],
        ),
        (
            "bytes",
            "a\n".repeat(501),
            "the file has more than 1000 bytes: split it, or leave some of it out",
            &[],
        ),
        (
            "all cells",
            format!(
                "a,b\n{}",
                "xxxxxxxxxxxxxxxxxx,yyyyyyyyyyyyyyyyyyy\n".repeat(20)
            ),
            "the file has more than 5 rows: split it, or leave some of it out",
            &[],
        ),
        (
            "header",
            format!("{line}\n1\n"),
            "the names of the columns in line 1 cannot be read: more than 40 bytes in a row",
            &[],
        ),
    ];
    for (name, text, expected, expected_told) in cases {
        let import = Import {
            limits,
            ..file("x.csv", text)
        };
        match imported(&import) {
            Ok(imported) => {
                assert_eq!(table(&imported), expected, "{name}");
                assert_eq!(told(&imported.description), expected_told, "{name}");
            }
            Err(error) => assert_eq!(words(&error), expected, "{name}"),
        }
    }
}

#[test]
fn million_columns_are_refused_by_number() {
    let header: String = (0..1_000_000).map(|n| format!("c{n},")).collect();
    let error = imported(&file("wide.csv", format!("{header}\n1\n"))).unwrap_err();
    assert_eq!(
        words(&error),
        "the file has more than 2000 columns: split it, or leave some of it out"
    );
}
