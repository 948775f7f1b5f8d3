//! The table of redirects. Each step needs a rule, is looked up and is checked like the first.

use folkmoot_core::tool::ToolErrorCode::{self, Failed, NotAllowed};
use serde_json::{Value, json};

use super::server::{Request, answer, hello};
use super::{Stage, code};
use crate::stage::done;

/// Two hosts; one of them has a path that is not allowed, and a name whose address is not.
fn rules() -> Value {
    json!([
        { "host": "http://good.example", "paths": ["/*"], "headers": { "authorization": "Bearer ${TOKEN}", "x-room": "desk" } },
        { "host": "http://other.example", "paths": ["/open/*"], "headers": { "authorization": "Bearer ${TOKEN}" } },
        { "host": "http://inner.example" },
        { "host": "http://good.example:8080" },
    ])
}

/// A place that leads on, in a query.
fn leading(to: &str, status: u16) -> String {
    let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
    format!("?as={status}&to={to}")
}

/// Where a redirect leads, what becomes of the call, and the target of the last request if it is another one.
const REDIRECTS: &[(&str, Result<&str, ToolErrorCode>)] = &[
    ("/next", Ok("/next")),
    ("next", Ok("/next")),
    ("../next", Ok("/next")),
    ("?q", Ok("/?q")),
    ("//other.example/open/a", Ok("/open/a")),
    ("http://other.example/open/a", Ok("/open/a")),
    ("http://good.example:8080/", Ok("/")),
    ("HTTP://OTHER.EXAMPLE:80/open/a#b", Ok("/open/a")),
    ("http://other.example/closed", Err(NotAllowed)),
    ("http://other.example/open/..;/closed", Err(NotAllowed)),
    ("https://good.example/", Err(NotAllowed)),
    ("http://good.example:22/", Err(NotAllowed)),
    ("http://metadata.example/", Err(NotAllowed)),
    ("http://169.254.169.254/", Err(NotAllowed)),
    ("http://0xa9fea9fe/", Err(NotAllowed)),
    ("http://127.0.0.1/", Err(NotAllowed)),
    ("http://[::1]/", Err(NotAllowed)),
    ("//127.1/", Err(NotAllowed)),
    ("http://localhost/", Err(NotAllowed)),
    ("http://inner.example/", Err(NotAllowed)),
    ("http://good.example@127.0.0.1/", Err(NotAllowed)),
    ("http://user:pass@good.example/", Err(NotAllowed)),
    ("file:///etc/passwd", Err(NotAllowed)),
    ("data:text/plain,hello", Err(NotAllowed)),
    ("gopher://good.example/", Err(NotAllowed)),
    ("/\\127.0.0.1/", Err(NotAllowed)),
    ("\\\\127.0.0.1\\", Err(NotAllowed)),
    ("/a b", Err(NotAllowed)),
    ("/caf\u{e9}", Err(NotAllowed)),
    ("http://", Err(NotAllowed)),
];

#[tokio::test]
async fn every_step_is_allowed_by_a_rule_of_its_own() {
    for (to, expected) in REDIRECTS {
        for status in [301, 302, 303, 307, 308] {
            let stage = Stage::getting(rules(), hello).await;
            let first = leading(to, status);
            let outcome = stage.get(&format!("http://good.example/{first}")).await;
            let mut targets = vec![format!("/{first}")];
            targets.extend(expected.iter().map(ToString::to_string));
            assert_eq!(stage.server.targets(), targets, "{to} {status}");
            assert_eq!(code(&outcome), expected.err(), "{to} {status}: {outcome:?}");
            assert_eq!(stage.fake.connected().len(), targets.len(), "{to} {status}");
        }
    }
}

