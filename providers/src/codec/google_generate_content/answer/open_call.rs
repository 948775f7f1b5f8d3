//! A call whose arguments come one by one, and the longer texts of them in pieces.

use folkmoot_core::model::response::{CallPart, Part};
use serde_json::{Map, Value};

use super::super::document::FunctionCall;
use super::super::note::{GoogleNote, PartKind};
use super::super::shape::Expected;
use super::GoogleAnswer;
use crate::codec::json::{Fields, is_blank};
use crate::codec::warning;

/// The most steps of a path: deeper arguments are refused everywhere.
const STEPS_MAX: usize = 64;

/// A call as far as it has come.
#[derive(Debug)]
pub(super) struct PartialCall {
    /// The provider's id of the call; empty if it gave none.
    label: String,
    /// The tool that is called.
    tool: String,
    /// The arguments put together so far.
    args: Value,
    /// The other fields of the call, and those beside it.
    of_call: Fields,
    /// The other fields of the parts in which the call came.
    rest: Fields,
    /// True if a piece could not be read or has no place.
    is_broken: bool,
}

/// The end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// The server said so.
    Ended,
    /// Something else came, or nothing more.
    BrokenOff,
}

/// A step of a path into the arguments.
enum PathStep {
    Key(String),
    Index(usize),
}

impl GoogleAnswer {
    /// Takes a call that is a piece of one, with what came beside it. One that is whole is given
    /// back.
    pub(super) fn whole_call<'c>(
        &mut self,
        call: Expected<FunctionCall<'c>>,
        beside: &mut Fields,
    ) -> Option<Expected<FunctionCall<'c>>> {
        let call = match call {
            Expected::As(call) => call,
            Expected::Other(_) => return Some(call),
        };
        let goes_on = call.goes_on == Some(Value::Bool(true));
        if call.has_name()
            && !self
                .open_call
                .as_ref()
                .is_some_and(|open| open.is_of(&call))
        {
            // Another call begins, so that nothing more of the open one will come.
            self.close_call(Close::BrokenOff);
            if call.partial.is_none() && !goes_on {
                return Some(Expected::As(call));
            }
            self.open_call = Some(PartialCall::of(&call));
        }
        let Some(open) = &mut self.open_call else {
            // Some ends are told twice.
            let is_end = self.has_closed
                && is_blank(&Value::Object(call.rest.clone()))
                && call.args.is_none();
            return (!is_end || call.partial.is_some()).then_some(Expected::As(call));
        };
        open.take(call, std::mem::take(beside));
        if !goes_on {
            self.close_call(Close::Ended);
        }
        None
    }

    /// Ends the call that is open, if one is. Arguments that did not end are told as far as they
    /// came, which is no JSON.
    pub(super) fn close_call(&mut self, close: Close) {
        let Some(PartialCall {
            label,
            tool,
            args,
            mut of_call,
            mut rest,
            is_broken,
        }) = self.open_call.take()
        else {
            return;
        };
        self.has_closed = true;
        let mut arguments = args.to_string();
        if is_broken || close == Close::BrokenOff {
            arguments.pop();
            self.warn(warning::CALL_CUT);
        }
        if !label.is_empty() {
            of_call.insert("id".to_owned(), Value::from(label.clone()));
        }
        of_call.retain(|_, value| !value.is_null());
        if !of_call.is_empty() {
            rest.insert("functionCall".to_owned(), Value::Object(of_call));
        }
        self.parts.push(Part::Call(CallPart {
            label,
            tool,
            arguments,
        }));
        self.parts.extend(
            GoogleNote::With {
                part: PartKind::Call,
                fields: rest,
            }
            .into_part(),
        );
    }
}

impl PartialCall {
    fn of(call: &FunctionCall<'_>) -> Self {
        let (label, tool) = names(call);
        let args = Value::Object(Map::new());
        Self {
            label,
            tool,
            args,
            of_call: Fields::new(),
            rest: Fields::new(),
            is_broken: false,
        }
    }

