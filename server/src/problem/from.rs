//! Problems out of the errors of a world.

use folkmoot::core::event::refusal::{Decided, Refusal, RefusalReason};
use folkmoot::core::port::causes::with_causes;
use folkmoot::core::port::{AppendError, BlobError, ReadError};
use folkmoot::export::ExportError;
use folkmoot::run::refused_because;
use folkmoot::view::ViewError;
use folkmoot::{FoldError, OpenError, SeatError};

use super::{Problem, ProblemCode};

impl From<SeatError> for Problem {
    fn from(error: SeatError) -> Self {
        match error {
            SeatError::Refused(refusal) => refusal.into(),
            SeatError::KeyReused(_) => key_reused(),
            SeatError::BehindHead { .. } => Self::new(ProblemCode::BehindHead, error.to_string()),
            SeatError::Full => full(),
            SeatError::Blob(why) => Self::new(ProblemCode::Internal, why),
            SeatError::LongKey { .. } | SeatError::TooLarge { .. } => {
                Self::new(ProblemCode::Invalid, error.to_string())
            }
            error @ (SeatError::Stopped(_)
            | SeatError::TenureLost
            | SeatError::Closed
            | SeatError::Busy { .. }
            | SeatError::Unanswered { .. }
            | SeatError::Elsewhere(_)
            | _) => Self::new(ProblemCode::Unavailable, error.to_string()),
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let detail = refusal.to_string();
        match refusal {
            Refusal::Right { reason, decided } => right(reason, decided),
            Refusal::Stale => Self::new(ProblemCode::Refused, detail),
            Refusal::BadMessage { why } => Self::new(ProblemCode::Invalid, why).about("text"),
            Refusal::NoSuchMessage { message } => {
                let detail = format!("the room has no message {message}");
                Self::new(ProblemCode::Invalid, detail).about("reply_to")
            }
            Refusal::BadLabels { why } => Self::new(ProblemCode::Invalid, why).about("labels"),
            Refusal::BadRights { why } => Self::new(ProblemCode::Invalid, why).about("rights"),
            Refusal::BadErasure { why }
            | Refusal::BadFork { why }
            | Refusal::TooLarge { why }
            | Refusal::BadDefinition { why } => Self::new(ProblemCode::Invalid, why),
        }
    }
}

/// The problem of a command that asserts a right. Whoever gets it may read the world, and sees its
/// requests and how they ended: so it tells of those, and of no others.
fn right(reason: RefusalReason, decided: Option<Decided>) -> Problem {
    match (reason, decided) {
        (RefusalReason::AlreadyDecided, Some(decided)) => {
            let by = decided.by.as_ref().map(ToString::to_string);
            let who = by.as_deref().unwrap_or("nobody");
            Problem::new(
                ProblemCode::AlreadyDecided,
                format!("the request was decided before: {} by {who}", decided.how),
            )
            .with("how", decided.how.clone())
            .with("by", by)
        }
        (RefusalReason::Expired | RefusalReason::Closed, _) => Problem::new(
            ProblemCode::Expired,
            "the request waits no longer: it expired, or its call was closed",
        ),
        (RefusalReason::ShownDiffers, _) => Problem::new(
            ProblemCode::ShownDiffers,
            "the request shows something else than `shown` says: read it again, and decide anew",
        )
        .about("shown"),
        (RefusalReason::OtherKind, _) => Problem::new(
            ProblemCode::Refused,
            "the request is of another kind: it takes a decision, an answer or a settlement",
        ),
        (RefusalReason::KeyReused, _) => key_reused(),
        (RefusalReason::NothingWithheld, _) => Problem::new(
            ProblemCode::NotFound,
            "no event of that number withholds text: `GET …/events?kind=ArtifactWithheld` lists them",
        ),
        (reason, decided) => other_right(reason, decided),
    }
}

fn other_right(reason: RefusalReason, decided: Option<Decided>) -> Problem {
    let outward = Refusal::Right { reason, decided }.outward();
    let Refusal::Right { reason, .. } = outward else {
        return Problem::new(ProblemCode::Refused, outward.to_string());
    };
    if reason == RefusalReason::NotOpen {
        return Problem::not_found();
    }
    let is_about_who = matches!(
        reason,
        RefusalReason::NoRight
            | RefusalReason::NotAPerson
            | RefusalReason::SamePerson
            | RefusalReason::ServiceForTwo
            | RefusalReason::Played
            | RefusalReason::NotYours
    );
    let code = if is_about_who {
        ProblemCode::Forbidden
    } else {
        ProblemCode::Refused
    };
    let why = format!("the room refuses it: {}", refused_because(reason));
    Problem::new(code, why).with("reason", reason.code())
}

pub(crate) fn key_reused() -> Problem {
    Problem::new(
        ProblemCode::KeyReused,
        "this Idempotency-Key was used before, for another request: take another key",
    )
    .about("Idempotency-Key")
}

fn full() -> Problem {
    Problem::new(
        ProblemCode::StorageFull,
        "the disk is full: nothing of the request is kept, and reading goes on",
    )
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::NoSuchWorld(_) => Self::not_found(),
            OpenError::Refused(refusal) => refusal.into(),
            OpenError::AlreadyOpen(_) | OpenError::TakenOver(_) | OpenError::TenureLost(_) => {
                Self::new(ProblemCode::InUse, error.to_string())
            }
            OpenError::Read(error) => error.into(),
            OpenError::Append(error) => error.into(),
            OpenError::NoSuchEvent { .. } => {
                Self::new(ProblemCode::BehindHead, error.to_string()).about("at")
            }
            error @ (OpenError::Assemble(_)
            | OpenError::NoHost(_)
            | OpenError::MissingPart { .. }
            | OpenError::NoTenure { .. }
            | OpenError::Elsewhere { .. }
            | _) => Self::new(ProblemCode::Unavailable, with_causes(&error)),
        }
    }
}

