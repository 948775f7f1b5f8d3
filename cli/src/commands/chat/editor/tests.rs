//! Typing.

use super::*;

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn control(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
}

fn typing(text: &str) -> LineEditor {
    let mut editor = LineEditor::new();
    for c in text.chars() {
        assert_eq!(editor.press(key(KeyCode::Char(c))), Pressed::Edited);
    }
    editor
}

fn enter(editor: &mut LineEditor) -> String {
    let pressed = editor.press(key(KeyCode::Enter));
    let Pressed::Finished(text) = pressed else {
        panic!("{pressed:?}")
    };
    text
}

#[test]
fn a_line_is_edited_by_whole_characters_and_words() {
    let mut editor = typing("the 👩\u{200d}💻 quick fox");
    editor.press(control('w'));
    editor.press(control('w'));
    editor.press(key(KeyCode::Backspace));
    editor.press(key(KeyCode::Backspace));
    assert_eq!(editor.line.as_str(), "the ");
    editor.press(control('a'));
    editor.press(key(KeyCode::Char('>')));
    editor.press(control('k'));
    assert_eq!(editor.line.as_str(), ">");
    editor.press(control('y'));
    assert_eq!(enter(&mut editor), ">the ");
    assert!(editor.is_empty());
}

#[test]
fn earlier_lines_come_back_and_the_new_one_is_not_lost() {
    let mut editor = typing("one");
    enter(&mut editor);
    for c in "two".chars() {
        editor.press(key(KeyCode::Char(c)));
    }
    enter(&mut editor);
    enter(&mut editor);
    editor.press(key(KeyCode::Char('n')));
    let mut seen = Vec::new();
    for code in [KeyCode::Up, KeyCode::Up, KeyCode::Up, KeyCode::Down] {
        editor.press(key(code));
        seen.push(editor.line.as_str().to_owned());
    }
    assert_eq!(seen, ["two", "one", "one", "two"]);
    editor.press(key(KeyCode::Down));
    editor.press(key(KeyCode::Down));
    assert_eq!(editor.line.as_str(), "n");
}

#[test]
fn a_history_has_a_limit() {
    let mut editor = LineEditor::new();
    for number in 0..HISTORY_MAX + 10 {
        editor.paste(&number.to_string());
        enter(&mut editor);
    }
    editor.paste(&"a".repeat(HISTORY_TEXT_MAX + 1));
    enter(&mut editor);
    assert_eq!(editor.history.len(), HISTORY_MAX);
    assert_eq!(editor.history.front().map(String::as_str), Some("10"));
}

#[test]
fn a_paste_is_one_text_however_many_lines_it_has_and_no_longer_than_allowed() {
    let mut editor = LineEditor::new();
    editor.paste("one\r\ntwo\rthree\n");
    assert_eq!(enter(&mut editor), "one\ntwo\nthree\n");
    editor.paste(&"é".repeat(TEXT_MAX));
    assert_eq!(editor.press(key(KeyCode::Char('x'))), Pressed::Edited);
    assert_eq!(enter(&mut editor).len(), TEXT_MAX);
}

#[test]
fn names_and_commands_are_completed_as_far_as_they_agree() {
    let words = ["@anna", "@annette", "@bob", "/agents", "/approvals"].map(str::to_owned);
    for (typed, completed, offered) in [
        ("@b", "@bob ", 0),
        ("@B", "@bob ", 0),
        ("hello @a", "hello @ann", 2),
        ("/a", "/a", 2),
        ("/ag", "/agents ", 0),
        ("say /ag", "say /ag", 0),
        ("@nobody", "@nobody", 0),
        ("a", "a", 0),
    ] {
        let mut editor = typing(typed);
        assert_eq!(editor.press(key(KeyCode::Tab)), Pressed::Complete);
        editor.complete(&words);
        let seen = editor.seen();
        assert_eq!(
            (seen.text.as_str(), seen.offers.len()),
            (completed, offered)
        );
        assert_eq!(seen.cursor, completed.len());
    }
}

#[test]
fn the_end_of_input_is_an_empty_line_and_control_d() {
    assert_eq!(typing("").press(control('d')), Pressed::NoMore);
    let mut editor = typing("ab");
    editor.press(key(KeyCode::Left));
    assert_eq!(editor.press(control('d')), Pressed::Edited);
    assert_eq!(enter(&mut editor), "a");
    assert_eq!(typing("ab").press(control('c')), Pressed::Interrupt);
    assert_eq!(typing("ab").press(key(KeyCode::Esc)), Pressed::Left);
}
