//! `folkmoot token`.

use std::path::Path;

use folkmoot::Rights;
use folkmoot::core::event::Right;
use folkmoot::core::ids::Time;
use folkmoot::core::port::causes::with_causes;
use folkmoot::text::time;
use folkmoot_server::{NewToken, PrincipalKind, TokenError, TokenFile, TokenRecord};
use serde_json::{Value, json};

use crate::arguments::{CommonArgs, NewTokenArgs, TokenArgs, TokenFileArgs};
use crate::exit::{CliError, STORE, USAGE};
use crate::show::table;
use crate::terminal::Terminal;
use crate::{person, show};

/// Makes a token, lists those that there are, or revokes one.
pub(crate) fn token(common: &CommonArgs, arguments: TokenArgs) -> Result<(), CliError> {
    match arguments {
        TokenArgs::New(new) => mint(common, new),
        TokenArgs::List(file) => list(common, &file),
        TokenArgs::Revoke(revoked) => {
            person::refuse_tools()?;
            let file = TokenFile::at(revoked.file.tokens);
            let ended = file.revoke(&revoked.id, &minter()?, now()?);
            let ended = ended.map_err(|error| failed(&error))?;
            if common.json {
                return Terminal::new().document(&document(&ended));
            }
            let TokenRecord { id, name, .. } = &ended;
            Terminal::new().line(&format!("The token {id} of {name} is revoked."))
        }
    }
}

fn mint(common: &CommonArgs, arguments: NewTokenArgs) -> Result<(), CliError> {
    // The tool of an agent could make itself a person.
    person::refuse_tools()?;
    let may = arguments.may.iter().copied().map(Right::from).collect();
    let new = NewToken {
        name: arguments.name,
        kind: if arguments.service {
            PrincipalKind::Service
        } else {
            PrincipalKind::Person
        },
        may: (!arguments.may.is_empty()).then_some(Rights(may)),
        worlds: arguments.worlds,
        create: arguments.create,
        lasts: arguments.expires,
        minted_by: minter()?,
    };
    let file = TokenFile::at(arguments.file.tokens);
    let minted = file.mint(new, now()?);
    let (secret, record) = minted.map_err(|error| failed(&error))?;
    let mut terminal = Terminal::new();
    if common.json {
        let mut told = document(&record);
        if let Value::Object(told) = &mut told {
            told.insert("token".to_owned(), secret.expose().into());
        }
        return terminal.document(&told);
    }
    terminal.whole(secret.expose())?;
    if !common.quiet {
        let TokenRecord { id, name, .. } = &record;
        let place = one_line(file.path());
        show::remark(&format!(
            "this is the token {id} of {name}, shown this once; {place} keeps its hash"
        ));
    }
    Ok(())
}

fn list(common: &CommonArgs, arguments: &TokenFileArgs) -> Result<(), CliError> {
    let file = TokenFile::at(arguments.tokens.clone());
    let tokens = file.list().map_err(|error| failed(&error.into()))?;
    let mut terminal = Terminal::new();
    if common.json {
        return tokens
            .iter()
            .try_for_each(|token| terminal.json(&document(token)));
    }
    if tokens.is_empty() {
        return terminal.line(&format!("{} has no tokens.", one_line(file.path())));
    }
    let now = now()?;
    let rows = tokens.iter().map(|token| row(token, now)).collect();
    let heads = [
        "id", "as", "kind", "may", "worlds", "create", "made by", "made at", "until",
    ];
    terminal.whole(&table::of(&heads, rows))
}

/// A token as a row of the list.
fn row(token: &TokenRecord, now: jiff::Timestamp) -> Vec<String> {
    let until = match (&token.revoked, token.expires) {
        (Some(revoked), _) => format!("revoked by {}", revoked.by),
        (None, Some(end)) if token.holds(now) => moment(end),
        (None, Some(end)) => format!("expired {}", moment(end)),
        (None, None) => "no end".to_owned(),
    };
    let words: Vec<String> = vec![
        token.id.clone(),
        token.name.to_string(),
        kind(token).to_owned(),
        words(token).join(","),
        worlds(token).join(","),
        if token.create { "yes" } else { "no" }.to_owned(),
        token.minted_by.clone(),
        moment(token.minted_at),
        until,
    ];
    words.iter().map(|word| show::one_line(word)).collect()
}

/// A token as JSON, without its hash.
fn document(token: &TokenRecord) -> Value {
    json!({
        "id": token.id,
        "as": token.name,
        "kind": kind(token),
        "may": words(token),
        "worlds": worlds(token),
        "create": token.create,
        "minted_by": token.minted_by,
        "minted_at": token.minted_at.as_millisecond(),
        "expires": token.expires.map(jiff::Timestamp::as_millisecond),
        "revoked": token.revoked.as_ref().map(|ended| json!({
            "by": ended.by,
            "at": ended.at.as_millisecond(),
        })),
    })
}

const fn kind(token: &TokenRecord) -> &'static str {
    match token.kind {
        PrincipalKind::Person => "person",
        PrincipalKind::Service => "service",
    }
}

fn words(token: &TokenRecord) -> Vec<&'static str> {
    let word = |right: &Right| match right {
        Right::Read => "read",
        Right::Post => "post",
        Right::Decide => "decide",
        Right::Operate => "operate",
    };
    token.may.0.iter().map(word).collect()
}

fn worlds(token: &TokenRecord) -> Vec<String> {
    token.worlds.iter().map(ToString::to_string).collect()
}

fn moment(at: jiff::Timestamp) -> String {
    time(Time(u64::try_from(at.as_millisecond()).unwrap_or_default()))
}

/// The user of this process, by their number and their login name.
fn minter() -> Result<String, CliError> {
    let login = person::login().ok_or_else(|| {
        CliError::other(
            USAGE,
            "this user has no usable name: set USER to one".to_owned(),
        )
    })?;
    Ok(format!("local:uid={} ({login})", person::uid()))
}

/// The time now, in whole milliseconds.
fn now() -> Result<jiff::Timestamp, CliError> {
    let now = jiff::Timestamp::now().round(jiff::Unit::Millisecond);
    now.map_err(|error| CliError::other(STORE, format!("the clock cannot be read: {error}")))
}

fn one_line(path: &Path) -> String {
    show::one_line(&path.display().to_string())
}

fn failed(error: &TokenError) -> CliError {
    let code = match error {
        TokenError::NoSuchToken { .. }
        | TokenError::Ambiguous { .. }
        | TokenError::TooShort
        | TokenError::TooLong => USAGE,
        TokenError::File(_) | TokenError::Randomness(_) | _ => STORE,
    };
    CliError::other(code, with_causes(error))
}
