//! `POST /worlds/{world}/ag-ui`.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use folkmoot::{Right, Seat};
use futures::stream::{self, BoxStream, Stream, StreamExt as _};

use super::answer::{Answer, error};
use super::begin::begin;
use super::frame::Frame;
use super::input::RunAgentInput;
use crate::identity::Caller;
use crate::problem::Problem;
use crate::request::{InPath, Signed, Unread};
use crate::rooms::Lobby;
use crate::wire::{SentEvent, with_json};

/// Run a room for a client of AG-UI 1.0
///
/// The newest message is posted, answers to interrupts are given in the caller's own name, and the
/// events tell what follows until nothing goes on or people are waited for. Of the client's memory
/// nothing else is read. What the room refuses comes as `RUN_ERROR`.
#[utoipa::path(
    post, path = "/worlds/{world}/ag-ui", tag = "clients",
    params(("world" = String, Path, description = "The world's name")),
    request_body = RunAgentInput,
    responses(
        (status = 200, content_type = "text/event-stream", description = "The events of the run", body = SentEvent)))]
pub(crate) async fn run(
    State(lobby): State<Arc<Lobby>>,
    Signed(caller): Signed,
    InPath(world): InPath<String>,
    body: Unread,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    // The past is read for a run that does nothing as well.
    lobby.quotas.command(&caller)?;
    let seat = lobby.seat(&caller, &world, Right::Read).await?;
    let input: RunAgentInput = body.read(&lobby).await?;
    input.check(&world, &lobby.rooms.limits)?;
    let frames = match answer(&lobby, caller, seat, &input).await {
        Ok(answer) => told(answer),
        Err(problem) => {
            lobby.metrics.problem(problem.code());
            stream::iter([error(problem)]).boxed()
        }
    };
    let open = lobby.metrics.feed();
    let events = frames.map(move |frame| {
        let _counted = &open;
        Ok(with_json(Event::default(), &frame))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

async fn answer(
    lobby: &Lobby,
    caller: Caller,
    seat: Seat,
    input: &RunAgentInput,
) -> Result<Answer, Problem> {
    let begun = Box::pin(begin(lobby, &caller, &seat, input)).await?;
    let done = begun.done.clone();
    let answer = Answer::begin(lobby, caller, seat, input, begun).await;
    answer.map_err(|problem| done.told_with(problem))
}

/// The events of an answer, one by one.
fn told(answer: Answer) -> BoxStream<'static, Frame> {
    let batches = stream::unfold(answer, |mut answer| async {
        let frames = answer.next().await?;
        Some((stream::iter(frames), answer))
    });
    batches.flatten().boxed()
}
