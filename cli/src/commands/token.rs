//! `folkmoot token`.

use folkmoot::Rights;
use folkmoot::core::event::Right;
use folkmoot::core::ids::Time;
use folkmoot::core::port::causes::with_causes;
use folkmoot::store::OpenMode;
use folkmoot::text::time;
use folkmoot_server::{
    NewToken, PrincipalKind, Secret, TokenError, TokenFile, TokenRecord, TokenTable,
};
use serde_json::{Value, json};

use crate::arguments::{CommonArgs, NewTokenArgs, StorePlace, TokenArgs, TokenFileArgs};
use crate::exit::{CliError, STORE, USAGE};
use crate::show::table;
use crate::source::database::Database;
use crate::terminal::Terminal;
use crate::{person, show};

/// The place where tokens are kept.
#[derive(Debug)]
enum TokenPlace {
    File(TokenFile),
    /// A database that nodes share, and its URL.
    Table(TokenTable, String),
}

impl TokenPlace {
    /// The place that the options name.
    async fn of(
        common: &CommonArgs,
        file: TokenFileArgs,
        mode: OpenMode,
    ) -> Result<Self, CliError> {
        match (file.tokens, &common.store) {
            (Some(file), StorePlace::Folder(_)) => Ok(Self::File(TokenFile::at(file))),
            (None, StorePlace::Database(url)) => {
                let records = Database::reach(url, mode).await?.records();
                Ok(Self::Table(TokenTable::of(records), url.to_string()))
            }
            (Some(_), StorePlace::Database(url)) => {
                let why = format!(
                    "tokens are in one place: leave --tokens out for those that the nodes of {url} share, or --store and \
                     FOLKMOOT_STORE for those of a file"
                );
                Err(CliError::other(USAGE, why))
            }
            (None, StorePlace::Folder(_)) => {
                let why = "say where the tokens are: --tokens FILE for those of a file, or --store postgres://… for those \
                     that the nodes of a database share";
                Err(CliError::other(USAGE, why))
            }
        }
    }

    async fn mint(&self, new: NewToken) -> Result<(Secret, TokenRecord), CliError> {
        let minted = match self {
            Self::File(file) => file.mint(new, now()?),
            Self::Table(table, _) => table.mint(new, now()?).await,
        };
        minted.map_err(|error| failed(&error))
    }

    async fn list(&self) -> Result<Vec<TokenRecord>, CliError> {
        let listed = match self {
            Self::File(file) => file.list().map_err(TokenError::from),
            Self::Table(table, _) => table.list().await.map_err(TokenError::from),
        };
        listed.map_err(|error| failed(&error))
    }

    async fn revoke(&self, id: &str) -> Result<TokenRecord, CliError> {
        let by = minter()?;
        let ended = match self {
            Self::File(file) => file.revoke(id, &by, now()?),
            Self::Table(table, _) => table.revoke(id, &by, now()?).await,
        };
        ended.map_err(|error| failed(&error))
    }

    /// Its name, on one line.
    fn name(&self) -> String {
        match self {
            Self::File(file) => show::one_line(&file.path().display().to_string()),
            Self::Table(_, url) => show::one_line(url),
        }
    }
}

/// Makes a token, lists those that there are, or revokes one.
pub(crate) async fn token(common: &CommonArgs, arguments: TokenArgs) -> Result<(), CliError> {
    match arguments {
        TokenArgs::New(new) => mint(common, new).await,
        TokenArgs::List(file) => list(common, file).await,
        TokenArgs::Revoke(revoked) => {
            person::refuse_tools()?;
            let place = TokenPlace::of(common, revoked.file, OpenMode::Existing).await?;
            let ended = place.revoke(&revoked.id).await?;
            if common.json {
                return Terminal::new().document(&document(&ended));
            }
            let TokenRecord { id, name, .. } = &ended;
            Terminal::new().line(&format!("The token {id} of {name} is revoked."))
        }
    }
}

async fn mint(common: &CommonArgs, arguments: NewTokenArgs) -> Result<(), CliError> {
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
    // The first token comes before the first node.
    let place = TokenPlace::of(common, arguments.file, OpenMode::Create).await?;
    let (secret, record) = place.mint(new).await?;
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
        let place = place.name();
        show::remark(&format!(
            "this is the token {id} of {name}, shown this once; {place} keeps its hash"
        ));
    }
    Ok(())
}

async fn list(common: &CommonArgs, arguments: TokenFileArgs) -> Result<(), CliError> {
    let place = TokenPlace::of(common, arguments, OpenMode::Existing).await?;
    let tokens = place.list().await?;
    let mut terminal = Terminal::new();
    if common.json {
        return tokens
            .iter()
            .try_for_each(|token| terminal.json(&document(token)));
    }
    if tokens.is_empty() {
        return terminal.line(&format!("{} has no tokens.", place.name()));
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

fn failed(error: &TokenError) -> CliError {
    let code = match error {
        TokenError::NoSuchToken { .. }
        | TokenError::Unlisted { .. }
        | TokenError::Ambiguous { .. }
        | TokenError::TooShort
        | TokenError::TooLong => USAGE,
        TokenError::File(_) | TokenError::Shared(_) | TokenError::Randomness(_) | _ => STORE,
    };
    CliError::other(code, with_causes(error))
}
