use super::{clean, masked, one_line};

/// Characters with which a text could fool a person or a terminal.
const TRICKS: [char; 12] = [
    '\u{1b}',
    '\u{7}',
    '\r',
    '\u{9b}',
    '\u{61c}',
    '\u{202e}',
    '\u{2066}',
    '\u{2028}',
    '\u{200b}',
    '\u{2060}',
    '\u{feff}',
    '\u{e0041}',
];

#[test]
fn what_a_terminal_would_obey_or_nobody_would_see_is_spelled_out() {
    for trick in TRICKS {
        let text = format!("a{trick}b");
        assert_eq!(clean(&text), format!("a{}b", trick.escape_unicode()));
        assert!(!one_line(&text).contains(trick), "{trick:?}");
    }
}

#[test]
fn what_people_write_stays_as_it_is() {
    let text = "a\tb\nGrüße, שלום, 日本, نمی\u{200c}خواهم 👩\u{200d}🚀";
    assert_eq!(clean(text), text);
    assert_eq!(masked(text), text);
}

#[test]
fn a_masked_text_keeps_its_places() {
    for trick in TRICKS {
        let text = format!("a{trick}b");
        let masked = masked(&text);
        assert!(!masked.contains(trick), "{trick:?}");
        assert_eq!(masked.find('b'), text.find('b'), "{trick:?}");
    }
}
