use super::{PATTERN, SizeError, parse};

fn fits(text: &str) -> bool {
    let schema = serde_json::json!({ "type": "string", "pattern": PATTERN });
    jsonschema::is_valid(&schema, &text.into())
}

#[test]
fn sizes_are_read_as_people_write_them() {
    for (text, bytes) in [
        ("0KiB", 0),
        ("64KiB", 65_536),
        ("512MiB", 536_870_912),
        ("2GiB", 2_147_483_648),
    ] {
        assert_eq!(parse(text), Ok(bytes), "{text}");
        assert!(fits(text), "{text}");
    }
}

#[test]
fn everything_else_is_refused() {
    for text in [
        "",
        "512",
        "MiB",
        "512 MiB",
        " 1MiB",
        "1MiB ",
        "1MB",
        "1mib",
        "1M",
        "1B",
        "1.5GiB",
        "-1MiB",
        "+1MiB",
        "1TiB",
        "٣MiB",
        "1MiB1KiB",
        "99999999999999999999KiB",
        "18446744073709551615GiB",
    ] {
        let text = text.to_owned();
        assert_eq!(parse(&text), Err(SizeError { text }));
    }
}
