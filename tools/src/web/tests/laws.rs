//! Laws for whatever URL a model writes.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::json;

use super::super::html;
use super::super::place::Place;
use super::Stage;
use super::server::hello;

/// Pieces of URLs that are put together in any order.
const PIECES: &[&str] = &[
    "http://",
    "https://",
    "http:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    ":80",
    ":8080",
    "#",
    "?",
    ".",
    "..",
    "%2e",
    "%2f",
    "%5c",
    "%00",
    ";",
    "good.example",
    "GOOD.example",
    "other.example",
    "inner.example",
    "loop.example",
    "mixed.example",
    "www.",
    "localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "2130706433",
    "169.254.169.254",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "１２７",
    "。",
    "ⓖood",
    "xn--",
    "open",
    "closed",
    "open/",
    "/open/",
    "/../",
    "/..;/",
    "user:pass",
    "\t",
    "\r\n",
    " ",
    "é",
    "to=",
    "as=307&",
    "&",
];

fn any_url() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    let start = prop::sample::select(
        &[
            "",
            "http://good.example/open/",
            "http://good.example",
            "http://",
            "http://good.example/open/?as=302&to=",
        ][..],
    );
    (start, prop::collection::vec(piece, 0..8))
        .prop_map(|(start, pieces)| format!("{start}{}", pieces.concat()))
}

/// The path of a target as a server may read it: without escapes, however often, and with both slashes.
fn as_a_server_reads(target: &str) -> Vec<String> {
    let mut path = target.split('?').next().unwrap().to_owned();
    for _ in 0..3 {
        path = percent_encoding::percent_decode_str(&path)
            .decode_utf8_lossy()
            .into_owned();
    }
    let mut names = Vec::new();
    for name in path.split(['/', '\\']) {
        match name.split(';').next().unwrap() {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name.to_owned()),
        }
    }
    names
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_reached_but_what_a_rule_allows(url in any_url()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let allow = json!([
                { "host": "http://good.example", "paths": ["/open/*"] },
                { "host": "http://*.good.example:8080" },
                { "host": "http://mixed.example" },
                { "host": "http://loop.example" },
            ]);
            let stage = Stage::getting(allow, hello).await;
            stage.fake.name("www.good.example", &[&["93.184.216.35"]]);
            stage.get(&url).await;
            let allowed = BTreeSet::from(["93.184.216.34:80".to_owned(), "93.184.216.35:8080".to_owned()]);
            for connected in stage.fake.connected() {
                prop_assert!(allowed.contains(&connected), "{url:?} reached {connected}");
            }
            let names = ["good.example", "www.good.example", "mixed.example", "loop.example"];
            for name in stage.fake.looked_up() {
                prop_assert!(names.contains(&name.as_str()) || name.ends_with(".good.example"), "{url:?} asked for {name}");
            }
            for request in stage.server.requests() {
                match request.header("host").unwrap() {
                    "good.example" => {
                        let path = as_a_server_reads(&request.target);
                        prop_assert_eq!(path.first().map(String::as_str), Some("open"), "{:?} sent {}", url, request.target);
                    }
                    host => prop_assert!(host.ends_with(".good.example:8080"), "{url:?} sent to {host}"),
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_place_reads_itself_the_same_again(url in any_url()) {
        if let Ok(place) = Place::read(&url) {
            prop_assert_eq!(Place::read(&place.to_string()), Ok(place));
        }
    }

    #[test]
    fn every_page_becomes_a_text_within_its_limit(pieces in prop::collection::vec(prop_oneof![
        prop::sample::select(&["<p>", "</p>", "<ul>", "<li>", "</ul>", "<pre>", "</pre>", "<a href=x>", "</a>", "<td>", "<table>",
            "</table>", "<h1>", "<script>", "</script>", "<!--", "-->", "<div hidden>", "</div>", "&amp;", "<", ">", "é", " ", "\n"][..])
            .prop_map(str::to_owned),
        any::<String>(),
    ], 0..60), max in 0_usize..200) {
        let place = Place::read("http://good.example/").unwrap();
        let text = html::text(&pieces.concat(), &place, max, || false).unwrap();
        prop_assert!(text.len() <= max + "\n[cut: the page is longer]".len());
    }
}
