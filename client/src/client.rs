//! The client: one request for each thing that can be done.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url, redirect};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::command::{Key, NewMessage, NewRoom, Opened, Posted};
use crate::error::ClientError;
use crate::patience::{Again, Attempts};
use crate::problem::Problem;
use crate::request::{Answer, Decision, Request, Settlement};
use crate::room::{Room, RoomPage};

/// The time after which a client gives up, unless it is [told](Client::patient_for) otherwise.
const PATIENCE: Duration = Duration::from_secs(60);
/// The longest that a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest that a request which is no stream may take. Servers give up earlier, and say so.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest silence of a server. In a stream it sends a comment at least every 15 s.
const READ_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest body of an answer that is quoted in an error, in characters.
const QUOTE_CHARS_MAX: usize = 200;

/// A client of one server, as one caller. Cheap to clone; all clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    patience: Duration,
}

#[derive(Debug, Deserialize)]
struct RequestList {
    requests: Vec<Request>,
    next: Option<String>,
}

impl Client {
    /// A client of the server at `base_url`, e.g. `https://rooms.example.org` or one with a path
    /// behind it, as the caller of `token`. An empty token is not sent: a server that knows only
    /// one user needs none. A server on this machine is reached without a proxy.
    ///
    /// # Errors
    /// [`ClientError::BadUrl`], [`ClientError::BadToken`] or [`ClientError::Setup`].
    pub fn new(base_url: &str, token: &str) -> Result<Self, ClientError> {
        let base = address(base_url)?;
        // Without a provider the client panics. An error says that the program has installed one,
        // which is as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = reqwest::Client::builder()
            .default_headers(headers(token)?)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(READ_TIMEOUT)
            .redirect(redirect::Policy::none()) // a redirected POST would lose its body or take the token elsewhere
            .retry(reqwest::retry::never()) // repeats are ours
            .user_agent(concat!("folkmoot-client/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&base) {
            builder = builder.no_proxy();
        }
        Ok(Self {
            http: builder.build().map_err(ClientError::Setup)?,
            base,
            patience: PATIENCE,
        })
    }

    /// The same, that tries each thing for `patience` before it gives up: a minute, unless this
    /// says otherwise.
    #[must_use]
    pub const fn patient_for(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Opens a room from a template; gives its name. Repeated under the same key it gives the same
    /// room.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn open_room(&self, room: &NewRoom) -> Result<String, ClientError> {
        let command = self.command(Method::POST, &["worlds"], &room.key)?;
        let opened: Opened = self.done(command.json(room)).await?;
        Ok(opened.world)
    }

    /// Posts a message in the room `world`. Returns once it survives power loss of the server.
    ///
    /// # Errors
    /// [`ClientError`]. Whether the message was posted is unknown after [`ClientError::GaveUp`]:
    /// post it again under the same key.
    pub async fn post(&self, world: &str, message: &NewMessage) -> Result<Posted, ClientError> {
        let path = ["worlds", world, "messages"];
        let command = self.command(Method::POST, &path, &message.key)?;
        self.done(command.json(message)).await
    }

    /// Takes a message back, and what was said in answer to it alone. The log keeps the original.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn retract(&self, world: &str, message: u64) -> Result<(), ClientError> {
        let number = message.to_string();
        let path = ["worlds", world, "messages", &number];
        let command = self.command(Method::DELETE, &path, &Key::new())?;
        let _told: serde_json::Value = self.done(command).await?;
        Ok(())
    }