    /// Tells whether a call with a name is this one once more.
    fn is_of(&self, call: &FunctionCall<'_>) -> bool {
        let (label, tool) = names(call);
        !label.is_empty() && label == self.label && tool == self.tool
    }

    fn take(&mut self, call: FunctionCall<'_>, beside: Fields) {
        let args = call
            .args
            .map(|args| serde_json::from_str(args.get()).unwrap_or_default());
        match args {
            Some(args @ Value::Object(_)) if is_blank(&self.args) => self.args = args,
            Some(args) if !is_blank(&args) => self.is_broken = true,
            Some(_) | None => {}
        }
        match call.partial {
            Some(Value::Array(pieces)) => {
                let are_placed = pieces.into_iter().all(|piece| self.place(piece).is_some());
                self.is_broken |= !are_placed;
            }
            Some(other) => self.is_broken |= !is_blank(&other),
            None => {}
        }
        self.of_call.extend(call.rest);
        self.rest.extend(beside);
    }

    /// Puts a piece where it belongs; `None` if it cannot be read or has no place.
    fn place(&mut self, piece: Value) -> Option<()> {
        let Value::Object(mut piece) = piece else {
            return None;
        };
        let path = piece.remove("jsonPath")?;
        let goes_on = piece.remove("willContinue") == Some(Value::Bool(true));
        let mut leaf = &mut self.args;
        for step in steps(path.as_str()?)? {
            leaf = child(leaf, step)?;
        }
        let value = match piece.into_iter().next() {
            None => return goes_on.then_some(()),
            Some((kind, _)) if kind == "nullValue" => Value::Null,
            Some((_, value)) => value,
        };
        match (leaf, value) {
            (Value::String(so_far), Value::String(more)) => so_far.push_str(&more),
            (leaf @ Value::Null, value) => *leaf = value,
            (leaf, value) => return (*leaf == value).then_some(()),
        }
        Some(())
    }
}

fn names(call: &FunctionCall<'_>) -> (String, String) {
    let text = |text: &Option<Expected<std::borrow::Cow<'_, str>>>| match text {
        Some(Expected::As(text)) => text.clone().into_owned(),
        Some(Expected::Other(_)) | None => String::new(),
    };
    (text(&call.id), text(&call.name))
}

/// Returns the value a step further; it is made if it is the next one.
fn child(at: &mut Value, step: PathStep) -> Option<&mut Value> {
    if at.is_null() {
        *at = match &step {
            PathStep::Key(_) => Value::Object(Map::new()),
            PathStep::Index(_) => Value::Array(Vec::new()),
        };
    }
    match (at, step) {
        (Value::Object(fields), PathStep::Key(key)) => {
            Some(fields.entry(key).or_insert(Value::Null))
        }
        (Value::Array(items), PathStep::Index(index)) => {
            if index == items.len() {
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
        _ => None,
    }
}

/// The steps of a path such as `$.foo.bar[0]['a key']` (RFC 9535, as far as it names one place).
fn steps(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == STEPS_MAX {
            return None;
        }
        let step;
        (step, rest) = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, rest) = name.split_at(end);
            (
                PathStep::Key((!name.is_empty()).then(|| name.to_owned())?),
                rest,
            )
        } else {
            bracket(rest.strip_prefix('[')?)?
        };
        steps.push(step);
    }
    Some(steps)
}

/// A number, or a name in quotes, and what stands behind its bracket.
fn bracket(text: &str) -> Option<(PathStep, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'));
    let Some(quote) = quote else {
        let (number, rest) = text.split_once(']')?;
        return Some((PathStep::Index(number.parse().ok()?), rest));
    };
    let (name, rest) = text.strip_prefix(quote)?.split_once(quote)?;
    (!name.contains('\\')).then_some(())?;
    Some((PathStep::Key(name.to_owned()), rest.strip_prefix(']')?))
}
