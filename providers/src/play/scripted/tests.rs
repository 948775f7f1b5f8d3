use std::sync::Mutex;

use folkmoot_core::model::response::{CallPart, Usage};
use serde_json::{Value, json};

use super::*;
use crate::play::tests::{TestDrafts, block_on, call, play};

fn model(replies: &Value) -> ScriptedModel {
    let agent = AgentName::new("worker").unwrap();
    ScriptedModel::new(BTreeMap::from([(
        agent,
        ScriptedReply::list(replies).unwrap(),
    )]))
}

fn heard(text: &str) -> Vec<Item<String>> {
    vec![Item::Heard {
        from: "Ada".into(),
        text: text.into(),
        attachments: Vec::new(),
    }]
}

/// The answer to `text` when `played` are used up.
fn answer(replies: &Value, text: &str, played: &[u32]) -> Result<LLMResponse, ModelError> {
    play(&model(replies), &call("worker", heard(text), played)).0
}

fn says(text: &str, played: Option<u32>) -> Result<LLMResponse, ModelError> {
    Ok(LLMResponse::Text(Reply {
        parts: vec![Part::Text(text.into())],
        played,
        ..Reply::default()
    }))
}

fn refusal(reply: &Value) -> String {
    ScriptedReply::deserialize(reply).unwrap_err().to_string()
}

#[test]
fn replies_are_played_in_order_and_none_twice() {
    let replies = json!([{ "text": "one" }, { "text": "two" }]);
    assert_eq!(answer(&replies, "hi", &[]), says("one", Some(0)));
    assert_eq!(answer(&replies, "hi", &[0]), says("two", Some(1)));
    assert_eq!(answer(&replies, "hi", &[1]), says("one", Some(0)));
}

#[test]
fn a_reply_counts_the_tokens_that_the_script_says() {
    let replies = json!([
        { "text": "one", "usage": { "input": 10, "output": 2, "cached": 4 } },
        { "refuse": "no", "usage": { "output": 1 } },
    ]);
    let usage = |played: &[u32]| answer(&replies, "hi", played).unwrap().reply().usage;
    let first = Usage {
        input: Some(10),
        output: Some(2),
        cached: Some(4),
        ..Usage::default()
    };
    assert_eq!(usage(&[]), first);
    assert_eq!(
        usage(&[0]),
        Usage {
            output: Some(1),
            ..Usage::default()
        }
    );
    assert!(
        refusal(&json!({ "fail": { "kind": "rate" }, "usage": {} }))
            .contains("a failure counts nothing")
    );
}

#[test]
fn an_agent_whose_replies_are_used_up_passes_and_says_so() {
    let warnings = vec!["script_exhausted".to_owned()];
    let passes = Ok(LLMResponse::Text(Reply {
        warnings,
        ..Reply::default()
    }));
    assert_eq!(answer(&json!([{ "text": "one" }]), "hi", &[0]), passes);
    assert_eq!(
        play(&model(&json!([])), &call("stranger", heard("hi"), &[])).0,
        passes
    );
}

#[test]
fn a_reply_with_when_comes_first_and_is_not_used_up() {
    let replies = json!([{ "text": "one" }, { "when": { "contains": "help" }, "text": "sure" }]);
    assert_eq!(answer(&replies, "please help", &[]), says("sure", None));
    assert_eq!(answer(&replies, "please help", &[0, 1]), says("sure", None));
    assert_eq!(answer(&replies, "hi", &[]), says("one", Some(0)));
}

#[test]
fn a_reply_with_once_is_used_up() {
    let replies =
        json!([{ "when": { "equals": "hi" }, "once": true, "text": "first" }, { "text": "one" }]);
    assert_eq!(answer(&replies, "hi", &[]), says("first", Some(0)));
    assert_eq!(answer(&replies, "hi", &[0]), says("one", Some(1)));
    assert_eq!(answer(&replies, "hi there", &[]), says("one", Some(1)));
}

