//! Proofs of programs.

use folkmoot::Proof;
use folkmoot::core::ids::PersonName;

/// The proof of a program that `method` knows as `subject`. It is never that of a person, whatever
/// they are called.
pub(super) fn service(method: &str, subject: &str, display: &PersonName) -> Proof {
    Proof::by(method).service(subject).called(display.clone())
}
