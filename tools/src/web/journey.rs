//! From a request to its last answer: every step is allowed by a rule of its own, redirects too.

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};

use super::error::WebError;
use super::exchange::{Answer, Asked, exchange};
use super::outside::Outside;
use super::place::{Origin, Place, PlaceError};
use super::rule::{Rule, Verb};

/// A request as a model asks for it.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) verb: Verb,
    pub(super) place: Place,
    /// Headers of the model.
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// The means of a journey.
#[derive(Debug)]
pub(super) struct Means<'a> {
    pub(super) rules: &'a [Rule],
    pub(super) outside: &'a dyn Outside,
    pub(super) redirects_max: u32,
}

/// The end of a journey.
#[derive(Debug)]
pub(super) struct Arrival {
    /// The place that answered.
    pub(super) place: Place,
    pub(super) status: StatusCode,
    /// The last answer; `None`: a redirect that was not followed, after a request that may have changed something.
    pub(super) answer: Option<Answer>,
    /// True if a request that may have changed something was answered.
    pub(super) has_acted: bool,
}

impl Means<'_> {
    /// Sends the request, and follows where servers lead.
    pub(super) async fn travel(&self, mut wish: Wish) -> Result<Arrival, WebError> {
        let home = wish.place.origin.clone();
        let mut is_home = true;
        let mut acted = None;
        for _ in 0..=self.redirects_max {
            let answer = match self.step(&wish, is_home).await {
                Ok(answer) => answer,
                Err(error) => return settled(acted, error),
            };
            let status = answer.response.status();
            let next = next(&wish, &answer);
            if !wish.verb.is_safe() {
                acted = Some((wish.place.clone(), status));
            }
            let (verb, place) = match next {
                Ok(Some(next)) => next,
                Err(error) => return settled(acted, error),
                Ok(None) => {
                    return Ok(Arrival {
                        place: wish.place,
                        status,
                        answer: Some(answer),
                        has_acted: acted.is_some(),
                    });
                }
            };
            // Once away from its origin, a request never gets back what was meant for that alone.
            is_home = is_home && place.origin == home;
            wish = wish.turned_to(verb, place, is_home);
        }
        let max = self.redirects_max;
        settled(
            acted,
            WebError::ManyRedirects {
                origin: wish.place.origin,
                max,
            },
        )
    }

    async fn step(&self, wish: &Wish, is_home: bool) -> Result<Answer, WebError> {
        let rule = self
            .rules
            .iter()
            .find(|rule| rule.fits(wish.verb, &wish.place));
        let rule = rule.ok_or_else(|| WebError::NoRule {
            verb: wish.verb.word(),
            origin: wish.place.origin.clone(),
        })?;
        let mut headers = wish.headers.clone();
        if is_home {
            self.add_headers(rule, &mut headers)?;
        }
        let body = wish.body.clone();
        let asked = Asked {
            verb: wish.verb,
            place: &wish.place,
            headers,
            body,
        };
        exchange(self.outside, &rule.reach, asked).await
    }

    /// Adds the headers of the script, which take the place of a model's.
    fn add_headers(&self, rule: &Rule, headers: &mut HeaderMap) -> Result<(), WebError> {
        for (name, template) in &rule.headers {
            let value = template.expand(|name| self.outside.variable(name))?;
            let mut value =
                HeaderValue::from_str(value.expose()).map_err(|_| WebError::BadValue)?;
            value.set_sensitive(true);
            headers.insert(name.clone(), value);
        }
        Ok(())
    }
}

impl Wish {
    fn turned_to(mut self, verb: Verb, place: Place, is_home: bool) -> Self {
        if verb != self.verb {
            self.body = Bytes::new();
            self.headers.remove(CONTENT_TYPE);
        }
        if !is_home {
            let kind = self.headers.remove(CONTENT_TYPE);
            self.headers.clear();
            // A body that is sent on is sent with what it is.
            self.headers.extend(kind.map(|kind| (CONTENT_TYPE, kind)));
        }
        Self {
            verb,
            place,
            ..self
        }
    }
}

/// The end of a journey that went no further. After a request that may have changed something, a failure would be a lie.
fn settled(acted: Option<(Place, StatusCode)>, error: WebError) -> Result<Arrival, WebError> {
    match acted {
        Some((place, status)) if !matches!(error, WebError::Lost { .. }) => Ok(Arrival {
            place,
            status,
            answer: None,
            has_acted: true,
        }),
        Some(_) | None => Err(error),
    }
}

/// The method and the place to which an answer leads, by the rules of browsers; `None` if it is the last one.
fn next(wish: &Wish, answer: &Answer) -> Result<Option<(Verb, Place)>, WebError> {
    let verb = match (answer.response.status(), wish.verb) {
        (StatusCode::SEE_OTHER, Verb::Head) => Verb::Head,
        (StatusCode::SEE_OTHER, _) => Verb::Get,
        (StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND, Verb::Post) => Verb::Get,
        (
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT,
            verb,
        ) => verb,
        (_, _) => return Ok(None),
    };
    let Some(location) = answer.response.headers().get(LOCATION) else {
        return Ok(None);
    };
    let bad = |source| WebError::BadRedirect {
        origin: origin(wish),
        source,
    };
    let location = location
        .to_str()
        .map_err(|_| bad(PlaceError::StrangeCharacter))?;
    wish.place
        .join(location)
        .map(|place| Some((verb, place)))
        .map_err(bad)
}

fn origin(wish: &Wish) -> Origin {
    wish.place.origin.clone()
}
