//! The written form of a command on its way to another node, and of the answer.
//!
//! An action is read from bytes here and nowhere else. Only those can be read that a person may give over a seat: no
//! beginning, opening or branching of a world, and nothing that the shell brings. So no bytes become the result of a
//! tool, the answer of a model, or an approval that no ingress proved (decision 0045).
//!
//! The form is JSON with a version. Reading is strict: a text is taken only if the value that was read, written once more,
//! is the same JSON. So nothing is passed over, at any depth, and nothing is filled in.

use folkmoot_core::command::{Action, CommandKey, CommandKind, Keyed};
use folkmoot_core::content::canonical::{self, JsonFault};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{AskId, WorldName};
use folkmoot_core::port::{ANSWER_BYTES_MAX, ASK_BYTES_MAX};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::proof::Proof;

mod action;
mod answer;
mod difference;
#[cfg(test)]
mod tests;

use action::Given;
pub(crate) use answer::Told;
use difference::difference;

/// The version of the form that this build writes, and the newest that it reads.
const VERSION: u32 = 1;

/// The longest key of a client, in bytes. A longer one need not fit into the header of its commit.
pub(crate) const KEY_BYTES_MAX: usize = 128;

/// A request to the holder of a world. Who makes it stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "commands are the rule, and one lives at a time"
)]
pub(crate) enum WrittenAsk {
    /// To take a command.
    Command(WrittenCommand),
    /// To close the world of that name, and give it back: whoever asks takes it.
    LetGo(WorldName),
}

/// A command on its way to the holder of a world. Who gives it stands beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenCommand {
    /// The name of the world: a holder that does not have it open finds it by this.
    pub(crate) world: WorldName,
    /// The key of the command. `None`: the id of the ask is its key.
    pub(crate) key: Option<Keyed>,
    /// The request.
    pub(crate) action: Action,
}

