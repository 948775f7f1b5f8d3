//! Forks, erasures, deletions, and the log.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::feed::Reader;
use crate::house::House;

#[tokio::test]
async fn a_room_is_branched_off_erased_and_deleted() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let messages = format!("/worlds/{desk}/messages");
    let posted = house
        .post("ada", &messages, json!({ "text": "a secret" }))
        .await
        .ok();
    house.quiet(&desk).await;
    let forks = format!("/worlds/{desk}/forks");
    let fork = house
        .post_with_key("ada", &forks, "f", json!({ "title": "What if" }))
        .await
        .ok();
    let again = house
        .post_with_key("ada", &forks, "f", json!({ "title": "What if" }))
        .await
        .ok();
    assert_eq!(fork["world"], again["world"]);
    let branch = fork["world"].as_str().unwrap();
    let shown = house.get("ada", &format!("/worlds/{branch}")).await;
    assert_eq!(shown.ok()["title"], "What if");
    let at = &posted["message"];
    let span = json!([{ "from": at, "to": at }]);
    let order = json!({ "events": span, "basis": "ada asked" });
    let in_fork = house.delete("ada", &format!("/worlds/{desk}")).await;
    assert_eq!(in_fork.problem(StatusCode::CONFLICT), "in_use");
    let branch = fork["world"].as_str().unwrap();
    assert_eq!(
        house
            .delete("ada", &format!("/worlds/{branch}"))
            .await
            .status,
        204
    );
    let gone = house.get("ada", &format!("/worlds/{branch}")).await;
    assert_eq!(gone.problem(StatusCode::NOT_FOUND), "not_found");
    let erased = house
        .post("ada", &format!("/worlds/{desk}/erasures"), order)
        .await
        .ok();
    assert_eq!(erased["events"], 1);
    let page = house.get("ada", &messages).await.ok().to_string();
    assert!(!page.contains("a secret"), "{page}");
    assert_eq!(
        house.delete("ada", &format!("/worlds/{desk}")).await.status,
        204
    );
    assert_eq!(
        house.get("ada", "/worlds").await.ok(),
        json!({ "worlds": [] })
    );
}

#[tokio::test]
async fn a_room_that_may_not_be_deleted_stays_open() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let world = format!("/worlds/{desk}");
    house.quiet(&desk).await;
    house
        .post("ada", &format!("{world}/forks"), json!({}))
        .await
        .ok();
    let name = folkmoot::WorldName::new(&desk).unwrap();
    let handle = house.rooms.runtime.world(&name).unwrap();
    let mut feed = Reader::of(&house, "ada", &format!("{world}/feed?after=now"), None).await;
    let refused = house.delete("ada", &world).await;
    assert_eq!(refused.problem(StatusCode::CONFLICT), "in_use");
    assert!(handle.is_open());
    let post = json!({ "text": "still here" });
    house
        .post("ada", &format!("{world}/messages"), post)
        .await
        .ok();
    let (_, kind, data) = feed.next().await.unwrap();
    assert_eq!(kind, "message");
    assert!(data.to_string().contains("still here"), "{data}");
}

#[tokio::test]
async fn the_log_is_read_in_pages_and_proven() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let world = format!("/worlds/{desk}");
    house
        .post(
            "ada",
            &format!("{world}/messages"),
            json!({ "text": "hello" }),
        )
        .await
        .ok();
    house.quiet(&desk).await;
    let mut positions = Vec::new();
    let mut path = format!("{world}/events?limit=3");
    loop {
        let page = house.get("ada", &path).await.ok();
        for event in page["events"].as_array().unwrap() {
            positions.push(event["position"].as_u64().unwrap());
        }
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        path = format!("{world}/events?limit=3&from={next}");
    }
    let head = house.get("ada", &world).await.ok()["head"]
        .as_u64()
        .unwrap();
    assert_eq!(positions, (1..=head).collect::<Vec<_>>());
    let kind = house
        .get("ada", &format!("{world}/events?kind=MessagePosted"))
        .await
        .ok();
    assert_eq!(kind["events"].as_array().unwrap().len(), 1);
    let wrong = house
        .get("ada", &format!("{world}/events?kind=Ghost"))
        .await;
    assert_eq!(wrong.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    for (last, first) in [("2", Some(3)), ("two", None), ("", None)] {
        let request = House::request("ada", Method::GET, &format!("{world}/events"));
        let request = request.header("last-event-id", last);
        let page = house.send(request.body(Body::empty()).unwrap()).await;
        match first {
            Some(first) => assert_eq!(page.ok()["events"][0]["position"], first),
            None => {
                assert_eq!(page.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
                assert_eq!(page.json()["field"], "Last-Event-ID");
            }
        }
    }
    let report = house.get("ada", &format!("{world}/integrity")).await.ok();
    assert_eq!(report["head"], json!(head));
    let anchor = house.get("ada", &format!("{world}/anchor")).await.ok();
    assert_eq!(anchor["world"], json!(desk));
    for format in ["jsonl", "md", "html"] {
        let export = house
            .get("ada", &format!("{world}/export?format={format}"))
            .await;
        assert_eq!(export.status, 200);
        assert!(!export.bytes.is_empty());
    }
    let wrong = house
        .get("ada", &format!("{world}/export?format=pdf"))
        .await;
    assert_eq!(wrong.json()["field"], "format");
    let state = house.get("ada", &format!("{world}/state?at=3")).await;
    assert_eq!(state.status, 200);
    let behind = house.get("ada", &format!("{world}/state?at=900")).await;
    assert_eq!(behind.problem(StatusCode::CONFLICT), "behind_head");
    let changes = house.get("ada", &format!("{world}/diff?from=3&to=5")).await;
    assert_eq!(changes.status, 200);
    let calls = house
        .get("ada", &format!("{world}/events?kind=ModelCalled"))
        .await
        .ok();
    let call = &calls["events"][0]["position"];
    let prompt = house
        .get("ada", &format!("{world}/prompt/{call}"))
        .await
        .ok();
    assert_eq!(&prompt["call"], call);
    let request = House::request("ada", Method::POST, &format!("{world}/integrity"));
    let against = house
        .send(request.body(Body::from("not an anchor")).unwrap())
        .await;
    assert_eq!(against.status, 200);
    assert!(against.json().to_string().contains("the body"));
}
