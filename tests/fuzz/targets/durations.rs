//! Durations as people write them.

use folkmoot::core::ids::duration;

/// A duration is whole milliseconds; an error repeats the text.
pub(crate) fn law(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match duration::parse(text) {
        Ok(read) => {
            assert_eq!(read.subsec_nanos() % 1_000_000, 0);
            let written = format!("{}s {}ms", read.as_secs(), read.subsec_millis());
            assert_eq!(duration::parse(&written).ok(), Some(read), "{written}");
        }
        Err(error) => assert_eq!(error.text, text),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "150ms",
        "10s",
        "15m",
        "24h",
        "1h 30m",
        "1.5s",
        "-1s",
        "PT10S",
        "106751991167300d",
    ])
}
