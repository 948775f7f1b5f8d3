//! `http.get` and `http.request`: the web, as far as a list of rules allows.
//!
//! A URL is parsed once; the rules look at the parsed value, and the connection is made from it. A name is looked up once, all
//! its addresses are checked, and the socket is opened to one of those: decision 0037.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolFailure, ToolOutcome, ToolOutput, ToolSpec,
};
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

mod address;
mod body;
mod error;
mod exchange;
mod html;
mod journey;
mod outside;
mod page;
mod path;
mod place;
mod rule;
mod show;
#[cfg(test)]
mod tests;

use error::WebError;
use journey::{Means, Wish};
use outside::{Outside, System};
use place::Place;
use rule::{Methods, RawRule, Rule, Verb};

pub(crate) const GET: Kind = Kind {
    name: "http.get",
    summary: "Gets a page or a file of the web",
    keys: &["allow", "redirects", "max_bytes"],
    is_local: false,
    build: |draft| build(draft, Methods::Get, Arc::new(System::default())),
};

pub(crate) const REQUEST: Kind = Kind {
    name: "http.request",
    summary: "Sends a request to a service of the web",
    keys: &["allow", "redirects", "max_bytes", "effect"],
    is_local: false,
    build: |draft| build(draft, Methods::Listed, Arc::new(System::default())),
};

/// Headers that a model may write.
const HEADERS: &[HeaderName] = &[
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_TYPE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];

/// The most redirects that a script can allow.
const REDIRECTS_MAX: u32 = 10;
/// The most rules that a model is told of.
const TOLD_MAX: usize = 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WebSettings {
    allow: Vec<RawRule>,
    #[serde(default = "redirects")]
    redirects: u32,
    #[serde(default = "max_bytes")]
    max_bytes: u64,
    effect: Option<EffectClass>,
}

const fn redirects() -> u32 {
    5
}

const fn max_bytes() -> u64 {
    1024 * 1024
}

fn build(
    draft: &ToolDraft<'_>,
    methods: Methods,
    outside: Arc<dyn Outside>,
) -> Result<Built, BuildError> {
    let WebSettings {
        allow,
        redirects,
        max_bytes,
        effect,
    } = draft.settings()?;
    let rules = allow.into_iter().enumerate().map(|(index, rule)| {
        rule.check(methods).map_err(|error| {
            draft.bad(format!("allow[{index}].{}", error.key()), error.to_string())
        })
    });
    let rules: Vec<Rule> = rules.collect::<Result<_, _>>()?;
    if rules.is_empty() {
        return Err(draft.bad(
            "allow",
            "list at least one host, e.g. `{ host: example.org }`",
        ));
    }
    if redirects > REDIRECTS_MAX {
        return Err(draft.bad(
            "redirects",
            format!("the limit goes from 0 to {REDIRECTS_MAX}"),
        ));
    }
    if !(1..=ToolSpec::OUTPUT_BYTES_MAX).contains(&max_bytes) {
        let max = ToolSpec::OUTPUT_BYTES_MAX;
        return Err(draft.bad("max_bytes", format!("the limit goes from 1 to {max} bytes")));
    }
    let effect = effect_of(draft, methods, effect)?;
    let spec = draft.spec(Declared {
        description: describe(methods, &rules),
        effect,
        repeat: if effect == EffectClass::Read {
            Repeat::Always
        } else {
            Repeat::Never
        },
        schema: schema(methods, &rules),
    })?;
    if spec.memoises {
        return Err(draft.bad(
            "memoise",
            "what the web answers depends on more than the arguments: leave this setting out",
        ));
    }
    Ok(Built::new(Web {
        spec: ToolSpec {
            open_world: true,
            ..spec
        },
        rules,
        redirects_max: redirects,
        body_max: usize::try_from(max_bytes).unwrap_or(usize::MAX),
        outside,
    }))
}

fn effect_of(
    draft: &ToolDraft<'_>,
    methods: Methods,
    effect: Option<EffectClass>,
) -> Result<EffectClass, BuildError> {
    match (methods, effect) {
        (Methods::Get, _) => Ok(EffectClass::Read),
        (Methods::Listed, Some(EffectClass::Read)) => Err(draft.bad(
            "effect",
            "a request may change something: write `write` or `destructive`, or use `http.get`",
        )),
        (Methods::Listed, effect) => Ok(effect.unwrap_or(EffectClass::Destructive)),
    }
}

