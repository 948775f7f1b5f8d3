//! TLS with an authority of one's own.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use super::*;

/// A server behind TLS: its base URL, and the PEM of the authority that vouches for it.
fn server() -> (String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let config = config
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    (serve(Arc::new(config)), authority.pem())
}

/// Answers every request with the whole body.
fn serve(config: Arc<rustls::ServerConfig>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("https://{}/v1", listener.local_addr().unwrap());
    let body = whole_body();
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let session = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(session, stream.unwrap());
            // A client that does not trust us goes away here.
            let mut bytes = [0; 64 * 1024];
            if stream.read(&mut bytes).is_ok() {
                drop(
                    stream
                        .write_all(answer.as_bytes())
                        .and_then(|()| stream.flush()),
                );
                stream.conn.send_close_notify();
                drop(stream.flush());
            }
        }
    });
    base_url
}

#[tokio::test]
async fn a_server_is_trusted_by_the_authority_in_the_ca_file_and_by_no_other() {
    let (base_url, authority) = server();
    let folder = tempfile::tempdir().unwrap();
    let (own, other) = (
        folder.path().join("own.pem"),
        folder.path().join("other.pem"),
    );
    std::fs::write(&own, authority).unwrap();
    std::fs::write(&other, server().1).unwrap();

    let (outcome, _) = call(&base_url, json!({ "ca_file": own })).await;
    assert_eq!(outcome.unwrap().spoken(), "Hello");
    for settings in [json!({}), json!({ "ca_file": other })] {
        let error = call(&base_url, settings).await.0.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Outage);
        assert!(error.detail.contains("certificate"), "{error}");
    }
}
