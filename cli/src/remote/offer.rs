//! The part of a request in which a server says who may decide it.

use folkmoot::view::permit::PermitView;
use folkmoot::view::request::DecidersView;
use folkmoot_client::Request;
use serde::Deserialize;
use serde_json::Value;

use crate::exit::{CliError, STORE};
use crate::show::clean;

#[cfg(test)]
mod tests;

/// The decisions that a server takes about a request: from the caller, and from others.
#[derive(Debug, Deserialize)]
pub(crate) struct RequestOffer {
    /// The decisions of the caller.
    you: PermitView,
    /// The people who may decide.
    deciders: DecidersView,
}

impl RequestOffer {
    /// Reads it out of a request.
    pub(crate) fn of(request: &Request) -> Result<Self, CliError> {
        serde_json::from_value(Value::Object(request.more.clone())).map_err(|error| {
            let what = format!(
                "the request {} is of another version: {error}",
                request.name
            );
            CliError::other(STORE, what)
        })
    }

    /// The decisions of the caller.
    pub(crate) const fn permit(&self) -> &PermitView {
        &self.you
    }

    /// Says why a decision is not for the caller, and whose it is; `None` if all are theirs.
    pub(crate) fn bar(&self) -> Option<String> {
        let PermitView { decide, allow, why } = &self.you;
        let bar = match (decide, allow) {
            (true, true) => return None,
            (true, false) => "You may deny it, and not allow it",
            (false, _) => "It is not for you to decide",
        };
        let why = why.as_deref().map(|why| format!(": {}", clean(why)));
        Some(format!("{bar}{}; {}.", why.unwrap_or_default(), self.who()))
    }

    /// Says who may decide, and allow the call.
    pub(crate) fn who(&self) -> String {
        let DecidersView {
            people,
            names,
            others,
            all_but,
        } = &self.deciders;
        let barred: Vec<String> = all_but.iter().flatten().map(|p| p.proof()).collect();
        let named = people.iter().filter(|proof| !barred.contains(proof));
        let mut who: Vec<String> = named
            .map(|proof| match names.get(proof) {
                Some(name) => format!("{} ({})", clean(name.as_str()), clean(proof)),
                None => clean(proof),
            })
            .collect();
        if *others {
            who.push("everybody else whose token gives the right to decide".to_owned());
        }
        match who.split_last() {
            None => "nobody may: whoever operates the room can give somebody the right".to_owned(),
            Some((only, [])) => format!("{only} may"),
            Some((last, rest)) => format!("{} and {last} may", rest.join(", ")),
        }
    }
}
