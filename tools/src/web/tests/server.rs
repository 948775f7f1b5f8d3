//! A server of this machine that says what a test tells it to.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// Makes the bytes of an answer from a request's method, target and headers.
pub(super) type Answers = fn(&Request) -> Vec<u8>;

/// A request as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The part of the query behind `name=`, without escapes.
    pub(super) fn asked(&self, name: &str) -> Option<String> {
        let (_, query) = self.target.split_once('?')?;
        let mut pairs = url::form_urlencoded::parse(query.as_bytes());
        pairs
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.into_owned())
    }
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    /// Ends with the test.
    _serving: JoinSet<()>,
}

impl Server {
    pub(super) async fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut clients = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                clients.spawn(serve(stream, answers, Arc::clone(&seen)));
            }
        });
        Self {
            address,
            requests,
            _serving: serving,
        }
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn targets(&self) -> Vec<String> {
        self.requests()
            .into_iter()
            .map(|request| request.target)
            .collect()
    }
}

/// Reads one request, answers, and closes.
pub(super) async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answers: Answers,
    seen: Arc<Mutex<Vec<Request>>>,
) {
    let mut bytes = Vec::new();
    while let Ok(1..) = stream.read_buf(&mut bytes).await {
        let Some(request) = whole(&bytes) else {
            continue;
        };
        seen.lock().unwrap().push(request.clone());
        drop(stream.write_all(&answers(&request)).await);
        drop(stream.shutdown().await);
        // The client closes when it has read enough; bytes that it did not read must not become a reset.
        while let Ok(1..) = stream.read_buf(&mut bytes).await {}
        return;
    }
}

fn whole(bytes: &[u8]) -> Option<Request> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let request = Request {
        method: first.next()?.to_owned(),
        target: first.next()?.to_owned(),
        headers: lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect(),
        body: body.to_owned(),
    };
    let length = request
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    (body.len() >= length).then_some(request)
}

/// An answer with a body.
pub(super) fn ok(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    answer(200, &[("content-type", kind)], body)
}

pub(super) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let headers: String = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let length = body.len();
    let head = format!("HTTP/1.1 {status} So\r\n{headers}content-length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// Says hello to everybody, and leads to where `to` in the query says, with the status `as`.
pub(super) fn hello(request: &Request) -> Vec<u8> {
    match request.asked("to") {
        Some(to) => {
            let status = request
                .asked("as")
                .map_or(302, |status| status.parse().unwrap());
            answer(status, &[("location", &to)], "")
        }
        None => ok("text/plain", "hello"),
    }
}
