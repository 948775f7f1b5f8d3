use std::io::Write as _;

use serde_json::json;

use super::*;

#[derive(Debug)]
struct Nothing;

impl Environment for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

fn refusal(settings: serde_json::Value) -> String {
    let mut settings = settings;
    settings["base_url"] = json!("http://127.0.0.1:1");
    let settings = match HttpSettings::deserialize(settings) {
        Ok(settings) => settings,
        Err(error) => return error.to_string(),
    };
    folkmoot_core::port::causes::with_causes(&client(&settings, &Nothing).unwrap_err())
}

#[test]
fn a_proxy_is_a_url_whose_password_comes_from_a_variable() {
    let read = |proxy: &str| serde_json::from_value::<Proxy>(json!(proxy)).unwrap();
    assert_eq!(read("none"), Proxy::None);
    assert_eq!(
        read("http://${USER}:${PASS}@127.0.0.1:1")
            .url()
            .map(Template::as_str),
        Some("http://${USER}:${PASS}@127.0.0.1:1")
    );
    let literal = refusal(json!({ "proxy": "http://ada:pa55word@127.0.0.1:1" }));
    assert!(
        literal.starts_with("`proxy` is a secret: ") && !literal.contains("pa55word"),
        "{literal}"
    );
    for proxy in ["127.0.0.1:3128", "no url", "http://"] {
        assert_eq!(
            refusal(json!({ "proxy": proxy })),
            "the proxy is not a URL: write one like http://127.0.0.1:3128"
        );
    }
    let missing = refusal(json!({ "proxy": "${NONE}" }));
    assert_eq!(
        missing,
        "the variable for the proxy is not set: the environment variable NONE is not set"
    );
}

#[test]
fn a_file_of_certificates_is_one_or_is_told() {
    let missing = refusal(json!({ "ca_file": "/no/such.pem" }));
    assert!(
        missing.starts_with("cannot read the ca_file /no/such.pem: "),
        "{missing}"
    );
    let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    for text in [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nAA",
        broken,
    ] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let refusal = refusal(json!({ "ca_file": file.path() }));
        let expected = format!(
            "the ca_file {} has no PEM certificates that can be read",
            file.path().display()
        );
        assert!(refusal.starts_with(&expected), "{text}: {refusal}");
    }
}
