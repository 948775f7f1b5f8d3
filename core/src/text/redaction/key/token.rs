//! Keys that are known by how they begin.

use std::ops::Range;

/// A format: how its keys begin, and how many characters follow.
struct Format {
    prefix: &'static str,
    tail: PrefixTail,
}

/// The characters that follow a prefix.
enum PrefixTail {
    /// So many capitals and digits.
    Capitals(usize),
    /// So many characters.
    Of(usize),
    /// So many or more.
    AtLeast(usize),
}

const fn fixed(prefix: &'static str, length: usize) -> Format {
    Format {
        prefix,
        tail: PrefixTail::Of(length),
    }
}

const fn open(prefix: &'static str, min: usize) -> Format {
    Format {
        prefix,
        tail: PrefixTail::AtLeast(min),
    }
}

/// As their issuers document them.
const FORMATS: [Format; 36] = [
    Format {
        prefix: "AKIA",
        tail: PrefixTail::Capitals(16),
    }, // Amazon, for long
    Format {
        prefix: "ASIA",
        tail: PrefixTail::Capitals(16),
    }, // Amazon, for a session
    fixed("AIza", 35), // Google
    open("GOCSPX-", 20),
    open("ya29.", 20),
    open("ghp_", 36), // GitHub
    open("gho_", 36),
    open("ghu_", 36),
    open("ghs_", 36),
    open("ghr_", 36),
    open("github_pat_", 22),
    open("glpat-", 20), // GitLab
    open("xoxa-", 10),  // Slack
    open("xoxb-", 10),
    open("xoxe-", 10),
    open("xoxo-", 10),
    open("xoxp-", 10),
    open("xoxr-", 10),
    open("xoxs-", 10),
    open("xapp-", 10),
    open("sk-", 20), // OpenAI, Anthropic, and others that speak the same wire
    open("gsk_", 20),
    open("xai-", 20),
    open("pplx-", 20),
    open("hf_", 30),      // Hugging Face
    open("sk_live_", 16), // Stripe
    open("sk_test_", 16),
    open("rk_live_", 16),
    open("rk_test_", 16),
    open("whsec_", 16),
    open("SG.", 40), // SendGrid
    open("npm_", 36),
    open("pypi-", 40),
    open("shpat_", 32),  // Shopify
    open("dop_v1_", 40), // DigitalOcean
    open("AGE-SECRET-KEY-1", 40),
];

/// The number of bytes of a key in which a digit is looked for: what has none is words joined by
/// hyphens.
const DIGIT_BYTES_MAX: usize = 64;

/// The next key of a known format.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let before = std::iter::once(b' ').chain(text.bytes());
    let starts = before.zip(text.bytes()).enumerate();
    let is_start =
        |before: u8, byte: u8| byte.is_ascii_alphabetic() && !before.is_ascii_alphanumeric();
    starts
        .filter(|(_, (before, byte))| is_start(*before, *byte))
        .find_map(|(start, _)| {
            let rest = text.get(start..)?;
            FORMATS
                .iter()
                .find_map(|format| length(format, rest))
                .map(|length| start..start + length)
        })
}

/// Returns how long the key at the beginning of `text` is.
fn length(format: &Format, text: &str) -> Option<usize> {
    let key = text.strip_prefix(format.prefix)?;
    let length = match format.tail {
        PrefixTail::Capitals(length) => fixed_length(key, length, |byte| {
            byte.is_ascii_uppercase() || byte.is_ascii_digit()
        }),
        PrefixTail::Of(length) => fixed_length(key, length, is_key),
        PrefixTail::AtLeast(min) => open_length(key, min),
    };
    length.map(|length| format.prefix.len() + length)
}

/// A key of fixed length is cut out of nothing longer.
fn fixed_length(key: &str, length: usize, is_key: fn(u8) -> bool) -> Option<usize> {
    let (key, rest) = key.split_at_checked(length)?;
    (key.bytes().all(is_key) && !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        .then_some(length)
}

fn open_length(key: &str, min: usize) -> Option<usize> {
    let seen = key
        .bytes()
        .take(DIGIT_BYTES_MAX)
        .take_while(|byte| is_key(*byte) || *byte == b'.');
    let is_one = seen.clone().count() >= min && seen.clone().any(|byte| byte.is_ascii_digit());
    is_one.then(|| dotted(key).trim_end_matches('.').len())
}

/// The next JSON web token (RFC 7519): three parts or more, of which the first begins an object.
pub(super) fn find_jwt(text: &str) -> Option<Range<usize>> {
    let is_inside =
        |before: &str| before.ends_with(|c: char| u8::try_from(c).is_ok_and(is_key) || c == '.');
    text.match_indices("eyJ").find_map(|(start, _)| {
        let (before, rest) = text.split_at_checked(start)?;
        let token = if is_inside(before) { "" } else { dotted(rest) };
        let mut lengths = token.split('.').map(str::len);
        let is_one =
            lengths.next()? >= HEADER_BYTES_MIN && lengths.next()? > 1 && lengths.next().is_some();
        is_one.then(|| start..start + token.trim_end_matches('.').len())
    })
}

/// The shortest header that names an algorithm, `{"alg":""}`, has this many characters.
const HEADER_BYTES_MIN: usize = 14;

fn dotted(text: &str) -> &str {
    let end = text.bytes().position(|byte| !is_key(byte) && byte != b'.');
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

const fn is_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
