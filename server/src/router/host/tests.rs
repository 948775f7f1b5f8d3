use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use tower::ServiceExt as _;

use super::*;

/// A server with one resource, which an allowed origin may use as well.
fn server() -> Router {
    let hosts = Hosts::listening_at("127.0.0.1:7077".parse().unwrap());
    let hosts = hosts.allowing("https://console.example.com").unwrap();
    let resource = axum::routing::any(async || "reached");
    guarded(Router::new().route("/", resource), hosts)
}

async fn asked(head: &str) -> (StatusCode, HeaderMap) {
    let mut lines = head.split(" | ");
    let (method, uri) = lines.next().unwrap().split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(uri);
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap();
        request = request.header(name, value);
    }
    let request = request.body(Body::empty()).unwrap();
    let answer = server().oneshot(request).await.unwrap();
    (answer.status(), answer.headers().clone())
}

#[tokio::test]
async fn what_names_another_host_comes_from_elsewhere_or_shows_a_token_is_refused() {
    let rows = [
        ("GET / | host: localhost:7077", 200),
        ("GET http://localhost:7077/ | host: localhost:7077", 200),
        ("GET http://evil.example/ | host: localhost:7077", 421),
        ("GET http://localhost:7077/ | host: evil.example", 421),
        ("GET /", 421),
        ("GET / | host: evil.example", 421),
        ("GET / | host: localhost:7077 | host: localhost:7077", 421),
        ("POST / | host: localhost:7077", 200),
        (
            "POST / | host: localhost:7077 | origin: http://localhost:7077",
            200,
        ),
        (
            "POST / | host: localhost:7077 | origin: https://console.example.com",
            200,
        ),
        (
            "POST / | host: localhost:7077 | origin: http://localhost:9999",
            403,
        ),
        ("POST / | host: localhost:7077 | origin: null", 403),
        (
            "PUT / | host: localhost:7077 | origin: https://evil.example",
            403,
        ),
        (
            "PATCH / | host: localhost:7077 | origin: https://evil.example",
            403,
        ),
        (
            "DELETE / | host: localhost:7077 | origin: https://evil.example",
            403,
        ),
        (
            "OPTIONS / | host: localhost:7077 | origin: https://evil.example",
            403,
        ),
        (
            "GET / | host: localhost:7077 | origin: https://evil.example",
            200,
        ),
        (
            "HEAD / | host: localhost:7077 | origin: https://evil.example",
            200,
        ),
        (
            "GET / | host: localhost:7077 | origin: https://evil.example | upgrade: websocket",
            403,
        ),
        (
            "GET / | host: localhost:7077 | origin: http://localhost:7077 | upgrade: websocket",
            200,
        ),
        (
            "POST / | host: localhost:7077 | origin: http://localhost:7077 | origin: https://evil.example",
            403,
        ),
        ("GET /?token=fmt_1 | host: localhost:7077", 400),
        ("GET /?access_token=fmt_1 | host: localhost:7077", 400),
        ("GET /?a=b&TOKEN= | host: localhost:7077", 400),
        ("GET /?t%6fken=fmt_1 | host: localhost:7077", 400),
        ("GET /?tokens=2&mytoken=1 | host: localhost:7077", 200),
    ];
    for (head, status) in rows {
        assert_eq!(asked(head).await.0.as_u16(), status, "{head}");
    }
}

#[tokio::test]
async fn a_browser_is_told_which_other_origin_may_read() {
    let allowed = "origin: https://console.example.com";
    let preflight = format!(
        "OPTIONS / | host: localhost:7077 | {allowed} | access-control-request-method: PUT"
    );
    let (status, headers) = asked(&preflight).await;
    assert_eq!(status, StatusCode::OK);
    let says = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
    assert_eq!(
        says("access-control-allow-origin"),
        Some("https://console.example.com")
    );
    assert!(
        says("access-control-allow-methods")
            .unwrap()
            .contains("PUT")
    );
    assert!(
        says("access-control-allow-headers")
            .unwrap()
            .contains("authorization")
    );
    assert_eq!(says("access-control-allow-credentials"), None);

    let (_, headers) = asked("GET / | host: localhost:7077 | origin: https://evil.example").await;
    assert_eq!(headers.get("access-control-allow-origin"), None);
    let (_, headers) = asked(&format!("GET / | host: localhost:7077 | {allowed}")).await;
    assert!(headers.contains_key("access-control-allow-origin"));
}
