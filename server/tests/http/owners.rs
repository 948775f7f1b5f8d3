//! Whose a room is, and who sees that it is there.

use axum::http::{Method, StatusCode};
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn whoever_opens_a_room_owns_it_and_others_see_nothing_of_it() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let shown = house.get("ada", &format!("/worlds/{desk}")).await.ok();
    assert_eq!(shown["may"], json!(["read", "post", "decide", "operate"]));
    assert_eq!(shown["owner"], "test:ada");
    for path in [
        "",
        "/messages",
        "/messages/6/routing",
        "/requests",
        "/feed",
        "/grants",
        "/usage",
        "/state",
    ] {
        let mut there = house.get("bob", &format!("/worlds/{desk}{path}")).await;
        let mut nowhere = house
            .get("bob", &format!("/worlds/desk-nowhere{path}"))
            .await;
        // Each answer has an id of its own.
        for answer in [&mut there, &mut nowhere] {
            answer.headers.remove("x-request-id");
        }
        assert_eq!(there.problem(StatusCode::NOT_FOUND), "not_found");
        assert_eq!(there, nowhere, "{path}");
    }
    let listed = house.get("bob", "/worlds").await.ok();
    assert_eq!(listed, json!({ "worlds": [] }));
    let rights = json!({ "rights": ["read"] });
    let path = format!("/worlds/{desk}/rights/test:bob");
    let given = house
        .with_json("bob", Method::PUT, &path, rights.clone())
        .await;
    assert_eq!(given.problem(StatusCode::NOT_FOUND), "not_found");
    house
        .with_json("ada", Method::PUT, &path, rights)
        .await
        .ok();
    let shown = house.get("bob", &format!("/worlds/{desk}")).await.ok();
    assert_eq!(shown["may"], json!(["read"]));
    let post = house
        .post(
            "bob",
            &format!("/worlds/{desk}/messages"),
            json!({ "text": "hello" }),
        )
        .await;
    assert_eq!(post.problem(StatusCode::FORBIDDEN), "forbidden");
    let listed = house.get("bob", "/worlds").await.ok();
    assert_eq!(listed["worlds"][0]["name"], json!(desk));
}

/// The time is measured by `bench_server` and asserted nowhere: the memory that is asked for stands
/// for the work. Both may differ by a twentieth.
#[test]
fn a_room_of_somebody_else_takes_the_work_of_none() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let house = House::new();
    let desk = runtime.block_on(house.desk("ada"));
    let house = runtime.block_on(house.restarted());
    let work = |world: &str| {
        let path = format!("/worlds/{world}");
        let ask = || {
            let answer = runtime.block_on(house.get("bob", &path));
            assert_eq!(answer.status, 404);
        };
        // The first time it is read what is remembered from then on.
        ask();
        allocation_counter::measure(ask)
    };
    let check = || {
        let there = work(&desk);
        let nowhere = work("desk-zzzzzz");
        let is_near = |one: u64, other: u64| 20 * one.abs_diff(other) <= other;
        assert!(
            is_near(there.count_total, nowhere.count_total)
                && is_near(there.bytes_total, nowhere.bytes_total),
            "{there:?} {nowhere:?}"
        );
    };
    // Nobody has opened it since the start.
    check();
    let path = format!("/worlds/{desk}/messages");
    let posted = house.post("ada", &path, json!({ "text": "hello" }));
    runtime.block_on(posted).ok();
    // The world runs.
    check();
}

#[tokio::test]
async fn a_template_may_grant_more() {
    let house = House::new();
    let rights = "policy: { rights: { default: [read] } }";
    house.template("open.yaml", &format!("{}{rights}\n", crate::house::DESK));
    let opened = house.post(
        "boss",
        "/worlds",
        json!({ "template": "open", "name": "other" }),
    );
    opened.await.ok();
    let shown = house.get("bob", "/worlds/other").await.ok();
    assert_eq!(shown["may"], json!(["read"]));
}

