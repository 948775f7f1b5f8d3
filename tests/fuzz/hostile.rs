//! Inputs that are hostile on purpose: every target gets all of them.

/// What readers have been broken with elsewhere, each with its name; the deep ones so deep.
pub(crate) fn all(deep: usize) -> Vec<(&'static str, Vec<u8>)> {
    [texts(), nested(deep), lengths(), packed()].concat()
}

/// Texts that are not what they seem.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let own = |(name, bytes): (&'static str, &[u8])| (name, bytes.to_vec());
    let texts: [(&str, &[u8]); 14] = [
        ("nothing", b""),
        ("a NUL", b"\0"),
        ("NULs", &[0; 4_096]),
        ("a BOM", b"\xef\xbb\xbf{}"),
        ("a BOM of UTF-16", b"\xff\xfe{\0}\0"),
        ("a cut character", b"\"\xe2\x82"),
        ("an overlong NUL", b"\"\xc0\x80\""),
        ("a surrogate in UTF-8", b"\"\xed\xa0\x80\""),
        ("half a pair", br#""\ud800""#),
        ("the wrong half first", br#""\udc00\ud800""#),
        (
            "bidi controls",
            "\"\u{202e}\u{2066}nimda\u{2069}\u{202c}\"".as_bytes(),
        ),
        (
            "nothing to see",
            "\u{200b}\u{2060}\u{feff}\u{e0041}".as_bytes(),
        ),
        (
            "line ends of other worlds",
            "a\rb\u{85}c\u{2028}d\u{2029}e\x0b\x0c".as_bytes(),
        ),
        ("a number beyond all doubles", b"1e999999999"),
    ];
    texts.map(own).to_vec()
}

/// Deep nesting, and much of the same.
fn nested(deep: usize) -> Vec<(&'static str, Vec<u8>)> {
    let pairs = |open: &str, close: &str| {
        [open.repeat(deep), close.repeat(deep)]
            .concat()
            .into_bytes()
    };
    let steps = |level: usize| format!("{}a:\n", " ".repeat(level));
    vec![
        ("lists", pairs("[", "]")),
        ("objects", pairs("{\"a\":", "}")),
        ("lists without an end", pairs("[", "")),
        ("schemas", pairs("{\"not\":", "}")),
        ("lists by dashes", pairs("- ", "")),
        (
            "maps by steps",
            (0..1_000).map(steps).collect::<String>().into_bytes(),
        ),
        (
            "many keys",
            (0..deep)
                .map(|key| format!("k{key}: 0\n"))
                .collect::<String>()
                .into_bytes(),
        ),
        ("many dots", pairs(".", "")),
        ("many mentions", pairs("@ada ", "")),
        ("many quotes", pairs("> ", "")),
        ("many ticks", pairs("`", "")),
        ("many escapes", pairs("\\", "")),
        ("many comments", pairs("[/*", "")),
        ("many tags", pairs("<tool_call>", "")),
        ("many newlines", pairs("\n", "")),
        (
            "combining marks",
            ["a", &"\u{301}".repeat(deep)].concat().into_bytes(),
        ),
        ("digits", pairs("9", "")),
    ]
}

/// Length fields and counts of all that fits.
fn lengths() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("ones", vec![0xff; 4_096]),
        ("the largest length", [vec![0xff; 4], vec![0; 256]].concat()),
        (
            "the largest positive length",
            [0xff_u8, 0xff, 0xff, 0x7f].repeat(64),
        ),
        ("a frame of ones", [vec![1, 1], vec![0xff; 256]].concat()),
    ]
}

/// Few bytes that unpack to many.
fn packed() -> Vec<(&'static str, Vec<u8>)> {
    let zeros = zstd::bulk::compress(&vec![0; 64 * 1024 * 1024], 1).unwrap();
    // Magic number, a descriptor with eight bytes of content size, no window, all ones: 2⁶⁴ bytes are promised.
    let promise = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..], &[0xff; 8], &[1, 0, 0]].concat();
    vec![
        ("64 MiB of packed zeros", zeros),
        ("a promise of 2^64 bytes", promise),
    ]
}
