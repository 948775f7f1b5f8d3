//! Which media type a file has, by the ending of its name.

use std::path::Path;

/// The endings that are known, in alphabetical order of the types. For anything else the caller must say what it is.
const TYPES: &[(&str, &[&str])] = &[
    ("application/gzip", &["gz"]),
    ("application/json", &["json"]),
    ("application/msword", &["doc"]),
    ("application/pdf", &["pdf"]),
    ("application/vnd.apache.parquet", &["parquet"]),
    ("application/vnd.ms-excel", &["xls"]),
    ("application/vnd.oasis.opendocument.spreadsheet", &["ods"]),
    ("application/vnd.oasis.opendocument.text", &["odt"]),
    (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        &["pptx"],
    ),
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        &["xlsx"],
    ),
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        &["docx"],
    ),
    ("application/x-ndjson", &["jsonl", "ndjson"]),
    ("application/x-tar", &["tar"]),
    ("application/xml", &["xml"]),
    ("application/yaml", &["yaml", "yml"]),
    ("application/zip", &["zip"]),
    ("audio/flac", &["flac"]),
    ("audio/mp4", &["m4a"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/ogg", &["oga", "ogg", "opus"]),
    ("audio/wav", &["wav"]),
    ("image/avif", &["avif"]),
    ("image/bmp", &["bmp"]),
    ("image/gif", &["gif"]),
    ("image/heic", &["heic"]),
    ("image/jpeg", &["jpeg", "jpg"]),
    ("image/png", &["png"]),
    ("image/svg+xml", &["svg"]),
    ("image/tiff", &["tif", "tiff"]),
    ("image/webp", &["webp"]),
    ("text/css", &["css"]),
    ("text/csv", &["csv"]),
    ("text/html", &["htm", "html"]),
    ("text/javascript", &["js", "mjs"]),
    ("text/markdown", &["markdown", "md"]),
    ("text/plain", &["log", "rs", "toml", "txt"]),
    ("text/tab-separated-values", &["tab", "tsv"]),
    ("video/mp4", &["mp4"]),
    ("video/quicktime", &["mov"]),
    ("video/webm", &["webm"]),
];

/// The media type of `file`, by the ending of its name, large or small; `None` if that says nothing. The file is not
/// looked into.
#[must_use]
pub fn media_type_of(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    TYPES
        .iter()
        .find(|(_, endings)| endings.contains(&ending.as_str()))
        .map(|(media_type, _)| *media_type)
}

/// All endings that are known, in alphabetical order.
pub(crate) fn known_endings() -> Vec<&'static str> {
    let mut endings: Vec<_> = TYPES
        .iter()
        .flat_map(|(_, endings)| *endings)
        .copied()
        .collect();
    endings.sort_unstable();
    endings
}

#[cfg(test)]
mod tests {
    use folkmoot_core::event::Attachment;

    use super::*;

    #[test]
    fn endings_tell_types_whatever_their_case_and_only_the_last_one_counts() {
        let of = |name: &str| media_type_of(Path::new(name));
        assert_eq!(of("a/b/Cat.PNG"), Some("image/png"));
        assert_eq!(of("logs.tar.gz"), Some("application/gzip"));
        assert_eq!(
            [of("Makefile"), of(".png"), of("cat.png.exe"), of("")],
            [None; 4]
        );
    }

    #[test]
    fn every_ending_has_one_type_and_every_type_can_be_attached() {
        let endings = known_endings();
        assert!(endings.windows(2).all(|two| two[0] < two[1]), "{endings:?}");
        for (media_type, _) in TYPES {
            assert_eq!(
                Attachment::of("a", *media_type, b"").check(0),
                Ok(()),
                "{media_type}"
            );
        }
    }
}
