//! Paths and names that are none.

use folkmoot_server::ServerLimits;

use super::harness::{Served, request};

#[tokio::test]
async fn tricks_in_paths_find_nothing() {
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    let long = "a".repeat(9_000);
    let tricks = [
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e",
        "%2fetc%2fpasswd",
        "..%5c..%5cboot.ini",
        &format!("{room}%00"),
        &format!("{room}%2f..%2f{room}"),
        &format!("{room}%20"),
        &format!("{room}."),
        &room.to_uppercase(),
        // A Cyrillic `а`, a full-width `ａ`, a combining mark and a turned direction.
        &room.replacen('d', "%d0%b0", 1),
        &room.replacen('d', "%ef%bd%84", 1),
        &format!("{room}%cc%81"),
        &format!("%e2%80%ae{room}"),
        "%ff%fe",
        "%zz",
        &long,
    ];
    let nothing = served.ask("GET", "/v1/worlds/nobody/messages", "").await;
    assert_eq!(nothing.status, 404);
    for trick in tricks {
        for below in ["messages", "feed", "state"] {
            let path = format!("/v1/worlds/{trick}/{below}");
            let answer = served.ask("GET", &path, "").await;
            assert_eq!(answer.status, 404, "{path}: {}", answer.text);
            assert_eq!(answer.body(), nothing.body(), "{path}");
        }
    }
    served.serves_others().await;
}

#[tokio::test]
async fn dots_in_a_path_lead_nowhere() {
    let served = Served::with(ServerLimits::default()).await;
    let room = served.room().await;
    for path in [
        format!("/v1/worlds/x/../{room}/messages"),
        format!("/v1/worlds//{room}/messages"),
        format!("/v1//worlds/{room}/messages"),
        "/v1/../../etc/passwd".to_owned(),
        format!("/v1/worlds/{room};a=b/messages"),
    ] {
        let answer = served.ask("GET", &path, "").await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.text);
    }
}

#[tokio::test]
async fn templates_are_found_by_their_names_alone() {
    let served = Served::with(ServerLimits::default()).await;
    for template in [
        "../desk",
        "desk.yaml",
        "./desk",
        "desk\\u0000",
        "/etc/passwd",
        "",
    ] {
        let body = format!(r#"{{"template":"{template}"}}"#);
        let answer = served.ask("POST", "/v1/worlds", &body).await;
        assert_eq!(answer.status, 422, "{template}: {}", answer.text);
    }
    let mut client = served.client().await;
    client
        .send(&request("POST", "/v1/worlds", "{\"template\":\"\u{0}\"}"))
        .await;
    assert_eq!(client.answer().await.status, 400);
}
