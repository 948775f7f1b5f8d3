//! Files: kept, named by a message, and read by who may.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::{Answer, House};

async fn upload(house: &House, by: &str, desk: &str, name: &str, bytes: Vec<u8>) -> Answer {
    let path = format!("/worlds/{desk}/blobs?name={name}");
    let request = House::request(by, Method::POST, &path).header("content-type", "text/html");
    house.send(request.body(Body::from(bytes)).unwrap()).await
}

#[tokio::test]
async fn a_file_is_read_once_a_message_names_it_and_never_run() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let kept = upload(&house, "ada", &desk, "page.html", b"<b>hi</b>".to_vec()).await;
    assert_eq!(kept.status, 201);
    let file: Value = kept.json();
    let path = format!("/worlds/{desk}/blobs/{}", file["blob"].as_str().unwrap());
    let unnamed = house.get("ada", &path).await;
    assert_eq!(unnamed.problem(StatusCode::NOT_FOUND), "not_found");
    let messages = format!("/worlds/{desk}/messages");
    let post = json!({ "text": "see", "attachments": [file] });
    let posted = house.post("ada", &messages, post).await.ok();
    let read = house.get("ada", &path).await;
    assert_eq!((read.status, &read.bytes[..]), (200, &b"<b>hi</b>"[..]));
    assert_eq!(read.headers["content-type"], "application/octet-stream");
    assert_eq!(read.headers["content-disposition"], "attachment");
    assert_eq!(read.headers["x-content-type-options"], "nosniff");
    assert!(
        read.headers["content-security-policy"]
            .to_str()
            .unwrap()
            .contains("sandbox")
    );
    assert_eq!(house.get("bob", &path).await.status, 404);
    house
        .delete("ada", &format!("{messages}/{}", posted["message"]))
        .await
        .ok();
    assert_eq!(house.get("ada", &path).await.status, 404);
}

#[tokio::test]
async fn files_that_are_not_there_or_do_not_fit_are_refused() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    let ghost = json!({
        "blob": "00".repeat(32), "media_type": "text/plain", "name": "a", "bytes": 1
    });
    let posted = house
        .post(
            "ada",
            &messages,
            json!({ "text": "x", "attachments": [ghost] }),
        )
        .await;
    assert_eq!(posted.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    let bad = upload(&house, "ada", &desk, "a%2fb", b"x".to_vec()).await;
    assert_eq!(bad.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    let stranger = upload(&house, "bob", &desk, "a", b"x".to_vec()).await;
    assert_eq!(stranger.problem(StatusCode::NOT_FOUND), "not_found");
    let large = upload(&house, "ada", &desk, "a", vec![0; 80 << 20]).await;
    assert_eq!(large.problem(StatusCode::PAYLOAD_TOO_LARGE), "too_large");
}
