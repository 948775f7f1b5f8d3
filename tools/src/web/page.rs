//! From the bytes of an answer to words, and to what they are.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use hyper::header::{CONTENT_TYPE, HeaderMap};

/// The first bytes of a page in which it may name its encoding.
const PRESCAN_BYTES: usize = 1024;

/// The type of an answer, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaType {
    /// E.g. `text/html`; letters of the type's own grammar alone. `None`: the server does not say, or not in that grammar.
    pub(super) essence: Option<String>,
    /// The encoding that the server names.
    charset: Option<&'static Encoding>,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Html,
    Text,
    /// Neither.
    Bytes,
}

impl MediaType {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let told = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let mut parts = told.unwrap_or_default().split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let is_charset = name.trim().eq_ignore_ascii_case("charset");
            let label = value.trim().trim_matches(['"', '\'']);
            is_charset
                .then(|| Encoding::for_label(label.as_bytes()))
                .flatten()
        });
        Self {
            essence: Some(essence).filter(|essence| is_essence(essence)),
            charset,
        }
    }

    fn form(&self) -> Option<Form> {
        let essence = self.essence.as_deref()?;
        let is_text = essence.starts_with("text/")
            || [
                "+json",
                "+xml",
                "/json",
                "/xml",
                "json-seq",
                "ndjson",
                "/yaml",
                "+yaml",
                "/javascript",
                "/toml",
            ]
            .iter()
            .any(|end| essence.ends_with(end))
            || essence == "application/x-www-form-urlencoded";
        Some(match essence {
            "text/html" | "application/xhtml+xml" => Form::Html,
            _ if is_text => Form::Text,
            _ => Form::Bytes,
        })
    }
}

fn is_essence(essence: &str) -> bool {
    let is_token = |part: &str| {
        let is_letter = |c: u8| c.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&c);
        (1..=127).contains(&part.len()) && part.bytes().all(is_letter)
    };
    essence
        .split_once('/')
        .is_some_and(|(kind, name)| is_token(kind) && is_token(name))
}

/// An answer in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) text: String,
    /// The name of the encoding that it was written in.
    pub(super) charset: &'static str,
    pub(super) form: Form,
}

/// The words of an answer; `None` if it is no text, whatever the server says.
pub(super) fn words(media: &MediaType, bytes: &[u8]) -> Option<Words> {
    let form = match media.form() {
        Some(Form::Bytes) => return None,
        // Nobody said, so the bytes have to be clean.
        None if str::from_utf8(bytes).is_err() => return None,
        form => form.unwrap_or(Form::Text),
    };
    let (encoding, mark) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, mark),
        None => (
            media
                .charset
                .or_else(|| told_inside(form, bytes))
                .unwrap_or(UTF_8),
            0,
        ),
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes.get(mark..).unwrap_or_default());
    let is_text = !text.contains('\0');
    is_text.then(|| Words {
        text: text.into_owned(),
        charset: encoding.name(),
        form,
    })
}

/// The encoding that a page names at its beginning.
fn told_inside(form: Form, bytes: &[u8]) -> Option<&'static Encoding> {
    if form != Form::Html {
        return None;
    }
    let head = bytes
        .get(..PRESCAN_BYTES)
        .unwrap_or(bytes)
        .to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    let (_, behind) = head.split_once("charset=")?;
    let label = behind.trim_start_matches(['"', '\'']);
    let label = label.split(['"', '\'', ' ', ';', '>', '/']).next()?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    // A page whose name of an encoding could be read is not in one of these.
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else {
        encoding
    })
}