#[tokio::test]
async fn the_result_names_the_place_that_answered() {
    let stage = Stage::getting(rules(), hello).await;
    let first = leading("http://other.example/open/a?b#c", 302);
    let text = done(stage.get(&format!("http://good.example/{first}")).await);
    let expected = "address: http://other.example/open/a?b\nstatus: 200\ntype: text/plain; charset=UTF-8\n\nhello";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn secrets_stay_with_the_origin_they_were_meant_for() {
    // There and back again: what left its origin never gets the headers back, nor those of where it comes to.
    let back = format!("http://good.example/back{}", leading("/end", 302));
    let away = format!(
        "http://good.example/{}",
        leading(
            &format!("http://other.example/open/a{}", leading(&back, 307)),
            302
        )
    );
    let stage = Stage::getting(rules(), hello).await;
    assert_eq!(code(&stage.get(&away).await), None);
    let seen: Vec<_> = stage
        .server
        .requests()
        .iter()
        .map(|request| {
            let told = |name| request.header(name).map(str::to_owned);
            (told("host").unwrap(), told("authorization"), told("x-room"))
        })
        .collect();
    let secret = Some("Bearer s3cret-token".to_owned());
    let good = || "good.example".to_owned();
    assert_eq!(
        seen,
        [
            (good(), secret, Some("desk".to_owned())),
            ("other.example".to_owned(), None, None),
            (good(), None, None),
            (good(), None, None),
        ]
    );
}

#[tokio::test]
async fn another_port_is_another_origin() {
    let stage = Stage::getting(rules(), hello).await;
    let first = leading("http://good.example:8080/", 307);
    assert_eq!(
        code(&stage.get(&format!("http://good.example/{first}")).await),
        None
    );
    let secrets: Vec<_> = stage
        .server
        .requests()
        .iter()
        .map(|request| request.header("authorization").is_some())
        .collect();
    assert_eq!(secrets, [true, false]);
}

#[tokio::test]
async fn a_name_that_means_another_address_at_the_second_look_is_refused() {
    let stage = Stage::getting(rules(), hello).await;
    stage
        .fake
        .name("good.example", &[&["93.184.216.34"], &["127.0.0.1"]]);
    let first = leading("/again", 302);
    let outcome = stage.get(&format!("http://good.example/{first}")).await;
    assert_eq!(code(&outcome), Some(NotAllowed));
    assert_eq!(stage.fake.connected(), ["93.184.216.34:80"]);
    assert_eq!(stage.fake.looked_up(), ["good.example", "good.example"]);
}

#[tokio::test]
async fn a_name_is_looked_up_once_for_a_step() {
    let stage = Stage::getting(rules(), hello).await;
    stage.fake.name(
        "good.example",
        &[&["93.184.216.34"], &["127.0.0.1"], &["10.0.0.1"]],
    );
    assert_eq!(code(&stage.get("http://good.example/").await), None);
    assert_eq!(stage.fake.connected(), ["93.184.216.34:80"]);
    assert_eq!(stage.fake.looked_up(), ["good.example"]);
}

#[tokio::test]
async fn redirects_end() {
    let circle = |_: &Request| answer(302, &[("location", "/round")], "");
    for (redirects, requests) in [(0, 1), (1, 2), (5, 6), (10, 11)] {
        let settings = json!({ "use": "http.get", "allow": rules(), "redirects": redirects });
        let stage = Stage::new(settings, circle).await;
        assert_eq!(
            code(&stage.get("http://good.example/round").await),
            Some(Failed)
        );
        assert_eq!(stage.server.requests().len(), requests);
    }
}

#[tokio::test]
async fn an_answer_that_leads_nowhere_is_the_answer() {
    let odd = |request: &Request| {
        let status = request.asked("as").unwrap().parse().unwrap();
        match request.asked("with").is_some() {
            true => answer(
                status,
                &[
                    ("location", "http://127.0.0.1/"),
                    ("content-type", "text/plain"),
                ],
                "here",
            ),
            false => answer(status, &[("content-type", "text/plain")], "here"),
        }
    };
    for url in [
        "?as=302",
        "?as=307",
        "?as=200&with=1",
        "?as=201&with=1",
        "?as=300&with=1",
        "?as=305&with=1",
        "?as=404",
    ] {
        let stage = Stage::getting(rules(), odd).await;
        let text = done(stage.get(&format!("http://good.example/{url}")).await);
        assert!(text.ends_with("\n\nhere"), "{url}: {text}");
        assert_eq!(stage.server.requests().len(), 1, "{url}");
    }
}
