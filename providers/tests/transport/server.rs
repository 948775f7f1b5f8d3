//! A server of a few lines: it answers each connection with the same steps and keeps what it was sent.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What the server does with a connection, once it has read the request.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends these bytes.
    Send(String),
    /// Waits, silently, until the client is gone. Without it the server closes the connection.
    Hang,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// Method, path and headers, with names in lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) base_url: String,
    received: Arc<Mutex<Vec<Received>>>,
    gone: Arc<AtomicUsize>,
}

impl Server {
    /// Starts one; its thread ends with the test's process.
    pub(crate) fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&received);
        let gone = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&gone);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, steps, keeps) =
                    (stream.unwrap(), steps.clone(), Arc::clone(&keeps));
                let left = Arc::clone(&left);
                std::thread::spawn(move || {
                    let request = read_request(&mut stream);
                    keeps.lock().unwrap().push(request);
                    steps
                        .into_iter()
                        .for_each(|step| perform(&mut stream, step, &left));
                });
            }
        });
        Self {
            base_url,
            received,
            gone,
        }
    }

    /// Starts one that answers with `status`, some headers and a whole body.
    pub(crate) fn answering(status: &str, headers: &[&str], body: &str) -> Self {
        let headers: String = headers
            .iter()
            .map(|header| format!("{header}\r\n"))
            .collect();
        let len = body.len();
        let text = format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {len}\r\nconnection: close\r\n\r\n{body}"
        );
        Self::start(vec![Step::Send(text)])
    }

    /// How many clients went away while the server was silent.
    pub(crate) fn gone(&self) -> usize {
        self.gone.load(Ordering::SeqCst)
    }

    /// Waits until `is_so`; a test that waits too long is ended by its runner.
    pub(crate) fn until(&self, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            std::thread::yield_now();
        }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

/// The client may have gone away, which is its right.
fn perform(stream: &mut TcpStream, step: Step, gone: &AtomicUsize) {
    match step {
        Step::Send(text) => drop(
            stream
                .write_all(text.as_bytes())
                .and_then(|()| stream.flush()),
        ),
        Step::Hang => {
            drop(stream.read_to_end(&mut Vec::new()));
            gone.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn read_request(stream: &mut TcpStream) -> Received {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        bytes.extend(byte);
    }
    let head = String::from_utf8(bytes).unwrap();
    let mut received = Received {
        head,
        body: String::new(),
    };
    let len = received.header("content-length").unwrap().parse().unwrap();
    let mut body = vec![0; len];
    stream.read_exact(&mut body).unwrap();
    received.body = String::from_utf8(body).unwrap();
    received
}

/// The head of a streamed answer.
pub(crate) fn stream_head() -> Step {
    Step::Send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .into(),
    )
}

/// One chunk of a streamed answer.
pub(crate) fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()))
}
