//! Laws over many answers: a stream is equal to the whole however its bytes come, and nothing panics.

use super::twins::TWINS;
use super::*;

/// Cuts bytes at these places.
fn pieces<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| cut.index(bytes.len() + 1))
        .chain([0, bytes.len()])
        .collect();
    at.sort_unstable();
    at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

/// An item, and the events that tell of it: in many small pieces, and of each text also the whole.
fn item(kind: u8, number: u64, text: &str, size: usize) -> (Value, Vec<Value>) {
    let chars: Vec<char> = text.chars().collect();
    let fragments = chars.chunks(size).map(String::from_iter);
    let delta = |kind: &str, fragment: String| json!({ "type": kind, "output_index": number, "delta": fragment });
    let (item, kind) = match kind {
        0 => (message(text), "response.output_text.delta"),
        1 => {
            let content = json!([{ "type": "refusal", "refusal": text }]);
            (
                json!({ "type": "message", "role": "assistant", "content": content }),
                "response.refusal.delta",
            )
        }
        2 => (
            function_call("a", "t", text),
            "response.function_call_arguments.delta",
        ),
        3 => {
            let summary = json!([{ "type": "summary_text", "text": text }]);
            let item =
                json!({ "type": "reasoning", "id": format!("rs_{number}"), "summary": summary });
            (item, "response.reasoning_summary_text.delta")
        }
        _ => (
            json!({ "type": "web_search_call", "id": format!("ws_{number}"), "query": text }),
            "",
        ),
    };
    let deltas = fragments
        .filter(|_| !kind.is_empty())
        .map(|fragment| delta(kind, fragment))
        .collect();
    (item, deltas)
}

const EVENTS: [&str; 10] = [
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.output_text.done",
    "response.refusal.delta",
    "response.content_part.added",
    "response.content_part.done",
    "response.function_call_arguments.delta",
    "response.completed",
    "response.mood.changed",
];

proptest! {
    #[test]
    fn any_answer_is_equal_to_any_stream_of_it(
        items in prop::collection::vec((0..5_u8, ".{0,12}"), 0..6),
        size in 1..5_usize,
        ends in any::<[bool; 3]>(),
        cuts in any::<[prop::sample::Index; 3]>(),
    ) {
        let [begins, has_dones, has_output] = ends;
        let mut output = Vec::new();
        let mut all = Vec::new();
        for (number, (kind, text)) in (0_u64..).zip(&items) {
            let (item, deltas) = item(*kind, number, text, size);
            if begins {
                all.push(added(number, &json!({ "type": item["type"], "id": item["id"] })));
            }
            let is_told = begins || !deltas.is_empty();
            all.extend(deltas);
            if has_dones || !has_output || !is_told {
                all.push(done(number, &item));
            }
            output.push(item);
        }
        let output = Value::Array(output);
        all.push(completed(if has_output { &output } else { &Value::Null }));
        let whole = OpenAiResponses::default().decode(answer(&output).to_string().as_bytes()).unwrap();
        let text = events(&all);
        let (streamed, deltas) = shown(&pieces(text.as_bytes(), &cuts));
        if items.is_empty() && !has_output {
            prop_assert_eq!(streamed, Err(DecodeError::Empty));
        } else {
            prop_assert_eq!(text_of(&deltas), whole.spoken());
            prop_assert_eq!(streamed, Ok(whole));
        }
    }

    #[test]
    fn in_whatever_order_events_come_what_was_shown_is_what_was_said(
        steps in prop::collection::vec((0..EVENTS.len(), 0..3_u64, 0..2_u64, "[ab]{0,3}"), 0..25),
    ) {
        let event = |(event, number, piece, text): &(usize, u64, u64, String)| {
            let part = json!({ "type": if *piece == 0 { "output_text" } else { "refusal" }, "text": text, "refusal": text });
            let item = if *number == 2 { function_call("", "t", text) } else { message(text) };
            json!({
                "type": EVENTS[*event], "output_index": number, "content_index": piece, "delta": text, "text": text,
                "part": part, "item": item, "response": answer(&json!([item, message(text)])),
            })
        };
        let text = events(&steps.iter().map(event).collect::<Vec<_>>()) + "data: [DONE]\n\n";
        let (response, deltas) = shown(&[text.as_bytes()]);
        match response {
            Ok(response) => prop_assert_eq!(text_of(&deltas), response.spoken()),
            Err(error) => prop_assert!(matches!(error, DecodeError::Empty | DecodeError::Unread), "{error}"),
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        drop(stream(&[&bytes]));
        drop(OpenAiResponses::default().decode(&bytes));
        let failure = WireFailure { status: 500, retry_after: None, body: &bytes };
        prop_assert!(OpenAiResponses::default().decode_error(failure).kind.is_transient());
    }

    #[test]
    fn a_damaged_stream_never_panics_and_is_the_same_at_any_split(
        which in 0..TWINS.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut bytes = TWINS[which].1.to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let whole = stream(&[&bytes]);
        prop_assert_eq!(&stream(&pieces(&bytes, &cuts)), &whole);
        prop_assert_eq!(&stream(&bytes.chunks(1).collect::<Vec<_>>()), &whole);
    }

    #[test]
    fn lost_and_doubled_events_never_panic_and_are_said_once(
        which in 0..TWINS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8), 1..6),
    ) {
        let text = String::from_utf8(TWINS[which].1.to_vec()).unwrap();
        let mut all: Vec<&str> = text.split_inclusive("\n\n").collect();
        for (at, change) in changes {
            let at = at.index(all.len());
            match change {
                0 if all.len() > 1 => drop(all.remove(at)),
                1 => all.insert(at, all[at]),
                _ => all.swap(at, 0),
            }
        }
        let (response, deltas) = shown(&[all.concat().as_bytes()]);
        if let Ok(response) = response {
            prop_assert_eq!(text_of(&deltas), response.spoken());
        }
    }
}
