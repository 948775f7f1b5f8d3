//! Files that are broken, or written by programs with habits of their own.

use super::*;

mod refused;

/// A file, the table that it becomes, and all that is told; or the error.
struct Case {
    name: &'static str,
    bytes: Vec<u8>,
    table: &'static str,
    told: &'static [&'static str],
}

fn case(
    name: &'static str,
    bytes: impl AsRef<[u8]>,
    table: &'static str,
    told: &'static [&'static str],
) -> Case {
    Case {
        name,
        bytes: bytes.as_ref().to_vec(),
        table,
        told,
    }
}

fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(to_bytes).collect()
}

fn check(cases: Vec<Case>) {
    for Case {
        name,
        bytes,
        table: expected,
        told: expected_told,
    } in cases
    {
        match imported(&file(name, bytes.clone())) {
            Ok(imported) => {
                assert_eq!(
                    table(&imported),
                    expected,
                    "{name}: {:?}",
                    String::from_utf8_lossy(&bytes)
                );
                assert_eq!(told(&imported.description), expected_told, "{name}");
            }
            Err(error) => assert_eq!(words(&error), expected, "{name}"),
        }
    }
}

#[test]
fn encodings_are_found_or_told() {
    let text = "n,name\n1,Zoë\n2,Jörg\n";
    let both = "n:integer name:text | 1,Zoë | 2,Jörg";
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
    check(vec![
        case("utf8.csv", text, both, &[]),
        case(
            "bom.csv",
            marked(b"\xef\xbb\xbf", text.as_bytes()),
            both,
            &[],
        ),
        case(
            "utf16le.csv",
            marked(b"\xff\xfe", &utf16(text, u16::to_le_bytes)),
            both,
            &[],
        ),
        case(
            "utf16be.csv",
            marked(b"\xfe\xff", &utf16(text, u16::to_be_bytes)),
            both,
            &[],
        ),
        case(
            "bare16le.csv",
            utf16(text, u16::to_le_bytes),
            both,
            &["read as UTF-16 (little endian), since every second byte is zero"],
        ),
        case(
            "bare16be.csv",
            utf16(text, u16::to_be_bytes),
            both,
            &["read as UTF-16 (big endian), since every second byte is zero"],
        ),
        case(
            "latin1.csv",
            &latin,
            both,
            &["read as Windows-1252, since it is no UTF-8"],
        ),
        case(
            "euro.csv",
            b"price\n5 \x80\n",
            "price:text | 5 €",
            &["read as Windows-1252, since it is no UTF-8"],
        ),
        case(
            "mixed.csv",
            b"n,name\n1,Zo\xc3\xab\n2,J\xf6rg\n3,x\n",
            "n:integer name:text | 1,Zoë | 3,x",
            &["line 3: bytes that are no UTF-8"],
        ),
        case(
            "half.csv",
            b"n,name\n1,Zo\xc3,\xab\n2,Zo\xc3\xab\n",
            "n:integer name:text | 2,Zoë",
            &["line 2: bytes that are no UTF-8"],
        ),
        case(
            "odd16.csv",
            marked(b"\xff\xfe", b"a\0\n\0\x31\0\n\0\x31"),
            "a:text | 1 | \u{fffd}",
            &[
                "some bytes are no text, and stand as U+FFFD",
                "a: text, since the cell in line 3 does not fit the type of those before",
            ],
        ),
    ]);
}

#[test]
fn late_letter_of_another_encoding_is_found_in_the_whole_file() {
    let mut bytes = b"n,name\n".to_vec();
    bytes.extend(b"1,plain\n".repeat(50_000));
    bytes.extend(b"2,J\xf6rg\n");
    let imported = imported(&file("late.csv", bytes)).unwrap();
    assert_eq!(imported.rows.last().unwrap(), &["2", "Jörg"]);
    assert_eq!(imported.rows.len(), 50_001);
    assert_eq!(
        told(&imported.description),
        ["read as Windows-1252, since it is no UTF-8"]
    );
}

#[test]
fn quotes_are_read_as_far_as_they_have_one_meaning() {
    check(vec![
        case(
            "both.csv",
            "a,b\n\"x,\"\"y\"\"\",\"z\nz\"\n",
            "a:text b:text | x,\"y\",z\nz",
            &[],
        ),
        case("empty.csv", "a,b\n\"\",x\n", "a:text b:text | ∅,x", &[]),
        case(
            "open.csv",
            "a,b\n1,x\n2,\"y\n3,z\n4,w\n",
            "a:integer b:text | 1,x | 3,z | 4,w",
            &["line 3: the quote that begins in line 3 is not closed"],
        ),
        case(
            "open_in_a_later_line.csv",
            "a,b,c\n1,x,1\n2,\"y\n\",\"z\n4,w,4\n5,v,5\n",
            "a:integer b:text c:integer | 1,x,1 | 4,w,4 | 5,v,5",
            &[
                "line 3: the quote that begins in line 4 is not closed",
                "line 4: text behind a closing quote, and another number of cells",
            ],
        ),
        case(
            "closed_by_another.csv",
            "a,b\n1,\"x\n2,y\n3,\"z\"\n4,w\n",
            "a:integer b:text | 2,y | 3,z | 4,w",
            &["line 2: the quote that begins in line 2 is not closed"],
        ),
        case(
            "stray.csv",
            "a,b\n1,\"x\" y\n2,z\n",
            "a:integer b:text | 1,\"x\" y | 2,z",
            &["1 rows have text behind a closing quote, and keep their quotes, first in line 2"],
        ),
        case(
            "unescaped.csv",
            "a,b\n1,\"say \"hi\" now\"\n2,z\n",
            "a:integer b:text | 1,\"say \"hi\" now\" | 2,z",
            &["1 rows have text behind a closing quote, and keep their quotes, first in line 2"],
        ),
        case(
            "inches.csv",
            "a,b\n1,5\" pipe\n2,x\n",
            "a:integer b:text | 1,5\" pipe | 2,x",
            &[],
        ),
        case(
            "at_the_end.csv",
            "a,b\n1,\"x\"",
            "a:integer b:text | 1,x",
            &[],
        ),
        case(
            "open_header.csv",
            "\"a,b\n1,2\n",
            "the names of the columns in line 1 cannot be read: the quote that begins in line 1 is not closed",
            &[],
        ),
    ]);
    let many: String = (0..40).map(|n| format!("{n},\"\"\"x\n")).collect();
    check(vec![case(
        "many.csv",
        format!("a,b\n{many}"),
        "quotes do not end in 17 places, first where one begins in line 2: is `\"` written as `\"\"` inside of quotes?",
        &[],
    )]);
}

