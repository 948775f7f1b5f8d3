//! Files that scripts attach: named, typed, found and measured.

use super::*;

const SAY: &str = "script:\n  - say: { text: look, attach: [cat.png, notes.txt] }\n";

fn script_in(folder: &Path, rest: &str) -> Script {
    let file = folder.join("room.yaml");
    fs::write(&file, format!("{ROOM}{rest}")).unwrap();
    Script::load(&file).unwrap()
}

fn file_faults(script: &Script, from: usize) -> Vec<String> {
    script
        .check_files(from)
        .map_or_else(|error| lines(&error), |()| Vec::new())
}

#[test]
fn a_file_of_a_kind_that_its_name_does_not_tell_is_a_fault() {
    let error = parse(&format!(
        "{ROOM}script:\n  - say: {{ attach: [cat.png, cat.blob, cat] }}\n"
    ))
    .unwrap_err();
    let messages: Vec<_> = error
        .faults
        .iter()
        .map(|fault| (fault.line_column(), fault.message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (
                (7, 30),
                "the name `cat.blob` does not say which kind of file it is"
            ),
            (
                (7, 40),
                "the name `cat` does not say which kind of file it is"
            ),
        ]
    );
    assert!(
        error.faults[0]
            .help
            .as_ref()
            .is_some_and(|help| help.contains("pdf, png, pptx")),
        "{error}"
    );
}

#[test]
fn a_message_needs_a_text_or_a_file() {
    check(
        "script:\n  - say: { reply_to: first }",
        &[
            "2:5 a message needs one of these: text, attach",
            "2:22 no earlier step has the id `first` | the script has no earlier steps with an `id`",
        ],
    );
    check("script:\n  - say: { text: '', attach: [cat.png] }", &[]);
    check(
        "script:\n  - say: { text: '' }",
        &["2:18 the text is empty | write at least one word"],
    );
}

#[test]
fn files_that_are_missing_or_too_large_are_shown_where_they_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let rest = format!("limits: {{ attachment_bytes_max: 3 }}\n{SAY}  - say: {{ attach: [.] }}\n");
    let file = folder.path().join("room.yaml");
    fs::write(&file, format!("{ROOM}{rest}")).unwrap();
    assert_eq!(
        lines(&Script::load(&file).unwrap_err()).len(),
        1,
        "a folder has no kind"
    );
    let script = script_in(folder.path(), &rest.replace("[.]", "[folder.txt]"));
    fs::write(folder.path().join("cat.png"), b"1234").unwrap();
    fs::create_dir(folder.path().join("folder.txt")).unwrap();
    let place = format!(
        "the path is relative to the script's folder, {}",
        folder.path().display()
    );
    let expected = [
        "8:33 `cat.png` has 4 bytes, at most 3 are allowed | make it smaller, or raise `attachment_bytes_max` under `limits`".to_owned(),
        format!("8:42 `notes.txt` cannot be read: there is no such file | {place}"),
        format!("9:21 `folder.txt` cannot be read: it is a folder | {place}"),
    ];
    assert_eq!(file_faults(&script, 0), expected);
    assert_eq!(
        file_faults(&script, 1),
        expected[2..],
        "a step that is done needs its files no more"
    );
    assert_eq!(file_faults(&script, 2), [""; 0]);
}

#[test]
fn what_a_step_expects_to_be_refused_may_be_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let rest = "limits: { attachment_bytes_max: 3 }\nscript:\n  - say: { attach: [cat.png] }\n    refused: bad_message\n";
    let script = script_in(folder.path(), rest);
    fs::write(folder.path().join("cat.png"), b"12345678").unwrap();
    assert_eq!(file_faults(&script, 0), [""; 0]);
}
