//! Spans in the form in which collectors of OpenTelemetry take them: OTLP, as JSON or as protocol buffers.

use folkmoot_core::ids::Time;
pub use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceResponse;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue, ArrayValue, InstrumentationScope, KeyValue,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::span::{Event, SpanKind as Kind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span as OtlpSpan, Status};
use prost::Message as _;
pub use {opentelemetry_proto, prost};

use crate::spans::{Attribute, AttributeValue, Span, SpanEvent, SpanKind};

/// The most spans that are sent at a time: the default of OpenTelemetry's own exporters.
pub const BATCH_MAX: usize = 512;

/// The name under which spans come if nobody gives another one.
pub const SERVICE: &str = "folkmoot";

/// The bytes of OTLP over HTTP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Protocol buffers.
    #[default]
    Protobuf,
    /// JSON.
    Json,
}

impl Encoding {
    /// The media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Protobuf => "application/x-protobuf",
            Self::Json => "application/json",
        }
    }

    /// Writes a request.
    ///
    /// # Errors
    /// The fault that JSON found.
    pub fn write(self, request: &ExportTraceServiceRequest) -> Result<Vec<u8>, serde_json::Error> {
        match self {
            Self::Protobuf => Ok(request.encode_to_vec()),
            Self::Json => serde_json::to_vec(request),
        }
    }

    /// Reads a request.
    ///
    /// # Errors
    /// [`ReadRequestError`] if this is none.
    pub fn read(self, bytes: &[u8]) -> Result<ExportTraceServiceRequest, ReadRequestError> {
        match self {
            Self::Protobuf => Ok(ExportTraceServiceRequest::decode(bytes)?),
            Self::Json => Ok(serde_json::from_slice(bytes)?),
        }
    }

    /// Reads the answer to a request: the spans of it that the collector did not take. An answer that does not read names none,
    /// as many collectors answer with something of their own.
    #[must_use]
    pub fn rejections(self, answer: &[u8]) -> Rejections {
        let answer = match self {
            Self::Protobuf => ExportTraceServiceResponse::decode(answer).ok(),
            Self::Json => serde_json::from_slice::<ExportTraceServiceResponse>(answer).ok(),
        };
        let partial = answer.and_then(|answer| answer.partial_success);
        let partial = partial.unwrap_or_default();
        Rejections {
            spans: u64::try_from(partial.rejected_spans).unwrap_or_default(),
            why: partial.error_message,
        }
    }
}

/// Bytes that are no request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadRequestError {
    /// These are no protocol buffers, or others.
    #[error("these are no spans in protocol buffers")]
    Protobuf(#[from] prost::DecodeError),
    /// This is no JSON, or another.
    #[error("these are no spans in JSON")]
    Json(#[from] serde_json::Error),
}

/// The spans of a request that a collector did not take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rejections {
    /// Their number.
    pub spans: u64,
    /// The reason, or a warning if it took all; empty if there is none.
    pub why: String,
}

/// The request that brings `spans` to a collector, from the service that `resource` describes.
#[must_use]
pub fn request(
    spans: impl IntoIterator<Item = Span>,
    resource: &[(String, String)],
) -> ExportTraceServiceRequest {
    let scope = InstrumentationScope {
        name: SERVICE.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    let mut request = ExportTraceServiceRequest {
        resource_spans: vec![ResourceSpans {
            scope_spans: vec![ScopeSpans {
                scope: Some(scope),
                spans: spans.into_iter().map(span).collect(),
                ..ScopeSpans::default()
            }],
            ..ResourceSpans::default()
        }],
    };
    describe(&mut request, resource);
    request
}

/// Has the spans of a request come from the service that `resource` describes.
pub fn describe(request: &mut ExportTraceServiceRequest, resource: &[(String, String)]) {
    let attribute = |(key, value): &(String, String)| named(key, text(value.clone()));
    for spans in &mut request.resource_spans {
        spans.resource = Some(Resource {
            attributes: resource.iter().map(attribute).collect(),
            ..Resource::default()
        });
    }
}

/// The description of a service of which nothing is known but its name.
#[must_use]
pub fn service(name: &str) -> Vec<(String, String)> {
    vec![("service.name".to_owned(), name.to_owned())]
}

/// The number of spans in a request.
#[must_use]
pub fn count(request: &ExportTraceServiceRequest) -> usize {
    let scopes = request.resource_spans.iter().flat_map(|of| &of.scope_spans);
    scopes.map(|scope| scope.spans.len()).sum()
}

fn span(span: Span) -> OtlpSpan {
    let error = span.error.clone();
    let error_type = error.map(|error| named("error.type", text(error)));
    OtlpSpan {
        trace_id: span.trace.as_bytes().to_vec(),
        span_id: span.id.as_bytes().to_vec(),
        parent_span_id: span
            .parent
            .map(|id| id.as_bytes().to_vec())
            .unwrap_or_default(),
        name: span.name,
        kind: match span.kind {
            SpanKind::Internal => Kind::Internal,
            SpanKind::Client => Kind::Client,
        }
        .into(),
        start_time_unix_nano: nanos(span.began),
        end_time_unix_nano: nanos(span.ended),
        attributes: attributes(span.attributes).chain(error_type).collect(),
        events: span.events.into_iter().map(event).collect(),
        status: span.error.map(|_| Status {
            code: StatusCode::Error.into(),
            ..Status::default()
        }),
        ..OtlpSpan::default()
    }
}

fn event(event: SpanEvent) -> Event {
    Event {
        time_unix_nano: nanos(event.time),
        name: event.name.to_owned(),
        attributes: attributes(event.attributes).collect(),
        ..Event::default()
    }
}

fn attributes(attributes: Vec<Attribute>) -> impl Iterator<Item = KeyValue> {
    attributes
        .into_iter()
        .map(|attribute| named(attribute.key, value(attribute.value)))
}

fn named(key: &str, value: Value) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

const fn text(text: String) -> Value {
    Value::StringValue(text)
}

fn value(value: AttributeValue) -> Value {
    match value {
        AttributeValue::Text(text) => Value::StringValue(text),
        AttributeValue::Texts(texts) => Value::ArrayValue(ArrayValue {
            values: texts
                .into_iter()
                .map(|one| AnyValue {
                    value: Some(text(one)),
                })
                .collect(),
        }),
        // A count beyond 2^63 is none.
        AttributeValue::Number(number) => {
            Value::IntValue(i64::try_from(number).unwrap_or(i64::MAX))
        }
        AttributeValue::Thousandths(number) => Value::DoubleValue(f64::from(number) / 1_000.0),
    }
}

const fn nanos(time: Time) -> u64 {
    time.0.saturating_mul(1_000_000)
}