    /// The rooms that the caller may read and that have all of `labels`, by name.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn rooms(&self, labels: &BTreeMap<String, String>) -> Result<Vec<Room>, ClientError> {
        let labels = labels
            .iter()
            .map(|(name, value)| ("label", format!("{name}:{value}")));
        let mut rooms = Vec::new();
        let mut cursor = None;
        loop {
            let page = cursor.take().map(|cursor| ("cursor", cursor));
            let asked = self.page(&["worlds"], labels.clone().chain(page))?;
            let page: RoomPage = self.done(asked).await?;
            rooms.extend(page.worlds);
            match page.next {
                Some(next) => cursor = Some(next),
                None => return Ok(rooms),
            }
        }
    }

    /// The room `world` in short.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn room(&self, world: &str) -> Result<Room, ClientError> {
        let asked = self.request(Method::GET, &["worlds", world])?;
        self.done(asked.timeout(REQUEST_TIMEOUT)).await
    }

    /// The requests that wait in all rooms that the caller may read: room by room in the order of
    /// their names, in each the oldest first.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn inbox(&self) -> Result<Vec<Request>, ClientError> {
        let mut requests = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = cursor.take().map(|cursor| ("cursor", cursor));
            let list: RequestList = self.done(self.page(&["requests"], page)?).await?;
            requests.extend(list.requests);
            match list.next {
                Some(next) => cursor = Some(next),
                None => return Ok(requests),
            }
        }
    }

    /// The requests that wait in the room `world`, oldest first.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn waiting(&self, world: &str) -> Result<Vec<Request>, ClientError> {
        let path = ["worlds", world, "requests"];
        let asked = self.request(Method::GET, &path)?.timeout(REQUEST_TIMEOUT);
        let list: RequestList = self.done(asked).await?;
        Ok(list.requests)
    }

    /// Decides whether a call may run.
    ///
    /// # Errors
    /// [`ClientError`]: `already_decided` says who was first, `shown_differs` that the request is
    /// another one by now, `expired` that it waits no longer.
    pub async fn decide(&self, world: &str, decision: &Decision) -> Result<(), ClientError> {
        let number = decision.request.to_string();
        let path = ["worlds", world, "requests", &number, "decision"];
        let command = self.command(Method::POST, &path, &decision.key)?;
        let _told: serde_json::Value = self.done(command.json(decision)).await?;
        Ok(())
    }

    /// Answers the question of a tool.
    ///
    /// # Errors
    /// [`ClientError`]: `already_decided` says who was first.
    pub async fn answer(&self, world: &str, answer: &Answer) -> Result<(), ClientError> {
        let number = answer.request.to_string();
        let path = ["worlds", world, "requests", &number, "answer"];
        let command = self.command(Method::POST, &path, &answer.key)?;
        let _told: serde_json::Value = self.done(command.json(answer)).await?;
        Ok(())
    }

    /// Says what became of a call whose outcome is not known.
    ///
    /// # Errors
    /// [`ClientError`]: `already_decided` says who was first.
    pub async fn settle(&self, world: &str, settlement: &Settlement) -> Result<(), ClientError> {
        let number = settlement.request.to_string();
        let path = ["worlds", world, "requests", &number, "settlement"];
        let command = self.command(Method::POST, &path, &settlement.key)?;
        let _told: serde_json::Value = self.done(command.json(settlement)).await?;
        Ok(())
    }

    /// Stops all that goes on in the room `world`.
    ///
    /// # Errors
    /// [`ClientError`].
    pub async fn stop(&self, world: &str) -> Result<(), ClientError> {
        let path = ["worlds", world, "stop"];
        let command = self.command(Method::POST, &path, &Key::new())?;
        let _told: serde_json::Value = self.done(command.json(&json!({}))).await?;
        Ok(())
    }

    /// The time that each thing is tried for.
    pub(crate) const fn patience(&self) -> Duration {
        self.patience
    }

    /// A request for what `path` names below `/v1`.
    pub(crate) fn request(
        &self,
        method: Method,
        path: &[&str],
    ) -> Result<RequestBuilder, ClientError> {
        Ok(self.http.request(method, self.url(path)?))
    }

    /// A request for a page of the list that `path` names below `/v1`.
    fn page(
        &self,
        path: &[&str],
        pairs: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Result<RequestBuilder, ClientError> {
        let mut url = self.url(path)?;
        for (name, value) in pairs {
            url.query_pairs_mut().append_pair(name, &value);
        }
        Ok(self.http.get(url).timeout(REQUEST_TIMEOUT))
    }

    /// The address of what `path` names below `/v1`. No part of it leads anywhere else.
    pub(crate) fn url(&self, path: &[&str]) -> Result<Url, ClientError> {
        let mut url = self.base.clone();
        let bad = || ClientError::BadUrl {
            url: self.base.to_string(),
        };
        url.path_segments_mut()
            .map_err(|()| bad())?
            .pop_if_empty()
            .push("v1")
            .extend(path);
        Ok(url)
    }

    /// A request for the event stream at `url`, which lasts.
    pub(crate) fn stream(&self, url: Url) -> RequestBuilder {
        self.http.get(url).header(ACCEPT, "text/event-stream")
    }

    /// A request that changes something, under its key.
    fn command(
        &self,
        method: Method,
        path: &[&str],
        key: &Key,
    ) -> Result<RequestBuilder, ClientError> {
        let key = HeaderValue::from_str(&key.0).map_err(|_| ClientError::BadKey)?;
        let command = self.request(method, path)?;
        Ok(command
            .timeout(REQUEST_TIMEOUT)
            .header("Idempotency-Key", key))
    }

    /// Sends a request until it is answered. Each repeat is harmless: what changes something has a
    /// key.
    async fn done<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, ClientError> {
        let mut attempts = Attempts::within(self.patience);
        loop {
            let again = match attempt(&request).await {
                Ok(body) => {
                    return serde_json::from_slice(&body)
                        .map_err(|error| ClientError::unreadable(error.to_string()));
                }
                Err(Failed::Again(again)) => again,
                Err(Failed::Finally(error)) => return Err(error),
            };
            attempts.pause(again).await?;
        }
    }
}

