//! Values, as they are typed.

use std::time::Duration;

use folkmoot::core::content::canonical::{JsonFault, read};
use folkmoot::core::event::Span;
use folkmoot::core::ids::{AgentName, NameError, PersonName, Position, WorldName};
use folkmoot::view::world::WorldAt;

/// A typed value that cannot be taken. clap says which argument it was for.
#[derive(Debug, thiserror::Error)]
pub(super) enum ValueFault {
    /// A label without a `=`.
    #[error("a label is written KEY=VALUE")]
    Label,
    /// A name that cannot be that of what is named.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A world with a position, where the position has an option of its own.
    #[error("the world is {world}; to begin with event {at}, write {world} --from {at}")]
    From {
        /// The world.
        world: WorldName,
        /// The position.
        at: Position,
    },
    /// A position of a world that is no number from 1.
    #[error("a world at a position is written WORLD@N, and positions count from 1")]
    WorldAt,
    /// JSON that is no object.
    #[error("arguments are a JSON object, e.g. '{{\"path\": \"a.md\"}}'")]
    NoObject,
    /// Text that is no JSON, or has a key twice.
    #[error("arguments are a JSON object with each key once: {0}")]
    Json(JsonFault),
    /// An age without a number or a unit.
    #[error("`{0}` is no age: write a number and d, h, m or s, e.g. 90d")]
    Age(String),
    /// A position that is no number from 1.
    #[error("{0:?} is no position of an event; they are counted from 1")]
    Position(String),
    /// A range of positions whose last one is before its first.
    #[error("{0} ends before it begins")]
    Backwards(String),
}

/// Reads a label.
pub(super) fn label(text: &str) -> Result<(String, String), ValueFault> {
    let (key, value) = text.split_once('=').ok_or(ValueFault::Label)?;
    Ok((key.to_owned(), value.to_owned()))
}

/// Reads the name of a world.
pub(super) fn world(name: &str) -> Result<WorldName, ValueFault> {
    Ok(WorldName::new(name)?)
}

/// Reads the name of a world whose log is shown from a position that `--from` names.
pub(super) fn world_of_log(text: &str) -> Result<WorldName, ValueFault> {
    let WorldAt { world, at } = numbered(text)?;
    match at {
        None => Ok(world),
        Some(at) => Err(ValueFault::From { world, at }),
    }
}

/// Reads a world, alone or at a position.
pub(super) fn world_at(text: &str) -> Result<WorldAt, ValueFault> {
    let Some((name, at)) = text.rsplit_once('@') else {
        return Ok(WorldAt {
            world: world(text)?,
            at: None,
        });
    };
    let at: Option<u64> = at.parse().ok().filter(|at| *at > 0);
    let at = at.ok_or(ValueFault::WorldAt)?;
    Ok(WorldAt {
        world: world(name)?,
        at: Some(Position::new(at)),
    })
}

/// Reads a world, or a place in its log as it is printed: `WORLD#N`.
pub(super) fn numbered(text: &str) -> Result<WorldAt, ValueFault> {
    let Some((name, at)) = text.rsplit_once('#') else {
        return Ok(WorldAt {
            world: world(text)?,
            at: None,
        });
    };
    Ok(WorldAt {
        world: world(name)?,
        at: Some(position(at)?),
    })
}

/// Reads a position.
pub(super) fn position(text: &str) -> Result<Position, ValueFault> {
    let number: Option<u64> = text.parse().ok().filter(|number| *number > 0);
    number
        .map(Position::new)
        .ok_or_else(|| ValueFault::Position(text.to_owned()))
}

/// Reads the name of an agent.
pub(super) fn agent(name: &str) -> Result<AgentName, ValueFault> {
    Ok(AgentName::new(name)?)
}

/// Reads the name of a person.
pub(super) fn person(name: &str) -> Result<PersonName, ValueFault> {
    Ok(PersonName::new(name)?)
}

/// Checks that it is a JSON object, and returns it as it is typed.
pub(super) fn object(text: &str) -> Result<String, ValueFault> {
    match read(text) {
        Ok(serde_json::Value::Object(_)) => Ok(text.to_owned()),
        Ok(_) => Err(ValueFault::NoObject),
        Err(error) => Err(ValueFault::Json(error)),
    }
}

/// Reads an age: a number and its unit.
pub(super) fn age(text: &str) -> Result<Duration, ValueFault> {
    let wrong = || ValueFault::Age(text.to_owned());
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

/// Reads a position, or a range of them.
pub(super) fn span(text: &str) -> Result<Span, ValueFault> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let span = Span {
        from: position(from)?,
        to: position(to)?,
    };
    if span.from <= span.to {
        Ok(span)
    } else {
        Err(ValueFault::Backwards(text.to_owned()))
    }
}
