//! What a script may say, and what a model and people are told of it.

use std::sync::Arc;

use folkmoot_core::tool::{EffectClass, Repeat};
use serde_json::{Value, json};

use super::super::outside::System;
use super::try_tool;
use crate::build::Built;

fn build(settings: &Value) -> Result<Built, crate::BuildError> {
    try_tool(settings, Arc::new(System::default()))
}

#[test]
fn the_tools_say_what_they_do() {
    let get = build(
        &json!({ "use": "http.get", "allow": [{ "host": "*.example.org", "paths": ["/a/*", "/"] }, { "host": "http://10.0.0.1:8080" }] }),
    );
    let spec = get.unwrap().tool.spec().clone();
    assert_eq!(
        (spec.effect, spec.repeat, spec.open_world),
        (EffectClass::Read, Repeat::Always, true)
    );
    assert_eq!(
        spec.description,
        "Gets a page or a text from the web; HTML comes as text. It reaches: https://*.example.org (paths /a/*, /); http://10.0.0.1:8080."
    );
    for (effect, expected) in [
        (json!(null), EffectClass::Destructive),
        (json!("write"), EffectClass::Write),
    ] {
        let mut settings = json!({ "use": "http.request", "allow": [{ "host": "example.org", "methods": ["POST", "GET"] }] });
        if !effect.is_null() {
            settings["effect"] = effect;
        }
        let spec = build(&settings).unwrap().tool.spec().clone();
        assert_eq!(
            (spec.effect, spec.repeat, spec.open_world),
            (expected, Repeat::Never, true)
        );
        assert_eq!(
            spec.schema["properties"]["method"],
            json!({ "enum": ["GET", "POST"] })
        );
        assert_eq!(
            spec.description,
            "Sends an HTTP request. It reaches: https://example.org (POST, GET)."
        );
    }
}

#[expect(clippy::too_many_lines, reason = "a table: one row for each fault")]
#[test]
fn a_fault_says_where_it_is_and_what_to_write() {
    let rule = |key: &str, value: Value| {
        let mut rule = json!({ "host": "example.org" });
        rule[key] = value;
        json!({ "use": "http.get", "allow": [rule] })
    };
    let request = |rule: Value, more: Value| {
        let mut settings = json!({ "use": "http.request", "allow": [rule] });
        settings
            .as_object_mut()
            .unwrap()
            .append(&mut more.as_object().unwrap().clone());
        settings
    };
    let posting = json!({ "host": "example.org", "methods": ["POST"] });
    let mut many = rule("headers", json!({ "x": "y" }));
    many["allow"][0]["host"] = json!("*.example.org");
    let mut twice = rule("addresses", json!(["10.0.0.0/8"]));
    twice["allow"][0]["host"] = json!("10.0.0.1");
    for (settings, path, why) in [
        (json!({ "use": "http.get" }), "", "missing field `allow`"),
        (
            json!({ "use": "http.get", "allow": [] }),
            "allow",
            "at least one host",
        ),
        (
            json!({ "use": "http.get", "allow": [{}] }),
            "allow[0]",
            "missing field `host`",
        ),
        (
            rule("hosts", json!([])),
            "allow[0].hosts",
            "unknown field `hosts`",
        ),
        (
            rule("methods", json!(["GET"])),
            "allow[0].methods",
            "leave `methods` out",
        ),
        (
            rule("paths", json!([])),
            "allow[0].paths",
            "every path is allowed",
        ),
        (
            rule("addresses", json!([])),
            "allow[0].addresses",
            "every public address",
        ),
        (
            rule("addresses", json!(["10.0.0.0/99"])),
            "allow[0].addresses",
            "write a network like",
        ),
        (
            rule("addresses", json!(["inner"])),
            "allow[0].addresses",
            "write a network like",
        ),
        (twice, "allow[0].addresses", "leave `addresses` out"),
        (many, "allow[0].headers", "name it without `*`"),
        (
            rule("headers", json!({ "host": "a" })),
            "allow[0].headers",
            "not a header",
        ),
        (
            rule("headers", json!({ "a b": "c" })),
            "allow[0].headers",
            "not a header",
        ),
        (
            rule("headers", json!({ "a": "b\r\nc" })),
            "allow[0].headers",
            "not a header",
        ),
        (
            rule("headers", json!({ "a": "${" })),
            "allow[0].headers",
            "beginning of a variable",
        ),
        (
            request(json!({ "host": "example.org" }), json!({})),
            "allow[0].methods",
            "list the methods",
        ),
        (
            request(json!({ "host": "example.org", "methods": [] }), json!({})),
            "allow[0].methods",
            "list the methods",
        ),
        (
            request(
                json!({ "host": "example.org", "methods": ["post"] }),
                json!({}),
            ),
            "allow[0].methods[0]",
            "unknown variant `post`",
        ),
        (
            request(
                json!({ "host": "example.org", "methods": ["CONNECT"] }),
                json!({}),
            ),
            "allow[0].methods[0]",
            "unknown variant",
        ),
        (
            request(posting.clone(), json!({ "effect": "read" })),
            "effect",
            "use `http.get`",
        ),
        (
            request(posting.clone(), json!({ "redirects": 11 })),
            "redirects",
            "from 0 to 10",
        ),
        (
            request(posting.clone(), json!({ "max_bytes": 0 })),
            "max_bytes",
            "from 1 to",
        ),
        (
            request(posting.clone(), json!({ "max_bytes": 9 << 20 })),
            "max_bytes",
            "from 1 to",
        ),
        (
            json!({ "use": "http.get", "allow": [{ "host": "a" }], "memoise": true }),
            "memoise",
            "leave this setting out",
        ),
        (
            json!({ "use": "http.get", "allow": [{ "host": "a" }], "effect": "read" }),
            "effect",
            "has no setting `effect`",
        ),
    ] {
        let error = build(&settings).unwrap_err();
        assert_eq!(error.path(), path, "{settings}: {error}");
        assert!(error.to_string().contains(why), "{settings}: {error}");
    }
}

