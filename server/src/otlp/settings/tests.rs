use super::*;

fn read(given: Option<&str>, set: &[(&str, &str)]) -> Result<OtlpSettings, OtlpSettingsError> {
    let find = |name: &str| set.iter().find(|(key, _)| *key == name);
    OtlpSettings::read(given, |name| {
        find(name).map(|(_, value)| (*value).to_owned())
    })
}

fn endpoint_of(given: Option<&str>, set: &[(&str, &str)]) -> String {
    read(given, set).unwrap().endpoint.to_string()
}

const ALL: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const OF_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

#[test]
fn an_endpoint_for_all_signals_leads_to_that_for_traces() {
    for base in ["http://a:4318", "http://a:4318/", "http://a:4318/v1/traces"] {
        assert_eq!(endpoint_of(Some(base), &[]), "http://a:4318/v1/traces");
        assert_eq!(endpoint_of(None, &[(ALL, base)]), "http://a:4318/v1/traces");
    }
    assert_eq!(
        endpoint_of(Some("https://a/api/otel"), &[]),
        "https://a/api/otel/v1/traces"
    );
    let both = [(ALL, "http://a"), (OF_TRACES, "http://b/spans")];
    assert_eq!(endpoint_of(None, &both), "http://b/spans");
    assert_eq!(endpoint_of(Some("http://c"), &both), "http://c/v1/traces");
}

#[test]
fn a_setting_for_traces_goes_before_one_for_all_signals() {
    let settings = read(
        Some("http://a"),
        &[
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1"),
            (
                "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
                "x-key = s%3D1%20, b=2,",
            ),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=x,zone=eu"),
            ("OTEL_SERVICE_NAME", "rooms"),
        ],
    )
    .unwrap();
    assert_eq!(settings.headers["x-key"], "s=1 ");
    assert_eq!(settings.headers["b"], "2");
    assert_eq!(settings.headers.len(), 2);
    assert!(
        !format!("{settings:?}").contains("s=1"),
        "keys are not shown"
    );
    assert_eq!(settings.timeout, Duration::from_millis(250));
    assert_eq!(settings.encoding, Encoding::Json);
    assert_eq!(settings.compression, Compression::Gzip);
    let text = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        settings.resource,
        [text("zone", "eu"), text("service.name", "rooms")]
    );
}

#[test]
fn nothing_is_captured_unless_the_variable_says_so() {
    let name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    let capture = |value| read(Some("http://a"), &[(name, value)]).unwrap().capture;
    assert_eq!(
        read(Some("http://a"), &[]).unwrap().capture,
        Capture::Nothing
    );
    for none in ["", "false", "NO_CONTENT", "event_only"] {
        assert_eq!(capture(none), Capture::Nothing, "{none}");
    }
    for words in ["true", "SPAN_ONLY", "span_and_event"] {
        assert_eq!(capture(words), Capture::Words, "{words}");
    }
}

#[test]
fn a_setting_that_does_not_read_is_named() {
    for (name, value, why) in [
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "grpc",
            "http/protobuf or http/json",
        ),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", "gzip or none"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "milliseconds"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "key", "NAME=VALUE"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "k y=1", "NAME=VALUE"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=%9", "NAME=VALUE"),
        ("OTEL_RESOURCE_ATTRIBUTES", "zone", "NAME=VALUE"),
    ] {
        let error = read(Some("http://a"), &[(name, value)]).unwrap_err();
        let told = error.to_string();
        assert!(told.contains(name) && told.contains(why), "{told}");
    }
    for url in ["localhost:4318", "ftp://a", "a", "http://"] {
        assert_eq!(
            read(Some(url), &[]).unwrap_err(),
            OtlpSettingsError::NoUrl(url.to_owned())
        );
    }
    assert_eq!(read(None, &[]).unwrap_err(), OtlpSettingsError::NoEndpoint);
}
