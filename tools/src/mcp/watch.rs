//! The bounds of what a server says, and what is known of it for operators.

use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::{fmt, sync::Arc};

use folkmoot_core::tool::ToolSpec;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, ReadBuf};

use super::words::{DETAIL_MAX, line};

/// The most bytes of one message.
pub(super) const MESSAGE_BYTES_MAX: u64 = ToolSpec::OUTPUT_BYTES_MAX;
/// The most bytes that a program writes between the beginnings of two calls.
const BYTES_MAX: u64 = 4 * MESSAGE_BYTES_MAX;
/// The most messages in the same time: each costs work, however short it is.
const MESSAGES_MAX: u64 = 10_000;

/// The reason why no more is read of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A message is too long.
    TooLong,
    /// There is no end of them.
    Flood,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(
                f,
                "it sent a message of more than {MESSAGE_BYTES_MAX} bytes"
            ),
            Self::Flood => write!(
                f,
                "it sent more than {BYTES_MAX} bytes or {MESSAGES_MAX} messages for one call"
            ),
        }
    }
}

/// The watch over one connection.
#[derive(Debug, Default)]
pub(super) struct Watch {
    bytes: AtomicU64,
    messages: AtomicU64,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    fault: Option<Fault>,
    /// What it asked for in the middle of a call, and was not given.
    declined: Option<String>,
    /// The end of what its program wrote on standard error.
    errors: Vec<u8>,
}

impl Watch {
    /// Begins to count anew.
    pub(super) fn begin(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.messages.store(0, Ordering::Relaxed);
        self.change(|known| known.declined = None);
    }

    pub(super) fn fault(&self) -> Option<Fault> {
        self.change(|known| known.fault)
    }

    pub(super) fn declined(&self) -> Option<String> {
        self.change(|known| known.declined.clone())
    }

    pub(super) fn decline(&self, what: String) {
        self.change(|known| known.declined = Some(what));
    }

    /// Keeps the end of what is written on standard error.
    pub(super) fn complain(&self, bytes: &[u8]) {
        self.change(|known| {
            known.errors.extend_from_slice(bytes);
            let beyond = known.errors.len().saturating_sub(DETAIL_MAX);
            known.errors.drain(..beyond);
        });
    }

    /// All that is known, as the end of a sentence for operators.
    pub(super) fn detail(&self) -> String {
        self.change(|known| {
            let fault = known.fault.map(|fault| format!("; {fault}"));
            let declined = known.declined.as_ref().map(|what| format!("; {what}"));
            let errors = line(&String::from_utf8_lossy(&known.errors), DETAIL_MAX);
            let errors = (!errors.is_empty()).then(|| format!("; standard error: {errors}"));
            let parts = [fault, declined, errors].into_iter().flatten();
            parts.collect()
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts what was read. `line` is the length of the present line so far.
    fn take(&self, bytes: &[u8], line: &mut u64) -> Result<(), Fault> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            *line += part.len() as u64;
            if *line > MESSAGE_BYTES_MAX {
                return Err(Fault::TooLong);
            }
            if part.ends_with(b"\n") {
                *line = 0;
            }
        }
        let added = bytes.len() as u64;
        if self.bytes.fetch_add(added, Ordering::Relaxed) + added > BYTES_MAX {
            return Err(Fault::Flood);
        }
        Ok(())
    }

    fn take_message(&self) -> Result<(), Fault> {
        if self.messages.fetch_add(1, Ordering::Relaxed) >= MESSAGES_MAX {
            return Err(Fault::Flood);
        }
        Ok(())
    }

    fn condemn(&self, fault: Fault) {
        self.change(|known| known.fault = Some(fault));
    }
}

/// A program's output that ends where it is too much.
pub(super) struct WatchedOutput<R> {
    pub(super) output: R,
    pub(super) watch: Arc<Watch>,
    /// The bytes of the present line.
    pub(super) line: u64,
}

impl<R: AsyncRead + Unpin> AsyncRead for WatchedOutput<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.watch.fault().is_some() {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let this = &mut *self;
        ready!(Pin::new(&mut this.output).poll_read(context, buffer))?;
        let new = buffer.filled().get(before..).unwrap_or_default();
        if let Err(fault) = this.watch.take(new, &mut this.line) {
            this.watch.condemn(fault);
            buffer.set_filled(before);
        }
        Poll::Ready(Ok(()))
    }
}

/// A transport that ends where the messages are too many.
pub(super) struct WatchedTransport<T> {
    pub(super) transport: T,
    pub(super) watch: Arc<Watch>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WatchedTransport<T> {
    type Error = T::Error;

    /// The name in errors, which people read: the default is that of a Rust type.
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("to the server")
    }

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.transport.receive().await?;
        match self.watch.take_message() {
            Ok(()) => Some(message),
            Err(fault) => {
                self.watch.condemn(fault);
                None
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}
