use axum::body::to_bytes;
use axum::http::HeaderValue;

use super::*;

/// The most bytes of all files together. The specification of the console says so.
const BYTES_MAX: usize = 250_000;

#[test]
fn all_files_together_are_small() {
    let size = |path: &str| bytes(path).map_or(0, |bytes| bytes.len());
    let total: usize = Files::iter().map(|path| size(&path)).sum();
    assert!((10_000..=BYTES_MAX).contains(&total), "{total} bytes");
}

#[test]
fn each_file_has_a_media_type_and_a_page_that_names_only_files() {
    let unknown = Files::iter().find(|path| media_type(path) == "application/octet-stream");
    assert_eq!(unknown, None);
    let index = Files::get("index.html").unwrap();
    let index = String::from_utf8(index.data.into_owned()).unwrap();
    let named = index
        .split('"')
        .filter_map(|part| part.strip_prefix("console/"));
    let named: Vec<&str> = named.collect();
    assert!(named.len() > 3, "{named:?}");
    for name in named {
        assert!(Files::get(name).is_some(), "{name}");
    }
}

#[tokio::test]
async fn a_file_comes_once_and_then_only_if_it_changed() {
    let first = served("app.js", &HeaderMap::new());
    assert_eq!(first.status(), StatusCode::OK);
    let tag = first.headers().get(header::ETAG).unwrap().clone();
    assert!(
        !to_bytes(first.into_body(), BYTES_MAX)
            .await
            .unwrap()
            .is_empty()
    );
    let known = HeaderMap::from_iter([(header::IF_NONE_MATCH, tag)]);
    let again = served("app.js", &known);
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(
        again
            .headers()
            .contains_key(header::CONTENT_SECURITY_POLICY)
    );
    let old = HeaderValue::from_static("\"0\"");
    let changed = served(
        "app.js",
        &HeaderMap::from_iter([(header::IF_NONE_MATCH, old)]),
    );
    assert_eq!(changed.status(), StatusCode::OK);
}

#[test]
fn a_path_out_of_the_folder_leads_nowhere() {
    for path in [
        "../Cargo.toml",
        "/etc/passwd",
        "pages/../../Cargo.toml",
        "..%2fCargo.toml",
        "jsconfig.json",
        "",
        "pages",
    ] {
        assert_eq!(
            served(path, &HeaderMap::new()).status(),
            StatusCode::NOT_FOUND,
            "{path}"
        );
    }
}

#[test]
fn what_is_served_has_the_code_of_what_is_written() {
    let written = "// why\n/** Adds.\n * @param {number} a */\nexport const add = (/** @type {number} */ a, b) =>\n\n                     a + b; // \"/* */\"\n/* one */ x();\n";
    let served = "export const add = (a, b) =>\na + b; // \"/* */\"\nx();\n";
    assert_eq!(lean(written), served);
}

#[test]
fn files_keep_to_the_form_that_can_be_made_lean() {
    for path in Files::iter().filter(|path| path.ends_with(".js") || path.ends_with(".css")) {
        let file = Files::get(&path).unwrap();
        let text = String::from_utf8(file.data.into_owned()).unwrap();
        for (number, line) in text.lines().enumerate() {
            let quotes = line.replace("\\`", "").matches('`').count();
            assert_eq!(
                quotes % 2,
                0,
                "{path}:{}: a template goes over lines",
                number + 1
            );
        }
        let lean = lean(&text);
        let is_rest = |line: &&str| {
            line.starts_with("* ") || line.contains("/** @") || line.contains("@param")
        };
        assert_eq!(lean.lines().find(is_rest), None, "{path}");
    }
}

#[test]
fn a_style_sheet_is_served_without_the_spaces_of_readers() {
    let written = "/* why */\na:hover, b > c { color: var(--line); margin: 0 4px; }\n@media (max-width: 9px) {\n  a { x: y; }\n}\n";
    assert_eq!(
        tight(written),
        "a:hover,b>c{color:var(--line);margin:0 4px}@media (max-width:9px){a{x:y}}"
    );
}
