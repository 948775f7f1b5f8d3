//! `http.request`: methods, content and headers, and what is said after a request that may have changed something.

use folkmoot_core::tool::ToolErrorCode::{self, BadArguments, Failed, Lost, NotAllowed};
use serde_json::{Value, json};

use super::server::{Request, answer, hello};
use super::{Answers, Stage, code};
use crate::stage::done;

async fn requesting(answers: Answers) -> Stage {
    let allow = json!([
        { "host": "http://good.example", "methods": ["GET", "HEAD", "POST", "PUT", "DELETE"], "headers": { "authorization": "Bearer ${TOKEN}" } },
        { "host": "http://other.example", "methods": ["GET", "POST"] },
        { "host": "http://inner.example", "methods": ["GET"] },
        { "host": "http://www.good.example", "methods": ["POST"] },
    ]);
    Stage::new(json!({ "use": "http.request", "allow": allow }), answers).await
}

fn asked(method: &str, url: &str, more: &Value) -> Value {
    let mut arguments = json!({ "method": method, "url": url });
    arguments
        .as_object_mut()
        .unwrap()
        .append(&mut more.as_object().unwrap().clone());
    arguments
}

#[tokio::test]
async fn a_request_is_sent_as_it_is_asked_for() {
    for (method, more, body, kind) in [
        ("GET", json!({}), "", None),
        ("POST", json!({}), "", None),
        (
            "POST",
            json!({ "body": "a=1" }),
            "a=1",
            Some("text/plain; charset=utf-8"),
        ),
        (
            "PUT",
            json!({ "json": { "a": [1, null] } }),
            r#"{"a":[1,null]}"#,
            Some("application/json"),
        ),
        (
            "POST",
            json!({ "body": "a=1", "headers": { "content-type": "application/x-www-form-urlencoded" } }),
            "a=1",
            Some("application/x-www-form-urlencoded"),
        ),
        (
            "DELETE",
            json!({ "headers": { "if-match": "\"7\"" } }),
            "",
            None,
        ),
    ] {
        let stage = requesting(hello).await;
        let text = done(
            stage
                .run(asked(method, "http://good.example/a?b", &more))
                .await,
        );
        assert!(
            text.starts_with("address: http://good.example/a?b\nstatus: 200\n"),
            "{text}"
        );
        let request = stage.server.requests().pop().unwrap();
        assert_eq!(
            (
                request.method.as_str(),
                request.target.as_str(),
                request.body.as_str()
            ),
            (method, "/a?b", body)
        );
        assert_eq!(request.header("content-type"), kind);
        assert_eq!(request.header("authorization"), Some("Bearer s3cret-token"));
        let given = more["headers"]["if-match"].as_str();
        assert_eq!(request.header("if-match"), given);
    }
}

