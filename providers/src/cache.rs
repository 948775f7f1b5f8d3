//! The response cache: the same request of the same model is answered once, and from memory after
//! that.
//!
//! It is off unless a script asks for it. A request is known by its fingerprint, which covers the
//! conversation, the files in it, tools and parameters; what else shapes an answer (where the model
//! is, its headers) is in the digest of the model's settings. All rooms of the process share what
//! models with equal settings have answered: equal requests have equal words in them, so that
//! nobody reads what he has not written.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use folkmoot_core::ids::Digest;
use folkmoot_core::model::response::{LLMResponse, ModelError, Reply, Usage};
use folkmoot_core::port::{Drafts, Model, ModelCall};
use serde::Deserialize;
use serde_json::Value;

use crate::reply::{MapReply as _, show};
use folkmoot_core::ids::duration;

#[cfg(test)]
mod tests;

/// The warning in an answer that came from the cache.
pub const CACHED_ANSWER: &str = "cached_answer";

/// The most caches of a process. Beyond it those that no model holds are dropped.
const CACHES_MAX: usize = 1_000;

/// The limits within which a model's answers are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheSettings {
    /// The most answers that are kept; beyond it the one that was not given for the longest time
    /// goes.
    pub entries: NonZeroUsize,
    /// The time for which an answer is given again, by the machine's monotonic clock.
    #[serde(rename = "for", deserialize_with = "duration::deserialize")]
    pub age_max: Duration,
}

/// Answers by the fingerprints of their requests.
#[derive(Debug)]
struct Answers {
    /// The limits of the cache.
    settings: CacheSettings,
    /// The answers by the fingerprint of their request.
    entries: BTreeMap<Digest, CachedAnswer>,
    /// Counts what is kept and given, so that the entries have an order.
    uses: u64,
}

#[derive(Debug)]
struct CachedAnswer {
    /// The answer as it came.
    response: LLMResponse,
    /// The time at which it was kept, by the machine's monotonic clock.
    kept_at: Instant,
    /// The count of uses at which it was given last.
    used: u64,
}

impl Answers {
    const fn new(settings: CacheSettings) -> Self {
        Self {
            settings,
            entries: BTreeMap::new(),
            uses: 0,
        }
    }

    fn find(&mut self, request: &Digest, now: Instant) -> Option<LLMResponse> {
        let age_max = self.settings.age_max;
        let used = self.next_use();
        let is_fresh =
            |entry: &CachedAnswer| now.saturating_duration_since(entry.kept_at) < age_max;
        let entry = self
            .entries
            .get_mut(request)
            .filter(|entry| is_fresh(entry))?;
        entry.used = used;
        Some(entry.response.clone())
    }

    /// Only a whole answer is kept: one that was cut, filtered or refused may be another one next
    /// time.
    fn keep(&mut self, request: Digest, response: &LLMResponse, now: Instant) {
        let is_whole = match response {
            LLMResponse::Text(_) | LLMResponse::Calls(_) => true,
            LLMResponse::Refused(_) | LLMResponse::Truncated(_) | LLMResponse::Filtered(_) => false,
        };
        if is_whole {
            let used = self.next_use();
            self.entries.insert(
                request,
                CachedAnswer {
                    response: response.clone(),
                    kept_at: now,
                    used,
                },
            );
            self.make_room();
        }
    }

    /// Looks at all entries, which is cheap beside a call.
    fn make_room(&mut self) {
        while self.entries.len() > self.settings.entries.get() {
            let oldest = self
                .entries
                .iter()
                .min_by_key(|(_, entry)| entry.used)
                .map(|(request, _)| *request);
            oldest.and_then(|request| self.entries.remove(&request));
        }
    }

    const fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }
}

type Shared = Arc<Mutex<Answers>>;

static CACHES: LazyLock<Mutex<BTreeMap<Digest, Shared>>> = LazyLock::new(Mutex::default);

/// The answers of all models with these settings.
fn shared(settings: CacheSettings, digest: Digest) -> Shared {
    let mut caches = CACHES.lock().unwrap_or_else(PoisonError::into_inner);
    if caches.len() >= CACHES_MAX {
        caches.retain(|_, answers| Arc::strong_count(answers) > 1);
    }
    Arc::clone(
        caches
            .entry(digest)
            .or_insert_with(|| Arc::new(Mutex::new(Answers::new(settings)))),
    )
}

/// A model that is asked only what it has not answered yet.
#[derive(Debug)]
pub struct CachedModel<M> {
    model: M,
    answers: Shared,
}

impl<M: Model> CachedModel<M> {
    /// Puts a cache before `model`, which was made by the provider called `provider` from
    /// `settings`, cache and all.
    #[must_use]
    pub fn new(model: M, cache: CacheSettings, provider: &str, settings: &Value) -> Self {
        let digest = Digest::of(&[
            // A change of what a digest covers takes another number, so that old and new never
            // meet.
            b"folkmoot cache 1",
            provider.as_bytes(),
            settings.to_string().as_bytes(),
        ]);
        Self {
            model,
            answers: shared(cache, digest),
        }
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl<M: Model> Model for CachedModel<M> {
    async fn call(&self, call: &ModelCall, drafts: &dyn Drafts) -> Result<LLMResponse, ModelError> {
        // The fingerprint leaves out who asks and when: rooms with the same settings share their
        // answers.
        let request = call.request.fingerprint();
        // The lock is let go before anything is shown, which may take long.
        let found = self.answers().find(&request, Instant::now());
        if let Some(response) = found {
            let text = response.spoken();
            if !text.is_empty() {
                show(drafts, &text).await?;
            }
            return Ok(response.map_reply(unpaid));
        }
        let response = self.model.call(call, drafts).await?;
        self.answers().keep(request, &response, Instant::now());
        Ok(response)
    }

    fn takes_file(&self, media_type: &str) -> bool {
        self.model.takes_file(media_type)
    }
}

/// Counts no tokens and adds a warning. Nothing was asked, so nothing is owed: counting the tokens
/// again would meter, and bill, a call that was never made. They are counted as none, not as
/// unknown, which would be charged with the worst case.
fn unpaid(mut reply: Reply) -> Reply {
    reply.warnings.push(CACHED_ANSWER.to_owned());
    Reply {
        usage: Usage {
            input: Some(0),
            output: Some(0),
            ..Usage::default()
        },
        ..reply
    }
}