#[tokio::test]
async fn a_repeated_opening_finds_its_room_and_nobody_elses() {
    let house = House::new();
    let open = json!({ "template": "desk", "title": "My desk" });
    let world = async |house: &House, by: &str, key: &str| {
        let opened = house
            .post_with_key(by, "/worlds", key, open.clone())
            .await
            .ok();
        opened["world"].as_str().unwrap().to_owned()
    };
    let first = world(&house, "ada", "k").await;
    assert_eq!(world(&house, "ada", "k").await, first);
    let others = world(&house, "bob", "k").await;
    assert_ne!(others, first);
    assert_ne!(world(&house, "ada", "l").await, first);
    let house = house.restarted().await;
    assert_eq!(world(&house, "ada", "k").await, first);
    let shown = house.get("ada", &format!("/worlds/{first}")).await.ok();
    assert_eq!(shown["title"], "My desk");
    assert_eq!(
        house.get("ada", "/worlds").await.ok()["worlds"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn a_key_stands_for_one_opening_alone() {
    let house = House::new();
    let open = |name: &str| json!({ "template": "desk", "name": name });
    house
        .post_with_key("boss", "/worlds", "k", open("desk-one"))
        .await
        .ok();
    let other = house
        .post_with_key("boss", "/worlds", "k", open("desk-two"))
        .await;
    assert_eq!(other.problem(StatusCode::CONFLICT), "key_reused");
    let forks = "/worlds/desk-one/forks";
    let branch = async || {
        let made = house.post_with_key("boss", forks, "f", json!({ "name": "branch" }));
        made.await.ok()
    };
    let first = branch().await;
    let path = "/worlds/branch/messages";
    house
        .post("boss", path, json!({ "text": "hello" }))
        .await
        .ok();
    assert_eq!(branch().await, first, "a repeat gets the first answer");
    let parent = house.delete("boss", "/worlds/desk-one").await;
    assert_eq!(parent.problem(StatusCode::CONFLICT), "in_use");
    let detail = "another room was branched off this one: delete that one first";
    assert_eq!(parent.json()["detail"], detail);
    let other = house
        .post_with_key("boss", forks, "f", json!({ "name": "twig" }))
        .await;
    assert_eq!(other.problem(StatusCode::CONFLICT), "key_reused");
    house.delete("boss", "/worlds/branch").await;
    house.delete("boss", "/worlds/desk-one").await;
    let deleted = house
        .post_with_key("boss", "/worlds", "k", open("desk-one"))
        .await;
    assert_eq!(deleted.problem(StatusCode::CONFLICT), "key_reused");
    house.post("boss", "/worlds", open("desk-one")).await.ok();
    let deleted = house
        .post_with_key("boss", forks, "f", json!({ "name": "branch" }))
        .await;
    assert_eq!(deleted.problem(StatusCode::CONFLICT), "key_reused");
    let behind = house.post("boss", forks, json!({ "at": 900 })).await;
    assert_eq!(behind.problem(StatusCode::CONFLICT), "behind_head");
}

#[tokio::test]
async fn only_who_operates_the_server_names_a_room() {
    let house = House::new();
    let open = json!({ "template": "desk", "name": "desk-mine" });
    let refused = house.post("ada", "/worlds", open.clone()).await;
    assert_eq!(refused.problem(StatusCode::FORBIDDEN), "forbidden");
    house.post("boss", "/worlds", open.clone()).await.ok();
    let taken = house.post("boss", "/worlds", open).await;
    assert_eq!(taken.problem(StatusCode::CONFLICT), "name_taken");
    let guest = house
        .post("guest", "/worlds", json!({ "template": "desk" }))
        .await;
    assert_eq!(guest.problem(StatusCode::FORBIDDEN), "forbidden");
}

#[tokio::test]
async fn names_of_templates_lead_nowhere_else() {
    let house = House::new();
    for name in [
        "../desk",
        "desk.yaml",
        "/etc/passwd",
        "",
        "..",
        "desk\0",
        "ghost",
    ] {
        let opened = house
            .post("ada", "/worlds", json!({ "template": name }))
            .await;
        assert_eq!(
            opened.problem(StatusCode::UNPROCESSABLE_ENTITY),
            "invalid",
            "{name:?}"
        );
        assert_eq!(opened.json()["field"], "template");
    }
    house.template("broken.yaml", "world: [");
    let opened = house
        .post("ada", "/worlds", json!({ "template": "broken" }))
        .await;
    assert_eq!(
        opened.problem(StatusCode::UNPROCESSABLE_ENTITY),
        "bad_template"
    );
}

#[tokio::test]
async fn lists_depend_only_on_what_the_caller_may_read() {
    let house = House::new();
    let mut mine = Vec::new();
    for round in 0..5 {
        mine.push(house.desk("ada").await);
        house.desk("bob").await;
        let labels = json!({ "labels": { "round": round.to_string() } });
        let path = format!("/worlds/{}/labels", mine[round]);
        house
            .with_json("ada", Method::PUT, &path, labels)
            .await
            .ok();
    }
    mine.sort();
    let mut found: Vec<String> = Vec::new();
    let mut path = "/worlds?limit=2".to_owned();
    loop {
        let page = house.get("ada", &path).await.ok();
        let worlds = page["worlds"].as_array().unwrap();
        found.extend(
            worlds
                .iter()
                .map(|world| world["name"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page["next"].as_str() else {
            break;
        };
        assert!(mine.contains(&next.to_owned()));
        path = format!("/worlds?limit=2&cursor={next}");
    }
    assert_eq!(found, mine);
    let one = house.get("ada", "/worlds?label=round:3").await.ok();
    assert_eq!(one["worlds"].as_array().unwrap().len(), 1);
    for wrong in [
        "limit=0",
        "limit=201",
        "limit=x",
        "label=x",
        "cursor=a/b",
        "waiting=maybe",
        "who=me",
    ] {
        let refused = house.get("ada", &format!("/worlds?{wrong}")).await;
        assert_eq!(
            refused.problem(StatusCode::UNPROCESSABLE_ENTITY),
            "invalid",
            "{wrong}"
        );
    }
}