#[test]
fn when_looks_at_the_last_message_or_result() {
    let replies = json!([{ "when": { "equals": "3 words" }, "text": "done" }, { "text": "one" }]);
    let mut items = heard("hi");
    items.push(Item::Result {
        label: "a".into(),
        text: "<tool_output>3 words</tool_output>".into(),
        failed: false,
    });
    items.push(Item::Notice {
        text: "a word of the runtime".into(),
    });
    assert_eq!(
        play(&model(&replies), &call("worker", items.clone(), &[])).0,
        says("done", None)
    );
    items.extend(heard("and now?"));
    assert_eq!(
        play(&model(&replies), &call("worker", items, &[])).0,
        says("one", Some(1))
    );
}

#[test]
fn chunks_are_shown_one_by_one_and_joined_in_the_answer() {
    let replies = json!([{ "chunks": ["Hel", "lo"] }]);
    let (answer, shown) = play(&model(&replies), &call("worker", heard("hi"), &[]));
    assert_eq!(
        (answer, shown),
        (
            says("Hello", Some(0)),
            vec!["Hel".to_owned(), "lo".to_owned()]
        )
    );
}

#[test]
fn text_is_not_shown_in_advance() {
    assert_eq!(
        play(
            &model(&json!([{ "text": "Hello" }])),
            &call("worker", heard("hi"), &[])
        )
        .1,
        Vec::<String>::new()
    );
}

#[test]
fn a_stopped_call_shows_no_more() {
    let drafts = TestDrafts {
        open_for: 1,
        shown: Mutex::default(),
    };
    let model = model(&json!([{ "chunks": ["a", "b", "c"] }]));
    let outcome = block_on(model.call(&call("worker", heard("hi"), &[]), &drafts));
    assert_eq!(outcome.unwrap_err().played, Some(0));
    assert_eq!(drafts.shown.into_inner().unwrap(), ["a"]);
}

#[test]
fn calls_stand_beside_text_and_keep_their_arguments_as_written() {
    let replies = json!([{ "text": "Look.", "calls": [
        { "tool": "read", "args": { "path": "a" } },
        { "tool": "read", "raw_args": "{\"path\": ", "label": "mine" },
        { "tool": "now" },
    ] }]);
    let call = |label: &str, tool: &str, arguments: &str| {
        Part::Call(CallPart {
            label: label.into(),
            tool: tool.into(),
            arguments: arguments.into(),
        })
    };
    let parts = vec![
        Part::Text("Look.".into()),
        call("call_0_0", "read", "{\"path\":\"a\"}"),
        call("mine", "read", "{\"path\": "),
        call("call_0_2", "now", "{}"),
    ];
    let expected = LLMResponse::Calls(Reply {
        parts,
        played: Some(0),
        ..Reply::default()
    });
    assert_eq!(answer(&replies, "hi", &[]), Ok(expected));
}

#[test]
fn a_failure_is_consumed_by_its_attempt() {
    let replies =
        json!([{ "fail": { "kind": "rate_limit", "retry_after": "2s" } }, { "text": "one" }]);
    let error = answer(&replies, "hi", &[]).unwrap_err();
    assert_eq!(
        (error.kind, error.retry_after_ms, error.played),
        (ModelErrorKind::Rate, Some(2_000), Some(0))
    );
    assert_eq!(answer(&replies, "hi", &[0]), says("one", Some(1)));
}

#[test]
fn every_kind_of_failure_can_be_scripted_by_its_code() {
    for code in [
        "refuses_request",
        "refuses_account",
        "rate",
        "overload",
        "outage",
        "timeout",
        "context_too_long",
        "content_filter",
        "bad_reply",
        "not_recorded",
    ] {
        let error = answer(&json!([{ "fail": { "kind": code } }]), "hi", &[]).unwrap_err();
        assert_eq!(error.kind.code(), code);
    }
    let text = refusal(&json!({ "fail": { "kind": "tired" } }));
    assert!(
        text.starts_with("`tired` is not a kind of model error; there are refuses_request, "),
        "{text}"
    );
}

#[test]
fn a_refusal_is_a_refusal() {
    let parts = vec![Part::Refusal("No.".into())];
    let expected = LLMResponse::Refused(Reply {
        parts,
        played: Some(0),
        ..Reply::default()
    });
    assert_eq!(
        answer(&json!([{ "refuse": "No." }]), "hi", &[]),
        Ok(expected)
    );
}

