//! `folkmoot run` against a real HTTP server that speaks all four wires: the npm package `@copilotkit/aimock`.
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

    /// A provider, and what stands between the server's address and the path of its wire.
    #[derive(Debug, Clone, Copy)]
    struct Wire {
        provider: &'static str,
        base: &'static str,
    }

    const WIRES: [Wire; 4] = [
        Wire {
            provider: "openai-chat",
            base: "/v1",
        },
        Wire {
            provider: "openai-responses",
            base: "/v1",
        },
        Wire {
            provider: "anthropic-messages",
            base: "",
        },
        Wire {
            provider: "google-generate-content",
            base: "",
        },
    ];

    /// How a model is asked.
    #[derive(Debug, Clone, Copy)]
    struct Way {
        wire: Wire,
        stream: bool,
        /// How long to wait for bytes: long, unless the server is to be given up.
        patience: &'static str,
    }

    impl Way {
        const fn whole(wire: Wire) -> Self {
            Self {
                wire,
                stream: false,
                patience: "60s",
            }
        }

        const fn streamed(wire: Wire) -> Self {
            Self {
                stream: true,
                ..Self::whole(wire)
            }
        }

        /// A room with one agent and one tool.
        fn script(self, say: &str, expect: &str) -> String {
            let Self {
                wire: Wire { provider, base },
                stream,
                patience,
            } = self;
            format!(
                r#"world: peer
models:
  live:
    provider: {provider}
    model: model-1
    base_url: "${{PEER_URL}}{base}"
    key: "${{PEER_KEY}}"
    stream: {stream}
    timeouts: {{ first_byte: {patience}, idle: {patience} }}
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
    }

    const SUM: &str =
        r#"{ message: { from: adder, equals: "@ada The sum is 5." }, tool_runs: { add: 1 } }"#;
    const FAILED: &str = r"{ notices: [turn_failed], idle: true, no_message: { from: adder } }";

    /// Runs to the answer, and gives the transcript.
    fn ends_well(way: Way) -> Option<String> {
        let peer = Peer::start()?;
        let run = peer.run(&way.script("please add", SUM));
        assert_eq!(run.code, Some(0), "{way:?}: {run}");
        assert!(run.stdout.contains("The sum is 5."), "{way:?}: {run}");
        assert_eq!(run.kinds("ModelFailed"), 0, "{way:?}: {run}");
        assert_eq!(
            run.kinds("StreamStarted"),
            usize::from(way.stream),
            "{way:?}: {run}"
        );
        Some(run.transcript)
    }

    /// A fault of the server ends in recorded failures, a notice and a readable line; nothing is stuck.
    fn ends_in_a_failure(peer: &Peer, way: Way, say: &str, attempts: usize, word: &str) -> Run {
        let run = peer.run(&way.script(say, FAILED));
        assert_eq!(run.code, Some(0), "{way:?}: {run}");
        assert_eq!(run.kinds("ModelFailed"), attempts, "{way:?}: {run}");
        assert!(run.stdout.contains(word), "{way:?}: {run}");
        run
    }

    /// The same fault on all wires.
    fn always_fails(chaos: &str, way: fn(Wire) -> Way, word: &str) {
        for wire in WIRES {
            let Some(peer) = Peer::start() else { return };
            peer.chaos(chaos);
            ends_in_a_failure(&peer, way(wire), "please add", 3, word);
        }
    }

    #[test]
    fn one_script_gives_one_transcript_on_all_wires_whole_or_streamed() {
        let ways = WIRES
            .into_iter()
            .flat_map(|wire| [Way::whole(wire), Way::streamed(wire)]);
        let transcripts: Vec<(Way, String)> =
            ways.map_while(|way| Some((way, ends_well(way)?))).collect();
        for (way, transcript) in &transcripts {
            assert!(
                transcript.contains("The sum is 5."),
                "{way:?}: {transcript}"
            );
            assert_eq!(
                Some(transcript),
                transcripts.first().map(|(_, first)| first),
                "{way:?}"
            );
        }
    }

    #[test]
    fn a_rate_limit_is_tried_three_times_no_sooner_than_the_server_says() {
        for wire in WIRES {
            let Some(peer) = Peer::start() else { return };
            peer.chaos(r#"{"rateLimitRate":1}"#);
            let run = ends_in_a_failure(&peer, Way::streamed(wire), "please add", 3, "rate");
            assert!(run.log.contains("retry_after_ms"), "{wire:?}: {run}");
        }
    }

    #[test]
    fn a_server_error_is_tried_three_times() {
        for wire in WIRES {
            let Some(peer) = Peer::start() else { return };
            ends_in_a_failure(&peer, Way::streamed(wire), "fall over", 3, "outage");
        }
    }

    #[test]
    fn a_server_that_hangs_up_is_an_outage() {
        always_fails(r#"{"disconnectRate":1}"#, Way::whole, "outage");
    }

    #[test]
    fn a_stream_that_breaks_off_after_it_was_shown_is_not_tried_again() {
        for wire in WIRES {
            let Some(peer) = Peer::start() else { return };
            let run = ends_in_a_failure(&peer, Way::streamed(wire), "break off", 1, "outage");
            assert_eq!(run.kinds("StreamStarted"), 1, "{wire:?}: {run}");
        }
    }

    #[test]
    fn a_body_that_is_no_json_is_a_bad_reply() {
        always_fails(r#"{"malformedRate":1}"#, Way::whole, "bad_reply");
    }

    #[test]
    fn a_server_that_never_answers_is_a_timeout() {
        always_fails(
            r#"{"latencyMs":30000}"#,
            |wire| Way {
                patience: "1s",
                ..Way::streamed(wire)
            },
            "timeout",
        );
    }

    #[test]
    fn a_missing_key_is_named() {
        for wire in WIRES {
            let Some(peer) = Peer::start() else { return };
            let run = peer.run_without_key(&Way::streamed(wire).script("please add", FAILED));
            assert_eq!(run.code, Some(3), "{wire:?}: {run}");
            assert!(run.stderr.contains("PEER_KEY"), "{wire:?}: {run}");
        }
    }
}
