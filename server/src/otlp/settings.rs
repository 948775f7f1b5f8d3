//! The settings of a collector: an argument, and the variables that OpenTelemetry has for all programs.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use folkmoot::otlp::{Encoding, SERVICE};
use folkmoot::spans::Capture;
use reqwest::Url;

/// The path of spans behind an endpoint for all signals.
const TRACES: &str = "v1/traces";
/// The longest time that a request may take, if nobody says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The settings of a collector.
#[derive(Debug, Clone)]
pub struct OtlpSettings {
    /// The URL that spans are sent to.
    pub endpoint: Url,
    /// Further headers of each request, such as a key.
    pub headers: HeaderMap,
    /// The longest time that a request may take.
    pub timeout: Duration,
    /// The form of the requests.
    pub encoding: Encoding,
    /// The compression of the requests.
    pub compression: Compression,
    /// The attributes of the service that sends them.
    pub resource: Vec<(String, String)>,
    /// How much spans tell that are sent while the server runs.
    pub capture: Capture,
    /// The times of a server that sends them.
    pub pace: Pace,
}

/// The compression of requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compression {
    /// None.
    #[default]
    Plain,
    /// gzip.
    Gzip,
}

/// The times of a server that sends spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// The time between two looks at the logs.
    pub look_every: Duration,
    /// The first pause after a collector could not be reached. Each further one is twice as long.
    pub pause_min: Duration,
    /// The longest pause.
    pub pause_max: Duration,
    /// The longest time in which the last spans are sent when the server ends.
    pub flush_timeout: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            look_every: Duration::from_secs(1),
            pause_min: Duration::from_secs(1),
            pause_max: Duration::from_secs(60),
            flush_timeout: Duration::from_secs(3),
        }
    }
}

/// The reason that spans cannot be sent as the settings say.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OtlpSettingsError {
    /// Nobody says where to.
    #[error("no collector is named: give its URL, or set OTEL_EXPORTER_OTLP_ENDPOINT")]
    NoEndpoint,
    /// An endpoint is no URL.
    #[error("{0:?} is no URL of a collector: write one such as http://localhost:4318")]
    NoUrl(String),
    /// A list of headers or attributes does not read.
    #[error("{0} is no list of NAME=VALUE, with commas between them")]
    NoList(String),
    /// A time is no number.
    #[error("{0} is no number of milliseconds")]
    NoTime(String),
    /// A word that is not known.
    #[error("{variable} may be {known}, and not {word:?}")]
    Word {
        /// The variable.
        variable: String,
        /// The word.
        word: String,
        /// The words that may stand there.
        known: &'static str,
    },
}

impl OtlpSettings {
    /// The settings for the endpoint `given`; `None`: where the variables say. `variable` looks one up by its name.
    ///
    /// # Errors
    /// [`OtlpSettingsError`] names what does not read.
    pub fn read(
        given: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, OtlpSettingsError> {
        let variables = Variables(&variable);
        Ok(Self {
            endpoint: endpoint(given, &variables)?,
            headers: headers(&variables)?,
            timeout: timeout(&variables)?,
            encoding: encoding(&variables)?,
            compression: compression(&variables)?,
            resource: resource(&variables)?,
            capture: capture(&variables)?,
            pace: Pace::default(),
        })
    }
}

/// The variables of the process.
struct Variables<'v>(&'v dyn Fn(&str) -> Option<String>);

/// A variable that is set, with its name.
struct Set {
    name: String,
    value: String,
}

impl Variables<'_> {
    /// A variable; an empty one counts as not set.
    fn one(&self, name: &str) -> Option<Set> {
        let value = (self.0)(name)?.trim().to_owned();
        let name = name.to_owned();
        (!value.is_empty()).then_some(Set { name, value })
    }

    /// The setting for traces, or else the one for all signals.
    fn otlp(&self, setting: &str) -> Option<Set> {
        let of_traces = self.one(&format!("OTEL_EXPORTER_OTLP_TRACES_{setting}"));
        of_traces.or_else(|| self.one(&format!("OTEL_EXPORTER_OTLP_{setting}")))
    }
}

