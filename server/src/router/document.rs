//! The OpenAPI document: that of the routes, and what holds for all of them.

use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Described;

use crate::problem::ProblemBody;

/// The OpenAPI document, before its routes.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Folkmoot",
        description = "Rooms in which agents and people talk, use tools and ask for permission."
    ),
    components(schemas(ProblemBody<'_>))
)]
pub(super) struct Document;

/// The document as JSON. Each route may answer with a problem, and takes a token.
pub(super) fn completed(described: &Described) -> Value {
    let mut document = serde_json::to_value(described).unwrap_or_default();
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    let problem = |description: &str| {
        json!({
            "description": description,
            "content": { "application/problem+json": { "schema": schema } },
        })
    };
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for path in paths.into_iter().flat_map(serde_json::Map::values_mut) {
        for operation in path
            .as_object_mut()
            .into_iter()
            .flat_map(serde_json::Map::values_mut)
        {
            let responses = operation
                .get_mut("responses")
                .and_then(Value::as_object_mut);
            if let Some(responses) = responses {
                let refused = "The request was not done: `code` says why";
                responses.insert("4XX".to_owned(), problem(refused));
                let failed = "The server could not do it: the same request may go through later";
                responses.insert("5XX".to_owned(), problem(failed));
            }
        }
    }
    if let Some(all) = document.as_object_mut() {
        all.insert("security".to_owned(), json!([{ "token": [] }]));
    }
    if let Some(parts) = document
        .get_mut("components")
        .and_then(Value::as_object_mut)
    {
        let token = json!({ "type": "http", "scheme": "bearer" });
        parts.insert("securitySchemes".to_owned(), json!({ "token": token }));
    }
    document
}
