//! Files of anchors: signed heads that were kept elsewhere.

use folkmoot::proof::anchors::{Anchors, AnchorsFile};
use folkmoot::proof::note::{Checkpoint, SignerKey};

/// What is read is written as it was, to the byte; what is refused is refused at a line of the file.
pub(crate) fn law(input: &[u8]) {
    match Anchors::parse(input) {
        Ok(anchors) => {
            let notes = anchors.iter().map(|anchor| anchor.note().clone());
            assert_eq!(notes.collect::<AnchorsFile>().to_string().as_bytes(), input);
        }
        Err(error) => {
            let lines = input.split(|byte| *byte == b'\n').count();
            assert!(
                (1..=lines).contains(&error.line),
                "line {} of {lines}: {error}",
                error.line
            );
        }
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let key = SignerKey::generate("example.com/desk", &[7; 32]).unwrap();
    let note = |world: u8| {
        Checkpoint::of_world([world; 16], 3, [world; 32], 9)
            .sign(&key)
            .unwrap()
    };
    let file = |worlds: &[u8]| {
        worlds
            .iter()
            .map(|world| note(*world))
            .collect::<AnchorsFile>()
            .to_string()
    };
    vec![file(&[1]).into_bytes(), file(&[1, 2, 3]).into_bytes()]
}