/// Why something has no written form, or does not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The action is none that a person may give over a seat.
    #[error(
        "{0:?} is no command that another node is asked for: it is given where the world is held"
    )]
    NotAsked(CommandKind),
    /// It is too large for the ledger.
    #[error("it has {bytes} bytes in its written form, and {max} can be sent to another node")]
    TooLarge { bytes: usize, max: usize },
    /// Its key is longer than a client's may be.
    #[error("its key has {bytes} bytes, and a key has at most {max}; use a shorter one", max = KEY_BYTES_MAX)]
    LongKey { bytes: usize },
    /// It is not text.
    #[error("it is no UTF-8 behind byte {0}")]
    NotText(usize),
    /// It is not one JSON value.
    #[error(transparent)]
    NotJson(#[from] JsonFault),
    /// It does not say its version.
    #[error("it has no number in the field `version`")]
    NoVersion,
    /// Another build wrote it.
    #[error(
        "it has version {0}, and this build reads version {VERSION} alone; use the same build on all nodes"
    )]
    OtherVersion(u64),
    /// It is not of the form.
    #[error("it does not read: {0}")]
    Form(serde_json::Error),
    /// It has something that this build would pass over, or fill in.
    #[error("the field `{place}` {what}; use the same build on all nodes")]
    Differs { place: String, what: &'static str },
    /// Only the shell of a process speaks as the runtime.
    #[error("nobody can be proven to be the runtime")]
    OfRuntime,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandForm {
    version: u32,
    world: WorldName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<Keyed>,
    action: Given,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LetGoForm {
    version: u32,
    let_go: WorldName,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrincipalForm {
    version: u32,
    principal: Principal,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerForm {
    version: u32,
    answer: Told,
}

impl WrittenAsk {
    /// Writes it, to be sent with so many bytes beside it: both count.
    ///
    /// # Errors
    /// As [`WrittenCommand::write`].
    pub(crate) fn write(self, beside: usize) -> Result<Vec<u8>, WireError> {
        match self {
            Self::Command(command) => command.write(beside),
            Self::LetGo(let_go) => {
                let version = VERSION;
                write(&LetGoForm { version, let_go }, room_beside(beside))
            }
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`WireError`] says what does not read, and where.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WireError> {
        if is_to_let_go(bytes)? {
            let form: LetGoForm = read(bytes, ASK_BYTES_MAX)?;
            return Ok(Self::LetGo(form.let_go));
        }
        WrittenCommand::read(bytes).map(Self::Command)
    }
}

/// Tells which of both forms it is to be.
fn is_to_let_go(bytes: &[u8]) -> Result<bool, WireError> {
    fits(bytes, ASK_BYTES_MAX)?;
    let value = canonical::read(text(bytes)?)?;
    Ok(value.get("let_go").is_some())
}

const fn room_beside(beside: usize) -> usize {
    ASK_BYTES_MAX.saturating_sub(beside)
}

impl WrittenCommand {
    /// Writes it, to be sent with so many bytes beside it: both count.
    ///
    /// # Errors
    /// [`WireError::NotAsked`], [`WireError::LongKey`] and [`WireError::TooLarge`]: it must not be sent.
    pub(crate) fn write(self, beside: usize) -> Result<Vec<u8>, WireError> {
        let Self { world, key, action } = self;
        check_key(key.as_ref())?;
        let form = CommandForm {
            version: VERSION,
            world,
            key,
            action: Given::checked(action)?,
        };
        write(&form, room_beside(beside))
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`WireError`] says what does not read, and where.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WireError> {
        let form: CommandForm = read(bytes, ASK_BYTES_MAX)?;
        check_key(form.key.as_ref())?;
        Ok(Self {
            world: form.world,
            key: form.key,
            action: form.action.into(),
        })
    }
}

/// Tells how many bytes a key has if those are too many.
pub(crate) fn key_too_long(key: &CommandKey) -> Option<usize> {
    match key {
        CommandKey::Client(key) => Some(key.len()).filter(|bytes| *bytes > KEY_BYTES_MAX),
        CommandKey::Step(_) => None,
    }
}

/// The key of a command that another process left as this ask, unless it has one.
pub(crate) fn key_of_ask(ask: AskId) -> String {
    format!("ask:{ask}")
}

/// Checks that a key fits into the header of a commit: else the world would stop at it.
fn check_key(key: Option<&Keyed>) -> Result<(), WireError> {
    let too_long = key.and_then(|keyed| key_too_long(&keyed.key));
    too_long.map_or(Ok(()), |bytes| Err(WireError::LongKey { bytes }))
}

/// Writes who gives a command.
///
/// # Errors
/// [`WireError::OfRuntime`], and [`WireError::TooLarge`].
pub(crate) fn write_principal(principal: Principal) -> Result<Vec<u8>, WireError> {
    if principal == Principal::Runtime {
        return Err(WireError::OfRuntime);
    }
    let version = VERSION;
    write(&PrincipalForm { version, principal }, ASK_BYTES_MAX)
}

/// Reads who gives a command, by the word of a node, which is trusted.
///
/// # Errors
/// [`WireError`].
pub(crate) fn read_principal(bytes: &[u8]) -> Result<Proof, WireError> {
    let form: PrincipalForm = read(bytes, ASK_BYTES_MAX)?;
    Proof::of_node(form.principal).ok_or(WireError::OfRuntime)
}

impl Told {
    /// Writes an answer. One that is too large says so in its place.
    pub(crate) fn write(self) -> Vec<u8> {
        let version = VERSION;
        let written = |answer| write(&AnswerForm { version, answer }, ANSWER_BYTES_MAX);
        written(self)
            .or_else(|error| {
                written(Self::Elsewhere(format!(
                    "its answer cannot be sent: {error}"
                )))
            })
            .unwrap_or_default()
    }

    /// Reads an answer.
    ///
    /// # Errors
    /// [`WireError`].
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WireError> {
        let form: AnswerForm = read(bytes, ANSWER_BYTES_MAX)?;
        Ok(form.answer)
    }
}

fn write(form: &impl Serialize, max: usize) -> Result<Vec<u8>, WireError> {
    let written = serde_json::to_vec(form).map_err(WireError::Form)?;
    fits(&written, max)?;
    Ok(written)
}

fn fits(bytes: &[u8], max: usize) -> Result<(), WireError> {
    let bytes = bytes.len();
    if bytes > max {
        return Err(WireError::TooLarge { bytes, max });
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Result<&str, WireError> {
    str::from_utf8(bytes).map_err(|error| WireError::NotText(error.valid_up_to()))
}

/// Reads a form, and refuses whatever writing it again would not give.
fn read<T: Serialize + DeserializeOwned>(bytes: &[u8], max: usize) -> Result<T, WireError> {
    fits(bytes, max)?;
    let text = text(bytes)?;
    let value = canonical::read(text)?;
    // First: what is of another version need not read.
    match value.get("version").and_then(Value::as_u64) {
        None => return Err(WireError::NoVersion),
        Some(version) if version != u64::from(VERSION) => {
            return Err(WireError::OtherVersion(version));
        }
        Some(_) => {}
    }
    // From the text: an error then says the line and the column.
    let form: T = serde_json::from_str(text).map_err(WireError::Form)?;
    let again = serde_json::to_string(&form).map_err(WireError::Form)?;
    let again = canonical::read(&again)?;
    match difference(&value, &again) {
        None => Ok(form),
        Some((place, what)) => Err(WireError::Differs { place, what }),
    }
}
