//! Answers: values, one after another, as they come.

use std::pin::Pin;
use std::task::{Context, Poll};

use folkmoot::view::ViewError;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::exit::{CliError, STORE};

/// An answer: a stream of values, which ends with the first error.
pub(crate) struct ValueStream(BoxStream<'static, Result<Value, CliError>>);

impl ValueStream {
    /// Makes an answer of values that are still to come.
    pub(crate) fn of(values: impl Stream<Item = Result<Value, CliError>> + Send + 'static) -> Self {
        Self(values.boxed())
    }

    /// Makes an answer of one value.
    pub(crate) fn one(view: &impl Serialize) -> Result<Self, CliError> {
        let value = serde_json::to_value(view).map_err(CliError::json)?;
        Ok(Self::of(stream::iter([Ok(value)])))
    }

    /// Makes an answer of several values.
    pub(crate) fn values(all: &[impl Serialize]) -> Result<Self, CliError> {
        let all: Vec<Value> = all
            .iter()
            .map(|one| serde_json::to_value(one).map_err(CliError::json))
            .collect::<Result<_, _>>()?;
        Ok(Self::of(stream::iter(all).map(Ok)))
    }

    /// Makes an answer of the values of a view that are still to come.
    pub(crate) fn each<T: Serialize>(
        views: impl Stream<Item = Result<T, ViewError>> + Send + 'static,
    ) -> Self {
        Self::of(views.map(|view| serde_json::to_value(view?).map_err(CliError::json)))
    }

    /// Returns the same answer, which keeps `means` alive for as long as values may come.
    pub(crate) fn keeping(self, means: impl Send + 'static) -> Self {
        Self::of(self.0.inspect(move |_| _ = &means))
    }

    /// Waits for the whole answer.
    pub(crate) async fn all(self) -> Result<Vec<Value>, CliError> {
        self.0.try_collect().await
    }

    /// Waits for the whole answer, and reads its first value. Its end is waited for because an
    /// error may be there.
    pub(crate) async fn first<T: DeserializeOwned>(self) -> Result<T, CliError> {
        let value = self.all().await?.into_iter().next();
        let value = value.ok_or_else(|| CliError::other(STORE, "the holder gave no answer"))?;
        serde_json::from_value(value).map_err(CliError::json)
    }
}

impl Stream for ValueStream {
    type Item = Result<Value, CliError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}
