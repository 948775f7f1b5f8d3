//! Single values: text, names, numbers, durations.

use folkmoot_core::event::Scope;
use folkmoot_core::ids::{
    AgentName, ModelName, NameError, PersonName, StateName, ToolName, WorldName, size,
};
use folkmoot_core::model::money::Money;
use folkmoot_core::tool::constraint::{is_pointer, path};
use regex::Regex;

use super::Validator;
use crate::script::fault::Mark;
use crate::script::grammar::{Named, Shape};
use crate::script::nearest::help;
use crate::script::node::{Node, Scalar};
use crate::script::scalar;

impl Validator<'_> {
    /// The text of a value that YAML reads as text. Anything else is a fault.
    pub(super) fn text<'n>(&self, node: &'n Node, owner: Mark) -> Option<&'n str> {
        self.written(node, "text", owner)
    }

    fn written<'n>(&self, node: &'n Node, wanted: &str, owner: Mark) -> Option<&'n str> {
        let scalar = self.scalar(node, wanted, owner)?;
        match scalar::read_as(&scalar.text).filter(|_| scalar.is_plain) {
            None => return Some(&scalar.text),
            Some(_) if scalar.text.is_empty() => self.mismatch(node, wanted, owner),
            Some(other) => {
                let message = format!(
                    "{wanted} is needed here, and YAML reads `{}` as {other}",
                    scalar.text
                );
                self.faults.add_with_help(
                    node.mark,
                    message,
                    format!("put it in quotes: {:?}", scalar.text),
                );
            }
        }
        None
    }

    fn scalar<'n>(&self, node: &'n Node, wanted: &str, owner: Mark) -> Option<&'n Scalar> {
        let scalar = node.scalar();
        if scalar.is_none() {
            self.mismatch(node, wanted, owner);
        }
        scalar
    }

    pub(super) fn word_of_yaml(&self, node: &Node, shape: &Shape, words: &[&str], owner: Mark) {
        if let Some(scalar) = self.scalar(node, shape.wanted(), owner)
            && !(scalar.is_plain && words.contains(&scalar.text.as_str()))
        {
            self.faults.add(
                node.mark,
                format!(
                    "{} is needed here, and this is `{}`",
                    shape.wanted(),
                    scalar.text
                ),
            );
        }
    }

    pub(super) fn pattern(&self, node: &Node, owner: Mark) {
        if let Some(Err(error)) = self.text(node, owner).map(Regex::new) {
            let error = error.to_string();
            let last = error
                .lines()
                .last()
                .unwrap_or("")
                .trim_start_matches("error: ");
            self.faults.add(
                node.mark,
                format!("this is not a regular expression: {last}"),
            );
        }
    }

    pub(super) fn count(&self, node: &Node, least: u64, most: u64, owner: Mark) {
        let Some(scalar) = self.scalar(node, "a whole number", owner) else {
            return;
        };
        let is_number = scalar.is_plain && scalar.text.chars().all(|c| c.is_ascii_digit());
        match scalar.text.parse::<u64>() {
            Ok(count) if is_number && (least..=most).contains(&count) => {}
            Ok(_) if is_number => {
                let most = if most == u64::MAX {
                    " on".to_owned()
                } else {
                    format!(" to {most}")
                };
                let help = format!("write a number from {least}{most}");
                self.faults.add_with_help(
                    node.mark,
                    format!("`{}` is out of range", scalar.text),
                    help,
                );
            }
            Ok(_) | Err(_) => {
                let message = format!(
                    "a whole number is needed here, and this is `{}`",
                    scalar.text
                );
                self.faults.add(node.mark, message);
            }
        }
    }

    pub(super) fn decimal(&self, node: &Node, least: u32, most: u32, owner: Mark) {
        let Some(scalar) = self.scalar(node, "a number", owner) else {
            return;
        };
        let value = scalar::thousandths(&scalar.text).filter(|_| scalar.is_plain);
        if value.is_none_or(|value| !(least..=most).contains(&value)) {
            let least = f64::from(least) / 1_000.0;
            let most = f64::from(most) / 1_000.0;
            let help =
                format!("write a number from {least} to {most}, with at most three decimals");
            self.faults.add_with_help(
                node.mark,
                format!("`{}` does not fit here", scalar.text),
                help,
            );
        }
    }

    pub(super) fn number(&self, node: &Node, owner: Mark) {
        let Some(scalar) = self.scalar(node, "a number", owner) else {
            return;
        };
        if !scalar::json(scalar).is_number() {
            self.faults.add(
                node.mark,
                format!("a number is needed here, and this is `{}`", scalar.text),
            );
        }
    }

    pub(super) fn amount(&self, node: &Node, digits: usize, owner: Mark) {
        let Some(scalar) = self.scalar(node, "an amount", owner) else {
            return;
        };
        let decimals = scalar
            .text
            .split_once('.')
            .map_or(0, |(_, decimals)| decimals.len());
        if scalar.text.parse::<Money>().is_err() || decimals > digits {
            let help = format!("write digits with at most {digits} decimals, e.g. \"0.25\"");
            self.faults.add_with_help(
                node.mark,
                format!("`{}` is not an amount", scalar.text),
                help,
            );
        }
    }

    pub(super) fn pointer(&self, node: &Node, owner: Mark) {
        let Some(text) = self.text(node, owner) else {
            return;
        };
        if !is_pointer(text) {
            let help =
                "write e.g. `/path` or `/items/0/id`; in a name, `~1` is a `/` and `~0` a `~`";
            self.faults.add_with_help(
                node.mark,
                format!("`{text}` is not a JSON pointer to a part"),
                help,
            );
        }
    }

    pub(super) fn filled(&self, node: &Node, owner: Mark) {
        if self.text(node, owner) == Some("") {
            let help =
                "leave the constraint out if anything may stand there, or write the beginning";
            self.faults.add_with_help(
                node.mark,
                "an empty prefix fits every text".to_owned(),
                help,
            );
        }
    }

    pub(super) fn plain_path(&self, node: &Node, owner: Mark) {
        let Some(text) = self.text(node, owner) else {
            return;
        };
        if let Err(why) = path::parts(text) {
            let plain = path::plain(text)
                .map_or_else(|| "e.g. `notes`".to_owned(), |plain| format!("`{plain}`"));
            let help = format!("write {plain}, relative to the tool's folder");
            self.faults.add_with_help(
                node.mark,
                format!("`{text}` is not a plain path: {why}"),
                help,
            );
        }
    }

    pub(super) fn scope(&self, node: &Node, owner: Mark) {
        if let Some(Err(error)) = self.text(node, owner).map(str::parse::<Scope>) {
            self.faults.add(node.mark, error.to_string());
        }
    }

    pub(super) fn duration(&self, node: &Node, least: u64, most: u64, owner: Mark) {
        let Some(text) = self
            .scalar(node, "a duration", owner)
            .map(|scalar| &scalar.text)
        else {
            return;
        };
        match scalar::duration_ms(text) {
            Some(ms) if (least..=most).contains(&ms) => {}
            Some(_) => {
                let help = format!(
                    "write a duration from {} to {}",
                    scalar::duration_text(least),
                    scalar::duration_text(most)
                );
                self.faults
                    .add_with_help(node.mark, format!("`{text}` is out of range"), help);
            }
            None => {
                let help = "write a whole number and a unit: 250ms, 90s, 15m, 24h";
                self.faults
                    .add_with_help(node.mark, format!("`{text}` is not a duration"), help);
            }
        }
    }

    pub(super) fn size(&self, node: &Node, least: u64, most: u64, owner: Mark) {
        let Some(scalar) = self.scalar(node, "a size", owner) else {
            return;
        };
        let text = &scalar.text;
        let (what, help) = match size::parse(text) {
            Ok(bytes) if (least..=most).contains(&bytes) => return,
            Ok(_) => (
                "is out of range",
                format!("write a size from {}MiB to {}MiB", least >> 20, most >> 20),
            ),
            Err(_) => (
                "is not a size",
                "write a whole number and a unit: 64KiB, 512MiB, 2GiB".to_owned(),
            ),
        };
        self.faults
            .add_with_help(node.mark, format!("`{text}` {what}"), help);
    }

    pub(super) fn word(&self, node: &Node, words: &[&str], later: &[&str], owner: Mark) {
        let Some(text) = self.text(node, owner) else {
            return;
        };
        let stem = text.split(':').next().unwrap_or(text);
        if later.contains(&stem) {
            let help = format!("there is: {}", words.join(", "));
            self.faults
                .add_with_help(node.mark, format!("`{text}` is not in this build"), help);
        } else if !words.contains(&text) {
            let help = help(text, "there is", words.iter().copied()).unwrap_or_default();
            self.faults.add_with_help(
                node.mark,
                format!("`{text}` is not a value that this key takes"),
                help,
            );
        }
    }

    /// Checks a name that is given here.
    pub(super) fn name(&self, node: &Node, named: Named, owner: Mark) {
        let Some(text) = self.written(node, "a name", owner) else {
            return;
        };
        let fault = match named {
            Named::World => WorldName::new(text).err(),
            Named::Agent => AgentName::new(text).err(),
            Named::Tool => ToolName::new(text).err(),
            Named::Model => ModelName::new(text).err(),
            Named::Step => ToolName::new(text).err().map(|error| NameError {
                what: "a step's id",
                ..error
            }),
            Named::State => StateName::new(text).err(),
            Named::Actor => return self.actor(node.mark, text),
            Named::Speaker => PersonName::new(text).err(),
        };
        if let Some(error) = fault {
            self.faults.add(node.mark, error.to_string());
        }
    }

    fn actor(&self, mark: Mark, text: &str) {
        match text.split_once(':') {
            Some(("agent", agent)) => self.known(mark, agent, Named::Agent),
            Some(("tool", tool)) => self.known(mark, tool, Named::Tool),
            Some(_) | None => {
                if let Err(error) = PersonName::new(text) {
                    self.faults.add(mark, error.to_string());
                }
            }
        }
    }

    /// Checks a name that is given elsewhere.
    pub(super) fn mention(&self, node: &Node, named: Named, owner: Mark) {
        if let Some(text) = self.written(node, "a name", owner) {
            self.known(node.mark, text, named);
        }
    }

    fn known(&self, mark: Mark, text: &str, named: Named) {
        if !self.names.has(named, text) {
            let is_tool = named == Named::Tool;
            let of_server = || is_tool.then(|| self.names.help_for_server(text)).flatten();
            let near = || help(text, named.plural(), self.names.known(named));
            let help = of_server().or_else(near);
            let help = help.unwrap_or_else(|| format!("the script has no {}", named.plural()));
            self.faults.add_with_help(mark, named.unknown(text), help);
        }
    }
}
