//! The arguments that a grant allows.

use folkmoot_core::event::Reach;

/// The arguments of calls that a grant covers, in words. Its constraints are told apart.
#[must_use]
pub const fn reach(reach: &Reach) -> &'static str {
    match reach {
        Reach::Any => "with any arguments that fit its schema",
        Reach::Like { constraints, .. } if constraints.is_empty() => "with the same arguments",
        Reach::Like { .. } => "with the same arguments, but for these places:",
    }
}
