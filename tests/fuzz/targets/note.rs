//! Signed notes, and the checkpoints in them.

use folkmoot::proof::note::{Checkpoint, SignedNote, VerifierKey};

const VERIFIER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

/// What is read is written as it was, to the byte. The key vouches for the signed text and for no other.
pub(crate) fn law(input: &[u8]) {
    let Ok(note) = SignedNote::parse(input) else {
        return;
    };
    assert_eq!(note.to_string().as_bytes(), input);
    let keys = [VerifierKey::parse(VERIFIER).unwrap()];
    let vouched = note.verify(&keys);
    assert!(
        vouched.is_err() || note.text() == TEXT,
        "{vouched:?} for {:?}",
        note.text()
    );
    if let Ok(checkpoint) = Checkpoint::parse(note.text()) {
        assert_eq!(checkpoint.body(), note.text());
    }
}

const TEXT: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let line = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    [
        vec![format!("{TEXT}\n{line}").into_bytes()],
        super::anchors::seeds(),
    ]
    .concat()
}
