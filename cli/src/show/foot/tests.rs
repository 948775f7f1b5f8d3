//! The foot, and what a terminal shows of it.

use super::*;

const SIZE: TerminalSize = TerminalSize {
    columns: 12,
    rows: 24,
};

fn foot(text: &str, cursor: usize) -> Foot {
    Foot {
        typed: TypedText {
            text: text.to_owned(),
            cursor,
            offers: Vec::new(),
        },
        ..Foot::default()
    }
}

/// The rows without colours, and the place of the cursor.
fn drawn(foot: &Foot, request: Option<&str>) -> (Vec<String>, usize, usize) {
    let FootDrawing { rows, row, column } = foot.drawing(SIZE, request, None);
    let plain = |row: &String| anstream::adapter::strip_str(row).to_string();
    (rows.iter().map(plain).collect(), row, column)
}

#[test]
fn a_typed_line_breaks_where_the_terminal_ends() {
    let (rows, row, column) = drawn(&foot("abcdefghijk", 11), None);
    assert_eq!(rows, ["> abcdefghi", "  jk"]);
    assert_eq!((row, column), (1, 4));
    let (rows, row, column) = drawn(&foot("漢字漢字漢字", 3), Some("gate#7"));
    assert_eq!(rows, ["#7> 漢字漢", "    字漢字"]);
    assert_eq!((row, column), (0, 6));
}

#[test]
fn emoji_take_the_columns_that_a_terminal_gives_them() {
    for (text, column) in [
        ("👩\u{200d}💻", 4),
        ("e\u{301}", 3),
        ("❤\u{fe0f}", 4),
        ("👍🏽", 4),
    ] {
        assert_eq!(drawn(&foot(text, text.len()), None).2, column, "{text}");
    }
}

#[test]
fn keys_can_be_left_as_long_as_nothing_is_typed() {
    let size = TerminalSize {
        columns: 40,
        ..SIZE
    };
    let row = |text: &str, request| {
        let drawing = foot(text, text.len()).drawing(size, request, None);
        anstream::adapter::strip_str(&drawing.rows[0]).to_string()
    };
    assert_eq!(row("", Some("gate#7")), "#7> (Esc to talk instead)");
    assert_eq!(row("x", Some("gate#7")), "#7> x");
    assert_eq!(row("", None), "> ");
}

#[test]
fn a_long_text_is_shown_around_the_cursor_only() {
    let text = "x\n".repeat(1_000);
    for cursor in [0, 1_000, text.len()] {
        let (rows, row, _) = drawn(&foot(&text, cursor), None);
        assert_eq!(rows.len(), ROWS_MAX + 1);
        assert!((1..=ROWS_MAX).contains(&row), "{row}");
    }
    let (rows, _, _) = drawn(&foot(&text, 1_000), None);
    assert_eq!(rows[0], "· line 501…");
}

#[test]
fn nothing_that_is_typed_offered_or_told_is_obeyed() {
    let hostile = "\u{1b}[2J\u{9b}1m\u{202e}\u{7}\t\r";
    let mut foot = foot(hostile, 0);
    foot.typed.offers = vec![format!("@{hostile}")];
    let wide = TerminalSize {
        columns: 200,
        ..SIZE
    };
    let rows = foot.drawing(wide, Some(hostile), Some(hostile)).rows;
    assert_eq!(rows.len(), 3);
    for row in rows {
        let plain = anstream::adapter::strip_str(&row).to_string();
        // Whatever a terminal obeys is gone with the colours, or spelt out.
        assert!(plain.contains("[2J") && plain.contains("1m"), "{plain:?}");
        assert!(
            plain.chars().all(|c| !is_obeyed(c) && c != '\t'),
            "{plain:?}"
        );
    }
}

#[test]
fn what_stands_there_is_not_written_again_and_is_taken_away_whole() {
    let mut foot = foot("abcdefghijk", 11);
    foot.unfinished = "worker  ┊ hi".to_owned();
    let first = foot.draw(SIZE, None, Some("worker is thinking")).unwrap();
    assert_eq!(first.erase, "");
    assert_eq!(first.place, "\r\u{1b}[4C");
    assert_eq!(foot.draw(SIZE, None, Some("worker is thinking")), None);
    // In half the width, the draft takes two rows, and so do the progress and the first row.
    let narrow = TerminalSize { columns: 6, ..SIZE };
    foot.moved();
    let erase = foot.draw(narrow, None, None).unwrap().erase;
    assert_eq!(erase, "\r\u{1b}[6A\u{1b}[J");
    assert_eq!(foot.erase(narrow), "\r\u{1b}[5A\u{1b}[J");
    assert_eq!(foot.erase(narrow), "", "it is gone");
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    fn typed() -> impl Strategy<Value = (String, usize)> {
        let pieces = [
            "a",
            "word ",
            "\n",
            "\t",
            "漢",
            "👩\u{200d}💻",
            "e\u{301}",
            "❤\u{fe0f}",
            "\u{1b}[2J",
        ];
        let text = prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..80);
        (
            text.prop_map(|pieces| pieces.concat()),
            any::<prop::sample::Index>(),
        )
            .prop_map(|(text, at)| {
                let cursor = text.floor_char_boundary(at.index(text.len() + 1));
                (text, cursor)
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_typed_fits_and_holds_the_cursor(
            (text, cursor) in typed(),
            columns in 8_usize..200,
            rows in 1_usize..40,
            is_asked in any::<bool>(),
        ) {
            let size = TerminalSize { columns, rows };
            let request = is_asked.then_some("gate#7");
            let drawing = foot(&text, cursor).drawing(size, request, Some("worker is thinking"));
            prop_assert!(drawing.row < drawing.rows.len());
            prop_assert!(drawing.column < columns);
            prop_assert!(drawing.rows.len() <= rows.max(4));
            for row in &drawing.rows {
                let plain = anstream::adapter::strip_str(row).to_string();
                prop_assert!(plain.width() < columns, "{plain:?} in {columns}");
            }
        }
    }
}
