//! Rooms of Folkmoot over HTTP.
//!
//! The crate makes an [`axum::Router`] over one store, which `folkmoot serve` listens with and an
//! embedder mounts in a program of their own. It adds transport, identity and limits. It
//! deliberately makes no decision: each request becomes one call on a seat, and each answer is a
//! projection of the log.
//!
//! Read first: [`router`] (what is served), [`Rooms`] (what it is served from), [`Authenticate`]
//! (who somebody is).

mod problem;

mod identity;

mod disk;

mod limits;

mod hosts;

mod metrics;

mod wire;

mod rooms;

mod request;

mod stream;

mod routes;

mod socket;

mod protocols;

mod peers;

mod reference;

mod console;

mod layers;

mod router;

#[cfg(feature = "otel")]
mod otlp;

mod server;

mod serve;

pub use disk::DiskReserve;
pub use hosts::{HostError, Hosts};
pub use identity::{
    Authenticate, AuthenticateError, Caller, Jwt, JwtSetupError, Lease, Lessor, LocalUser,
    NewToken, PatternError, Permissions, PrincipalKind, RandomnessError, RecordsError, Revocation,
    Secret, SessionError, Sessions, Several, SharedRecordsError, TokenError, TokenFile,
    TokenRecord, TokenTable, Tokens, WorldPattern, login_code,
};
pub use limits::ServerLimits;
#[cfg(feature = "otel")]
pub use otlp::{
    Collector, CollectorError, Compression, OtlpSettings, OtlpSettingsError, Pace, SendError,
};
pub use peers::{Peers, PeersError};
pub use problem::{Problem, ProblemCode};
#[cfg(feature = "mcp")]
pub use protocols::mcp::{AttendError, LocalHost};
pub use rooms::{
    Drain, Reopened, Rooms, Template, TemplateDigests, TemplateError, Templates, TemplatesError,
};
pub use router::{openapi, router};
pub use serve::{Drained, Listening, serve};
pub use server::Server;
