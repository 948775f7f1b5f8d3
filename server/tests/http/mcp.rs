//! Hosts of the Model Context Protocol, as far as a request alone shows it.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::house::{Answer, House};

/// The answer to a message of the host `by`.
async fn ask(house: &House, by: &str, method: &str, params: Value) -> Answer {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = Request::builder()
        .method(Method::POST)
        .uri("/mcp")
        .header("host", "localhost")
        .header("authorization", format!("Bearer {by}"))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-11-25");
    house
        .send(request.body(Body::from(body.to_string())).unwrap())
        .await
}

#[tokio::test]
async fn a_host_whose_headers_do_not_fit_reads_which_ones() {
    let house = House::new();
    let both = "application/json, text/event-stream";
    let json = "application/json";
    let cases = [
        (
            None,
            json,
            StatusCode::NOT_ACCEPTABLE,
            "not_acceptable",
            "Accept: ",
        ),
        (
            Some(json),
            json,
            StatusCode::NOT_ACCEPTABLE,
            "not_acceptable",
            both,
        ),
        (
            Some(both),
            "text/plain",
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "Content-Type: ",
        ),
    ];
    for (accept, content, status, code, word) in cases {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri("/mcp")
            .header("host", "localhost")
            .header("authorization", "Bearer ci")
            .header("content-type", content);
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let request = request.body(Body::from(body.to_string())).unwrap();
        let answer = house.send(request).await;
        assert_eq!(answer.problem(status), code);
        let detail = answer.json()["detail"].to_string();
        assert!(detail.contains(word), "{detail}");
    }
}

/// The last message of an answer.
fn message(answer: &Answer) -> Value {
    let text = String::from_utf8(answer.bytes.clone()).unwrap();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let last = lines.rfind(|line| !line.is_empty());
    serde_json::from_str(last.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
}

async fn call(house: &House, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    message(&ask(house, "ci", "tools/call", params).await)
}

#[tokio::test]
async fn a_host_is_a_service_and_nobody_else() {
    let house = House::new();
    let refused = ask(&house, "ada", "tools/list", json!({})).await;
    assert_eq!(refused.problem(StatusCode::FORBIDDEN), "forbidden");
    assert_eq!(refused.json()["reason"], "not_a_service");
    let nobody = ask(&house, "nobody", "tools/list", json!({})).await;
    assert_eq!(nobody.problem(StatusCode::UNAUTHORIZED), "unauthorized");
    let listed = message(&ask(&house, "ci", "tools/list", json!({})).await);
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn a_host_posts_in_its_own_name_and_decides_nothing() {
    let house = House::new();
    let opened = call(&house, "open_world", json!({ "template": "desk" })).await;
    let world = opened["result"]["structuredContent"]["world"].clone();
    let post = json!({ "world": world, "text": "Please note it.", "key": "k" });
    let posted = call(&house, "post_message", post.clone()).await;
    let posted = &posted["result"]["structuredContent"];
    assert_eq!(posted["outcome"], "waits_for_people", "{posted}");
    let decide =
        json!({ "world": world, "request": posted["waits"][0]["name"], "verdict": "allow" });
    for tool in ["approve", "decide", "answer", "settle"] {
        let answer = call(&house, tool, decide.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{tool}: {answer}");
    }
    let again = call(&house, "post_message", post).await;
    assert_eq!(&again["result"]["structuredContent"], posted);
    let read = call(&house, "read_transcript", json!({ "world": world })).await;
    let entries = read["result"]["structuredContent"]["entries"].as_array();
    let said: Vec<_> = entries
        .unwrap()
        .iter()
        .map(|entry| (&entry["from"], &entry["speaker"]))
        .collect();
    assert_eq!(
        said,
        [(&json!("ci (service)"), &json!("service"))],
        "{read}"
    );
}

#[tokio::test]
async fn a_room_of_others_is_no_resource() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let listed = message(&ask(&house, "ci", "resources/list", json!({})).await);
    assert_eq!(listed["result"]["resources"], json!([]));
    for world in [desk.as_str(), "desk-nowhere"] {
        let uri = format!("folkmoot://worlds/{world}/report.html");
        let read = message(&ask(&house, "ci", "resources/read", json!({ "uri": uri })).await);
        let told = "there is nothing here that you may read";
        assert_eq!(read["error"]["message"], told, "{read}");
    }
}

#[tokio::test]
async fn whoever_may_only_read_a_room_takes_no_paper_of_it_away() {
    let house = House::new();
    let desk = house.desk("ada").await;
    let path = format!("/worlds/{desk}/rights/service%25:test:ci");
    for (rights, listed) in [(json!(["read"]), 0), (json!(["read", "operate"]), 2)] {
        let rights = json!({ "rights": rights });
        house
            .with_json("ada", Method::PUT, &path, rights)
            .await
            .ok();
        let resources = message(&ask(&house, "ci", "resources/list", json!({})).await);
        let resources = resources["result"]["resources"].as_array().unwrap().clone();
        assert_eq!(resources.len(), listed, "{resources:?}");
        let uri = format!("folkmoot://worlds/{desk}/transcript.md");
        let read = message(&ask(&house, "ci", "resources/read", json!({ "uri": uri })).await);
        assert_eq!(read["result"].is_object(), listed > 0, "{read}");
    }
}