#[tokio::test]
async fn nothing_else_is_sent() {
    let stage = requesting(hello).await;
    done(
        stage
            .run(asked(
                "POST",
                "http://other.example/",
                &json!({ "body": "a" }),
            ))
            .await,
    );
    let mut headers = stage.server.requests().pop().unwrap().headers;
    headers.sort();
    let version = env!("CARGO_PKG_VERSION");
    let expected = [
        ("accept", "*/*"),
        ("accept-encoding", "gzip"),
        ("connection", "close"),
        ("content-length", "1"),
        ("content-type", "text/plain; charset=utf-8"),
        ("host", "other.example"),
        ("user-agent", &format!("folkmoot/{version}")),
    ];
    assert_eq!(
        headers,
        expected.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
}

#[tokio::test]
async fn a_request_that_cannot_be_is_refused_before_anything_is_sent() {
    for (arguments, expected) in [
        (
            asked("PUT", "http://other.example/", &json!({})),
            NotAllowed,
        ),
        (
            asked("GET", "http://www.good.example/", &json!({})),
            NotAllowed,
        ),
        (
            asked("GET", "http://inner.example/", &json!({})),
            NotAllowed,
        ),
        (
            asked("GET", "http://good.example/", &json!({ "body": "a" })),
            BadArguments,
        ),
        (
            asked("HEAD", "http://good.example/", &json!({ "json": 1 })),
            BadArguments,
        ),
        (
            asked(
                "POST",
                "http://good.example/",
                &json!({ "body": "a", "json": 1 }),
            ),
            BadArguments,
        ),
        (
            asked(
                "POST",
                "http://good.example/",
                &json!({ "headers": { "accept": "a\r\nhost: b" } }),
            ),
            BadArguments,
        ),
    ] {
        let stage = requesting(hello).await;
        let outcome = stage.run(arguments.clone()).await;
        assert_eq!(code(&outcome), Some(expected), "{arguments}");
        assert_eq!(
            stage.server.requests(),
            Vec::<Request>::new(),
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn a_model_writes_no_header_of_the_connection_or_of_the_script() {
    for name in [
        "host",
        "authorization",
        "cookie",
        "connection",
        "content-length",
        "transfer-encoding",
        "accept-encoding",
        "x-forwarded-for",
        "proxy-authorization",
        "Accept",
    ] {
        let stage = requesting(hello).await;
        let arguments = asked(
            "POST",
            "http://good.example/",
            &json!({ "headers": { name: "a" } }),
        );
        let schema = jsonschema::draft202012::new(&stage.tool.spec().schema).unwrap();
        assert!(!schema.is_valid(&arguments), "{name}");
        // Nor if nobody looked at the schema.
        let outcome = stage.tool.run(&crate::stage::call(arguments)).await;
        assert_eq!(code(&outcome), Some(BadArguments), "{name}");
    }
}

/// Leads to `to`, and tells which method came there.
fn leading(request: &Request) -> Vec<u8> {
    if request.asked("to").is_some() {
        return hello(request);
    }
    let kind = request.header("content-type").unwrap_or("none");
    let text = format!("{} {:?} {kind}", request.method, request.body);
    answer(200, &[("content-type", "text/plain")], text)
}

#[tokio::test]
async fn methods_change_on_the_way_as_in_a_browser() {
    for (method, status, expected) in [
        ("POST", 301, "GET \"\" none"),
        ("POST", 302, "GET \"\" none"),
        ("POST", 303, "GET \"\" none"),
        ("POST", 307, "POST \"a\" application/x-a"),
        ("POST", 308, "POST \"a\" application/x-a"),
        ("PUT", 302, "PUT \"a\" application/x-a"),
        ("PUT", 303, "GET \"\" none"),
        ("DELETE", 301, "DELETE \"a\" application/x-a"),
    ] {
        let stage = requesting(leading).await;
        let url = format!("http://good.example/?as={status}&to=/next");
        let arguments = asked(
            method,
            &url,
            &json!({ "body": "a", "headers": { "content-type": "application/x-a" } }),
        );
        let text = done(stage.run(arguments).await);
        assert!(text.ends_with(expected), "{method} {status}: {text}");
    }
}

#[tokio::test]
async fn a_step_that_is_not_allowed_does_not_undo_the_first() {
    for (to, status) in [
        ("http://127.0.0.1/", 303),
        ("http://inner.example/", 303),
        ("http://www.good.example/", 303),
        ("http://nobody.example/", 307),
        ("http://user@good.example/", 302),
    ] {
        let stage = requesting(leading).await;
        let arguments = asked(
            "POST",
            &format!("http://good.example/?as={status}&to={to}"),
            &json!({ "body": "a" }),
        );
        let url = arguments["url"].as_str().unwrap().to_owned();
        let outcome = stage.run(arguments).await;
        assert_eq!(
            done(outcome),
            format!("address: {url}\nstatus: {status}\n\n[the redirect was not followed]")
        );
        assert_eq!(stage.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_request_that_is_sent_round_in_a_circle_was_answered() {
    let stage = requesting(|_| answer(308, &[("location", "/round")], "")).await;
    let text = done(
        stage
            .run(asked("POST", "http://good.example/round", &json!({})))
            .await,
    );
    assert_eq!(
        text,
        "address: http://good.example/round\nstatus: 308\n\n[the redirect was not followed]"
    );
    assert_eq!(stage.server.requests().len(), 6);
}

#[tokio::test]
async fn a_body_goes_on_to_another_host_without_what_was_meant_for_the_first() {
    let stage = requesting(hello).await;
    let url = "http://good.example/?as=307&to=http://other.example/";
    let arguments = asked(
        "POST",
        url,
        &json!({ "body": "a", "headers": { "if-match": "1", "content-type": "application/x-a" } }),
    );
    done(stage.run(arguments).await);
    let request = stage.server.requests().pop().unwrap();
    assert_eq!(request.header("host"), Some("other.example"));
    let found = ["authorization", "if-match", "content-type"].map(|name| request.header(name));
    assert_eq!(
        (found, request.body.as_str()),
        ([None, None, Some("application/x-a")], "a")
    );
}

#[tokio::test]
async fn nobody_knows_what_became_of_a_request_without_an_answer() {
    let silent = |_: &Request| Vec::new();
    let nonsense = |_: &Request| b"220 mail.example ESMTP\r\n".to_vec();
    for answers in [silent as Answers, nonsense] {
        for (method, expected) in [
            ("GET", Failed),
            ("HEAD", Failed),
            ("POST", Lost),
            ("DELETE", Lost),
        ] {
            let stage = requesting(answers).await;
            let outcome = stage
                .run(asked(method, "http://good.example/", &json!({})))
                .await;
            assert_eq!(code(&outcome), Some(expected), "{method}");
        }
    }
}

#[tokio::test]
async fn what_was_answered_is_told_though_its_content_was_lost() {
    let torn = |_: &Request| {
        b"HTTP/1.1 201 Made\r\ncontent-type: text/plain\r\ncontent-length: 99\r\n\r\nhalf".to_vec()
    };
    for (method, expected) in [("GET", None::<ToolErrorCode>), ("POST", Some(Failed))] {
        let stage = requesting(torn).await;
        let outcome = stage
            .run(asked(method, "http://good.example/", &json!({})))
            .await;
        match expected {
            None => assert_eq!(code(&outcome), Some(Failed)),
            Some(_) => assert_eq!(
                done(outcome),
                "address: http://good.example/\nstatus: 201\n\n[the content could not be read]"
            ),
        }
    }
}
