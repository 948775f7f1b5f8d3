//! The codes of problems, each with its status.

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal, $status:ident, $title:literal;)*) => {
        /// The stable word for a kind of problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum ProblemCode {
            $(
                $(#[doc = $doc])*
                #[serde(rename = $word)]
                $name,
            )*
        }

        impl ProblemCode {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$name => $word),* }
            }

            /// The HTTP status that comes with it.
            #[must_use]
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status),* }
            }

            /// The kind of problem in words.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }
        }
    };
}

codes! {
    /// The request names nobody, or somebody who is not known.
    Unauthorized = "unauthorized", UNAUTHORIZED, "Nobody is signed in";
    /// The caller may not do this.
    Forbidden = "forbidden", FORBIDDEN, "This may not be done";
    /// There is nothing of that name that the caller may read.
    NotFound = "not_found", NOT_FOUND, "Nothing is there";
    /// The resource has no such method.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "There is no such method here";
    /// The request is no HTTP that the server reads, or its body is no JSON.
    BadRequest = "bad_request", BAD_REQUEST, "The request cannot be read";
    /// A field of the request does not fit.
    Invalid = "invalid", UNPROCESSABLE_ENTITY, "The request does not fit";
    /// The client takes no answer that the route gives.
    NotAcceptable = "not_acceptable", NOT_ACCEPTABLE, "The client takes no such answer";
    /// The body has another media type than the route reads.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body has another media type";
    /// The body is longer than the route reads.
    TooLarge = "too_large", PAYLOAD_TOO_LARGE, "The request is too large";
    /// The `Host` of the request is none of this server's.
    WrongHost = "wrong_host", MISDIRECTED_REQUEST, "The host is not this server";
    /// The world's state does not allow it.
    Refused = "refused", CONFLICT, "The world refuses it";
    /// A world has that name.
    NameTaken = "name_taken", CONFLICT, "The name is taken";
    /// The key was used before, for another request.
    KeyReused = "key_reused", CONFLICT, "The key was used before";
    /// Another request with this key is being answered.
    KeyInUse = "key_in_use", CONFLICT, "The key is in use";
    /// The request was decided before.
    AlreadyDecided = "already_decided", CONFLICT, "The request is decided";
    /// The caller saw something else than is asked.
    ShownDiffers = "shown_differs", CONFLICT, "The request shows something else";
    /// The feed has no such place.
    BehindHead = "behind_head", CONFLICT, "The feed has no such place";
    /// Another process or command has the world.
    InUse = "in_use", CONFLICT, "The world is in use";
    /// The request waits no longer: it expired, or its call was closed.
    Expired = "expired", GONE, "The request waits no longer";
    /// The content was erased.
    Erased = "erased", GONE, "The content was erased";
    /// The caller asked for too much.
    LimitReached = "limit_reached", TOO_MANY_REQUESTS, "A limit is reached";
    /// The template cannot be used.
    BadTemplate = "bad_template", UNPROCESSABLE_ENTITY, "The template cannot be used";
    /// The server failed.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed";
    /// The log or its content is damaged.
    Damaged = "damaged", INTERNAL_SERVER_ERROR, "The store is damaged";
    /// The server starts, ends, or the world does not answer.
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The server is not ready";
    /// The request took longer than it may.
    TimedOut = "timed_out", SERVICE_UNAVAILABLE, "The request took too long";
    /// The disk is full.
    StorageFull = "storage_full", INSUFFICIENT_STORAGE, "The disk is full";
}

impl ToSchema for ProblemCode {}

/// The words themselves: the document's own derive does not see names that a macro gives.
impl PartialSchema for ProblemCode {
    fn schema() -> RefOr<Schema> {
        let words = Self::ALL.iter().map(|code| code.word());
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(words))
            .description(Some("The stable word for a kind of problem."))
            .into()
    }
}
