use std::time::Duration;

use super::{DurationError, parse};

#[test]
fn durations_are_read_as_people_write_them() {
    for (text, millis) in [
        ("0s", 0),
        ("150ms", 150),
        ("10s", 10_000),
        ("1.5s", 1_500),
        ("15m", 900_000),
        ("24h", 86_400_000),
        ("1h 30m", 5_400_000),
        ("1h30m", 5_400_000),
    ] {
        assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_refused() {
    for text in [
        "",
        "10",
        "s",
        "-5s",
        "5s ago",
        "10 parsecs",
        "1ns",
        "1us",
        "1d",
        "1mo",
        "9999999999999999999h",
    ] {
        assert_eq!(
            parse(text),
            Err(DurationError {
                text: text.to_owned()
            })
        );
    }
}
