//! Spans for OpenTelemetry: they are made of the logs, while the server runs, and sent to a collector over HTTP.
//!
//! The log is the queue. A follower reads it behind everybody's back, one batch at a time, and reads no further while the
//! collector does not take what it has. So no room waits for it, and nothing is lost while a collector is away.

mod collector;
mod follower;
mod settings;

pub use collector::{Collector, CollectorError, SendError};
pub(crate) use follower::Follower;
pub use settings::{Compression, OtlpSettings, OtlpSettingsError, Pace};