impl From<AppendError> for Problem {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Full(_) => full(),
            AppendError::NameTaken(name) => Self::new(
                ProblemCode::NameTaken,
                format!("a world called {name} exists"),
            )
            .about("name"),
            AppendError::KeyReused { .. } => key_reused(),
            error @ (AppendError::Conflict { .. }
            | AppendError::Fenced { .. }
            | AppendError::NoSuchWorld(_)
            | AppendError::Io(_)
            | AppendError::Stopped(_)
            | AppendError::Crash
            | AppendError::Invalid(_)
            | _) => Self::new(ProblemCode::Unavailable, with_causes(&error)),
        }
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NoSuchWorld(_) => Self::not_found(),
            ReadError::Damaged { .. } | ReadError::Newer { .. } => {
                Self::new(ProblemCode::Damaged, with_causes(&error))
            }
            error @ (ReadError::Io(_) | ReadError::Stopped(_) | _) => {
                Self::new(ProblemCode::Unavailable, with_causes(&error))
            }
        }
    }
}

impl From<ViewError> for Problem {
    fn from(error: ViewError) -> Self {
        let why = with_causes(&error);
        match error {
            ViewError::Fold(error) => error.into(),
            ViewError::NoSuchEvent { .. }
            | ViewError::NoSuchAgent { .. }
            | ViewError::NoSuchKind { .. }
            | ViewError::NotModelCalled { .. }
            | ViewError::NoModelRequest => Self::new(ProblemCode::Invalid, why),
            ViewError::Damaged { .. } => Self::new(ProblemCode::Damaged, why),
            ViewError::Lost(_)
            | ViewError::NoWorlds
            | ViewError::NoCommit(_)
            | ViewError::Event { .. }
            | ViewError::Export(_)
            | ViewError::Json(_)
            | ViewError::Definition(_)
            | _ => Self::new(ProblemCode::Internal, why),
        }
    }
}

impl From<BlobError> for Problem {
    fn from(error: BlobError) -> Self {
        let why = with_causes(&error);
        match error {
            BlobError::NoSuchWorld(_) => Self::not_found(),
            BlobError::TooLarge { .. } => Self::new(ProblemCode::TooLarge, why),
            BlobError::Damaged { .. } => Self::new(ProblemCode::Damaged, why),
            BlobError::Full(_) => Self::new(ProblemCode::StorageFull, why),
            BlobError::Io(_) | BlobError::Stopped(_) | _ => {
                Self::new(ProblemCode::Unavailable, why)
            }
        }
    }
}

impl From<ExportError> for Problem {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Fold(error) => error.into(),
            ExportError::Read(error) => error.into(),
            error @ (ExportError::NotBuilt | ExportError::Erasing) => {
                Self::new(ProblemCode::Unavailable, error.to_string())
            }
            error @ (ExportError::Event { .. }
            | ExportError::Commit { .. }
            | ExportError::Page(_)
            | _) => Self::new(ProblemCode::Internal, with_causes(&error)),
        }
    }
}

impl From<FoldError> for Problem {
    fn from(error: FoldError) -> Self {
        match error {
            FoldError::NoSuchWorld(_) => Self::not_found(),
            FoldError::BehindHead { .. } => {
                Self::new(ProblemCode::BehindHead, error.to_string()).about("at")
            }
            FoldError::Read(error) => error.into(),
            error => Self::new(ProblemCode::Internal, with_causes(&error)),
        }
    }
}
