//! The steps that all models of this crate take with a reply.

use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{LLMResponse, ModelError, ModelErrorKind, Reply};
use folkmoot_core::port::{Drafts, DraftsClosed};

/// Changes the reply in a response and leaves its kind.
pub(crate) trait MapReply {
    fn map_reply(self, change: impl FnOnce(Reply) -> Reply) -> Self;
}

impl MapReply for LLMResponse {
    fn map_reply(self, change: impl FnOnce(Reply) -> Reply) -> Self {
        match self {
            Self::Text(reply) => Self::Text(change(reply)),
            Self::Calls(reply) => Self::Calls(change(reply)),
            Self::Refused(reply) => Self::Refused(change(reply)),
            Self::Truncated(reply) => Self::Truncated(change(reply)),
            Self::Filtered(reply) => Self::Filtered(change(reply)),
        }
    }
}

/// The response, which was read from the body with this digest.
pub(crate) fn read_from(response: LLMResponse, body: Digest) -> LLMResponse {
    response.map_reply(|reply| Reply {
        body: Some(body),
        ..reply
    })
}

/// Shows a piece of text. The error is for nobody: whoever closed the drafts has stopped the call.
pub(crate) async fn show(drafts: &dyn Drafts, text: &str) -> Result<(), ModelError> {
    let stopped = |DraftsClosed| {
        ModelError::new(
            ModelErrorKind::Outage,
            "the call was stopped while its answer was shown",
        )
    };
    drafts.push(text).await.map_err(stopped)
}
