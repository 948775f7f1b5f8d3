//! Files of recorded exchanges.

use folkmoot::providers::codec::Wire;
use folkmoot::providers::play::{RecordedModel, RecordingError};

use crate::corpus;

/// A file is read, or refused at one of its lines; the wire makes no difference to that.
pub(crate) fn law(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let read = |wire| RecordedModel::new(wire, &text);
    match read(Wire::OpenaiChat) {
        Ok(_) => assert!(read(Wire::AnthropicMessages).is_ok()),
        Err(RecordingError::BadLine { line, .. }) => {
            assert!((1..=text.lines().count()).contains(&line), "{line}")
        }
        Err(other) => panic!("{other}"),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let recordings = corpus::files("examples/worlds/recordings", ".jsonl");
    [
        corpus::files("providers/tests/fixtures", "recording.jsonl"),
        recordings,
    ]
    .concat()
}
