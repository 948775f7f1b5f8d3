//! Encryption of the way to the server, with a check of who answers there.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::error::PostgresError;
use super::url::{Host, Tls};

/// The encryption to a host; `None`: none, as for this machine itself.
pub(super) fn to_host(tls: &Tls, host: &Host) -> Result<Option<MakeRustlsConnect>, PostgresError> {
    match (tls, host) {
        (Tls::Off, _) | (_, Host::Unix(..)) => Ok(None),
        (Tls::Away, Host::Tcp(name, _)) if is_here(name) => Ok(None),
        (Tls::Away, Host::Tcp(..)) => connect(None).map(Some),
        (Tls::Always(roots), Host::Tcp(..)) => connect(roots.as_deref()).map(Some),
    }
}

fn is_here(name: &str) -> bool {
    name == "localhost" || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn connect(roots: Option<&Path>) -> Result<MakeRustlsConnect, PostgresError> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    let config = match roots {
        Some(roots) => config.with_root_certificates(read(roots)?),
        None => config
            .with_platform_verifier()
            .map_err(|error| unusable(&error))?,
    };
    Ok(MakeRustlsConnect::new(config.with_no_client_auth()))
}

fn read(path: &Path) -> Result<RootCertStore, PostgresError> {
    let failed = |why: String| unusable(&format!("{}: {why}", path.display()));
    let mut roots = RootCertStore::empty();
    let found = CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
    for certificate in found {
        let certificate = certificate.map_err(|error| failed(error.to_string()))?;
        roots
            .add(certificate)
            .map_err(|error| failed(error.to_string()))?;
    }
    if roots.is_empty() {
        return Err(failed("it has no certificate".to_owned()));
    }
    Ok(roots)
}

fn unusable(why: &impl ToString) -> PostgresError {
    PostgresError::Certificates(why.to_string())
}
