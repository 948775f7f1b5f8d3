//! Metrics, in the text form of Prometheus.
//!
//! Each server counts in a recorder of its own: the process's global one stays for whoever embeds
//! it. No label has values that a client can choose.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use futures::StreamExt as _;
use metrics::{Gauge, counter, gauge, histogram, with_local_recorder};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};

use crate::problem::ProblemCode;

/// The upper ends of the times that are told apart, in seconds.
const SECONDS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0,
];
/// The histogram of times.
const TIMES: &str = "folkmoot_request_seconds";

/// The counts of one server. Its clones are one.
#[derive(Debug, Clone)]
pub(crate) struct Metrics(Arc<PrometheusRecorder>);

/// Something that is counted for as long as it lasts.
pub(crate) struct Open(Gauge);

/// A request that was answered, as far as it is counted.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) method: &'static str,
    pub(crate) route: String,
    pub(crate) status: u16,
    /// The time until the head of the answer.
    pub(crate) took: Duration,
    pub(crate) problem: Option<ProblemCode>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let builder = PrometheusBuilder::new();
        // It fails only for no buckets, and then times come as quantiles.
        let builder = builder
            .set_buckets_for_metric(Matcher::Full(TIMES.to_owned()), &SECONDS)
            .unwrap_or_default();
        let metrics = Self(Arc::new(builder.build_recorder()));
        with_local_recorder(&*metrics.0, || {
            gauge!("folkmoot_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
            // Whoever watches them is to see that nothing happened yet.
            for name in ["folkmoot_feeds_open", "folkmoot_sockets_open"] {
                gauge!(name).set(0.0);
            }
            for name in ["folkmoot_posts_total", "folkmoot_decisions_total"] {
                counter!(name).absolute(0);
            }
        });
        metrics
    }

    /// Counts a request that was answered.
    pub(crate) fn answered(&self, answered: Answered) {
        let Answered {
            method,
            route,
            status,
            took,
            problem,
        } = answered;
        with_local_recorder(&*self.0, || {
            let status = status.to_string();
            counter!("folkmoot_requests_total", "method" => method, "route" => route.clone(), "status" => status)
                .increment(1);
            histogram!(TIMES, "route" => route).record(took);
            if let Some(code) = problem {
                self.problem(code);
            }
        });
    }

    /// Counts a problem that a client was told of.
    pub(crate) fn problem(&self, code: ProblemCode) {
        with_local_recorder(&*self.0, || {
            counter!("folkmoot_problems_total", "code" => code.word()).increment(1);
        });
    }

    /// Counts that somebody came to the limit called `limit`.
    pub(crate) fn limit(&self, limit: &'static str) {
        with_local_recorder(&*self.0, || {
            counter!("folkmoot_limit_hits_total", "limit" => limit).increment(1);
        });
    }

    /// Counts a message that was posted.
    pub(crate) fn posted(&self) {
        with_local_recorder(&*self.0, || counter!("folkmoot_posts_total").increment(1));
    }

    /// Counts a decision, an answer or a settlement.
    pub(crate) fn decided(&self) {
        with_local_recorder(&*self.0, || {
            counter!("folkmoot_decisions_total").increment(1)
        });
    }

    /// Counts spans that a collector took.
    #[cfg(feature = "otel")]
    pub(crate) fn spans_sent(&self, spans: usize) {
        with_local_recorder(&*self.0, || {
            counter!("folkmoot_spans_sent_total").increment(spans as u64);
        });
    }

    /// Counts spans that no collector will get.
    #[cfg(feature = "otel")]
    pub(crate) fn spans_dropped(&self, spans: usize) {
        with_local_recorder(&*self.0, || {
            counter!("folkmoot_spans_dropped_total").increment(spans as u64);
        });
    }

    /// Counts a feed for as long as it is followed.
    pub(crate) fn feed(&self) -> Open {
        Open::of(with_local_recorder(&*self.0, || {
            gauge!("folkmoot_feeds_open")
        }))
    }

    /// Counts a socket for as long as it is open.
    pub(crate) fn socket(&self) -> Open {
        Open::of(with_local_recorder(&*self.0, || {
            gauge!("folkmoot_sockets_open")
        }))
    }

    /// The same body; its bytes are counted as they are sent.
    pub(crate) fn sent(&self, body: Body) -> Body {
        let sent = with_local_recorder(&*self.0, || counter!("folkmoot_sent_bytes_total"));
        if let Some(bytes) = body.size_hint().exact() {
            // The body stays whole, and with it its Content-Length.
            sent.increment(bytes);
            return body;
        }
        Body::from_stream(body.into_data_stream().inspect(move |piece| {
            if let Ok(piece) = piece {
                sent.increment(piece.len() as u64);
            }
        }))
    }

    /// All counts as text; `worlds` are open.
    pub(crate) fn render(&self, worlds: usize) -> String {
        with_local_recorder(&*self.0, || {
            // Beyond 2^53 worlds the figure is not exact.
            gauge!("folkmoot_worlds_open").set(worlds as f64);
        });
        let handle = self.0.handle();
        // Times that were recorded lie in a buffer until then.
        handle.run_upkeep();
        handle.render()
    }
}

impl Open {
    fn of(gauge: Gauge) -> Self {
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

impl fmt::Debug for Open {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Open")
    }
}
