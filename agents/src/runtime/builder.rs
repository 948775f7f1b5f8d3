//! Putting a runtime together.

use std::sync::Arc;
use std::time::Duration;

use folkmoot_core::port::{
    Blobs, Checkpoints, Clock, Custody, EventLog, Inbox, Signer, Tenures, ToolHost, WhoAmI,
};

use super::{Runtime, Storage};
use crate::clock::SystemClock;
use crate::means::Means;
use crate::means::courier::Courier;
use crate::means::seeds::Seeds;
use crate::parts::{Assemble, Parts};
use crate::relay::DraftSource;

/// How long a world on the machine's clock stays in memory while it is idle, unless the runtime
/// says otherwise.
pub const IDLE_CLOSE: Duration = Duration::from_secs(600);

/// Puts a runtime together.
#[derive(Debug)]
pub struct RuntimeBuilder {
    log: Arc<dyn EventLog>,
    checkpoints: Arc<dyn Checkpoints>,
    blobs: Arc<dyn Blobs>,
    custody: Arc<dyn Custody>,
    signer: Option<Arc<dyn Signer>>,
    assembler: Arc<dyn Assemble>,
    host: Option<Arc<dyn ToolHost>>,
    clock: Arc<dyn Clock>,
    seeds: Seeds,
    tenures: Option<Arc<dyn Tenures>>,
    node: Option<Arc<dyn WhoAmI>>,
    courier: Option<Courier>,
    drafts: Option<Arc<dyn DraftSource>>,
    idle_close: Option<Duration>,
}

impl RuntimeBuilder {
    pub(super) fn over<S: Storage + Clone + 'static>(storage: &S) -> Self {
        Self {
            log: Arc::new(storage.clone()),
            checkpoints: Arc::new(storage.clone()),
            blobs: Arc::new(storage.clone()),
            custody: Arc::new(storage.clone()),
            signer: None,
            assembler: Arc::new(Parts::default()),
            host: None,
            clock: Arc::new(SystemClock),
            seeds: Seeds::random(),
            tenures: None,
            node: None,
            courier: None,
            drafts: None,
            idle_close: Some(IDLE_CLOSE),
        }
    }

    /// Takes `clock` for the machine's, together with the timers of the executor: a simulation has
    /// another time.
    #[must_use]
    pub fn machine_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// Makes rooms' parts with `assembler`.
    #[must_use]
    pub fn assembler(mut self, assembler: impl Assemble + 'static) -> Self {
        self.assembler = Arc::new(assembler);
        self
    }

    /// Runs process tools under `host`. Without one, a room with such a tool is not opened.
    #[must_use]
    pub fn host(mut self, host: Arc<dyn ToolHost>) -> Self {
        self.host = Some(host);
        self
    }

    /// Signs heads of the logs of all worlds that are opened: now and then, whenever a world
    /// becomes quiet, and when it is closed. Without a signer none is signed.
    #[must_use]
    pub fn signer(mut self, signer: Arc<dyn Signer>) -> Self {
        self.signer = Some(signer);
        self
    }

    /// Takes seeds from `start` and the place in the log instead of the machine's randomness, so
    /// that the same inputs make the same log.
    #[must_use]
    pub fn counted_seeds(mut self, start: u64) -> Self {
        self.seeds = Seeds::counted(start);
        self
    }

    /// Lets go of worlds that were idle, and asked nothing, for `after` ([`IDLE_CLOSE`] if this is
    /// left out); `None` keeps them all in memory. Handles on such a world stay as they are: what
    /// is asked of it next opens it again, as a new incarnation. A world on a simulated clock is
    /// never let go of: its time is in memory.
    #[must_use]
    pub const fn idle_close(mut self, after: Option<Duration>) -> Self {
        self.idle_close = after;
        self
    }

    /// Takes each world from `tenures` before it is opened, and gives it back when it is closed or
    /// let go of. Then also worlds that wait for a person or a time are let go of once they were
    /// idle. Without this, the runtime is the only one over its store, and no world is ever lost.
    #[must_use]
    pub fn tenures(mut self, tenures: Arc<dyn Tenures>) -> Self {
        self.tenures = Some(tenures);
        self
    }

    /// Has the logs name `node` as the process that opens worlds. Without this it is an id of the runtime's own.
    #[must_use]
    pub fn node(mut self, node: impl WhoAmI + 'static) -> Self {
        self.node = Some(Arc::new(node));
        self
    }

    /// Leaves commands to worlds that other processes hold in `inbox`, for those: see [`Runtime::reach`].
    #[must_use]
    pub fn inbox(mut self, inbox: Arc<dyn Inbox>) -> Self {
        self.courier = Some(Courier::new(inbox));
        self
    }

    /// Shows what is being written in worlds that other processes hold, as `source` has it. Without this, who follows such a
    /// world sees its messages once they are whole.
    #[must_use]
    pub fn drafts_from(mut self, source: Arc<dyn DraftSource>) -> Self {
        self.drafts = Some(source);
        self
    }

    /// The runtime.
    #[must_use]
    pub fn build(self) -> Runtime {
        let Self {
            log,
            checkpoints,
            blobs,
            custody,
            signer,
            assembler,
            host,
            clock,
            seeds,
            tenures,
            node,
            courier,
            drafts,
            idle_close,
        } = self;
        let node = node.unwrap_or_else(|| Arc::new(seeds.node()));
        let means = Arc::new(Means {
            log,
            checkpoints,
            blobs,
            custody,
            signer,
            assembler,
            host,
            clock,
            seeds: Arc::new(seeds),
            node,
            tenures,
            courier,
            drafts,
            idle_close,
        });
        Runtime {
            means,
            worlds: Arc::default(),
        }
    }
}
