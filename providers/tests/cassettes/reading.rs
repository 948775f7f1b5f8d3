//! The program that reads a folder of recordings.

use std::collections::BTreeMap;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::read_recordings::Report;

/// The lines that it prints of a folder with these files, without the file's name.
fn lines(files: &[(&str, &str)]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::create(&path).unwrap();
        if name.ends_with(".gz") {
            let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
            packed.write_all(text.as_bytes()).unwrap();
            packed.finish().unwrap();
        } else {
            std::fs::write(&path, text).unwrap();
        }
    }
    let mut report = Report {
        out: Vec::new(),
        counts: BTreeMap::new(),
    };
    report.read(folder.path()).unwrap();
    let read = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().remove("file").unwrap();
        line
    };
    String::from_utf8(report.out)
        .unwrap()
        .lines()
        .map(read)
        .collect()
}

const CHAT: &str = "{\"choices\":[{\"message\":{\"content\":\"Hi\",\"reasoning\":\"Hm\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"model\":\"m\",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}";

#[test]
fn a_line_tells_all_that_was_read_of_an_exchange() {
    let exchange =
        json!({ "id": "one", "path": "/v1/chat/completions", "status": 200, "body": CHAT });
    let expected = json!({
        "id": "one", "wire": "openai-chat", "status": 200, "kind": "calls", "text": "Hi", "reasoning": "Hm",
        "calls": [{ "id": "1", "name": "a", "arguments": "{}" }], "usage": { "input": 3, "output": 4 },
        "finish": "tool_calls", "model": "m", "warnings": [], "shown": "", "splits_agree": true,
    });
    assert_eq!(lines(&[("a.json", &exchange.to_string())]), [expected]);
}

#[test]
fn files_of_every_form_are_read_and_nothing_stops_the_reading() {
    let google = json!({ "candidates": [{ "content": { "parts": [{ "text": "G" }] }, "finishReason": "STOP" }] });
    let of_wire = |wire: &str, body: &Value| json!({ "wire": wire, "status": 200, "headers": {}, "stream": false, "body": body });
    let own = of_wire("google-generate-content", &json!(google.to_string()));
    let refused = json!({ "id": "r", "path": "/v1/messages", "status": 529, "body": "<html>" });
    let unknown = json!({ "id": "u", "status": 200, "body": "?" });
    let nothing = json!({ "id": "n", "path": "/v1/responses" });
    let by_shape = json!({ "id": "s", "status": 200, "body": google });
    let all = lines(&[
        (
            "a.jsonl",
            &format!("{own}\n\nno json\n{refused}\n{unknown}\n{nothing}\n"),
        ),
        ("b/c.jsonl.gz", &by_shape.to_string()),
        ("d.json.gz", &json!([by_shape, by_shape]).to_string()),
        (
            "e/anthropic-messages.json",
            &json!({ "body": "x" }).to_string(),
        ),
        ("f.json", "{"),
        ("notes.txt", "not read"),
    ]);
    let told = |line: &Value| {
        let error = line["error"]["kind"].as_str().map(str::to_owned);
        (
            line["id"].as_str().unwrap().to_owned(),
            error.unwrap_or_else(|| line["text"].as_str().unwrap().to_owned()),
        )
    };
    let expected = [
        ("a.jsonl:1", "G"),
        ("a.jsonl:3", "unreadable"),
        ("r", "overload"),
        ("u", "unreadable"),
        ("n", "unreadable"),
        ("s", "G"),
        ("s", "G"),
        ("s", "G"),
        ("anthropic-messages.json:1", "bad_reply"),
        ("f.json", "unreadable"),
    ];
    let expected = expected.map(|(id, told)| (id.to_owned(), told.to_owned()));
    assert_eq!(all.iter().map(told).collect::<Vec<_>>(), expected);
}
