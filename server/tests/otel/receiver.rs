//! A receiver of spans, and an ear for what the server says.

use std::io::Read as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Response};
use axum::routing::post;
use folkmoot::otlp::ExportTraceServiceRequest;
use folkmoot::otlp::opentelemetry_proto::tonic::common::v1::any_value::Value;
use folkmoot::otlp::opentelemetry_proto::tonic::trace::v1::Span;
use folkmoot::otlp::prost::Message as _;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tracing::instrument::WithSubscriber as _;

/// The way in which a receiver answers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    /// It takes everything.
    Take,
    /// It takes the request, and none of the spans.
    Reject,
    /// It fails.
    Status(u16),
}

/// A receiver that listens.
pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Arc<Shared>,
}

struct Shared {
    answer: Mutex<Answer>,
    taken: watch::Sender<Vec<Span>>,
    /// All bytes of requests, with their compression undone.
    seen: Mutex<Vec<u8>>,
}

impl Receiver {
    pub(crate) async fn start(answer: Answer) -> Self {
        let shared = Arc::new(Shared {
            answer: Mutex::new(answer),
            taken: watch::channel(Vec::new()).0,
            seen: Mutex::default(),
        });
        let router = Router::new()
            .route("/v1/traces", post(take))
            .with_state(Arc::clone(&shared));
        let (listener, url) = listener().await;
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, shared }
    }

    pub(crate) fn answer(&self, answer: Answer) {
        *self.shared.answer.lock().unwrap() = answer;
    }

    /// Waits until it has so many spans.
    pub(crate) async fn spans(&self, at_least: usize) -> Vec<Span> {
        let mut taken = self.shared.taken.subscribe();
        let taken = taken.wait_for(|spans| spans.len() >= at_least).await;
        taken.unwrap().clone()
    }

    pub(crate) fn has_seen(&self, word: &str) -> bool {
        let seen = self.shared.seen.lock().unwrap();
        String::from_utf8_lossy(&seen).contains(word)
    }
}

async fn listener() -> (TcpListener, String) {
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = TcpListener::bind(here).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

/// An endpoint that takes connections, and never answers.
pub(crate) struct Silent {
    pub(crate) url: String,
    _listener: TcpListener,
}

pub(crate) async fn silent() -> Silent {
    let (_listener, url) = listener().await;
    Silent { url, _listener }
}

async fn take(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let mut bytes = body.to_vec();
    if headers.get("content-encoding").is_some() {
        assert_eq!(headers["content-encoding"], "gzip");
        bytes.clear();
        let mut gzip = flate2::read::GzDecoder::new(&body[..]);
        gzip.read_to_end(&mut bytes).unwrap();
    }
    shared.seen.lock().unwrap().extend_from_slice(&bytes);
    let (request, kind) = match headers["content-type"].to_str().unwrap() {
        kind @ "application/x-protobuf" => {
            (ExportTraceServiceRequest::decode(&bytes[..]).unwrap(), kind)
        }
        kind @ "application/json" => (serde_json::from_slice(&bytes).unwrap(), kind),
        other => panic!("{other}"),
    };
    let answer = *shared.answer.lock().unwrap();
    let spans = spans_of(request);
    let (status, body) = match answer {
        Answer::Status(status) => (status, b"no such tenant".to_vec()),
        Answer::Reject => (200, rejection(spans.len())),
        Answer::Take => {
            shared.taken.send_modify(|taken| taken.extend(spans));
            (200, Vec::new())
        }
    };
    let response = Response::builder().status(status);
    let response = response.header("content-type", kind);
    response.body(Body::from(body)).unwrap()
}

/// An answer in protocol buffers that takes none of so many spans.
fn rejection(spans: usize) -> Vec<u8> {
    use folkmoot::otlp::opentelemetry_proto::tonic::collector::trace::v1::{
        ExportTracePartialSuccess, ExportTraceServiceResponse,
    };
    let partial_success = Some(ExportTracePartialSuccess {
        rejected_spans: i64::try_from(spans).unwrap(),
        error_message: "no such tenant".to_owned(),
    });
    ExportTraceServiceResponse { partial_success }.encode_to_vec()
}

pub(crate) fn spans_of(request: ExportTraceServiceRequest) -> Vec<Span> {
    let scopes = request.resource_spans.into_iter();
    let scopes = scopes.flat_map(|of| of.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

/// The text of an attribute.
pub(crate) fn text(span: &Span, key: &str) -> String {
    let attribute = span.attributes.iter().find(|one| one.key == key);
    let value = attribute.and_then(|one| one.value.clone()?.value);
    match value {
        Some(Value::StringValue(text)) => text,
        other => panic!("{key} is {other:?} in {span:?}"),
    }
}

/// What a server says.
#[derive(Debug, Clone)]
pub(crate) struct Told(watch::Sender<String>);

impl Default for Told {
    fn default() -> Self {
        Self(watch::channel(String::new()).0)
    }
}

impl Told {
    /// Waits until these words are said.
    pub(crate) async fn has(&self, words: &str) {
        let mut told = self.0.subscribe();
        told.wait_for(|told| told.contains(words)).await.unwrap();
    }
}

impl std::io::Write for Told {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let words = String::from_utf8_lossy(bytes).into_owned();
        self.0.send_modify(|told| told.push_str(&words));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Does `future`, and gives what was said meanwhile.
pub(crate) async fn told_to<T>(told: &Told, future: impl Future<Output = T>) -> (T, String) {
    let writer = told.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    let done = future.with_subscriber(subscriber).await;
    let lines = told.0.borrow().clone();
    (done, lines)
}