/// One URL for all signals leads to the path for traces; one for traces is taken as it is.
fn endpoint(given: Option<&str>, variables: &Variables<'_>) -> Result<Url, OtlpSettingsError> {
    if let Some(given) = given {
        return below(given);
    }
    if let Some(set) = variables.one("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
        return url(&set.value);
    }
    match variables.one("OTEL_EXPORTER_OTLP_ENDPOINT") {
        Some(set) => below(&set.value),
        None => Err(OtlpSettingsError::NoEndpoint),
    }
}

fn below(base: &str) -> Result<Url, OtlpSettingsError> {
    let mut url = url(base)?;
    if !url.path().ends_with(TRACES) {
        let path = format!("{}/{TRACES}", url.path().trim_end_matches('/'));
        url.set_path(&path);
    }
    Ok(url)
}

fn url(text: &str) -> Result<Url, OtlpSettingsError> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| OtlpSettingsError::NoUrl(text.to_owned()))
}

fn headers(variables: &Variables<'_>) -> Result<HeaderMap, OtlpSettingsError> {
    let mut headers = HeaderMap::new();
    let Some(set) = variables.otlp("HEADERS") else {
        return Ok(headers);
    };
    for (name, value) in list(&set)? {
        let wrong = || OtlpSettingsError::NoList(set.name.clone());
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        // Most are keys.
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn resource(variables: &Variables<'_>) -> Result<Vec<(String, String)>, OtlpSettingsError> {
    let listed = variables.one("OTEL_RESOURCE_ATTRIBUTES");
    let mut resource = match &listed {
        Some(set) => list(set)?,
        None => Vec::new(),
    };
    let is_name = |(key, _): &(String, String)| key == "service.name";
    if let Some(set) = variables.one("OTEL_SERVICE_NAME") {
        resource.retain(|attribute| !is_name(attribute));
        resource.push(("service.name".to_owned(), set.value));
    } else if !resource.iter().any(is_name) {
        resource.push(("service.name".to_owned(), SERVICE.to_owned()));
    }
    Ok(resource)
}

/// A list of names and values, in which bytes may be written as percent signs and digits.
fn list(set: &Set) -> Result<Vec<(String, String)>, OtlpSettingsError> {
    let wrong = || OtlpSettingsError::NoList(set.name.clone());
    let pairs = set.value.split(',').map(str::trim);
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
        let value = decoded(value.trim()).ok_or_else(wrong)?;
        Ok((key.trim().to_owned(), value))
    };
    pairs.filter(|pair| !pair.is_empty()).map(pair).collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend_from_slice(part.get(2..)?.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

fn timeout(variables: &Variables<'_>) -> Result<Duration, OtlpSettingsError> {
    let Some(set) = variables.otlp("TIMEOUT") else {
        return Ok(TIMEOUT);
    };
    let millis = set.value.parse();
    let millis = millis.map_err(|_| OtlpSettingsError::NoTime(set.name))?;
    Ok(Duration::from_millis(millis))
}

fn encoding(variables: &Variables<'_>) -> Result<Encoding, OtlpSettingsError> {
    let Some(set) = variables.otlp("PROTOCOL") else {
        return Ok(Encoding::default());
    };
    match set.value.as_str() {
        "http/protobuf" => Ok(Encoding::Protobuf),
        "http/json" => Ok(Encoding::Json),
        _ => Err(set.unknown("http/protobuf or http/json")),
    }
}

fn compression(variables: &Variables<'_>) -> Result<Compression, OtlpSettingsError> {
    let Some(set) = variables.otlp("COMPRESSION") else {
        return Ok(Compression::default());
    };
    match set.value.as_str() {
        "none" => Ok(Compression::Plain),
        "gzip" => Ok(Compression::Gzip),
        _ => Err(set.unknown("gzip or none")),
    }
}

fn capture(variables: &Variables<'_>) -> Result<Capture, OtlpSettingsError> {
    let name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    let Some(set) = variables.one(name) else {
        return Ok(Capture::default());
    };
    match set.value.to_ascii_lowercase().as_str() {
        "true" | "span_only" | "span_and_event" => Ok(Capture::Words),
        "false" | "no_content" | "event_only" => Ok(Capture::Nothing),
        _ => Err(set.unknown("true or false")),
    }
}

impl Set {
    fn unknown(self, known: &'static str) -> OtlpSettingsError {
        OtlpSettingsError::Word {
            variable: self.name,
            word: self.value,
            known,
        }
    }
}

#[cfg(test)]
mod tests;
