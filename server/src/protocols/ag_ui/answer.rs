//! The events of a run, from its first to its last.

use folkmoot::core::world::World;
use folkmoot::{Right, Seat};
use serde_json::Value;

use super::begin::Begun;
use super::done::DONE;
use super::frame::{Frame, Outcome, VERSION};
use super::frames::{Cursor, Fault, close, draft_frames, frames};
use super::input::RunAgentInput;
use super::interrupt::interrupt;
use super::past::past;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};
use crate::protocols::claim::offers;
use crate::protocols::run::{Rest, Run, Step, held_up_by};
use crate::protocols::terms::Terms;
use crate::rooms::Lobby;

/// The answer to a run.
pub(super) struct Answer {
    seat: Seat,
    caller: Caller,
    run: Run,
    cursor: Cursor,
    thread_id: String,
    run_id: String,
    /// The outcome if somebody stops it.
    stopped: Outcome,
    /// The events that are known and not given yet.
    ready: Vec<Frame>,
}

impl Answer {
    /// The answer to `input`, whose run has begun so.
    ///
    /// # Errors
    /// The reason that the past does not read.
    pub(super) async fn begin(
        lobby: &Lobby,
        caller: Caller,
        seat: Seat,
        input: &RunAgentInput,
        begun: Begun,
    ) -> Result<Self, Problem> {
        let past = past(&seat, begun.after, begun.episodes.clone()).await?;
        let run = Run::follow(
            seat.clone(),
            folkmoot::FeedStart::After(begun.after),
            begun.episodes,
            caller.lease.clone(),
            lobby.rooms.drain.clone(),
        )?;
        let mut ready = vec![Frame::RunStarted {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            protocol_version: VERSION,
        }];
        ready.push(past.transcript.snapshot());
        let state = begun.state;
        ready.extend(state.map(|snapshot| Frame::StateSnapshot { snapshot }));
        ready.extend(begun.refused);
        ready.extend(input.untaken().into_iter().map(warning));
        Ok(Self {
            seat,
            caller,
            run,
            cursor: past.cursor,
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            stopped: input.stopped(),
            ready,
        })
    }

    /// The next events; `None` behind the last one, and when the right to read is lost.
    pub(super) async fn next(&mut self) -> Option<Vec<Frame>> {
        if !self.ready.is_empty() {
            return Some(std::mem::take(&mut self.ready));
        }
        let frames = match self.run.next().await? {
            Step::Item(item) => frames(&mut self.cursor, &item),
            Step::Draft(draft) => draft_frames(&mut self.cursor, &draft),
            Step::Rest(rest) => {
                let mut frames = close(&mut self.cursor);
                frames.extend(self.last(rest).await?);
                frames
            }
            Step::Bye if !self.seat.may(Right::Read) => return None,
            Step::Bye => {
                let mut frames = close(&mut self.cursor);
                let why = "the server ends: run again, and miss nothing";
                frames.push(error(Problem::new(ProblemCode::Unavailable, why)));
                frames
            }
        };
        Some(frames)
    }

    /// The last events of a run that rests; `None` if the right to read is lost meanwhile.
    async fn last(&mut self, rest: Rest) -> Option<Vec<Frame>> {
        let mut lease = self.caller.lease.clone();
        let end = tokio::select! {
            biased;
            () = lease.ended() => return None,
            end = self.end(rest) => end,
        };
        let may_read = self.seat.may(Right::Read);
        may_read.then(|| end.unwrap_or_else(|problem| vec![error(problem)]))
    }

    /// The last events of a run that rests: all messages as they are now, and the outcome.
    async fn end(&mut self, rest: Rest) -> Result<Vec<Frame>, Problem> {
        let head = self.seat.read(World::head).await?;
        let through = folkmoot::ItemId::behind(head);
        let past = past(&self.seat, through, self.run.episodes().clone()).await?;
        let snapshot = past.transcript.snapshot();
        let outcome = match (rest, self.cursor.fault()) {
            (Rest::Waits, _) => self.waits().await?,
            (Rest::Over, None) => Outcome::Success,
            (Rest::Over, Some(Fault::Stopped)) => self.stopped.clone(),
            (Rest::Over, Some(Fault::Failed(words))) => {
                let failed = Problem::new(ProblemCode::Refused, words.clone());
                return Ok(vec![snapshot, error(failed)]);
            }
        };
        let finished = Frame::RunFinished {
            thread_id: self.thread_id.clone(),
            run_id: self.run_id.clone(),
            outcome,
        };
        Ok(vec![snapshot, finished])
    }

    /// The outcome of a run that waits for people: for the caller, or for others alone. It may wait
    /// because an agent that is to answer waits, about an earlier message.
    async fn waits(&mut self) -> Result<Outcome, Problem> {
        let offers = offers(&self.caller, &self.seat).await?;
        let episodes = self.run.episodes().clone();
        let episodes = move |world: &World| held_up_by(world, &episodes);
        let episodes = self.seat.read(episodes).await?;
        let ours = offers.iter().filter(|offer| {
            let episode = offer.episode.as_ref();
            episode.is_some_and(|episode| episodes.contains(episode))
        });
        let interrupts = ours.map(interrupt).collect::<Result<Vec<_>, _>>()?;
        Ok(if interrupts.is_empty() {
            Outcome::Success
        } else {
            Outcome::Interrupt { interrupts }
        })
    }
}

/// The words of the protocol.
const TERMS: Terms = Terms {
    key: "runId",
    key_reused: "this runId was used before, with another message, state or answer: take another runId",
    text: "messages",
    decisions: "resume",
    shown_differs: "the interrupt shows something else now: run again, and decide what that asks",
};

/// The event that ends a run because of `problem`.
pub(super) fn error(problem: Problem) -> Frame {
    let problem = TERMS.told(problem);
    let metadata = serde_json::to_value(&problem);
    Frame::RunError {
        message: message(&problem),
        code: problem.code().word().to_owned(),
        metadata: metadata
            .ok()
            .map(|told| serde_json::json!({ "folkmoot": told })),
    }
}

/// The fault in words, and what was done before it.
fn message(problem: &Problem) -> String {
    let detail = problem.detail();
    let done = problem.member(DONE).and_then(Value::as_array);
    let done = done.into_iter().flatten().filter_map(Value::as_str);
    let done: Vec<&str> = done.collect();
    if done.is_empty() {
        detail.to_owned()
    } else {
        format!("{detail}; done before: {}", done.join(", "))
    }
}

/// The warning that the member `name` of the client's request is not taken.
fn warning(name: &'static str) -> Frame {
    let detail = match name {
        "tools" => "the room's tools are those of its template: the client's own are not taken",
        _ => "the room's agents know what is said in it: the client's context is not taken",
    };
    Frame::Custom {
        name: "folkmoot.warning".to_owned(),
        value: serde_json::json!({ "field": name, "detail": detail }),
    }
}
