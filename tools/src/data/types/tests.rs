//! Types as a person would give them: a column's name and cells, and the type with the values.

use super::*;
use crate::data::names::named;
use crate::data::reading::Readings;

/// A column that was read, in words: `integer | 1 | ∅`, and its notes in brackets.
fn typed(name: &str, cells: &[&str], delimiter: Option<u8>) -> String {
    let cell = |text| Cell {
        text,
        spelling: Spelling::Loose,
    };
    let mut evidence = Evidence::default();
    for (line, text) in cells.iter().enumerate() {
        evidence.add(cell(text), u64::try_from(line + 2).unwrap());
    }
    let habits = Habits::of(&[], delimiter);
    let decision = Decision::of(&evidence, name, habits);
    let mut words = decision.kind.to_string();
    for text in cells {
        let value = match decision.value(cell(text)) {
            Stored::Null => "∅".to_owned(),
            Stored::Integer(integer) => integer.to_string(),
            Stored::Real(real) => format!("{real:?}"),
            Stored::Text(text) => text.into_owned(),
        };
        words.push_str(" | ");
        words.push_str(&value);
    }
    for note in decision.notes {
        words = format!("{words} [{note}]");
    }
    words
}

const CODES_NOTE: &str = "[text, since its name says that it holds codes]";
const ORDER_NOTE: &str =
    "[text, since day and month could be either way round in all of its dates]";
const COMMA_NOTE: &str = "[text, since a comma may stand between thousands or before decimals]";

