//! Constraints on arguments.

use folkmoot_core::tool::constraint::{Allowed, Constraint, Range};

#[cfg(test)]
mod tests;

/// A constraint in words.
#[must_use]
pub fn constraint(constraint: &Constraint) -> String {
    let place = &constraint.path;
    match &constraint.allowed {
        Allowed::Equals(value) => format!("{place} is {value}"),
        Allowed::OneOf(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{place} is one of {}", values.join(", "))
        }
        Allowed::Prefix(start) if start.is_array() => {
            format!("{place} begins with {start} and any options after it")
        }
        Allowed::Prefix(start) => format!("{place} begins with {start}"),
        Allowed::Beneath(folder) => format!("{place} is the folder {folder}, or lies in it"),
        Allowed::Range(Range { min, max }) => {
            let least = min.as_ref().map(|min| format!(" at least {min}"));
            let most = max.as_ref().map(|max| format!(" at most {max}"));
            format!(
                "{place} is{}",
                [least, most]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" and")
            )
        }
    }
}
