//! Templates.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemCode};
use crate::request::Signed;
use crate::rooms::{Lobby, TemplateError};

/// The templates that rooms can be opened from.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateList {
    /// The names, in order.
    templates: Vec<String>,
}

/// List the templates that rooms can be opened from
#[utoipa::path(
    get, path = "/templates", operation_id = "list_templates", tag = "worlds",
    responses(
        (status = 200, description = "The names, in order", body = TemplateList)))]
pub(crate) async fn list(
    State(lobby): State<Arc<Lobby>>,
    Signed(_): Signed,
) -> Result<Json<TemplateList>, Problem> {
    let templates = lobby.rooms.templates.clone();
    let names = blocking(move || templates.names()).await??;
    Ok(Json(TemplateList { templates: names }))
}

/// Does what reads files, where that holds nobody up.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::new(ProblemCode::Internal, error.to_string()))
}

impl From<TemplateError> for Problem {
    fn from(error: TemplateError) -> Self {
        match error {
            TemplateError::Unknown(_) => {
                Self::new(ProblemCode::Invalid, error.to_string()).about("template")
            }
            TemplateError::Broken { .. } => {
                Self::new(ProblemCode::BadTemplate, error.to_string()).about("template")
            }
            TemplateError::Folder(_) => Self::new(ProblemCode::Unavailable, error.to_string()),
        }
    }
}
