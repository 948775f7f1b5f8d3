//! What others write, and our own lines.

use super::*;
use crate::show::chat::ChatLine;
use crate::show::paint::Layout;
use crate::show::request;

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn layout() -> Layout {
    Layout::new(&["worker".to_owned(), "ada".to_owned()])
}

fn said(text: &str) -> ChatLine {
    let message = folkmoot::core::ids::MessageId(folkmoot::core::ids::Position::new(1));
    ChatLine::Said {
        message,
        from: "worker".to_owned(),
        is_person: false,
        text: text.to_owned(),
    }
}

/// The lines of what is printed in so many columns.
fn printed(line: &ChatLine, width: usize) -> Vec<String> {
    plain(&folded(&layout().line(line), width))
        .split('\n')
        .map(str::to_owned)
        .collect()
}

fn streamed(text: &str, width: u16, splits: &[usize]) -> Vec<String> {
    let (mut flow, mut out) = (
        Flow::new(&layout().indent(), Some(width)),
        layout().name("worker", false),
    );
    let mut rest = text;
    for split in splits.iter().cycle().take(text.len().max(1)) {
        let at = rest.ceil_char_boundary((*split).clamp(1, rest.len().max(1)).min(rest.len()));
        let (piece, behind) = rest.split_at(at);
        out += &flow.push(piece);
        rest = behind;
    }
    out += &flow.push(rest);
    out += &flow.finish();
    plain(&out).split('\n').map(str::to_owned).collect()
}

const HOSTILE: [&str; 17] = [
    "\u{fe0f}┃ gate#7\n\u{fe0f}\u{fe0f}✓ ada allows gate#7 ❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}❤\u{fe0f}",
    "┃ gate#7\n┃ worker asks to run push (destructive) with {}\n┃ expires 2030-01-01T00:15:00Z, shown 2eef2c91",
    "✓ ada allows gate#7",
    "fine\n\n        ✓ ada allows gate#7\n        · the room was opened again",
    "\t┃ gate#7",
    "\u{200d}┃ gate#7\n\u{200b}┃ gate#7\n\u{202e}┃",
    "x\r┃ gate#7\u{2028}┃ gate#7\u{85}┃\u{b}┃",
    "\u{1b}[2K\u{1b}[1A┃ gate#7",
    "┊ ada  ┊ yes",
    "| gate#7\n│ gate#7\n❘ gate#7",
    "a very long line that is to be broken at just such a place that its rest begins so:       ┃ gate#7 ✓ ada allows it",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa┃┃┃┃┃┃┃┃┃┃┃┃┃┃┃┃",
    "漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字┃漢字",
    "👩\u{200d}💻👩\u{200d}💻👩\u{200d}💻 ┃ e\u{301}\u{301}\u{301} → ↻ ✗",
    "\u{2800}┃ gate#7\n\u{2800} \u{3164}✓ ada allows gate#7\n\u{115f}┃\n                                     \u{2800}┃ gate#7",
    "⸽ gate#7\n⁞ gate#7\n⋮ gate#7\n丨 gate#7\nㅣ gate#7\n∣ gate#7\n⎸ gate#7\nǁ gate#7\n∥ gate#7\n︳ gate#7\n︙ gate#7",
    "",
];

/// That no line but the first, which has a name, begins with anything but the gutter, and none of
/// them with a mark of ours.
#[track_caller]
fn check_guarded(lines: &[String], width: usize, what: &str) {
    let indent = layout().indent();
    for (number, line) in lines.iter().enumerate() {
        let text = if number == 0 {
            line.strip_prefix(&format!("worker  {GUTTER}"))
        } else {
            line.strip_prefix(&format!("{indent}{GUTTER}"))
        };
        let text = text.unwrap_or_else(|| panic!("no gutter in {line:?} of {what:?}"));
        let first = text.chars().find(|c| is_seen(*c));
        assert!(!first.is_some_and(is_mark), "{line:?} of {what:?}");
        assert!(
            !text
                .chars()
                .any(|c| c.is_control() || super::super::is_obeyed(c)),
            "{line:?} of {what:?}"
        );
        assert!(columns_of(line) <= width, "{line:?} is wider than {width}");
    }
}

#[test]
fn name_holds_no_gutter_of_its_own() {
    for (name, shown) in [
        ("ada  ┊ I allow it", "ada \\u{250a} I allow it  ┊ hi"),
        ("┃ gate#7", "\\u{2503} gate#7  ┊ hi"),
        ("→ ┃ ada", "\\u{2192} \\u{2503} ada  ┊ hi"),
        ("zoë", "  zoë  ┊ hi"),
    ] {
        let message = folkmoot::core::ids::MessageId(folkmoot::core::ids::Position::new(1));
        let line = ChatLine::Said {
            message,
            from: name.to_owned(),
            is_person: true,
            text: "hi".to_owned(),
        };
        assert_eq!(plain(&Layout::new(&[]).line(&line)), shown);
    }
}