#[test]
fn a_pause_is_waited_for_on_the_clock_of_the_world() {
    let call = call("worker", heard("hi"), &[]);
    let before = call.clock.now();
    assert_eq!(
        play(&model(&json!([{ "pause": "2s", "text": "one" }])), &call).0,
        says("one", Some(0))
    );
    assert_eq!(before.until(call.clock.now()), Duration::from_secs(2));
}

#[test]
fn a_reply_that_is_not_clear_is_an_error() {
    for reply in [
        json!({}),
        json!({ "text": "a", "chunks": ["a"] }),
        json!({ "text": "a", "refuse": "b" }),
        json!({ "fail": { "kind": "rate" }, "calls": [{ "tool": "t" }] }),
        json!({ "calls": [] }),
    ] {
        assert!(refusal(&reply).starts_with("must have one of"), "{reply}");
    }
    assert!(refusal(&json!({ "text": "a", "once": true })).contains("`once` without `when`"));
    assert!(
        refusal(&json!({ "text": "a", "when": {} })).contains("without `contains` or `equals`")
    );
    assert!(refusal(&json!({ "text": "a", "pause": "2 s" })).contains("not a duration"));
    assert!(
        refusal(&json!({ "calls": [{ "tool": "t", "args": {}, "raw_args": "" }] }))
            .contains("both")
    );
    for reply in [
        json!({ "txt": "a" }),
        json!({ "calls": [{ "tol": "t" }] }),
        json!({ "text": "a", "when": { "is": "b" } }),
    ] {
        assert!(refusal(&reply).starts_with("unknown field"), "{reply}");
    }
    assert_eq!(ScriptedReply::list(&json!("a")).unwrap_err().index, 0);
}

/// The summary of what ends with `text`.
fn summary(replies: &Value, text: &str, played: &[u32]) -> Result<LLMResponse, ModelError> {
    let call = ModelCall {
        purpose: Purpose::Compaction,
        ..call("worker", heard(text), played)
    };
    play(&model(replies), &call).0
}

#[test]
fn a_summary_is_played_for_summaries_only_and_uses_nothing_up() {
    let replies = json!([{ "summary": "so far" }, { "text": "one" }]);
    assert_eq!(answer(&replies, "hi", &[]), says("one", Some(1)));
    assert_eq!(summary(&replies, "hi", &[]), says("so far", None));
    assert_eq!(summary(&replies, "hi", &[1]), says("so far", None));
    assert_eq!(
        answer(&json!([{ "summary": "so far" }]), "hi", &[]),
        answer(&json!([]), "hi", &[])
    );
}

#[test]
fn a_summary_can_be_picked_and_used_once() {
    let replies = json!([
        { "summary": "else" },
        { "summary": "of help", "when": { "contains": "help" } },
        { "summary": "first", "when": { "contains": "help" }, "once": true },
    ]);
    assert_eq!(summary(&replies, "help", &[]), says("of help", None));
    assert_eq!(summary(&replies, "hi", &[]), says("else", None));
    let replies = json!([{ "summary": "first", "when": { "contains": "hi" }, "once": true }]);
    assert_eq!(summary(&replies, "hi", &[]), says("first", Some(0)));
    assert_eq!(summary(&replies, "hi", &[0]), says(SCRIPTED_SUMMARY, None));
}

#[test]
fn an_agent_without_a_summary_gives_a_fixed_sentence() {
    assert_eq!(
        summary(&json!([{ "text": "one" }]), "hi", &[]),
        says(SCRIPTED_SUMMARY, None)
    );
    let stranger = ModelCall {
        purpose: Purpose::Compaction,
        ..call("stranger", heard("hi"), &[])
    };
    assert_eq!(
        play(&model(&json!([])), &stranger).0,
        says(SCRIPTED_SUMMARY, None)
    );
}

#[test]
fn a_summary_is_a_whole_reply() {
    let refusal = refusal(&json!({ "summary": "so far", "text": "one" }));
    assert!(refusal.contains("`fail`, `summary`"), "{refusal}");
}