#[test]
fn columns_have_the_type_that_a_person_would_give() {
    let cases: &[(&str, &[&str], &str)] = &[
        // Whole numbers.
        ("n", &["1", "2"], "integer | 1 | 2"),
        ("n", &["0", "-5", "+7"], "integer | 0 | -5 | 7"),
        ("n", &["1", "", " 3 "], "integer | 1 | ∅ | 3"),
        ("n", &["999999999999999"], "integer | 999999999999999"),
        ("n", &["1234567890123456"], "text | 1234567890123456"),
        ("n", &["9223372036854775808"], "text | 9223372036854775808"),
        (
            "n",
            &["1", "x"],
            "text | 1 | x [text, since the cell in line 3 does not fit the type of those before]",
        ),
        ("n", &["x", "1"], "text | x | 1"),
        ("n", &["1,234,567", "12"], "integer | 1234567 | 12"),
        (
            "n",
            &["1.234.567", "12"],
            "integer | 1234567 | 12 [read as `1.234,5`]",
        ),
        ("n", &["12,34"], "real | 12.34 [read as `1.234,5`]"),
        ("n", &["1,2345"], "real | 1.2345 [read as `1.234,5`]"),
        ("n", &["1 234"], "text | 1 234"),
        ("n", &["1_000"], "text | 1_000"),
        ("n", &["0x1F"], "text | 0x1F"),
        ("year", &["2023", "2024"], "integer | 2023 | 2024"),
        // Codes of digits.
        ("n", &["007", "123"], "text | 007 | 123"),
        (
            "n",
            &["123", "007"],
            "text | 123 | 007 [text, since the cell in line 3 does not fit the type of those before]",
        ),
        (
            "zip",
            &["10115", "20095"],
            "text | 10115 | 20095 [text, since its name says that it holds codes]",
        ),
        (
            "Phone number",
            &["5551234"],
            "text | 5551234 [text, since its name says that it holds codes]",
        ),
        (
            "PLZ",
            &["10115"],
            "text | 10115 [text, since its name says that it holds codes]",
        ),
        ("zipper_length", &["10"], "integer | 10"),
        ("call", &["+491701234567"], "text | +491701234567"),
        ("call", &["0170 1234567"], "text | 0170 1234567"),
        (
            "account",
            &["DE89370400440532013000"],
            "text | DE89370400440532013000",
        ),
        ("card", &["4111111111111111"], "text | 4111111111111111"),
        (
            "part",
            &["12E4", "13E5"],
            "text | 12E4 | 13E5 [text, since cells like `12E4` may be codes]",
        ),
        ("part", &["12-34", "56-78"], "text | 12-34 | 56-78"),
        ("version", &["1.2.3"], "text | 1.2.3"),
        ("address", &["192.168.1.1"], "text | 192.168.1.1"),
        // Decimal numbers.
        ("x", &["1.5", "2"], "real | 1.5 | 2.0"),
        ("x", &[".5", "-.25"], "real | 0.5 | -0.25"),
        ("x", &["5."], "text | 5."),
        ("x", &["1,234.56", "7"], "real | 1234.56 | 7.0"),
        (
            "x",
            &["1.234,56", "7"],
            "real | 1234.56 | 7.0 [read as `1.234,5`]",
        ),
        (
            "x",
            &["1.234", "1,5"],
            "real | 1234.0 | 1.5 [read as `1.234,5`]",
        ),
        ("x", &["1.234", "1.5"], "real | 1.234 | 1.5"),
        ("x", &["0.123", "0.456"], "real | 0.123 | 0.456"),
        (
            "x",
            &["1.5", "1,5"],
            "text | 1.5 | 1,5 [text, since the cell in line 3 does not fit the type of those before]",
        ),
        (
            "x",
            &["1.5e10", "2E-3", "1e5"],
            "real | 15000000000.0 | 0.002 | 100000.0",
        ),
        ("x", &["1e+16"], "real | 1e16"),
        ("x", &["1.0e999"], "text | 1.0e999"),
        ("x", &["0.30000000000000004"], "real | 0.30000000000000004"),
        (
            "x",
            &["0.12345678901234567890"],
            "text | 0.12345678901234567890",
        ),
        ("x", &["-0.0"], "real | -0.0"),
        ("x", &["12,34.5"], "text | 12,34.5"),
        ("x", &["1,23,456"], "text | 1,23,456"),
        ("x", &["01.5"], "text | 01.5"),
        ("x", &["$5.00", "$6.00"], "text | $5.00 | $6.00"),
        ("x", &["5%", "6%"], "text | 5% | 6%"),
        (
            "x",
            &["NaN", "1.5"],
            "real | ∅ | 1.5 [1 cells like `NA` or `null` are empty]",
        ),
        ("x", &["inf", "1.5"], "text | inf | 1.5"),
        // No value.
        ("n", &["", ""], "text | ∅ | ∅"),
        (
            "n",
            &["NA", "1", "null", "-", "N/A"],
            "integer | ∅ | 1 | ∅ | ∅ | ∅ [4 cells like `NA` or `null` are empty]",
        ),
        ("country", &["NA", "DE"], "text | NA | DE"),
        ("country", &["NA", "NA"], "text | NA | NA"),
        ("text", &[" a ", "  "], "text |  a  |   "),
        // Yes and no.
        ("b", &["true", "FALSE"], "boolean | 1 | 0"),
        (
            "b",
            &["yes", "no", "NA"],
            "boolean | 1 | 0 | ∅ [1 cells like `NA` or `null` are empty]",
        ),
        ("b", &["Ja", "Nein"], "boolean | 1 | 0"),
        ("b", &["Y", "N"], "boolean | 1 | 0"),
        ("b", &["j", "n"], "boolean | 1 | 0"),
        ("b", &["N", "N"], "text | N | N"),
        ("b", &["t", "f", "u"], "text | t | f | u"),
        (
            "b",
            &["yes", "true"],
            "text | yes | true [text, since the cell in line 3 does not fit the type of those before]",
        ),
        ("b", &["0", "1"], "integer | 0 | 1"),
        // Days.
        ("d", &["2024-02-29"], "date | 2024-02-29"),
        ("d", &["2023-02-29"], "text | 2023-02-29"),
        ("d", &["2024-13-01"], "text | 2024-13-01"),
        ("d", &["2024/1/5"], "date | 2024-01-05 [read as yyyy/mm/dd]"),
        (
            "d",
            &["31.12.2024", "01.02.2024"],
            "date | 2024-12-31 | 2024-02-01 [read as dd.mm.yyyy]",
        ),
        (
            "d",
            &["1.2.2024", "3.4.2024"],
            "text | 1.2.2024 | 3.4.2024 [text, since day and month could be either way round in all of its dates]",
        ),
        (
            "d",
            &["12/31/2024", "01/02/2024"],
            "date | 2024-12-31 | 2024-01-02 [read as mm/dd/yyyy]",
        ),
        (
            "d",
            &["31/12/2024", "12/31/2024"],
            "text | 31/12/2024 | 12/31/2024 [text, since the cell in line 3 does not fit the type of those before]",
        ),
        (
            "d",
            &["31-12-2024"],
            "date | 2024-12-31 [read as dd-mm-yyyy]",
        ),
        ("d", &["31.12.24"], "text | 31.12.24"),
        ("d", &["20240131"], "integer | 20240131"),
        ("d", &["Jan 5 2024"], "text | Jan 5 2024"),
        ("d", &["0001-01-01"], "text | 0001-01-01"),
        // Times.
        (
            "t",
            &["2024-01-31 23:59"],
            "timestamp | 2024-01-31 23:59:00",
        ),
        (
            "t",
            &["2024-01-31T23:59:58.125"],
            "timestamp | 2024-01-31 23:59:58.125",
        ),
        (
            "t",
            &["2024-01-31T23:59:58Z"],
            "timestamp | 2024-01-31 23:59:58 [times are of UTC]",
        ),
        (
            "t",
            &["2024-01-01T00:30:00+01:00", "2024-01-01T00:00:00-0530"],
            "timestamp | 2023-12-31 23:30:00 | 2024-01-01 05:30:00 [times are of UTC]",
        ),
        (
            "t",
            &["2024-01-01T00:30:00.5+01"],
            "timestamp | 2023-12-31 23:30:00.5 [times are of UTC]",
        ),
        (
            "t",
            &["2024-01-31", "2024-01-31 10:00:00"],
            "timestamp | 2024-01-31 00:00:00 | 2024-01-31 10:00:00",
        ),
        (
            "t",
            &["2024-01-31 10:00:00Z", "2024-01-31 10:00:00"],
            "text | 2024-01-31 10:00:00Z | 2024-01-31 10:00:00 [text, since the cell in line 3 does not fit the type of those before]",
        ),
        (
            "t",
            &["31.12.2024 08:15"],
            "timestamp | 2024-12-31 08:15:00 [read as dd.mm.yyyy]",
        ),
        ("t", &["2024-01-31 25:00"], "text | 2024-01-31 25:00"),
        ("t", &["2024-01-31 10:00 am"], "text | 2024-01-31 10:00 am"),
        ("t", &["10:30"], "text | 10:30"),
        // Texts.
        ("s", &["=1+1"], "text | =1+1"),
        ("s", &["-"], "text | -"),
        ("s", &["--"], "text | --"),
        ("s", &["+"], "text | +"),
        ("s", &["."], "text | ."),
        ("s", &["1,"], "text | 1,"),
        ("s", &[","], "text | ,"),
    ];
    for (name, cells, expected) in cases {
        assert_eq!(typed(name, cells, None), *expected, "{name}: {cells:?}");
    }
    assert!(cases.len() >= 60);
}