#[test]
fn rows_of_another_width_lose_nothing_in_silence() {
    check(vec![
        case(
            "short.csv",
            "a,b,c\n1,2,3\n4,5\n6\n",
            "a:integer b:integer c:integer | 1,2,3 | 4,5,∅ | 6,∅,∅",
            &["2 rows have too few cells and end in empty ones, first in line 3"],
        ),
        case(
            "long.csv",
            "a,b\n1,2\n3,4,5\n6,7\n",
            "a:integer b:integer | 1,2 | 6,7",
            &["line 3: 3 cells, where the table has 2 columns"],
        ),
        case(
            "trailing.csv",
            "a,b\n1,2,\n3,4,\n",
            "a:integer b:integer | 1,2 | 3,4",
            &["2 rows have empty cells behind the last column, first in line 2"],
        ),
        case(
            "blank.csv",
            "a,b\n\n1,2\n\n\n3,4\n",
            "a:integer b:integer | 1,2 | 3,4",
            &["3 lines are blank"],
        ),
        case("header_only.csv", "name,town\n", "name:text town:text", &[]),
        case(
            "one_column.csv",
            "town\nKiel\nUlm\n",
            "town:text | Kiel | Ulm",
            &[],
        ),
        case("one_number.csv", "n\n1\n2\n", "n:integer | 1 | 2", &[]),
        case(
            "no_header.csv",
            "1,x\n2,y\n",
            "column_1:integer column_2:text | 1,x | 2,y",
            &[],
        ),
        case(
            "no_header_but_people.csv",
            "ada@x.org,Ada,Kiel\nben@y.org,Ben,Ulm\n",
            "column_1:text column_2:text column_3:text | ada@x.org,Ada,Kiel | ben@y.org,Ben,Ulm",
            &[],
        ),
        case(
            "header_over_people.csv",
            "@mail,name\nada@x.org,Ada\nben@y.org,Ben\n",
            "@mail:text name:text | ada@x.org,Ada | ben@y.org,Ben",
            &[],
        ),
        case(
            "empty.csv",
            "",
            "the file is empty: give a file with at least a header",
            &[],
        ),
        case(
            "blanks.csv",
            "\n \n\n",
            "the file is empty: give a file with at least a header",
            &[],
        ),
        case(
            "mark.csv",
            b"\xef\xbb\xbf",
            "the file is empty: give a file with at least a header",
            &[],
        ),
    ]);
}

#[test]
fn line_ends_of_all_systems_are_line_ends() {
    let table = "a:integer b:text | 1,x | 2,y";
    check(vec![
        case("lf.csv", "a,b\n1,x\n2,y\n", table, &[]),
        case("no_end.csv", "a,b\n1,x\n2,y", table, &[]),
        case("crlf.csv", "a,b\r\n1,x\r\n2,y\r\n", table, &[]),
        case("cr.csv", "a,b\r1,x\r2,y\r", table, &[]),
        case("all.csv", "a,b\r1,x\n2,y\r\n", table, &[]),
        case(
            "line.csv",
            "a,b\r\n1,\"x\r\nx\"\r\n2,y,z\r\n",
            "a:integer b:text | 1,x\r\nx",
            &["line 4: 3 cells, where the table has 2 columns"],
        ),
    ]);
}

#[test]
fn delimiters_are_found_as_a_person_would() {
    check(vec![
        case(
            "semicolon.csv",
            "a;b\n1,5;x\n2,5;y\n",
            "a:real b:text | 1.5,x | 2.5,y",
            &["a: read as `1.234,5`"],
        ),
        case(
            "money.csv",
            "1.234,56;2.345,67\n3,5;4,5\n",
            "column_1:real column_2:real | 1234.56,2345.67 | 3.5,4.5",
            &["column_1: read as `1.234,5`", "column_2: read as `1.234,5`"],
        ),
        case(
            "tab.csv",
            "a\tb\n1\tx, y\n2\tz\n",
            "a:integer b:text | 1,x, y | 2,z",
            &[],
        ),
        case("tab.tsv", "a\tb\n1\tx;y\n", "a:integer b:text | 1,x;y", &[]),
        case("pipe.txt", "a|b\n1|x\n", "a:integer b:text | 1,x", &[]),
        case(
            "names.csv",
            "name;town\nMüller, A.;Kiel\nMaier, B.;Ulm\n",
            "name:text town:text | Müller, A.,Kiel | Maier, B.,Ulm",
            &[],
        ),
        case(
            "sep.csv",
            "sep=;\na;b\n1;x\n",
            "a:integer b:text | 1,x",
            &["line 1 names the delimiter"],
        ),
        case(
            "quoted.csv",
            "a,b\n\"x;y;z\",1\n\"x;y;z\",2\n",
            "a:text b:integer | x;y;z,1 | x;y;z,2",
            &[],
        ),
    ]);
}