fn describe(methods: Methods, rules: &[Rule]) -> String {
    let does = match methods {
        Methods::Get => "Gets a page or a text from the web; HTML comes as text. It reaches",
        Methods::Listed => "Sends an HTTP request. It reaches",
    };
    let mut told: Vec<String> = rules
        .iter()
        .take(TOLD_MAX)
        .map(|rule| match methods {
            Methods::Get => rule.to_string(),
            Methods::Listed => format!("{rule} ({})", words(&rule.verbs).join(", ")),
        })
        .collect();
    if rules.len() > TOLD_MAX {
        told.push(format!("and {} more", rules.len() - TOLD_MAX));
    }
    format!("{does}: {}.", told.join("; "))
}

fn words(verbs: &[Verb]) -> Vec<&'static str> {
    verbs.iter().map(|verb| verb.word()).collect()
}

fn schema(methods: Methods, rules: &[Rule]) -> Value {
    let url = json!({
        "type": "string",
        "maxLength": place::URL_BYTES_MAX,
        "description": "the whole URL, e.g. https://example.org/page",
    });
    if methods == Methods::Get {
        return json!({
            "type": "object",
            "properties": { "url": url },
            "required": ["url"],
            "additionalProperties": false,
        });
    }
    let mut verbs: Vec<&str> = rules.iter().flat_map(|rule| words(&rule.verbs)).collect();
    verbs.sort_unstable();
    verbs.dedup();
    let headers = HEADERS
        .iter()
        .map(|name| (name.to_string(), json!({ "type": "string" })));
    let headers: Map<String, Value> = headers.collect();
    json!({
        "type": "object",
        "properties": {
            "method": { "enum": verbs },
            "url": url,
            "headers": { "type": "object", "properties": headers, "additionalProperties": false },
            "body": { "type": "string", "description": "the content, as text" },
            "json": { "description": "the content, as a JSON value, in the place of `body`" },
        },
        "required": ["method", "url"],
        "additionalProperties": false,
    })
}

#[derive(Debug)]
struct Web {
    /// The tool's declaration.
    spec: ToolSpec,
    /// The rules, at least one. The first that fits counts.
    rules: Vec<Rule>,
    /// The most redirects of one call.
    redirects_max: u32,
    /// The most bytes that are read of an answer.
    body_max: usize,
    /// The way to servers.
    outside: Arc<dyn Outside>,
}

/// The arguments of both tools; the schema of `http.get` has the URL alone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WebArguments {
    #[serde(default = "get")]
    method: Verb,
    url: String,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    json: Option<Value>,
}

const fn get() -> Verb {
    Verb::Get
}

#[async_trait]
impl Tool for Web {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let arguments = match arguments::read(call) {
            Ok(arguments) => arguments,
            Err(failure) => return ToolOutcome::Failed(failure),
        };
        match self.perform(arguments).await {
            Ok(output) => ToolOutcome::Done(output),
            Err(error) => ToolOutcome::Failed(ToolFailure::from(error)),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}

impl Web {
    async fn perform(&self, arguments: WebArguments) -> Result<ToolOutput, WebError> {
        let means = Means {
            rules: &self.rules,
            outside: &*self.outside,
            redirects_max: self.redirects_max,
        };
        // Large, and kept apart from the future of the call.
        let arrival = Box::pin(means.travel(wish(arguments)?)).await?;
        Box::pin(show::show(arrival, self.body_max)).await
    }
}

fn wish(arguments: WebArguments) -> Result<Wish, WebError> {
    let WebArguments {
        method: verb,
        url,
        headers: given,
        body,
        json,
    } = arguments;
    let place = Place::read(&url).map_err(WebError::BadUrl)?;
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static("*/*"));
    let (kind, body) = match (body, json) {
        (Some(_), Some(_)) => return Err(WebError::BadRequest("give `body` or `json`, not both")),
        (Some(body), None) => ("text/plain; charset=utf-8", body),
        (None, Some(json)) => ("application/json", json.to_string()),
        (None, None) => ("", String::new()),
    };
    if !kind.is_empty() {
        if verb.is_safe() {
            return Err(WebError::BadRequest(
                "a GET or a HEAD has no content: leave out `body` and `json`",
            ));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    for (name, value) in &given {
        let name = HEADERS.iter().find(|known| known.as_str() == name);
        let name = name.ok_or(WebError::BadRequest(
            "there is a header that a model cannot write",
        ))?;
        let value = HeaderValue::from_str(value);
        let value =
            value.map_err(|_| WebError::BadRequest("a header has a value that none can have"))?;
        headers.insert(name.clone(), value);
    }
    Ok(Wish {
        verb,
        place,
        headers,
        body: Bytes::from(body),
    })
}
