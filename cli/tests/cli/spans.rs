//! Spans of a world: exported, sent, and sent while a server runs.

use crate::desk::Desk;

#[test]
#[cfg(not(feature = "otel"))]
fn a_build_without_spans_says_how_to_get_one() {
    let desk = Desk::new();
    desk.run(&["run", &crate::desk::example("release-room.yaml")])
        .expect(0);
    let export = ["export", "release-room", "--format", "otlp"];
    desk.run(&export).expect(2).err_has("feature `otel`");
    for line in [
        &[&export[..], &["--endpoint", "http://localhost:1"]].concat()[..],
        &["serve", "--listen", "127.0.0.1:0", "--otlp"],
    ] {
        desk.run(line).expect(2).err_has("feature `otel`");
    }
}

#[test]
fn what_only_spans_have_is_refused_for_other_forms() {
    let desk = Desk::new();
    for words in [&["--content"][..], &["--endpoint", "http://localhost:1"]] {
        desk.run(&[&["export", "room", "--format", "md"], words].concat())
            .expect(2)
            .err_has("--endpoint and --content are for --format otlp");
    }
}

#[cfg(feature = "otel")]
mod sent {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use folkmoot::otlp::{Encoding, ExportTraceServiceRequest, count};

    use crate::desk::{Desk, Ran, example};

    /// No receiver waits longer.
    const DEADLINE: Duration = Duration::from_secs(60);

    fn told() -> Desk {
        let desk = Desk::new();
        desk.run(&["run", &example("release-room.yaml")]).expect(0);
        desk
    }

    fn export(desk: &Desk, words: &[&str]) -> Ran {
        desk.run(&[&["export", "release-room", "--format", "otlp"], words].concat())
    }

    fn request(ran: &Ran) -> ExportTraceServiceRequest {
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(lines.len(), 1, "a small world is one request");
        Encoding::Json.read(lines[0].as_bytes()).unwrap()
    }

    /// Takes requests, and answers each so. Gives what they brought.
    fn receiver(status: &'static str, body: &'static str) -> (String, Receiver<(String, Vec<u8>)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = BufReader::new(stream.unwrap());
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
                }
                let length = head.lines().find_map(|line| {
                    let line = line.to_ascii_lowercase();
                    line.strip_prefix("content-length: ").map(str::to_owned)
                });
                let mut bytes = vec![0; length.unwrap().parse().unwrap()];
                stream.read_exact(&mut bytes).unwrap();
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.get_mut().write_all(answer.as_bytes()).unwrap();
                if sender.send((head, bytes)).is_err() {
                    return;
                }
            }
        });
        (url, receiver)
    }

    #[test]
    fn an_export_is_the_same_each_time_and_has_words_only_if_asked() {
        let desk = told();
        let bare = export(&desk, &[]).expect(0);
        assert_eq!(export(&desk, &[]).expect(0).out, bare.out);
        let told = export(&desk, &["--content"]).expect(0);
        assert_eq!(count(&request(&bare)), count(&request(&told)));
        for word in ["gen_ai.input.messages", "Prepare the 1.2 release"] {
            assert!(
                !bare.out.contains(word) && told.out.contains(word),
                "{word}"
            );
        }
        assert!(bare.out.contains("folkmoot.wait approval"), "{}", bare.out);
    }

    #[test]
    fn spans_are_sent_with_the_variables_of_opentelemetry() {
        let desk = told();
        let (url, requests) = receiver("200 OK", "");
        let mut command =
            desk.command(&["export", "release-room", "--format", "otlp", "--endpoint"]);
        command.envs([
            ("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str()),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=sesame"),
            ("OTEL_SERVICE_NAME", "rooms"),
        ]);
        let printed = request(&export(&desk, &[]).expect(0));
        let spans = count(&printed);
        Ran::of(command)
            .expect(0)
            .err_has(&format!("{spans} spans are sent to {url}/v1/traces"));
        let (head, bytes) = requests.recv_timeout(DEADLINE).unwrap();
        assert!(head.starts_with("POST /v1/traces "), "{head}");
        assert!(head.contains("x-key: sesame\r\n"), "{head}");
        let sent = Encoding::Protobuf.read(&bytes).unwrap();
        let [of_service] = &sent.resource_spans[..] else {
            panic!("{sent:?}");
        };
        assert!(format!("{:?}", of_service.resource).contains("rooms"));
        assert_eq!(
            of_service.scope_spans,
            printed.resource_spans[0].scope_spans
        );
    }

    #[test]
    fn a_collector_that_does_not_take_spans_is_told() {
        let desk = told();
        let to = |url: &str| export(&desk, &["--endpoint", url]);
        to("http://127.0.0.1:9")
            .expect(1)
            .err_has("cannot be reached");
        let (url, _requests) = receiver("400 Bad Request", "no such tenant");
        to(&url)
            .expect(1)
            .err_has("400 Bad Request, no such tenant");
        let (url, _requests) = receiver("503 Service Unavailable", "");
        to(&url).expect(1).err_has("503 Service Unavailable");
        let (url, _requests) = receiver("200 OK", "\n\u{8}\u{8}\u{2}\u{12}\u{4}full");
        to(&url)
            .expect(1)
            .err_has("did not take 2 of")
            .err_has("full");
        to("localhost")
            .expect(3)
            .err_has("is no URL of a collector");
        desk.run(&["export", "release-room", "--format", "otlp", "--endpoint"])
            .expect(3)
            .err_has("OTEL_EXPORTER_OTLP_ENDPOINT");
    }

    #[test]
    fn a_server_sends_what_goes_on_in_it() {
        use crate::real_time::serve::{HERE, Server};
        let desk = Desk::with_gate();
        let (url, requests) = receiver("200 OK", "");
        let server = Server::start(&desk, &[&HERE[..], &["--otlp", &url]].concat());
        desk.run(&["run", "gate.yaml"]).expect(4);
        // The turn waits for somebody; the call of its model is over.
        let (_, bytes) = requests.recv_timeout(DEADLINE).unwrap();
        let sent = Encoding::Protobuf.read(&bytes).unwrap();
        assert!(format!("{sent:?}").contains("chat scripted"), "{sent:?}");
        server.end();
    }
}
