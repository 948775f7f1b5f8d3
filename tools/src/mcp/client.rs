//! The client's side of the protocol: what it says of itself, and what it declines.

#![expect(
    deprecated,
    reason = "older servers may still ask for roots, and are refused"
)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, RequestContext, RoleClient};

use super::watch::Watch;
use super::words::line;

/// The most bytes of a question that was declined.
const QUESTION_MAX: usize = 200;

/// How a connection begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// As the newest revision has it, or as those before it with a server that says it does not know that.
    Any,
    /// As the revisions before 2026-07-28 have it.
    Initialize,
}

impl Era {
    pub(super) fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Any => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
            Self::Initialize => ClientLifecycleMode::Initialize,
        }
    }
}

/// What answers a server that asks.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) watch: Arc<Watch>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        // Questions to people, as the result `input_required` has them: see `input`.
        capabilities.elicitation =
            Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        ClientConfig::new(
            capabilities,
            Implementation::new("folkmoot", env!("CARGO_PKG_VERSION")),
        )
    }

    /// A question in the middle of a call. People may take days, and a restart would lose the call: it is declined.
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let message = match &request {
            ElicitRequestParams::FormElicitationParams { message, .. }
            | ElicitRequestParams::UrlElicitationParams { message, .. } => message.as_str(),
            _ => "",
        };
        self.watch.decline(format!(
            "it asked `{}` in the middle of the call, where nobody can be waited for: that was declined",
            line(message, QUESTION_MAX)
        ));
        Ok(ElicitResult::new(ElicitationAction::Decline))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::new(
            rmcp::model::ErrorCode::METHOD_NOT_FOUND,
            "roots/list",
            None,
        ))
    }
}
