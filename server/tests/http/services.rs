//! Programs that decide.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::House;

/// A room in which a call waits, opened from `template`.
async fn asked(house: &House, template: &str) -> (String, Value) {
    let open = json!({ "template": template });
    let opened = house.post("ada", "/worlds", open).await.ok();
    let world = opened["world"].as_str().unwrap().to_owned();
    let said = json!({ "text": "Please note it." });
    let path = format!("/worlds/{world}/messages");
    house.post("ada", &path, said).await.ok();
    let request = house.request_in("ada", &world).await;
    (world, request)
}

async fn allow(house: &House, world: &str, rights: &[&str]) {
    let path = format!("/worlds/{world}/rights/service%25:test:ci");
    let rights = json!({ "rights": rights });
    house
        .with_json("ada", Method::PUT, &path, rights)
        .await
        .ok();
}

#[tokio::test]
async fn a_service_decides_where_rights_say_so() {
    let house = House::new();
    let (desk, request) = asked(&house, "desk").await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let shown = &request["asks"]["shown"];
    let yes = json!({ "verdict": "allow", "shown": shown, "scope": "world" });
    let unseen = house.post("ci", &path, yes.clone()).await;
    assert_eq!(unseen.problem(StatusCode::NOT_FOUND), "not_found");
    let slip = format!("/worlds/{desk}/rights/service:test:ci");
    let rights = json!({ "rights": ["read"] });
    let slip = house.with_json("ada", Method::PUT, &slip, rights).await;
    assert_eq!(slip.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    assert_eq!(slip.json()["field"], "who");
    allow(&house, &desk, &["read", "post"]).await;
    let refused = house.post("ci", &path, yes.clone()).await;
    assert_eq!(refused.problem(StatusCode::FORBIDDEN), "forbidden");
    assert_eq!(refused.json()["reason"], "no_right");
    allow(&house, &desk, &["read", "decide"]).await;
    let first = house.post_with_key("ci", &path, "k", yes.clone()).await;
    let again = house.post_with_key("ci", &path, "k", yes.clone()).await;
    assert_eq!((first.status, first.json()), (200, again.json()));
    let late = house.post("ada", &path, yes).await;
    assert_eq!(late.problem(StatusCode::CONFLICT), "already_decided");
    assert_eq!(late.json()["by"], "ci (service)");
    let grants = format!("/worlds/{desk}/grants");
    let listed = house.get("ci", &grants).await.ok();
    let service = json!({ "method": "test", "subject": "ci", "display": "ci" });
    assert_eq!(listed["grants"][0]["by"], json!({ "service": service }));
    let one = format!("{grants}/{}", listed["grants"][0]["grant"]);
    house.delete("ci", &one).await.ok();
    assert_eq!(house.get("ci", &grants).await.ok(), json!({ "grants": [] }));
}

#[tokio::test]
async fn a_service_is_no_second_pair_of_eyes() {
    let house = House::new();
    let rights = "policy: { four_eyes: [write] }";
    house.template("other.yaml", &format!("{}{rights}\n", crate::house::DESK));
    let (desk, request) = asked(&house, "other").await;
    allow(&house, &desk, &["read", "decide"]).await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let say = |verdict| json!({ "verdict": verdict, "shown": request["asks"]["shown"] });
    let refused = house.post("ci", &path, say("allow")).await;
    assert_eq!(refused.problem(StatusCode::FORBIDDEN), "forbidden");
    assert_eq!(refused.json()["reason"], "service_for_two");
    let denied = house.post("ci", &path, say("deny")).await;
    assert_eq!(denied.ok()["verdict"], "deny");
}
