//! The world outside as the tools see it: names, connections, certificates and variables.

use std::fmt::Debug;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::net::TcpStream;

/// Names, connections, certificates and variables. Tests bring a world of their own; the rules are above this border, and
/// hold in both.
#[async_trait]
pub(super) trait Outside: Debug + Send + Sync {
    /// The addresses of a name.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;

    /// A connection to this very address.
    async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream>;

    /// The client's side of TLS.
    fn tls(&self) -> Result<Arc<ClientConfig>, rustls::Error>;

    /// The value of a variable.
    fn variable(&self, name: &str) -> Option<String>;
}

/// The system's resolver, network, trusted certificates and environment. No proxy: it would look names up itself.
#[derive(Debug, Default)]
pub(super) struct System {
    /// Made at the first use: reading the system's certificates takes a while.
    tls: OnceLock<Arc<ClientConfig>>,
}

#[async_trait]
impl Outside for System {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        // The port is that of nobody: addresses alone are asked for.
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }

    async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        TcpStream::connect(to).await
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        if let Some(tls) = self.tls.get() {
            return Ok(Arc::clone(tls));
        }
        let mut tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_platform_verifier()?
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::clone(self.tls.get_or_init(|| Arc::new(tls))))
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
