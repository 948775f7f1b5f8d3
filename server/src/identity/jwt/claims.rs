//! Callers out of claims that were verified.

use std::time::{Duration, SystemTime};

use folkmoot::core::ids::PersonName;
use folkmoot::{Proof, Right, Rights};
use serde_json::{Map, Value};

use super::settings::{ClaimName, Settings};
use crate::identity::service::service;
use crate::identity::{AuthenticateError, Caller, Lease, Permissions, WorldPattern};

/// The difference between the clocks of an issuer and of this machine that is allowed for.
const LEEWAY: Duration = Duration::from_secs(30);
/// The latest second that is a time: the end of the year 9999.
const SECONDS_MAX: f64 = 253_402_300_799.0;
/// The longest subject, in bytes.
const SUBJECT_BYTES_MAX: usize = 256;

type Claims = Map<String, Value>;

/// The caller whom these claims name at `now`.
pub(super) fn caller(
    settings: &Settings,
    claims: &Claims,
    now: SystemTime,
) -> Result<Caller, AuthenticateError> {
    let end = end(claims, now)?;
    Ok(Caller {
        proof: proof(settings, claims)?,
        may: permissions(settings, claims)?,
        lease: Lease::until(end),
    })
}

/// The end of the time for which the claims hold.
fn end(claims: &Claims, now: SystemTime) -> Result<SystemTime, AuthenticateError> {
    let end = time(claims, "exp")?.ok_or(AuthenticateError::Unknown)? + LEEWAY;
    let begin = time(claims, "nbf")?;
    let has_begun = begin.is_none_or(|begin| begin <= now + LEEWAY);
    if now < end && has_begun {
        Ok(end)
    } else {
        Err(AuthenticateError::Unknown)
    }
}

/// The time in the claim `name`, in seconds since 1970; `None` if there is no such claim.
fn time(claims: &Claims, name: &str) -> Result<Option<SystemTime>, AuthenticateError> {
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let seconds = value
        .as_f64()
        .filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds));
    let seconds = seconds.ok_or(AuthenticateError::Unknown)?;
    Ok(Some(
        SystemTime::UNIX_EPOCH + Duration::from_secs_f64(seconds),
    ))
}

fn proof(settings: &Settings, claims: &Claims) -> Result<Proof, AuthenticateError> {
    let names = &settings.claims;
    let subject = text(claims, &names.subject)?;
    let is_fit = (1..=SUBJECT_BYTES_MAX).contains(&subject.len());
    if !is_fit || subject.chars().any(char::is_control) {
        let why = format!("has no subject of 1 to {SUBJECT_BYTES_MAX} visible bytes");
        return Err(unfit(&names.subject, &why));
    }
    let name = names.name.as_ref().unwrap_or(&names.subject);
    let display = PersonName::new(text(claims, name)?)
        .map_err(|error| unfit(name, &format!("cannot be a name in a room: {}", error.why)))?;
    // The issuer is part of the method, so that no subject of one is that of another.
    let method = format!("jwt:{}", settings.issuer);
    if is_person(settings, claims) {
        Ok(Proof::by(method).user(subject).called(display))
    } else {
        Ok(service(&method, subject, &display))
    }
}

/// Tells whether the configured claim says that it is a person.
fn is_person(settings: &Settings, claims: &Claims) -> bool {
    let said = settings
        .claims
        .kind
        .as_ref()
        .and_then(|kind| kind.of(claims));
    said.and_then(Value::as_str)
        .is_some_and(|said| settings.person.as_deref() == Some(said))
}

fn permissions(settings: &Settings, claims: &Claims) -> Result<Permissions, AuthenticateError> {
    let words = words(claims, &settings.claims.permissions)?;
    let prefix = settings.permission_prefix.as_str();
    let words = words
        .into_iter()
        .filter_map(|word| word.strip_prefix(prefix));
    let words: Vec<&str> = words.collect();
    let rights = [
        ("read", Right::Read),
        ("post", Right::Post),
        ("decide", Right::Decide),
        ("operate", Right::Operate),
    ];
    let given = rights.into_iter().filter(|(word, _)| words.contains(word));
    Ok(Permissions {
        rights: Rights(given.map(|(_, right)| right).collect()),
        worlds: match &settings.claims.worlds {
            Some(name) => worlds(claims, name)?.into(),
            None => [WorldPattern::all()].into(),
        },
        create: words.contains(&"create"),
    })
}

fn worlds(claims: &Claims, name: &ClaimName) -> Result<Vec<WorldPattern>, AuthenticateError> {
    let patterns = words(claims, name)?.into_iter().map(str::parse);
    let patterns: Result<_, _> = patterns.collect();
    patterns.map_err(|error: crate::identity::PatternError| unfit(name, &error.to_string()))
}

/// The words of a list, or between blanks; none without the claim.
fn words<'a>(claims: &'a Claims, name: &ClaimName) -> Result<Vec<&'a str>, AuthenticateError> {
    let wrong = || unfit(name, "is neither a list of words nor words between blanks");
    match name.of(claims) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(text.split_ascii_whitespace().collect()),
        Some(Value::Array(all)) => {
            let words = all.iter().map(|word| word.as_str().ok_or_else(wrong));
            words.collect()
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Err(wrong()),
    }
}

fn text<'a>(claims: &'a Claims, name: &ClaimName) -> Result<&'a str, AuthenticateError> {
    let text = name.of(claims).and_then(Value::as_str);
    text.ok_or_else(|| unfit(name, "is not there, or is no text"))
}

fn unfit(name: &ClaimName, why: &str) -> AuthenticateError {
    AuthenticateError::Unfit(format!("its claim `{}` {why}", name.as_str()))
}
