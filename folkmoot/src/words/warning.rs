//! Warnings about calls, for whoever decides about them.

use folkmoot_core::tool::{ArgumentFinding, EffectClass};

/// A finding about the arguments of a call, as a sentence.
#[must_use]
pub fn warning(finding: &ArgumentFinding) -> String {
    let at = match finding.path.as_str() {
        "" => "the arguments hold".to_owned(),
        path => format!("the argument {path} holds"),
    };
    match finding.code.as_str() {
        "control_characters" => format!("{at} control characters; they are shown escaped"),
        "hidden_characters" => format!("{at} characters that nobody sees"),
        _ => {
            let line = finding.to_line();
            line.strip_prefix("warning: ").unwrap_or(&line).to_owned()
        }
    }
}

/// A warning about what a call may do; `None` if there is nothing to warn of.
#[must_use]
pub const fn effect_warning(effect: EffectClass) -> Option<&'static str> {
    match effect {
        EffectClass::Read | EffectClass::Write => None,
        EffectClass::Destructive => Some("this may change what cannot be changed back"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_becomes_a_sentence_that_names_its_place() {
        let of = |path: &str, code: &str| warning(&ArgumentFinding::warning(path, code));
        assert_eq!(
            of("/path", "control_characters"),
            "the argument /path holds control characters; they are shown escaped"
        );
        assert_eq!(
            of("", "hidden_characters"),
            "the arguments hold characters that nobody sees"
        );
        assert_eq!(
            of("", "ran_before"),
            "this tool ran already for what was asked before the change; it would run again"
        );
    }

    #[test]
    fn only_what_cannot_be_changed_back_is_warned_of() {
        let warned = [
            EffectClass::Read,
            EffectClass::Write,
            EffectClass::Destructive,
        ]
        .map(|effect| effect_warning(effect).is_some());
        assert_eq!(warned, [false, false, true]);
    }
}
