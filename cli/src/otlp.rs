//! Spans, sent to a collector of OpenTelemetry.

#[cfg(not(feature = "otel"))]
mod absent;
#[cfg(feature = "otel")]
mod present;

#[cfg(not(feature = "otel"))]
pub(crate) use absent::{Collector, collector, send, trace};
#[cfg(feature = "otel")]
pub(crate) use present::{Collector, collector, send, trace};
