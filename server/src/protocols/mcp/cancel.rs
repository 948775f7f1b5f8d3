//! The end of a host's wait: how each era of the protocol says that no answer is wanted any more.
//!
//! Since 2026-07-28 whoever closes the stream of an answer cancels. Before that a lost connection
//! means nothing, and a notification cancels: over HTTP it comes in a request of its own, which
//! names the call by the session that the host was given. The session holds nothing else.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{ProtocolVersion, RequestId};
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use crate::identity::Caller;

/// The header that names a session.
pub(super) const SESSION: &str = "mcp-session-id";

/// The end of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The host cancelled: what it began is to stop.
    Stop,
    /// The connection is lost, and that says nothing.
    Leave,
}

/// A call over HTTP: who gave it, in which session, and its id there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CallName {
    caller: String,
    session: String,
    id: RequestId,
}

impl CallName {
    /// The call with the id `id` of `caller`; `None` if the request names no session.
    pub(super) fn of(caller: &Caller, parts: &Parts, id: RequestId) -> Option<Self> {
        let session = parts.headers.get(SESSION)?.to_str().ok()?;
        Some(Self {
            caller: caller.key(),
            session: session.to_owned(),
            id,
        })
    }
}

/// The calls of older hosts that wait now. Its clones are one.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits(Arc<Mutex<HashMap<CallName, CancellationToken>>>);

impl Waits {
    /// Cancels the call, if it waits.
    pub(super) fn cancel(&self, name: &CallName) {
        if let Some(token) = self.table().get(name) {
            token.cancel();
        }
    }

    /// The end of the wait of a call; `name` is `None` if nothing can name it.
    pub(super) fn begin(&self, name: Option<CallName>) -> Cancelled {
        let token = CancellationToken::new();
        if let Some(name) = &name {
            self.table().insert(name.clone(), token.clone());
        }
        let waits = self.clone();
        Cancelled { token, name, waits }
    }

    fn table(&self) -> std::sync::MutexGuard<'_, HashMap<CallName, CancellationToken>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of one wait.
#[derive(Debug)]
pub(super) struct Cancelled {
    token: CancellationToken,
    name: Option<CallName>,
    waits: Waits,
}

impl Cancelled {
    /// Waits for the end.
    pub(super) async fn ended(&self, context: &RequestContext<RoleServer>) -> End {
        tokio::select! {
            biased;
            () = self.token.cancelled() => End::Stop,
            () = context.ct.cancelled() => of_connection(context),
        }
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            self.waits.table().remove(name);
        }
    }
}

/// What it means that a call's own token is cancelled.
fn of_connection(context: &RequestContext<RoleServer>) -> End {
    let is_http = context.extensions.get::<Parts>().is_some();
    let version = context.protocol_version();
    let closing_cancels =
        version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if !is_http || closing_cancels {
        End::Stop
    } else {
        End::Leave
    }
}