/// The reason that an attempt gave nothing.
#[derive(Debug)]
pub(crate) enum Failed {
    /// Another attempt may.
    Again(Again),
    /// No other attempt will.
    Finally(ClientError),
}

async fn attempt(request: &RequestBuilder) -> Result<Vec<u8>, Failed> {
    let response = send(request).await?;
    Ok(response.bytes().await.map_err(lost)?.into())
}

/// Sends a request once; gives the answer if it is no problem.
pub(crate) async fn send(request: &RequestBuilder) -> Result<Response, Failed> {
    let request = request.try_clone().ok_or_else(|| {
        Failed::Finally(ClientError::unreadable("the request cannot be sent again"))
    })?;
    let response = request.send().await.map_err(lost)?;
    if response.status().is_success() {
        return Ok(response);
    }
    let status = response.status();
    let after = retry_after(&response);
    let body = response.bytes().await.map_err(lost)?;
    let problem = Problem::read(&body);
    if is_passing(status, problem.as_ref()) {
        return Err(Failed::Again(Again { fault: None, after }));
    }
    Err(Failed::Finally(match problem {
        Some(problem) => ClientError::Problem(Box::new(problem)),
        None => {
            let text = String::from_utf8_lossy(&body);
            let text: String = text.chars().take(QUOTE_CHARS_MAX).collect();
            ClientError::unreadable(format!("status {status} with {text:?}"))
        }
    }))
}

/// Tells whether the same request may be answered soon: the server starts or ends, a proxy does not
/// reach it, or it still works on the request that it got before the connection was lost.
fn is_passing(status: StatusCode, problem: Option<&Problem>) -> bool {
    let is_behind_proxy = matches!(
        status,
        StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
    );
    is_behind_proxy || problem.is_some_and(|problem| problem.code == "key_in_use")
}

pub(crate) fn lost(fault: reqwest::Error) -> Failed {
    if fault.is_builder() {
        return Failed::Finally(ClientError::Setup(fault));
    }
    Failed::Again(Again {
        fault: Some(fault),
        after: None,
    })
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    seconds.parse().ok().map(Duration::from_secs)
}

fn address(text: &str) -> Result<Url, ClientError> {
    let is_http = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    // An address is seen by others and logged: no secret may stand in it.
    let is_bare = |url: &Url| url.username().is_empty() && url.password().is_none();
    Url::parse(text)
        .ok()
        .filter(|url| is_http(url) && is_bare(url))
        .ok_or_else(|| ClientError::BadUrl {
            url: text.to_owned(),
        })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let address: Option<std::net::IpAddr> = bare.parse().ok();
    host == "localhost" || address.is_some_and(|address| address.is_loopback())
}

fn headers(token: &str) -> Result<HeaderMap, ClientError> {
    let mut headers = HeaderMap::new();
    if !token.is_empty() {
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut bearer = bearer.map_err(|_| ClientError::BadToken)?;
        bearer.set_sensitive(true);
        headers.insert(AUTHORIZATION, bearer);
    }
    Ok(headers)
}
