//! The text forms of keys.

use folkmoot::proof::note::{SignerKey, VerifierKey};

/// A key that is read is written as it was; one that signs has the public half that verifies it.
pub(crate) fn law(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(key) = VerifierKey::parse(text) {
        assert_eq!(key.to_string(), text);
    }
    match SignerKey::parse(text) {
        Ok(key) => assert!(VerifierKey::parse(&key.verifier().to_string()).is_ok()),
        Err(error) => assert!(
            !error.to_string().contains(text) || text.len() < 24,
            "the error repeats the key"
        ),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz",
    ])
}