#[test]
fn number_with_two_readings_goes_with_its_file() {
    let point = "[read as `1,234.5`, though `1.234,5` fits as well]";
    let comma = "[read as `1.234,5`, though `1,234.5` fits as well]";
    assert_eq!(
        typed("x", &["1.234"], Some(b',')),
        format!("real | 1.234 {point}")
    );
    assert_eq!(
        typed("x", &["1,234"], Some(b',')),
        format!("integer | 1234 {point}")
    );
    assert_eq!(
        typed("x", &["1,234"], Some(b';')),
        format!("real | 1.234 {comma}")
    );
    assert_eq!(
        typed("x", &["1,234"], Some(b'\t')),
        format!("text | 1,234 {COMMA_NOTE}")
    );
    let cell = |text| Cell {
        text,
        spelling: Spelling::Loose,
    };
    let mut sure = Evidence::default();
    sure.add(cell("2,50"), 2);
    let mut unsure = Evidence::default();
    unsure.add(cell("1.234"), 2);
    let decision = Decision::of(
        &unsure,
        "x",
        Habits::of(&[sure, unsure.clone()], Some(b';')),
    );
    assert_eq!(decision.value(cell("1.234")), Stored::Integer(1234));
}

#[test]
fn notes_have_these_words() {
    assert!(typed("iban", &["12"], None).ends_with(CODES_NOTE));
    assert!(typed("d", &["1/2/2024"], None).ends_with(ORDER_NOTE));
    assert!(Readings::NONE.is_none());
}

#[test]
fn names_are_clean_bounded_and_unique() {
    let long = "x".repeat(100);
    let given = [
        "id", "ID", "", "id", " a\nb ", "oid", &long, &long, "\u{202e}", "id_2", "\"; --",
    ];
    let names: Vec<String> = named(given).into_iter().map(|named| named.name).collect();
    let cut = "x".repeat(64);
    assert_eq!(
        names,
        [
            "id",
            "ID_2",
            "column_3",
            "id_3",
            "a b",
            "oid_2",
            &cut,
            &format!("{cut}_2"),
            "column_9",
            "id_2_2",
            "\"; --"
        ]
    );
    let originals: Vec<Option<String>> = named([" a ", "b"])
        .into_iter()
        .map(|named| named.original)
        .collect();
    assert_eq!(originals, [Some(" a ".to_owned()), None]);
}
