//! The way to a collector, in a build that makes spans.

use folkmoot::core::port::causes::with_causes;
use folkmoot::otlp::{Encoding, count, describe};
pub(crate) use folkmoot_server::Collector;
use folkmoot_server::{Drain, OtlpSettings, Server};
use futures::TryStreamExt as _;
use serde_json::Value;

use crate::exit::{CliError, FAILED, STORE};
use crate::view::answer::ValueStream;

/// The collector at the URL `given`; `None`: where the variables of the process say.
pub(crate) fn collector(given: Option<&str>) -> Result<Collector, CliError> {
    let variable = |name: &str| std::env::var(name).ok();
    let settings = OtlpSettings::read(given, variable);
    let settings = settings.map_err(|error| CliError::other(STORE, error.to_string()))?;
    Collector::new(settings).map_err(|error| CliError::other(STORE, with_causes(&error)))
}

/// Sends the spans of a server until `end` begins, if there is a collector.
pub(crate) async fn trace(server: &Server, collector: Option<Collector>, end: &Drain) {
    let Some(collector) = collector else { return };
    if let Err(error) = server.trace(collector, end).await {
        let why = with_causes(&error);
        tracing::error!(why, "no spans are sent");
    }
}

/// Sends an export, which comes as lines of JSON. Gives a sentence on what was sent.
pub(crate) async fn send(
    collector: &Collector,
    mut lines: ValueStream,
) -> Result<String, CliError> {
    let endpoint = collector.endpoint();
    let mut taken = 0;
    while let Some(line) = lines.try_next().await? {
        let mut request = read(&line)?;
        describe(&mut request, &collector.settings().resource);
        let spans = count(&request);
        let sent = collector.send(&request).await;
        let rejections = sent.map_err(|error| {
            CliError::other(
                FAILED,
                format!("{} ({taken} spans are sent)", with_causes(&error)),
            )
        })?;
        if rejections.spans > 0 {
            let why = format!(
                "{endpoint} did not take {} of {spans} spans: {} ({taken} spans are sent)",
                rejections.spans, rejections.why
            );
            return Err(CliError::other(FAILED, why));
        }
        taken += spans;
    }
    Ok(format!("{taken} spans are sent to {endpoint}"))
}

fn read(line: &Value) -> Result<folkmoot::otlp::ExportTraceServiceRequest, CliError> {
    let line = line.as_str().unwrap_or_default();
    let request = Encoding::Json.read(line.as_bytes());
    request.map_err(|_| CliError::other(STORE, "the holder's answer is no export"))
}
