//! The table of paths.

use folkmoot_core::tool::ToolErrorCode::NotAllowed;
use serde_json::json;

use super::server::hello;
use super::{Stage, code};

/// Paths under the rule `[/open/*, /status, /a b/c]`, and what is sent, if they fit.
const PATHS: &[(&str, Option<&str>)] = &[
    ("/open/a", Some("/open/a")),
    ("/open/", Some("/open/")),
    ("/open/a/b?q=/closed", Some("/open/a/b?q=/closed")),
    ("/open//a", Some("/open//a")),
    ("/status", Some("/status")),
    ("/status?x=1#f", Some("/status?x=1")),
    ("/a%20b/c", Some("/a%20b/c")),
    ("/%6fpen/a", Some("/%6fpen/a")),
    ("/open/../open/a", Some("/open/a")),
    ("/closed/../open/a", Some("/open/a")),
    ("/open/a;v=1", Some("/open/a;v=1")),
    ("/open/a..b", Some("/open/a..b")),
    ("/open/caf%C3%A9", Some("/open/caf%C3%A9")),
    ("/open/.well-known", Some("/open/.well-known")),
    ("/open", None),
    ("/openly/a", None),
    ("/Open/a", None),
    ("/", None),
    ("", None),
    ("/status/", None),
    ("/status/a", None),
    ("/status;x", None),
    ("//open/a", None),
    ("/open/../closed", None),
    ("/open/%2e%2e/closed", None),
    ("/open/.%2e/closed", None),
    ("/open/%2E./closed", None),
    ("/open/a/../../closed", None),
    ("/open/..;/closed", None),
    ("/open/.;/closed", None),
    ("/open/..;a=b/closed", None),
    ("/open/%2e%2e%3b/closed", None),
    ("/open/..%2fclosed", None),
    ("/open/..%5cclosed", None),
    ("/open/a%2f..%2f..%2fclosed", None),
    ("/open/%252e%252e/closed", None),
    ("/open/%252e%252e%252fclosed", None),
    ("/open%2fa", None),
    ("/open%2f..%2fclosed", None),
    ("/open/%00/a", None),
    ("/open/a%0d%0aHost:%20b", None),
    ("/open/%ff", None),
    ("/open/%c0%ae%c0%ae/closed", None),
    ("/open/%2e%2e%20/closed", None),
    ("/open/.../closed", None),
    ("/open/%ef%bc%8e%ef%bc%8e/closed", None),
    ("/open/..%ef%bc%8fclosed", None),
    ("/open/\u{2025}/closed", None),
    ("/open%3b/a", None),
    ("/open;/../closed", None),
];

#[tokio::test]
async fn a_path_is_compared_name_by_name() {
    for (path, expected) in PATHS {
        let allow =
            json!([{ "host": "http://good.example", "paths": ["/open/*", "/status", "/a b/c"] }]);
        let stage = Stage::getting(allow, hello).await;
        let outcome = stage.get(&format!("http://good.example{path}")).await;
        let expected: Vec<_> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(stage.server.targets(), expected, "{path}: {outcome:?}");
        if expected.is_empty() {
            assert_eq!(code(&outcome), Some(NotAllowed), "{path}");
            assert_eq!(stage.fake.looked_up(), Vec::<String>::new(), "{path}");
        }
    }
}

#[tokio::test]
async fn a_rule_for_the_root_is_for_it_alone_or_for_all() {
    for (rule, path, fits) in [
        ("/", "/", true),
        ("/", "/a", false),
        ("/*", "/", true),
        ("/*", "/a/b", true),
        ("/*", "/a/..%2fb", false),
    ] {
        let stage = Stage::getting(
            json!([{ "host": "http://good.example", "paths": [rule] }]),
            hello,
        )
        .await;
        let outcome = stage.get(&format!("http://good.example{path}")).await;
        assert_eq!(code(&outcome).is_none(), fits, "{rule} {path}");
    }
}
