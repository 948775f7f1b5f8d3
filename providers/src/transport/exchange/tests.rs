//! Streams in simulated time: what cuts them, and what does not.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use async_trait::async_trait;
use folkmoot_core::port::DraftsClosed;
use futures::stream;

use super::*;
use crate::codec::OpenAiChat;

#[derive(Debug, Default)]
struct Shown(Mutex<String>);

#[async_trait]
impl Drafts for Shown {
    async fn push(&self, delta: &str) -> Result<(), DraftsClosed> {
        self.0.lock().unwrap().push_str(delta);
        Ok(())
    }
}

const DONE: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn word(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

/// An answer whose pieces come so many seconds after the one before.
fn answer(pieces: Vec<(u64, String)>) -> Response {
    let pieces = stream::unfold(VecDeque::from(pieces), |mut left| async move {
        let (seconds, piece) = left.pop_front()?;
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        Some((Ok::<_, std::io::Error>(piece.into_bytes()), left))
    });
    let body = reqwest::Body::wrap_stream(pieces);
    Response::from(
        http::Response::builder()
            .header(CONTENT_TYPE, "text/event-stream")
            .body(body)
            .unwrap(),
    )
}

/// What becomes of it, and what was shown.
async fn streamed(pieces: Vec<(u64, String)>) -> (Result<LLMResponse, ModelError>, String) {
    let (codec, shown) = (OpenAiChat::default(), Shown::default());
    let settings: HttpSettings =
        serde_json::from_value(serde_json::json!({ "base_url": "http://x" })).unwrap();
    let mut exchange = OpenExchange {
        codec: &codec,
        settings: &settings,
        mode: AnswerMode::Stream,
        drafts: &shown,
        tape: None,
    };
    let outcome = exchange.answer(answer(pieces), Instant::now()).await;
    let said = shown.0.lock().unwrap().clone();
    (outcome, said)
}

fn cut(what: &str, limit: Duration) -> Result<LLMResponse, ModelError> {
    Err(timed_out(what, limit))
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_one_word_a_second_is_not_cut_by_its_length() {
    let mut pieces: Vec<_> = (0..600).map(|_| (1, word("on "))).collect();
    pieces.push((1, DONE.to_owned()));
    let (outcome, shown) = streamed(pieces).await;
    assert_eq!((outcome.is_ok(), shown.len()), (true, 1_800));
}

#[tokio::test(start_paused = true)]
async fn silence_cuts_a_stream_first_after_two_minutes_and_then_after_one() {
    let idle = Duration::from_secs(60);
    let table = [
        (vec![(119, word("a")), (59, DONE.to_owned())], None, "a"),
        (
            vec![(121, word("a")), (1, DONE.to_owned())],
            Some((FIRST_BYTE, idle * 2)),
            "",
        ),
        (
            vec![(1, word("a")), (61, DONE.to_owned())],
            Some((NEXT_PIECE, idle)),
            "a",
        ),
    ];
    for (pieces, limit, said) in table {
        let (outcome, shown) = streamed(pieces.clone()).await;
        assert_eq!(shown, said, "{pieces:?}");
        match limit {
            None => assert!(outcome.is_ok(), "{pieces:?}: {outcome:?}"),
            Some((what, limit)) => assert_eq!(outcome, cut(what, limit), "{pieces:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pings_keep_a_stream_alive_and_blank_lines_do_not() {
    let fillers = BTreeMap::from([
        (": still here\n\n", true),
        ("event: ping\ndata: {}\n\n", true),
        ("data: {\"choices\":[]}\n\n", true),
        ("\n", false),
        ("\r\n\r\n", false),
        ("   \n", false),
    ]);
    for (filler, is_alive) in fillers {
        let kept = (0..10).map(|_| (30, filler.to_owned()));
        let pieces = [(1, word("a"))]
            .into_iter()
            .chain(kept)
            .chain([(1, DONE.to_owned())])
            .collect();
        let (outcome, _) = streamed(pieces).await;
        assert_eq!(outcome.is_ok(), is_alive, "{filler:?}: {outcome:?}");
        if !is_alive {
            assert_eq!(
                outcome,
                cut(NEXT_PIECE, Duration::from_secs(60)),
                "{filler:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn blank_lines_are_no_first_byte_and_an_event_that_comes_byte_by_byte_is_alive() {
    let blanks = (0..20).map(|_| (10, "\n".to_owned())).collect();
    assert_eq!(
        streamed(blanks).await.0,
        cut(FIRST_BYTE, Duration::from_secs(120))
    );
    let slow = format!("{}{DONE}", word("a"));
    let (outcome, shown) = streamed(slow.chars().map(|c| (50, c.to_string())).collect()).await;
    assert_eq!((outcome.is_ok(), shown.as_str()), (true, "a"));
}
