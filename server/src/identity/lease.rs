//! The time for which a caller is who they were proven to be.

use std::time::{Duration, SystemTime};

use futures::future::select_all;
use tokio::sync::watch;

/// The time for which somebody is who they were proven to be. Open streams end with it.
#[derive(Debug, Clone)]
pub struct Lease {
    /// Each is false once it was withdrawn; empty if nobody can.
    holds: Vec<watch::Receiver<bool>>,
    /// The end; `None` if there is none.
    until: Option<SystemTime>,
}

/// The end of a [`Lease`] that can withdraw it. A lease ends as well when this is dropped.
#[derive(Debug)]
pub struct Lessor(watch::Sender<bool>);

impl Lessor {
    /// A lease that this can withdraw.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::channel(true).0)
    }

    /// A lease until `until`, or until it is withdrawn.
    #[must_use]
    pub fn lease(&self, until: Option<SystemTime>) -> Lease {
        Lease {
            holds: vec![self.0.subscribe()],
            until,
        }
    }

    /// Ends all leases.
    pub fn withdraw(&self) {
        self.0.send_replace(false);
    }
}

impl Default for Lessor {
    fn default() -> Self {
        Self::new()
    }
}

impl Lease {
    /// A lease that does not end.
    #[must_use]
    pub const fn forever() -> Self {
        Self {
            holds: Vec::new(),
            until: None,
        }
    }

    /// A lease that ends at `until`, and that nobody can withdraw.
    #[must_use]
    pub const fn until(until: SystemTime) -> Self {
        Self {
            holds: Vec::new(),
            until: Some(until),
        }
    }

    /// The lease that ends with the first of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.holds.extend(other.holds);
        self.until = match (self.until, other.until) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        self
    }

    /// The time at which it ends if nobody withdraws it; `None` if there is none.
    #[must_use]
    pub const fn end(&self) -> Option<SystemTime> {
        self.until
    }

    /// Waits until it ends.
    pub async fn ended(&mut self) {
        let until = self.until;
        let late = async {
            match until {
                Some(until) => tokio::time::sleep(time_left(until)).await,
                None => std::future::pending().await,
            }
        };
        let withdrawn = async {
            // An error says that the giver of a lease is gone: then it ends as well.
            let each = self
                .holds
                .iter_mut()
                .map(|holds| Box::pin(holds.wait_for(|holds| !holds)));
            let each: Vec<_> = each.collect();
            if each.is_empty() {
                std::future::pending::<()>().await;
            }
            drop(select_all(each).await);
        };
        tokio::select! {
            () = late => {}
            () = withdrawn => {}
        }
    }
}

fn time_left(until: SystemTime) -> Duration {
    until
        .duration_since(SystemTime::now())
        .unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn has_ended(lease: &Lease) -> bool {
        lease.clone().ended().now_or_never().is_some()
    }

    #[tokio::test]
    async fn a_joined_lease_ends_with_either_and_with_its_giver() {
        let (one, other) = (Lessor::new(), Lessor::new());
        let soon = SystemTime::UNIX_EPOCH + Duration::from_secs(4_000_000_000);
        let late = soon + Duration::from_secs(1);
        let joined = one.lease(Some(late)).and(other.lease(Some(soon)));
        assert_eq!((joined.end(), has_ended(&joined)), (Some(soon), false));
        other.withdraw();
        assert!(has_ended(&joined) && !has_ended(&one.lease(None)));
        let left = one.lease(None);
        drop(one);
        assert!(has_ended(&left) && !has_ended(&Lease::forever()));
        Lease::until(SystemTime::UNIX_EPOCH).ended().await;
        assert_eq!(Lease::forever().and(Lease::until(soon)).end(), Some(soon));
    }
}
