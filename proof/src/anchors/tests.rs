use proptest::prelude::*;

use super::{AnchorFault, Anchors, AnchorsError, AnchorsFile};
use crate::note::{Checkpoint, CheckpointError, NoteError, SignedNote, SignerKey};

fn key() -> SignerKey {
    SignerKey::generate("example.com/desk", &[7; 32]).unwrap()
}

fn head(world: u8, commits: u64) -> SignedNote {
    Checkpoint::of_world([world; 16], commits, [world; 32], commits * 3)
        .sign(&key())
        .unwrap()
}

fn three() -> String {
    AnchorsFile::from_iter([head(1, 4), head(2, 5), head(1, 6)]).to_string()
}

fn fault(file: &str) -> AnchorsError {
    Anchors::parse(file.as_bytes()).unwrap_err()
}

fn at(line: usize, fault: AnchorFault) -> AnchorsError {
    AnchorsError { line, fault }
}

#[test]
fn a_file_of_several_worlds_is_read_as_it_was_written() {
    let anchors = Anchors::parse(three().as_bytes()).unwrap();
    let told: Vec<_> = anchors
        .iter()
        .map(|anchor| (anchor.line(), anchor.world()[0], anchor.last_event()))
        .collect();
    assert_eq!(told, [(1, 1, 12), (8, 2, 15), (15, 1, 18)]);
    let of_first: Vec<_> = anchors
        .of([1; 16])
        .map(|anchor| anchor.checkpoint().size)
        .collect();
    assert_eq!((of_first, anchors.of([3; 16]).count()), (vec![4, 6], 0));
    let verifier = [key().verifier()];
    assert!(
        anchors
            .iter()
            .all(|anchor| anchor.note().verify(&verifier).is_ok())
    );
    assert_eq!(
        anchors
            .iter()
            .map(|anchor| anchor.note().clone())
            .collect::<AnchorsFile>()
            .to_string(),
        three()
    );
}

#[test]
fn a_note_is_a_file_of_anchors() {
    assert_eq!(
        Anchors::parse(head(1, 4).to_string().as_bytes())
            .unwrap()
            .iter()
            .count(),
        1
    );
}

#[test]
fn faults_are_told_with_their_line() {
    let file = three();
    assert_eq!(fault(""), at(1, AnchorFault::Form));
    assert_eq!(fault("\n"), at(1, AnchorFault::Form));
    assert_eq!(fault(&format!("\n{file}")), at(1, AnchorFault::Form));
    assert_eq!(
        fault(&format!("{file}\n")),
        at(22, AnchorFault::Form),
        "nothing comes behind the last one"
    );
    assert_eq!(
        fault(&file.replace("\n\nfolkmoot/02", "\n\n\nfolkmoot/02")),
        at(8, AnchorFault::Form)
    );
    assert_eq!(
        fault(file.trim_end()),
        at(15, AnchorFault::Note(NoteError::Form))
    );
    assert_eq!(
        fault(&file.replace('\n', "\r\n")),
        at(1, AnchorFault::CarriageReturn)
    );
    assert_eq!(
        fault(&file.replace("\n5\n", "\n05\n")),
        at(8, AnchorFault::Checkpoint(CheckpointError::Size))
    );
    assert_eq!(
        fault(&file.replace("folkmoot/02", "else/02")),
        at(8, AnchorFault::NotAWorld)
    );
    assert_eq!(
        fault(&file.replace("event 15", "event 15\nmore")),
        at(8, AnchorFault::NotAWorld)
    );
    let second = head(2, 5).to_string();
    let line = second.lines().last().unwrap();
    let unsigned = file.replace(line, "— example.com/desk no base64");
    assert_eq!(
        fault(&unsigned),
        at(13, AnchorFault::Note(NoteError::SignatureLine { line: 1 }))
    );
    let error = Anchors::parse(&[file.as_bytes(), b"\n\xff"].concat()).unwrap_err();
    assert_eq!(error, at(22, AnchorFault::NotText));
    assert_eq!(
        fault(&unsigned).to_string().split(':').next(),
        Some("line 13 of the anchors")
    );
}

#[test]
fn a_note_is_made_again_of_its_parts() {
    let note = head(3, 9);
    let text = note.text();
    let value = key().line_value(text);
    assert_eq!(
        SignedNote::of_line(text, "example.com/desk", &value),
        Ok(note.clone())
    );
    for (text, name, value) in [
        (text, "example.com/desk x", value.as_str()),
        (text, "", &value),
        (text, "example.com/desk", ""),
        (
            text,
            "example.com/desk",
            &format!("{value}\n— other {value}"),
        ),
        ("no newline", "example.com/desk", &value),
        ("two\n\n— a AAAAAAA=\n", "example.com/desk", "\n"),
    ] {
        assert!(
            SignedNote::of_line(text, name, value).is_err(),
            "{text:?} {name:?} {value:?}"
        );
    }
}

proptest! {
    #[test]
    fn what_is_read_is_written_as_it_was(text in "(folkmoot/[0-9a-f]{1,3}|[0-9]|\n|\n\n|event 3\n|— k AAAAAAA=\n|.){0,12}") {
        if let Ok(anchors) = Anchors::parse(text.as_bytes()) {
            prop_assert_eq!(anchors.iter().map(|anchor| anchor.note().clone()).collect::<AnchorsFile>().to_string(), text);
        }
    }

    #[test]
    fn a_changed_byte_is_a_fault_or_fails_to_verify(place in any::<prop::sample::Index>(), with: u8) {
        let mut bytes = three().into_bytes();
        let place = place.index(bytes.len());
        prop_assume!(bytes[place] != with);
        bytes[place] = with;
        let verifier = [key().verifier()];
        let is_whole = |anchors: Anchors| anchors.iter().all(|anchor| anchor.note().verify(&verifier).is_ok());
        prop_assert!(!Anchors::parse(&bytes).is_ok_and(is_whole));
    }
}