#[test]
fn a_host_or_a_path_that_is_none_is_refused() {
    for host in [
        "",
        "http://",
        "ftp://a",
        "a/b",
        "a?b",
        "a#b",
        "user@a",
        "a b",
        "*a",
        "a.*",
        "*.*",
        "*.",
        "**",
        "*.127.0.0.1",
        "*:99999",
        "https://*.a/",
        "a\\b",
        "http://http://a",
        "[::1",
        "a..b",
        "*/",
        "*x.example",
    ] {
        let error = build(&json!({ "use": "http.get", "allow": [{ "host": host }] })).unwrap_err();
        assert_eq!(error.path(), "allow[0].host", "{host}: {error}");
    }
    for path in [
        "", "a", "*", "/*/a", "/a*", "/a/**", "/a?b", "/a#b", "/a/../b", "/./a", "/a/%2e", "/a%",
        "/a\\b", "/..;/a", "/a/../*",
    ] {
        let error =
            build(&json!({ "use": "http.get", "allow": [{ "host": "a", "paths": [path] }] }))
                .unwrap_err();
        assert_eq!(error.path(), "allow[0].paths", "{path}: {error}");
    }
}

#[test]
fn another_list_is_another_tool_to_whoever_allowed_it() {
    let digest = |host: &str| {
        let built = build(&json!({ "use": "http.get", "allow": [{ "host": host }] }));
        built.unwrap().tool.spec().settings
    };
    assert_eq!(digest("a.example"), digest("a.example"));
    assert_ne!(digest("a.example"), digest("b.example"));
}

#[tokio::test]
async fn a_secret_that_is_not_there_is_named_and_one_that_is_there_never() {
    let allow = |variable: &str| json!([{ "host": "http://good.example", "headers": { "authorization": format!("Bearer ${{{variable}}}") } }]);
    let stage = super::Stage::getting(allow("NOBODY"), super::server::hello).await;
    let outcome = stage.get("http://good.example/").await;
    let (_, detail) = crate::stage::failure(&outcome);
    assert_eq!(detail, "the environment variable NOBODY is not set");
    assert_eq!(stage.server.requests().len(), 0);
    let stage = super::Stage::getting(allow("TOKEN"), |_| {
        b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n".to_vec()
    })
    .await;
    let outcome = stage.get("http://good.example/").await;
    let told = format!("{outcome:?} {:?}", stage.tool);
    assert!(told.contains("TOKEN") && !told.contains("s3cret"), "{told}");
}
