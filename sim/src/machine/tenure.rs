//! The right of one process to act, until it loses all of its rooms.

use std::sync::Arc;

use async_trait::async_trait;
use folkmoot::core::ids::{Time, WorldId};
use folkmoot::core::port::{NoTenure, Tenure, Tenures};

use super::outside::Outside;
use super::process::Pulse;
use crate::law::{Law, Violation};

/// Gives every room to a process, as long as it has not lost them.
#[derive(Debug, Clone)]
pub(super) struct PulseTenure(pub(super) Arc<Pulse>);

#[async_trait]
impl Tenures for PulseTenure {
    async fn take(&self, _world: WorldId) -> Result<Arc<dyn Tenure>, NoTenure> {
        if self.holds() {
            Ok(Arc::new(self.clone()))
        } else {
            let node = "another process".to_owned();
            Err(NoTenure::HeldElsewhere { node })
        }
    }
}

#[async_trait]
impl Tenure for PulseTenure {
    fn holds(&self) -> bool {
        !self.0.has_lost()
    }

    async fn lost(&self) {
        self.0.loses().await;
    }

    async fn release(&self, _due: Option<Time>) {}
}

impl Outside {
    /// Somebody does `what` in a process: it must not have lost the right to.
    pub(super) fn acts(&self, pulse: &Pulse, what: &str) {
        if pulse.has_lost() {
            let what = format!("{what} in a process that has lost its rooms");
            self.hold(Err(Violation::of(Law::OneHolderActs, what)));
        }
    }
}
