//! Hints that there may be new asks or answers: a connection that listens, as long as somebody waits for one.
//!
//! A pool that lends connections takes the wish to listen, and no notification comes. So a listener sends itself one, over
//! another connection, and counts as one that listens when that was heard.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::dialer::Dialer;
use super::fault::Fault;
use super::lanes::Lanes;
use super::members::LEASE;
use crate::sync::random;

/// How often a listener that hears nothing sends itself a notification.
const TRY_EVERY: Duration = Duration::from_secs(60);

/// Whoever listens. Dropped, it stops.
#[derive(Debug)]
pub(super) struct Hints {
    dialer: Arc<Dialer>,
    /// The connection over which a notification to ourselves is sent.
    others: Arc<Lanes>,
    news: Arc<News>,
    listener: OnceCell<Listener>,
}

/// The hints so far.
#[derive(Debug)]
struct News {
    /// How many there were.
    count: watch::Sender<u64>,
    /// True while a connection listens, and has heard its own notification.
    is_listening: AtomicBool,
}

impl News {
    fn tell(&self) {
        self.count
            .send_modify(|count| *count = count.saturating_add(1));
    }
}

#[derive(Debug)]
struct Listener(JoinHandle<()>);

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Hints {
    pub(super) fn new(dialer: Arc<Dialer>, others: Arc<Lanes>) -> Self {
        Self {
            dialer,
            others,
            news: Arc::new(News {
                count: watch::Sender::new(0),
                is_listening: AtomicBool::new(false),
            }),
            listener: OnceCell::new(),
        }
    }

    /// Waits for one behind the `heard`th, and gives its number. Who comes behind PgBouncer hears nothing, and polls.
    pub(super) async fn wait(&self, heard: u64) -> u64 {
        let mut count = self.news.count.subscribe();
        let begin = async || {
            let (dialer, others) = (Arc::clone(&self.dialer), Arc::clone(&self.others));
            let news = Arc::downgrade(&self.news);
            Listener(tokio::spawn(listen(dialer, others, news)))
        };
        self.listener.get_or_init(begin).await;
        let told = count.wait_for(|count| *count != heard).await;
        match told.map(|count| *count) {
            Ok(count) => count,
            // The sender is here.
            Err(_) => std::future::pending().await,
        }
    }

    /// Gives one: this node holds a world that may have been asked something before.
    pub(super) fn tell(&self) {
        self.news.tell();
    }

    /// Tells whether notifications come.
    pub(super) fn is_listening(&self) -> bool {
        self.news.is_listening.load(Ordering::Acquire)
    }
}

/// Listens until nobody wants it any more. A connection that was lost may have lost notifications, so a new one gives a hint.
async fn listen(dialer: Arc<Dialer>, others: Arc<Lanes>, news: Weak<News>) {
    let schema = dialer.url().schema();
    let mut number = [0; 16];
    if let Err(error) = random::fill(&mut number) {
        tracing::warn!(%error, "the machine gives no random number: the node polls for asks and answers");
        return;
    }
    let own = format!("fm_{:032x}", u128::from_ne_bytes(number));
    let sql = format!("LISTEN {schema}_ask; LISTEN {schema}_answer; LISTEN {own}");
    while !dialer.is_closed() {
        let (told, mut heard) = unbounded_channel();
        // The dialer says why it failed, and pauses before it tries again.
        let Ok(mut session) = dialer.dial(Some(told)).await else {
            continue;
        };
        if session.command(&sql, LEASE).await.is_err() {
            continue;
        }
        // It may have come too late for some.
        let Some(told) = news.upgrade() else { return };
        told.tell();
        drop(told);
        while !dialer.knows_newer_than(&session) {
            let Some(told) = news.upgrade() else { return };
            let is_listening = told.is_listening.load(Ordering::Acquire);
            drop(told);
            if !is_listening && let Err(fault) = notify(&others, &own).await {
                tracing::debug!(?fault, "the listener could not send itself a notification");
            }
            let Ok(channel) = timeout(TRY_EVERY, heard.recv()).await else {
                continue;
            };
            // Closed: the connection was lost.
            let Some(channel) = channel else { break };
            let mut channels =
                std::iter::once(channel).chain(std::iter::from_fn(|| heard.try_recv().ok()));
            let is_own = channels.by_ref().any(|channel| channel == own);
            channels.for_each(drop);
            let Some(told) = news.upgrade() else { return };
            told.is_listening.fetch_or(is_own, Ordering::AcqRel);
            told.tell();
        }
        let Some(news) = news.upgrade() else { return };
        news.is_listening.store(false, Ordering::Release);
    }
}

/// Sends a notification to who listens on `channel`.
async fn notify(others: &Lanes, channel: &str) -> Result<(), Fault> {
    let mut lane = others.take().await?;
    let sent = lane
        .query("SELECT pg_notify($1, '')", &[&channel], LEASE)
        .await;
    sent.map(|_| ())
}
