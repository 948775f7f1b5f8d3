//! What one commit costs at one length of its world.

use std::time::{Duration, Instant};

use folkmoot::Store;
use folkmoot::core::port::EventLog as _;

use crate::Fallible;
use crate::conversation::Conversation;
use crate::stats::median;

/// Message, turn, answer, start, finish, another call of the model, answer.
const COMMITS_PER_EPISODE: usize = 7;

/// Medians over a stretch of commits.
pub(crate) struct Cost {
    /// Deciding and folding, per commit of an episode.
    pub(crate) fold: Duration,
    /// Appending, until it is durable.
    pub(crate) append: Duration,
}

/// Goes on with `talk` for `commits` commits, one after another.
pub(crate) async fn measure(
    store: &Store,
    talk: &mut Conversation,
    commits: usize,
) -> Fallible<Cost> {
    let (mut folds, mut appends) = (Vec::new(), Vec::new());
    for _ in 0..commits {
        let started = Instant::now();
        let commit = talk.next()?;
        folds.push(started.elapsed());
        let started = Instant::now();
        store.append(talk.world.incarnation(), vec![commit]).await?;
        appends.push(started.elapsed());
    }
    // Commits take turns between cheap and dear ones: whole episodes are alike.
    let episodes = folds
        .chunks_exact(COMMITS_PER_EPISODE)
        .map(|episode| episode.iter().sum::<Duration>());
    let fold = median(episodes.collect()) / u32::try_from(COMMITS_PER_EPISODE)?;
    Ok(Cost {
        fold,
        append: median(appends),
    })
}
