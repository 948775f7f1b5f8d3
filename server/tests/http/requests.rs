//! Requests and decisions.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::house::{DESK, House};

async fn asked(house: &House) -> (String, Value) {
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/messages");
    house
        .post("ada", &path, json!({ "text": "Please note it." }))
        .await
        .ok();
    let request = house.request_in("ada", &desk).await;
    (desk, request)
}

#[tokio::test]
async fn a_request_says_all_that_it_takes_to_decide_it() {
    let house = House::new();
    let (desk, request) = asked(&house).await;
    assert_eq!(request["agent"], "clerk");
    assert_eq!(request["tool"], "note");
    assert_eq!(request["schema"], json!({ "type": "object" }));
    assert_eq!(request["words"], "clerk asks to run note (write) with {}");
    assert!(
        request["asks"]["expires_at"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
    assert_eq!(request["world"], json!(desk));
    assert_eq!(request["warnings"], json!([]));
    assert_eq!(request["you"], json!({ "decide": true, "allow": true }));
    let inbox = house.get("ada", "/requests").await.ok();
    assert_eq!(inbox["requests"], json!([request]));
    assert_eq!(
        house.get("bob", "/requests").await.ok(),
        json!({ "requests": [] })
    );
    let line = &house.get("ada", "/worlds?waiting=true").await.ok()["worlds"][0];
    assert_eq!((&line["name"], &line["waiting"]), (&json!(desk), &json!(1)));
}

#[tokio::test]
async fn a_request_says_to_each_caller_whether_they_can_decide_it() {
    let house = House::new();
    let (desk, _) = asked(&house).await;
    let rights = async |who: &str, rights: Value| {
        let path = format!("/worlds/{desk}/rights/test:{who}");
        let body = json!({ "rights": rights });
        house.with_json("ada", Method::PUT, &path, body).await.ok();
    };
    rights("bob", json!(["read"])).await;
    rights("reader", json!(["read", "decide"])).await;
    let bob = house.request_in("bob", &desk).await["you"].clone();
    assert_eq!(
        (&bob["decide"], &bob["allow"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(bob["why"], "you have no right to decide here");
    let reader = house.request_in("reader", &desk).await["you"].clone();
    assert_eq!(reader["decide"], false);
    assert_eq!(
        reader["why"],
        "your token does not give the right to decide here"
    );
    let names = house.request_in("ada", &desk).await["deciders"]["names"].clone();
    assert_eq!(names["test:ada"], "ada");
}

#[tokio::test]
async fn an_inbox_names_the_title_of_each_room() {
    let house = House::new();
    let (desk, _) = asked(&house).await;
    let labels = json!({ "labels": { "title": "The desk" } });
    let path = format!("/worlds/{desk}/labels");
    house
        .with_json("ada", Method::PUT, &path, labels)
        .await
        .ok();
    let inbox = house.get("ada", "/requests").await.ok();
    assert_eq!(inbox["requests"][0]["title"], "The desk");
}

#[tokio::test]
async fn a_decision_needs_what_was_shown() {
    let house = House::new();
    let (desk, request) = asked(&house).await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let shown = request["asks"]["shown"].as_str().unwrap();
    let decide = async |shown: &str| {
        let body = json!({ "verdict": "allow", "shown": shown });
        house.post("ada", &path, body).await
    };
    for wrong in ["", "1234567", "zzzzzzzz"] {
        let refused = decide(wrong).await;
        assert_eq!(refused.problem(StatusCode::UNPROCESSABLE_ENTITY), "invalid");
    }
    let other = decide("00000000").await;
    assert_eq!(other.problem(StatusCode::CONFLICT), "shown_differs");
    assert_eq!(other.json()["request"]["asks"]["shown"], json!(shown));
    let done = decide(&shown[..8]).await.ok();
    assert_eq!(done["verdict"], "allow");
    let late = decide(shown).await;
    assert_eq!(late.problem(StatusCode::CONFLICT), "already_decided");
    assert_eq!(
        (&late.json()["how"], &late.json()["by"]),
        (&json!("allow"), &json!("ada"))
    );
    let never = format!("/worlds/{desk}/requests/900/decision");
    let never = house
        .post("ada", &never, json!({ "verdict": "allow", "shown": shown }))
        .await;
    assert_eq!(never.problem(StatusCode::NOT_FOUND), "not_found");
    house.quiet(&desk).await;
    let page = house
        .get("ada", &format!("/worlds/{desk}/messages"))
        .await
        .ok();
    assert_eq!(
        page["entries"][0]["message"]["text"],
        "It is noted, all of it."
    );
}

#[tokio::test]
async fn a_repeated_decision_is_one() {
    let house = House::new();
    let (desk, request) = asked(&house).await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let body = json!({ "verdict": "deny", "shown": request["asks"]["shown"], "reason": "no" });
    let first = house.post_with_key("ada", &path, "k", body.clone()).await;
    let again = house.post_with_key("ada", &path, "k", body).await;
    assert_eq!(first.status, 200);
    assert_eq!(first.json(), again.json());
}

#[tokio::test]
async fn a_grant_is_listed_and_ends() {
    let house = House::new();
    let (desk, request) = asked(&house).await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let shown = &request["asks"]["shown"];
    let body = json!({ "verdict": "allow", "shown": shown, "scope": "world" });
    house.post("ada", &path, body).await.ok();
    let grants = format!("/worlds/{desk}/grants");
    let listed = house.get("ada", &grants).await.ok();
    let grant = &listed["grants"][0];
    assert_eq!(grant["tool"], "note");
    assert!(grant["expires_at"].as_str().unwrap().ends_with('Z'));
    let one = format!("{grants}/{}", grant["grant"]);
    house.delete("ada", &one).await.ok();
    assert_eq!(
        house.get("ada", &grants).await.ok(),
        json!({ "grants": [] })
    );
    house.quiet(&desk).await;
    let usage = house
        .get("ada", &format!("/worlds/{desk}/usage"))
        .await
        .ok();
    assert!(!usage["usage"].as_array().unwrap().is_empty());
    let why = house
        .get("ada", &format!("/worlds/{desk}/why/{}", request["request"]))
        .await;
    assert_eq!(why.ok()["at"], request["request"]);
}

#[tokio::test]
async fn a_grant_says_in_words_what_it_covers() {
    let house = House::new();
    let (desk, request) = writing(&house).await;
    let path = format!("/worlds/{desk}/requests/{}/decision", request["request"]);
    let place = json!({ "path": "/text", "one_of": ["hello", "bye"] });
    let body = json!({
        "verdict": "allow", "shown": request["asks"]["shown"], "scope": "world", "where": [place],
    });
    house.post("ada", &path, body).await.ok();
    let listed = house.get("ada", &format!("/worlds/{desk}/grants")).await;
    let grant = &listed.ok()["grants"][0];
    assert_eq!(
        grant["words"],
        "clerk may run note (write) as often as it likes, \
         with the same arguments, but for these places:"
    );
    let places = json!([r#"/text is one of "hello", "bye""#]);
    assert_eq!(grant["constraints"], places);
}

/// A desk whose tool takes a text, and a request in it.
async fn writing(house: &House) -> (String, Value) {
    let script = DESK
        .replace(
            "{ type: object }",
            "{ type: object, properties: { text: { type: string } }, required: [text] }",
        )
        .replace("args: {}", "args: { text: hello }");
    house.template("desk.yaml", &script);
    asked(house).await
}

#[tokio::test]
async fn a_preview_says_what_a_decision_would_do_and_changes_nothing() {
    let house = House::new();
    let (desk, request) = writing(&house).await;
    let path = format!("/worlds/{desk}/requests/{}/preview", request["request"]);
    let head = house.get("ada", &format!("/worlds/{desk}")).await.ok()["head"].clone();
    let preview = async |body: Value| house.post("ada", &path, body).await.ok();
    let once = preview(json!({ "verdict": "allow" })).await;
    assert_eq!(once["words"], "The call of clerk runs as it was asked.");
    assert_eq!(once["arguments_differ"], false);
    let place = json!({ "path": "/text", "one_of": ["hello", "bye"] });
    let wide = json!({
        "verdict": "allow", "shown": request["asks"]["shown"], "scope": "world", "where": [place],
    });
    let wide = preview(wide).await;
    assert_eq!(
        wide["constraints"],
        json!([r#"/text is one of "hello", "bye""#])
    );
    let words = wide["words"].as_str().unwrap();
    assert!(
        words.contains("clerk may run note (write) as often as it likes"),
        "{words}"
    );
    let other = preview(json!({ "verdict": "allow", "arguments": r#"{"text":"a\u001b"}"# })).await;
    assert_eq!(other["arguments_differ"], true);
    assert_eq!(other["warnings"].as_array().unwrap().len(), 1);
    let now = house.get("ada", &format!("/worlds/{desk}")).await.ok()["head"].clone();
    assert_eq!(now, head, "nothing is recorded");
    assert_eq!(
        house.request_in("ada", &desk).await["request"],
        request["request"]
    );
}

#[tokio::test]
async fn a_preview_has_the_problem_that_its_decision_has() {
    let house = House::new();
    let (desk, request) = writing(&house).await;
    let path = format!("/worlds/{desk}/requests/{}", request["request"]);
    let shown = &request["asks"]["shown"];
    for body in [
        json!({ "verdict": "allow", "arguments": "{}" }),
        json!({ "verdict": "allow", "arguments": "no JSON" }),
        json!({ "verdict": "allow", "scope": "turn", "where": [{ "path": "/text", "equals": "bye" }] }),
        json!({ "verdict": "allow", "scope": "turn", "where": [{ "path": "/text" }] }),
        json!({ "verdict": "allow", "where": "any", "scope": "turn" }),
        json!({ "verdict": "deny", "scope": "world" }),
        json!({ "verdict": "allow", "shown": "00000000" }),
        json!({ "verdict": "allow", "shown": "x" }),
    ] {
        let mut decided = body.clone();
        if body["shown"].is_null() {
            decided["shown"] = shown.clone();
        }
        let preview = house
            .post("ada", &format!("{path}/preview"), body.clone())
            .await;
        let decision = house
            .post("ada", &format!("{path}/decision"), decided)
            .await;
        assert!(decision.status >= 400, "{body}");
        for field in ["code", "status", "reason", "field"] {
            assert_eq!(
                preview.json()[field],
                decision.json()[field],
                "{body} {field}"
            );
        }
    }
    let never = house
        .post(
            "ada",
            &format!("/worlds/{desk}/requests/900/preview"),
            json!({ "verdict": "deny" }),
        )
        .await;
    assert_eq!(never.problem(StatusCode::NOT_FOUND), "not_found");
}
