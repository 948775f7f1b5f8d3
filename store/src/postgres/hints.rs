//! Hints that there may be new asks or answers: a connection that listens, as long as somebody waits for one.

use std::sync::{Arc, Weak};

use tokio::sync::mpsc::unbounded_channel;
use tokio::sync::{Notify, OnceCell};
use tokio::task::JoinHandle;

use super::dialer::Dialer;
use super::members::LEASE;

/// Whoever listens. Dropped, it stops.
#[derive(Debug)]
pub(super) struct Hints {
    dialer: Arc<Dialer>,
    news: Arc<Notify>,
    listener: OnceCell<Listener>,
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
            news: Arc::default(),
            listener: OnceCell::new(),
        }
    }

    /// Waits for one. Who comes behind PgBouncer hears nothing, and polls.
    pub(super) async fn wait(&self) {
        let heard = self.news.notified();
        let begin = async || {
            Listener(tokio::spawn(listen(
                Arc::clone(&self.dialer),
                Arc::downgrade(&self.news),
            )))
        };
        self.listener.get_or_init(begin).await;
        heard.await;
    }
}

/// Listens until nobody wants it any more. A connection that was lost may have lost notifications, so a new one gives a hint.
async fn listen(dialer: Arc<Dialer>, news: Weak<Notify>) {
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
            news.notify_waiters();
            // And whoever looks just now finds it when it waits again.
            news.notify_one();
            drop(news);
            // Closed: the connection was lost.
            if heard.recv().await.is_none() {
                break;
            }
            while heard.try_recv().is_ok() {}
        }
    }
}
