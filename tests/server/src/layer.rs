//! The points around the router: before an answer, and in an event stream.

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use futures::stream::{StreamExt as _, unfold};

use crate::point::{Point, Points, die};

/// Answers a request unless the server dies before.
pub(crate) async fn watch(State(points): State<Points>, request: Request, next: Next) -> Response {
    let is_command = request.method() != Method::GET;
    let response = next.run(request).await;
    if is_command && response.status().is_success() {
        points.pass(Point::BeforeResponse);
    }
    let is_stream = response
        .headers()
        .get("content-type")
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if is_stream {
        response.map(|body| watched(body, points))
    } else {
        response
    }
}

/// An event stream that dies at its points. Each chunk is one event.
struct Watched {
    events: BodyDataStream,
    points: Points,
    /// True once the server is to die behind the event that was sent.
    is_due: bool,
}

fn watched(body: Body, points: Points) -> Body {
    let begun = Watched {
        events: body.into_data_stream(),
        points,
        is_due: false,
    };
    Body::from_stream(unfold(begun, |mut stream| async {
        let event = stream.next().await?;
        Some((event, stream))
    }))
}

impl Watched {
    async fn next(&mut self) -> Option<Result<Bytes, axum::Error>> {
        if self.is_due {
            sent_then_die().await;
        }
        let event = self.events.next().await?;
        let kind = event.as_ref().map_or(Kind::Other, |event| Kind::of(event));
        match kind {
            Kind::FurtherItem if self.points.is_due(Point::BetweenItems) => sent_then_die().await,
            Kind::Draft => self.is_due = self.points.is_due(Point::InDraft),
            Kind::Bye => self.points.pass(Point::Drain),
            Kind::FurtherItem | Kind::Other => {}
        }
        Some(event)
    }
}

/// Lets the connection send what it has, which it does when it is told to wait, and dies.
async fn sent_then_die() -> ! {
    tokio::task::yield_now().await;
    die()
}

/// The kind of an event, as far as points are concerned.
enum Kind {
    /// An item behind the first one of its event.
    FurtherItem,
    Draft,
    Bye,
    Other,
}

impl Kind {
    fn of(event: &[u8]) -> Self {
        let text = String::from_utf8_lossy(event);
        let field = |name: &str| {
            let lines = text.lines().filter_map(|line| line.split_once(": "));
            let mut values = lines
                .filter(|(field, _)| *field == name)
                .map(|(_, value)| value);
            values.next()
        };
        match (field("event"), field("id")) {
            (_, Some(id)) if id.contains('.') => Self::FurtherItem,
            (Some("draft"), _) => Self::Draft,
            (Some("bye"), _) => Self::Bye,
            (_, _) => Self::Other,
        }
    }
}
