//! The resources, a file for each.
#![expect(
    unused_qualifications,
    reason = "the description of a route writes them"
)]

pub(crate) mod amend;
pub(crate) mod audit;
pub(crate) mod blobs;
pub(crate) mod decisions;
pub(crate) mod done;
pub(crate) mod events;
pub(crate) mod feed;
pub(crate) mod health;
pub(crate) mod life;
pub(crate) mod messages;
pub(crate) mod metrics;
pub(crate) mod opening;
pub(crate) mod preview;
pub(crate) mod requests;
pub(crate) mod session;
pub(crate) mod steer;
pub(crate) mod templates;
pub(crate) mod withheld;
pub(crate) mod worlds;
