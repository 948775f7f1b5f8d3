//! Certificates: it is the name in the URL that they have to have, whatever address it leads to.

use std::sync::{Arc, Mutex};

use folkmoot_core::tool::ToolErrorCode::Failed;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::server::{Server, hello, serve};
use super::{Fake, code, try_tool};
use crate::stage::{call, done};

#[tokio::test]
async fn a_certificate_has_to_name_the_host() {
    let made = rcgen::generate_simple_self_signed(["good.example".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = || Arc::new(ring::default_provider());
    let theirs = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap();
    let theirs = theirs
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let ours = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap();
    let ours = ours.with_root_certificates(roots).with_no_client_auth();

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = Server::start(hello).await;
    let mut fake = Fake::new(&plain);
    fake.server = listener.local_addr().unwrap();
    fake.tls = Some(Arc::new(ours));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&seen);
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(theirs));
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve(stream, hello, Arc::clone(&requests)).await;
            }
        }
    });
    let settings = json!({ "use": "http.get", "allow": [{ "host": "good.example" }, { "host": "other.example" }, { "host": "8.8.8.8" }] });
    let tool = try_tool(&settings, Arc::new(fake)).unwrap().tool;
    let get = async |url: &str| tool.run(&call(json!({ "url": url }))).await;
    assert!(done(get("https://good.example/a").await).ends_with("\n\nhello"));
    assert_eq!(code(&get("https://other.example/a").await), Some(Failed));
    assert_eq!(code(&get("https://8.8.8.8/a").await), Some(Failed));
    let hosts: Vec<_> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|request| request.header("host").map(str::to_owned))
        .collect();
    assert_eq!(hosts, [Some("good.example".to_owned())]);
}

#[tokio::test]
async fn a_server_without_tls_gets_nothing_over_https() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = Server::start(hello).await;
    let mut fake = Fake::new(&plain);
    fake.server = listener.local_addr().unwrap();
    let ours = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let ours = ours.with_safe_default_protocol_versions().unwrap();
    let ours = ours.with_root_certificates(RootCertStore::empty());
    fake.tls = Some(Arc::new(ours.with_no_client_auth()));
    let heard = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut heard = Vec::new();
        drop(stream.read_to_end(&mut heard).await);
        heard
    });
    let settings = json!({ "use": "http.get", "allow": [{ "host": "good.example" }] });
    let tool = try_tool(&settings, Arc::new(fake)).unwrap().tool;
    let outcome = tool
        .run(&call(json!({ "url": "https://good.example/path" })))
        .await;
    assert_eq!(code(&outcome), Some(Failed));
    let heard = String::from_utf8_lossy(&heard.await.unwrap()).into_owned();
    assert!(
        !heard.contains("GET") && !heard.contains("/path"),
        "{heard}"
    );
}
