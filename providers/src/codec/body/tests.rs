use folkmoot_core::model::response::LLMResponse;
use serde_json::json;

use super::*;
use crate::codec::Wire;

fn document() -> String {
    json!({ "choices": [{ "message": { "content": "Hi" }, "finish_reason": "stop" }] }).to_string()
}

fn events() -> String {
    let chunk = |delta, finish| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
    let (text, end) = (
        chunk(json!({ "content": "Hi" }), None),
        chunk(json!({}), Some("stop")),
    );
    format!("data: {text}\n\ndata: {end}\n\ndata: [DONE]\n\n")
}

/// The answer in a body that comes in pieces of so many bytes, and what was shown of it.
fn read(body: &[u8], bytes: usize) -> Result<(LLMResponse, Vec<Delta>), DecodeError> {
    let codec = Wire::OpenaiChat.default_codec();
    let mut reader = BodyReader::new(&*codec, 1_000);
    let mut shown = Vec::new();
    for piece in body.chunks(bytes) {
        if reader.is_done() {
            break;
        }
        shown.extend(reader.push(piece)?);
    }
    Ok((reader.finish()?, shown))
}

#[test]
fn the_first_bytes_tell_a_stream_from_a_document_however_they_are_split() {
    let crlf = events().replace('\n', "\r\n");
    let cr = events().replace('\n', "\r");
    let all = [
        (events(), 1),
        (crlf, 1),
        (cr, 1),
        (format!("\u{feff}{}", events()), 1),
        (format!(": keep-alive\n\n{}", events()), 1),
        (format!("\n\nid: 7\n{}", events()), 1),
        (format!("retry: 100\nevent: message\n{}", events()), 1),
        (document(), 0),
        (format!("\u{feff}\r\n {}\n\n", document()), 0),
        (format!("OK\n{}", events()), 0),
    ];
    for (body, deltas) in &all {
        for bytes in [1, 2, 3, 7, 10_000] {
            let (response, shown) =
                read(body.as_bytes(), bytes).unwrap_or_else(|error| panic!("{body:?}: {error}"));
            assert_eq!(response.spoken(), "Hi", "{body:?} by {bytes}");
            assert_eq!(shown.len(), *deltas, "{body:?} by {bytes}");
        }
    }
}

#[test]
fn what_is_no_answer_says_what_it_is() {
    let page = |text: &str| DecodeError::Page(text.to_owned());
    for bytes in [1, 10_000] {
        assert_eq!(
            read(b"<html>Please log in\n</html>", bytes),
            Err(page("<html>Please log in </html>"))
        );
        assert_eq!(read(b"", bytes), Err(DecodeError::CutOff));
        assert_eq!(read(b" \r\n", bytes), Err(DecodeError::CutOff));
        assert!(matches!(
            read(b"upstream connect error", bytes),
            Err(DecodeError::Json(_))
        ));
        assert!(matches!(read(b"data", bytes), Err(DecodeError::Json(_))));
        assert!(matches!(
            read(document().trim_end_matches('}').as_bytes(), bytes),
            Err(DecodeError::Json(_))
        ));
        let cut = events()
            .split_once("data: [DONE]")
            .unwrap()
            .0
            .split_at(60)
            .0
            .to_owned();
        assert_eq!(
            read(cut.as_bytes(), bytes),
            Err(DecodeError::CutOff),
            "{cut}"
        );
    }
}

#[test]
fn one_limit_holds_for_a_document_and_for_an_event() {
    let long = "a".repeat(900);
    let whole = |text: &str| document().replace("Hi", text);
    let event = |text: &str| events().replace("Hi", text);
    let too_long = Err(DecodeError::TooLong { limit_bytes: 1_000 });
    for bytes in [1, 10_000] {
        assert_eq!(
            read(whole(&long).as_bytes(), bytes).unwrap().0.spoken(),
            long
        );
        assert_eq!(
            read(whole(&(long.clone() + &long)).as_bytes(), bytes),
            too_long
        );
        assert_eq!(
            read(event(&(long.clone() + &long)).as_bytes(), bytes),
            too_long
        );
    }
}

#[test]
fn an_event_of_more_than_four_mebibytes_is_read_where_the_body_may_be_as_long() {
    let text = "a".repeat(5 * 1024 * 1024);
    let body = events().replace("Hi", &text);
    let codec = Wire::OpenaiChat.default_codec();
    let mut reader = BodyReader::new(&*codec, 6 * 1024 * 1024);
    for piece in body.as_bytes().chunks(1024 * 1024) {
        reader.push(piece).unwrap();
    }
    assert_eq!(reader.finish().unwrap().spoken().len(), text.len());
}
