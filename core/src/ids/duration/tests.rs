use std::time::Duration;

use super::{DurationError, PATTERN, parse};

fn fits(text: &str) -> bool {
    let schema = serde_json::json!({ "type": "string", "pattern": PATTERN });
    jsonschema::is_valid(&schema, &text.into())
}

#[test]
fn durations_are_read_as_people_write_them() {
    for (text, millis) in [
        ("0s", 0),
        ("150ms", 150),
        ("10s", 10_000),
        ("1.5s", 1_500),
        ("0.25s", 250),
        ("15m", 900_000),
        ("24h", 86_400_000),
        ("7d", 604_800_000),
        ("1h 30m", 5_400_000),
        ("1h30m", 5_400_000),
        ("1d 2h 3m 4s 5ms", 93_784_005),
    ] {
        assert_eq!(parse(text), Ok(Duration::from_millis(millis)), "{text}");
        assert!(fits(text), "{text}");
    }
}

#[test]
fn everything_else_is_refused() {
    for text in [
        "",
        " ",
        "10",
        "s",
        "2 s",
        " 2s",
        "2s ",
        "-5s",
        "+5s",
        "5s ago",
        "10 parsecs",
        "2sec",
        "2S",
        "1ns",
        "1us",
        "1mo",
        ".5s",
        "1.s",
        "1..5s",
        "1.5ms",
        "1.0001s",
        "1m 1h",
        "1s 1s",
        "1h  30m",
        "٣s",
        "9999999999999999999h",
        "99999999999999999999s",
        "18446744073709551615d",
    ] {
        let text = text.to_owned();
        assert_eq!(parse(&text), Err(DurationError { text }));
    }
}