#[test]
fn names_of_wide_characters_keep_the_gutter_in_its_column() {
    let layout = Layout::new(&["漢字漢".to_owned(), "ada".to_owned()]);
    let gutter = |name: &str| {
        let line = plain(&layout.name(name, true));
        columns_of(line.split_once(GUTTER).unwrap().0)
    };
    assert_eq!((gutter("漢字漢"), gutter("ada")), (8, 8));
}

#[test]
fn copy_of_a_request_is_told_from_the_request_without_colours() {
    let asked = vec![
        "worker asks to run push (destructive) with {}".to_owned(),
        "expires soon, shown 2eef2c91".to_owned(),
    ];
    for width in [40, 80, 120] {
        let real = printed(&ChatLine::Asks("gate#7".to_owned(), asked.clone()), width);
        assert!(
            real.iter().all(|line| line.trim_start().starts_with(BAR)),
            "{real:?}"
        );
        let copy = printed(&said(&real.join("\n")), width);
        check_guarded(&copy, width, "a copy");
        let copy = printed(
            &said(&format!(
                "fine\n{}",
                real.join("\n").replace("        ", "")
            )),
            width,
        );
        assert!(copy.iter().all(|line| !real.contains(line)), "{copy:?}");
    }
}

#[test]
fn every_line_of_others_has_the_gutter_wherever_it_is_broken() {
    for text in HOSTILE {
        for width in [40, 80, 120] {
            check_guarded(&printed(&said(text), width), width, text);
            let width = u16::try_from(width).unwrap();
            for splits in [&[1][..], &[3, 7], &[1000]] {
                check_guarded(&streamed(text, width, splits), usize::from(width), text);
            }
        }
    }
}

#[test]
fn arguments_and_reasons_break_behind_the_gutter() {
    let arguments = format!("→ push {{\"x\":\"{}┃ gate#7\"}}", "y ".repeat(60));
    let lines = [
        ChatLine::Does {
            from: "worker".to_owned(),
            what: arguments.clone(),
        },
        ChatLine::Quiet(format!(
            "message 4 now says: hm\n┃ gate#7\n{}",
            "✓ ".repeat(80)
        )),
        ChatLine::Good(format!("ada denies gate#7: {}", "┃ gate#9 ".repeat(30))),
    ];
    for line in &lines {
        for width in [40, 80, 120] {
            let shown = printed(line, width);
            assert!(shown.len() > 1);
            for line in shown.iter().skip(1) {
                let text = line
                    .trim_start()
                    .strip_prefix(GUTTER)
                    .unwrap_or_else(|| panic!("{shown:?}"));
                assert!(
                    !text.chars().find(|c| is_seen(*c)).is_some_and(is_mark),
                    "{shown:?}"
                );
            }
        }
    }
    let block = printed(&ChatLine::Asks("gate#7".to_owned(), vec![arguments]), 40);
    assert!(
        block.iter().all(|line| line.trim_start().starts_with(BAR)),
        "{block:?}"
    );
    assert!(
        block
            .iter()
            .skip(2)
            .all(|line| line.trim_start().starts_with(&format!("{BAR} {GUTTER} "))),
        "{block:?}"
    );
}

#[test]
fn words_are_kept_whole_where_they_fit() {
    let lines = printed(
        &said("the quick brown fox jumps over the lazy dog and sleeps"),
        40,
    );
    assert_eq!(
        lines,
        [
            "worker  ┊ the quick brown fox jumps over",
            "        ┊ the lazy dog and sleeps"
        ]
    );
    let streamed = streamed(
        "the quick brown fox jumps over the lazy dog and sleeps",
        40,
        &[5],
    );
    assert_eq!(streamed, lines);
    assert_eq!(
        guarded("  indented\n\n✓ x"),
        ["┊   indented", "┊", "┊ \\u{2713} x"]
    );
    assert_eq!(request::block("a#1", &["x\ny".to_owned()]).len(), 3);
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    const PIECES: [&str; 26] = [
        "┃ ",
        "│",
        "✓ ",
        "✗",
        "→ ",
        "·",
        "┊ ",
        "\n",
        "\r",
        "\t",
        " ",
        "     ",
        "word",
        "a-very-long-word-without-a-blank-in-it",
        "漢字",
        "👩\u{200d}💻",
        "e\u{301}",
        "\u{200b}",
        "\u{202e}",
        "\u{2066}",
        "\u{2028}",
        "\u{85}",
        "\u{1b}[31m",
        "\u{9b}1m",
        "\u{feff}",
        "gate#7",
    ];

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![8 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_of_others_passes_for_a_line_of_ours(
            text in text(),
            width in prop::sample::select(vec![40_u16, 80, 120]),
            splits in prop::collection::vec(1_usize..20, 1..5),
        ) {
            check_guarded(&printed(&said(text.trim_end()), usize::from(width)), usize::from(width), &text);
            check_guarded(&streamed(&text, width, &splits), usize::from(width), &text);
        }
    }
}
