//! Values, as they are typed.

use std::ops::Range;
use std::time::Duration;

use folkmoot::core::content::canonical::read;
use folkmoot::core::event::Span;
use folkmoot::core::ids::{AgentName, PersonName, Position, WorldName};

use super::query::WorldAt;

pub(super) fn label(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("a label is written KEY=VALUE")?;
    Ok((key.to_owned(), value.to_owned()))
}

pub(super) fn seeds(text: &str) -> Result<Range<u64>, String> {
    let ends = text
        .split_once("..")
        .and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    ends.filter(|seeds| !seeds.is_empty())
        .ok_or_else(|| "seeds are written A..B, and A is less than B".to_owned())
}

pub(super) fn world(name: &str) -> Result<WorldName, String> {
    WorldName::new(name).map_err(|error| error.to_string())
}

pub(super) fn world_at(text: &str) -> Result<WorldAt, String> {
    let Some((name, at)) = text.rsplit_once('@') else {
        return Ok(WorldAt {
            world: world(text)?,
            at: None,
        });
    };
    let at: Option<u64> = at.parse().ok().filter(|at| *at > 0);
    let at = at.ok_or("a world at a position is written WORLD@N, and positions count from 1")?;
    Ok(WorldAt {
        world: world(name)?,
        at: Some(Position::new(at)),
    })
}

pub(super) fn agent(name: &str) -> Result<AgentName, String> {
    AgentName::new(name).map_err(|error| error.to_string())
}

pub(super) fn person(name: &str) -> Result<PersonName, String> {
    PersonName::new(name).map_err(|error| error.to_string())
}

/// A JSON object, as it is typed.
pub(super) fn object(text: &str) -> Result<String, String> {
    match read(text) {
        Ok(serde_json::Value::Object(_)) => Ok(text.to_owned()),
        Ok(_) => Err("arguments are a JSON object, e.g. '{\"path\": \"a.md\"}'".to_owned()),
        Err(error) => Err(format!(
            "arguments are a JSON object with each key once: {error}"
        )),
    }
}

/// An age: a number and its unit.
pub(super) fn age(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no age: write a number and d, h, m or s, e.g. 90d");
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let number = text.strip_suffix(unit).unwrap_or_default();
    let seconds: u64 = match unit {
        'd' => 86_400,
        'h' => 3_600,
        'm' => 60,
        's' => 1,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number
        .checked_mul(seconds)
        .map(Duration::from_secs)
        .ok_or_else(wrong)
}

pub(super) fn span(text: &str) -> Result<Span, String> {
    let number = |text: &str| {
        let number = text.parse().ok().filter(|number| *number > 0);
        number
            .map(Position::new)
            .ok_or_else(|| format!("{text:?} is no position of an event; they are counted from 1"))
    };
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let span = Span {
        from: number(from)?,
        to: number(to)?,
    };
    if span.from <= span.to {
        Ok(span)
    } else {
        Err(format!("{text} ends before it begins"))
    }
}
