//! Laws, and bytes that nobody would send.

use super::twins::TWINS;
use super::*;

/// Any part: what the wire has, and what it has not.
fn part() -> impl Strategy<Value = Value> {
    let text = (
        "[a-zü🌦\"\\\\]{0,6}",
        prop::option::of(any::<bool>()),
        prop::option::of("[A-Z]{1,3}"),
    );
    prop_oneof![
        4 => text.prop_map(|(text, thought, signature)| {
            let mut part = json!({ "text": text });
            let fields = part.as_object_mut().unwrap();
            fields.extend(thought.map(|thought| ("thought".to_owned(), json!(thought))));
            fields.extend(signature.map(|signature| ("thoughtSignature".to_owned(), json!(signature))));
            part
        }),
        2 => ("[a-z]{0,3}", prop::option::of("[a-z]{0,2}"), any::<i64>()).prop_map(|(name, id, number)| {
            let mut call = json!({ "name": name, "args": { "x": number } });
            call.as_object_mut().unwrap().extend(id.map(|id| ("id".to_owned(), json!(id))));
            json!({ "functionCall": call })
        }),
        1 => any_json().prop_map(|value| json!({ "text": value })),
        1 => any_json().prop_map(|value| json!({ "functionCall": value, "thought": true })),
        1 => any_json().prop_map(|value| json!({ "inlineData": value })),
        1 => any_json(),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z]{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((any_name(), inner), 0..3)
                .prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

/// Names that mean something somewhere, and one that does not.
fn any_name() -> impl Strategy<Value = String> {
    let names = [
        "candidates",
        "content",
        "parts",
        "text",
        "thought",
        "functionCall",
        "name",
        "args",
        "id",
        "error",
        "finishReason",
        "usageMetadata",
        "promptTokenCount",
        "promptFeedback",
        "blockReason",
        "index",
        "other",
    ];
    prop::sample::select(names.map(str::to_owned).to_vec())
}

fn cut<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| cut.index(bytes.len() + 1))
        .chain([0, bytes.len()])
        .collect();
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn any_answer_is_equal_to_any_stream_of_it(
        parts in prop::collection::vec(part(), 0..6),
        cuts in any::<[prop::sample::Index; 3]>(),
        byte_cuts in any::<[prop::sample::Index; 3]>(),
        finish in prop::sample::select(vec!["STOP", "MAX_TOKENS", "SAFETY", "WHO_KNOWS"]),
    ) {
        let whole = codec().decode(document(&json!(parts), finish).to_string().as_bytes());
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(parts.len() + 1)).chain([0, parts.len()]).collect();
        at.sort_unstable();
        let piece = |pair: &[usize]| json!({ "candidates": [{ "content": { "parts": parts[pair[0]..pair[1]] } }] });
        let mut documents: Vec<Value> = at.windows(2).map(piece).collect();
        documents.push(json!({ "candidates": [{ "finishReason": finish }] }));
        prop_assert_eq!(stream(&cut(events(&documents).as_bytes(), &byte_cuts)), whole);
    }

    #[test]
    fn what_was_said_goes_back_as_it_came(parts in prop::collection::vec(part(), 0..6)) {
        // What nobody understands is no answer.
        let Ok(given) = codec().decode(document(&json!(parts), "STOP").to_string().as_bytes()) else { return Ok(()) };
        let given = given.reply().parts.clone();
        let item = folkmoot_core::prompt::Item::Said { parts: given.clone() };
        let request = encode::request(vec![encode::heard("Hi"), item]).into_request();
        let wire = codec().encode(&request, &Files::new(), AnswerMode::Whole);
        let sent = wire.body["contents"].get(1).map_or(json!([]), |content| content["parts"].clone());
        let again = codec().decode(document(&sent, "STOP").to_string().as_bytes());
        let again = again.map_or_else(|_| Vec::new(), |again| again.reply().parts.clone());
        let without_kept = |parts: Vec<Part>| -> Vec<Part> {
            let is_kept = |part: &Part| matches!(part, Part::Opaque(note) if !note["google-generate-content"]["kept"].is_null());
            parts.into_iter().filter(|part| !is_kept(part)).collect()
        };
        if !wire.warnings.iter().any(|warning| warning == "arguments_not_an_object") {
            prop_assert_eq!(without_kept(again), without_kept(given), "{}", sent);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(stream(&[&bytes]));
        drop(codec().decode(&bytes));
        let failure = WireFailure { status: 500, retry_after: None, body: &bytes };
        prop_assert!(codec().decode_error(failure).kind.is_transient());
    }

    #[test]
    fn arbitrary_json_never_panics_and_any_split_gives_the_same(
        documents in prop::collection::vec(any_json(), 0..4),
        cuts in any::<[prop::sample::Index; 3]>(),
    ) {
        let text = events(&documents);
        prop_assert_eq!(stream(&cut(text.as_bytes(), &cuts)), stream(&[text.as_bytes()]));
        for document in documents {
            let body = document.to_string();
            drop(codec().decode(body.as_bytes()));
            drop(codec().decode_error(WireFailure { status: 400, retry_after: None, body: body.as_bytes() }));
        }
    }

    #[test]
    fn a_damaged_stream_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), which in 0..4_usize) {
        let mut bytes = TWINS[which].1.to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let one_by_one: Vec<&[u8]> = bytes.chunks(1).collect();
        prop_assert_eq!(stream(&[&bytes]), stream(&one_by_one));
    }
}
