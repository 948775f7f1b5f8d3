//! The settings of a model behind HTTP, as a script gives them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use folkmoot_core::spec::ModelSpec;
use folkmoot_core::text::redaction::SecretRules;
use reqwest::Url;
use serde::{Deserialize, Deserializer, de};

use super::client::Proxy;
use super::rate::RateLimit;
use super::secret::{Environment, Secret, Template};
use crate::cache::CacheSettings;
use folkmoot_core::ids::duration;

#[cfg(test)]
mod tests;

/// Settings of an [`HttpModel`](super::HttpModel). Variables in them are looked up when a call is
/// performed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpSettings {
    /// The URL before the path of the wire: with `/v1` for those of OpenAI, without it for others.
    /// A literal password in it is an error.
    #[serde(deserialize_with = "base_url")]
    pub base_url: Template,
    /// The key; `None` sends none. A literal is an error: keys stay out of scripts and logs.
    #[serde(default, deserialize_with = "key")]
    pub key: Option<Template>,
    /// Further headers. Those with a secret in their name must take it from a variable.
    #[serde(default, deserialize_with = "headers")]
    pub headers: BTreeMap<String, Template>,
    /// True if answers are streamed, as they are if this is left out.
    #[serde(default = "yes")]
    pub stream: bool,
    /// The limits of time.
    #[serde(default)]
    pub timeouts: Timeouts,
    /// The most bytes of an answer.
    #[serde(default = "body_bytes_max")]
    pub body_bytes_max: usize,
    /// Through what the calls go.
    #[serde(default)]
    pub proxy: Proxy,
    /// A PEM file with root certificates that are trusted beside the system's. A relative path
    /// begins at the working folder; [`build_model`](crate::build_model) makes it begin at the
    /// script's.
    #[serde(default)]
    pub ca_file: Option<PathBuf>,
    /// The limit on how many calls may be begun; `None` sets no limit.
    #[serde(default)]
    pub rate_limit: Option<RateLimit>,
    /// The answers that are given again; `None` gives none. Not done by
    /// [`HttpModel`](super::HttpModel), but around it.
    #[serde(default)]
    pub response_cache: Option<CacheSettings>,
}

impl HttpSettings {
    /// The names of all settings. What else a script says of a model is for its codec.
    pub const FIELDS: [&str; 10] = [
        "base_url",
        "key",
        "headers",
        "stream",
        "timeouts",
        "body_bytes_max",
        "proxy",
        "ca_file",
        "rate_limit",
        "response_cache",
    ];

    /// The default of [`HttpSettings::body_bytes_max`]: far above any answer, far below any memory.
    pub const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

    /// Returns the texts of these settings that must not be shown: the values of the variables in
    /// its key, headers, proxy and [`base_url`](Self::base_url), as they are now. The variable that
    /// the last begins with stays readable: it is an address, and an error should say which server
    /// is not there.
    #[must_use]
    pub fn secrets(&self, environment: &dyn Environment) -> SecretRules {
        let of_url = self.base_url.values_behind_the_first_piece(environment);
        let values: Vec<Secret> = self
            .secret_templates()
            .flat_map(|template| template.values(environment))
            .chain(of_url)
            .collect();
        SecretRules::new(values.iter().map(Secret::expose))
    }

    /// The texts that variables may stand in.
    pub fn templates(&self) -> impl Iterator<Item = &Template> {
        std::iter::once(&self.base_url).chain(self.secret_templates())
    }

    fn secret_templates(&self) -> impl Iterator<Item = &Template> {
        self.key
            .iter()
            .chain(self.headers.values())
            .chain(self.proxy.url())
    }
}

const fn yes() -> bool {
    true
}

const fn body_bytes_max() -> usize {
    HttpSettings::BODY_BYTES_MAX
}

/// The limits of one attempt's time, by the machine's monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Timeouts {
    /// For the connection. 10 s.
    #[serde(deserialize_with = "duration::deserialize")]
    pub connect: Duration,
    /// For the first byte of a streamed answer that is part of an event or a ping, from the start,
    /// the connection included. 2 min.
    #[serde(deserialize_with = "duration::deserialize")]
    pub first_byte: Duration,
    /// Between two pieces of a streamed answer that are part of an event or a ping; other bytes are
    /// silence. 60 s.
    #[serde(deserialize_with = "duration::deserialize")]
    pub idle: Duration,
    /// For the whole attempt. It is the only limit of an answer that is not streamed. 30 min; a
    /// room sets it to what its definition says, so that both wait equally long.
    #[serde(deserialize_with = "duration::deserialize")]
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
            total: Duration::from_millis(ModelSpec::TIMEOUT_MS),
        }
    }
}

/// Words that make a field a secret one.
const SECRET_WORDS: [&str; 5] = ["key", "token", "authorization", "password", "secret"];

fn base_url<'de, D: Deserializer<'de>>(from: D) -> Result<Template, D::Error> {
    let template = Template::deserialize(from)?;
    if has_literal_password(&template) {
        Err(literal_secret("base_url"))
    } else if has_more_than_a_place(&template) {
        Err(de::Error::custom(
            "`base_url` has a query or a user: write only the address of the server, and put keys into `key` or `headers`",
        ))
    } else {
        Ok(template)
    }
}

/// Tells whether a URL has a password in it that no variable stands for.
pub(super) fn has_literal_password(template: &Template) -> bool {
    !template.has_variables()
        && Url::parse(template.as_str()).is_ok_and(|url| url.password().is_some())
}

/// Tells whether a base URL has parts that do not belong to one: the wire's path comes behind it,
/// and a user's name would take the place of the key.
fn has_more_than_a_place(template: &Template) -> bool {
    let text = template.as_str();
    let authority = text
        .split_once("://")
        .map_or(text, |(_, rest)| rest)
        .split('/')
        .next()
        .unwrap_or_default();
    text.contains(['?', '#']) || authority.contains('@')
}

fn key<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Template>, D::Error> {
    let key = Option::<Template>::deserialize(from)?;
    match key {
        Some(literal) if !literal.has_variables() => Err(literal_secret("key")),
        key => Ok(key),
    }
}

fn headers<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Template>, D::Error> {
    let headers = BTreeMap::<String, Template>::deserialize(from)?;
    let is_secret = |name: &str| {
        SECRET_WORDS
            .iter()
            .any(|word| name.to_ascii_lowercase().contains(word))
    };
    let literal = headers
        .iter()
        .find(|(name, value)| is_secret(name) && !value.has_variables());
    match literal {
        Some((name, _)) => Err(literal_secret(name)),
        None => Ok(headers),
    }
}

/// The message does not repeat the value.
pub(super) fn literal_secret<E: de::Error>(field: &str) -> E {
    E::custom(format_args!(
        "`{field}` is a secret: write ${{NAME}}, and put the value into that environment variable"
    ))
}
