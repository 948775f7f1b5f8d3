//! `folkmoot run` against a real HTTP server that speaks OpenAI chat: the npm package `@copilotkit/aimock`.
//!
//! Runs where `.ci/run` has installed it (or `FOLKMOOT_AIMOCK` names its `llmock`) and node is there; elsewhere each test
//! says that it is skipped. A world's time is simulated, so that waits between attempts take none.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test says what went wrong by panicking, and why it was skipped"
)]

mod peer;

mod real_time {
    use super::peer::{Peer, Run};

    /// A room with one agent and one tool.
    fn script(stream: bool, say: &str, expect: &str) -> String {
        format!(
            r#"world: peer
models:
  live:
    provider: openai-chat
    model: gpt-5-mini
    base_url: "${{PEER_URL}}"
    key: "${{PEER_KEY}}"
    stream: {stream}
    timeouts: {{ first_byte: 1s, idle: 1s }}
defaults: {{ model: live }}
agents:
  - name: adder
    tools: [add]
tools:
  add: {{ use: calc }}
script:
  - say: "{say}"
    as: ada
  - expect: {expect}
"#
        )
    }

    const SUM: &str = r#"{ message: { from: adder, equals: "@ada The sum is 5." }, tool_runs: { add: 1 } }"#;
    const FAILED: &str = r"{ notices: [turn_failed], idle: true, no_message: { from: adder } }";

    fn ends_well(stream: bool) {
        let Some(peer) = Peer::start() else { return };
        let run = peer.run(&script(stream, "please add", SUM));
        assert_eq!(run.code, Some(0), "{run}");
        assert!(run.stdout.contains("The sum is 5."), "{run}");
        assert_eq!(run.kinds("ModelFailed"), 0, "{run}");
        assert_eq!(run.kinds("StreamStarted"), usize::from(stream), "{run}");
    }

    /// A fault of the server ends in recorded failures, a notice and a readable line; nothing is stuck.
    fn ends_in_a_failure(peer: &Peer, stream: bool, say: &str, attempts: usize, word: &str) -> Run {
        let run = peer.run(&script(stream, say, FAILED));
        assert_eq!(run.code, Some(0), "{run}");
        assert_eq!(run.kinds("ModelFailed"), attempts, "{run}");
        assert!(run.stdout.contains(word), "{run}");
        run
    }

    #[test]
    fn a_whole_reply_with_a_tool_call_ends_in_an_answer() {
        ends_well(false);
    }

    #[test]
    fn a_streamed_reply_with_a_tool_call_ends_in_an_answer() {
        ends_well(true);
    }

    #[test]
    fn a_rate_limit_is_tried_three_times_no_sooner_than_the_server_says() {
        let Some(peer) = Peer::start() else { return };
        peer.chaos(r#"{"rateLimitRate":1}"#);
        let run = ends_in_a_failure(&peer, true, "please add", 3, "rate");
        assert!(run.log.contains("retry_after_ms"), "{run}");
    }

    #[test]
    fn a_server_that_hangs_up_is_an_outage() {
        let Some(peer) = Peer::start() else { return };
        peer.chaos(r#"{"disconnectRate":1}"#);
        ends_in_a_failure(&peer, false, "please add", 3, "outage");
    }

    #[test]
    fn a_stream_that_breaks_off_after_it_was_shown_is_not_tried_again() {
        let Some(peer) = Peer::start() else { return };
        let run = ends_in_a_failure(&peer, true, "break off", 1, "outage");
        assert_eq!(run.kinds("StreamStarted"), 1, "{run}");
    }

    #[test]
    fn a_body_that_is_no_json_is_a_bad_reply() {
        let Some(peer) = Peer::start() else { return };
        peer.chaos(r#"{"malformedRate":1}"#);
        ends_in_a_failure(&peer, false, "please add", 3, "bad_reply");
    }

    #[test]
    fn a_server_that_never_answers_is_a_timeout() {
        let Some(peer) = Peer::start() else { return };
        peer.chaos(r#"{"latencyMs":30000}"#);
        ends_in_a_failure(&peer, true, "please add", 3, "timeout");
    }

    #[test]
    fn a_missing_key_is_named() {
        let Some(peer) = Peer::start() else { return };
        let run = peer.run_without_key(&script(true, "please add", FAILED));
        assert_eq!(run.code, Some(3), "{run}");
        assert!(run.stderr.contains("PEER_KEY"), "{run}");
    }
}
