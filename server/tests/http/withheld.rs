//! Text that people do not read.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::House;

const LEAK: &str = r#"
world: leak
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [note] }]
tools: { note: { use: scripted, effect: read, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ text: 'Done. {"name":"note","arguments":{}}' }] }
"#;

async fn events(house: &House, world: &str, kind: &str) -> Vec<Value> {
    let path = format!("/worlds/{world}/events?kind={kind}");
    let page = house.get("ada", &path).await.ok();
    page["events"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_look_at_withheld_text_is_recorded_once_for_each_key() {
    let house = House::new();
    house.template("other.yaml", LEAK);
    let open = json!({ "template": "other" });
    let opened = house.post("ada", "/worlds", open).await.ok();
    let world = opened["world"].as_str().unwrap();
    let path = format!("/worlds/{world}");
    let said = json!({ "text": "Please note it." });
    house
        .post("ada", &format!("{path}/messages"), said)
        .await
        .ok();
    house.quiet(world).await;
    let kept = events(&house, world, "ArtifactWithheld").await[0]["position"].clone();
    let look = format!("{path}/withheld/{kept}");
    let seen = house.post_with_key("ada", &look, "k", json!({})).await;
    let view = seen.ok();
    assert_eq!(
        view["parts"][0]["text"],
        r#"{"name":"note","arguments":{}}"#
    );
    assert!(view["time"].as_str().unwrap().ends_with('Z'), "{view}");
    let again = house.post_with_key("ada", &look, "k", json!({})).await;
    assert_eq!(again.ok(), view);
    assert_eq!(events(&house, world, "WithheldViewed").await.len(), 1);
    house.post("ada", &look, json!({})).await.ok();
    assert_eq!(events(&house, world, "WithheldViewed").await.len(), 2);

    let rights = json!({ "rights": ["read", "post", "decide"] });
    let bob = format!("{path}/rights/test:bob");
    house.with_json("ada", Method::PUT, &bob, rights).await.ok();
    let refused = house.post("bob", &look, json!({})).await;
    assert_eq!(refused.problem(StatusCode::FORBIDDEN), "forbidden");
    assert_eq!(events(&house, world, "Refused").await.len(), 1);
    for nothing in ["1", "0", "900"] {
        let look = format!("{path}/withheld/{nothing}");
        let refused = house.post("ada", &look, json!({})).await;
        assert_eq!(refused.problem(StatusCode::NOT_FOUND), "not_found");
    }
    assert_eq!(events(&house, world, "WithheldViewed").await.len(), 2);
}
