//! Messages: posted once, edited, taken back, and read.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::house::{DESK, House};

#[tokio::test]
async fn a_repeated_post_is_one_message() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/messages");
    let hello = json!({ "text": "hello" });
    let first = house.post_with_key("ada", &path, "k", hello.clone()).await;
    assert_eq!(first.status, 201);
    let again = house.post_with_key("ada", &path, "k", hello.clone()).await;
    assert_eq!(first.json(), again.json());
    let house = house.restarted().await;
    let again = house.post_with_key("ada", &path, "k", hello.clone()).await;
    assert_eq!(first.json(), again.json());
    let other = house
        .post_with_key("ada", &path, "k", json!({ "text": "other" }))
        .await;
    assert_eq!(other.problem(StatusCode::CONFLICT), "key_reused");
    let second = house.post_with_key("ada", &path, "l", hello).await.ok();
    assert_ne!(second, first.json());
    house.quiet(&desk).await;
    let page = house.get("ada", &path).await.ok();
    let said = page["entries"].as_array().unwrap().iter();
    let mine = said.filter(|entry| entry["message"]["author"]["person"] == "ada");
    assert_eq!(mine.count(), 2);
}

#[tokio::test]
async fn words_of_a_message_can_be_changed_and_taken_back() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    let posted = house
        .post("ada", &messages, json!({ "text": "one" }))
        .await
        .ok();
    let message = format!("{messages}/{}", posted["message"]);
    let edited = json!({ "text": "two" });
    house
        .with_json("ada", Method::PATCH, &message, edited)
        .await
        .ok();
    let page = house.get("ada", &messages).await.ok().to_string();
    assert!(page.contains("two") && !page.contains("\"one\""), "{page}");
    house.delete("ada", &message).await.ok();
    let page = house.get("ada", &messages).await.ok().to_string();
    assert!(!page.contains("two"), "{page}");
}

#[tokio::test]
async fn bad_bodies_name_the_field() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/messages");
    let long = "x".repeat(8_001);
    for (body, status, field) in [
        (json!({}), 422, None),
        (json!({ "text": 5 }), 422, Some("text")),
        (json!({ "text": "" }), 422, Some("text")),
        (json!({ "text": "hello", "who": "me" }), 422, Some("who")),
        (
            json!({ "text": "hello", "reply_to": "x" }),
            422,
            Some("reply_to"),
        ),
        (
            json!({ "text": "hello", "reply_to": 900 }),
            422,
            Some("reply_to"),
        ),
        (json!({ "text": long }), 422, Some("text")),
        (json!([]), 422, None),
    ] {
        let refused = house.post("ada", &path, body.clone()).await;
        assert_eq!(refused.status, status, "{body} {}", refused.json());
        assert_eq!(refused.json()["field"].as_str(), field, "{body}");
    }
    let raw = async |kind: &str, body: &'static str| {
        let request = House::request("ada", Method::POST, &path).header("content-type", kind);
        house.send(request.body(Body::from(body)).unwrap()).await
    };
    let json = "application/json";
    assert_eq!(
        raw(json, "{").await.problem(StatusCode::BAD_REQUEST),
        "bad_request"
    );
    assert_eq!(raw(json, "{} {}").await.status, 422);
    let form = raw("application/x-www-form-urlencoded", "text=hello").await;
    let unsupported = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    assert_eq!(form.problem(unsupported), "unsupported_media_type");
    let packed = House::request("ada", Method::POST, &path)
        .header("content-type", json)
        .header("content-encoding", "gzip");
    let packed = house.send(packed.body(Body::from("x")).unwrap()).await;
    assert_eq!(packed.problem(unsupported), "unsupported_media_type");
    let large = House::request("ada", Method::POST, &path).header("content-type", json);
    let large = house
        .send(large.body(Body::from(" ".repeat(300_000))).unwrap())
        .await;
    assert_eq!(large.problem(StatusCode::PAYLOAD_TOO_LARGE), "too_large");
}

#[tokio::test]
async fn a_token_that_only_reads_posts_nothing() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/rights/test:reader");
    let rights = json!({ "rights": ["read", "post", "decide", "operate"] });
    house
        .with_json("ada", Method::PUT, &path, rights)
        .await
        .ok();
    let post = house
        .post(
            "reader",
            &format!("/worlds/{desk}/messages"),
            json!({ "text": "hello" }),
        )
        .await;
    assert_eq!(post.problem(StatusCode::FORBIDDEN), "forbidden");
    assert_eq!(post.json()["reason"], "no_right");
    let state = house.get("reader", &format!("/worlds/{desk}/state")).await;
    assert_eq!(state.problem(StatusCode::FORBIDDEN), "forbidden");
}

#[tokio::test]
async fn nobody_and_strangers_are_told_to_sign_in() {
    let house = House::new();
    for by in ["", "stranger"] {
        let refused = house.get(by, "/worlds").await;
        assert_eq!(refused.problem(StatusCode::UNAUTHORIZED), "unauthorized");
        assert_eq!(refused.headers["www-authenticate"], "Bearer");
    }
    let missing = house.get("ada", "/nothing").await;
    assert_eq!(missing.problem(StatusCode::NOT_FOUND), "not_found");
    let wrong = house.delete("ada", "/templates").await;
    assert_eq!(
        wrong.problem(StatusCode::METHOD_NOT_ALLOWED),
        "method_not_allowed"
    );
}

#[tokio::test]
async fn a_message_says_of_each_agent_why_it_answers_or_not() {
    let house = House::new();
    let two = DESK.replace(
        "agents: [",
        "policy: { main_agent: clerk }\nagents: [{ name: porter, model: scripted }, ",
    );
    house.template("desk.yaml", &two);
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    let text = json!({ "text": "a quiet word" });
    let message = house.post("ada", &messages, text).await.ok()["message"].clone();
    house.quiet(&desk).await;
    let routing = house
        .get("ada", &format!("{messages}/{message}/routing"))
        .await
        .ok();
    let expected = json!([
        { "agent": "clerk", "answers": true, "words": "it is the main agent" },
        { "agent": "porter", "answers": false, "words": "the main agent answers; it remembers it" },
    ]);
    assert_eq!(routing["agents"], expected);
    assert_eq!(
        routing["words"],
        "nobody is addressed, and the room has a main agent"
    );
    assert!(!routing.to_string().contains("quiet word"));
    for other in ["1", "900", "0"] {
        let other = house
            .get("ada", &format!("{messages}/{other}/routing"))
            .await;
        assert_eq!(other.problem(StatusCode::NOT_FOUND), "not_found");
    }
}
