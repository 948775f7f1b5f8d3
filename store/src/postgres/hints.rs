//! Hints that there may be new asks or answers: a connection that listens, as long as somebody waits for one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinHandle;

use super::dialer::Dialer;
use super::members::LEASE;

/// Whoever listens. Dropped, it stops.
#[derive(Debug)]
pub(super) struct Hints {
    dialer: Arc<Dialer>,
    news: Arc<News>,
    listener: OnceCell<Listener>,
}

/// The hints so far.
#[derive(Debug)]
struct News {
    /// How many there were.
    count: watch::Sender<u64>,
    /// True while a connection listens.
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
    pub(super) fn new(dialer: Arc<Dialer>) -> Self {
        Self {
            dialer,
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
            Listener(tokio::spawn(listen(
                Arc::clone(&self.dialer),
                Arc::downgrade(&self.news),
            )))
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

    /// Tells whether notifications come, as far as anybody can know.
    pub(super) fn is_listening(&self) -> bool {
        self.news.is_listening.load(Ordering::Acquire)
    }
}

/// Listens until nobody wants it any more. A connection that was lost may have lost notifications, so a new one gives a hint.
async fn listen(dialer: Arc<Dialer>, news: Weak<News>) {
    let schema = dialer.url().schema();
    let sql = format!("LISTEN {schema}_ask; LISTEN {schema}_answer");
    while !dialer.is_closed() {
        let (told, mut heard) = unbounded_channel();
        // The dialer says why it failed, and pauses before it tries again.
        let Ok(mut session) = dialer.dial(Some(told)).await else {
            continue;
        };
        if session.command(&sql, LEASE).await.is_err() {
            continue;
        }
        loop {
            let Some(news) = news.upgrade() else { return };
            news.is_listening.store(true, Ordering::Release);
            news.tell();
            drop(news);
            // Closed: the connection was lost.
            if heard.recv().await.is_none() {
                break;
            }
            while heard.try_recv().is_ok() {}
        }
        let Some(news) = news.upgrade() else { return };
        news.is_listening.store(false, Ordering::Release);
    }
}
