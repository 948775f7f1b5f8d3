use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Whoever asks here is told that nobody shows the drafts, or that they have ended, and is counted.
#[derive(Debug, Default)]
struct Source {
    asked: AtomicUsize,
    shows: bool,
}

#[async_trait]
impl DraftSource for Source {
    async fn follow(&self, _: WorldId, _: &WorldName) -> Option<DraftPieces> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.shows.then(|| futures::stream::empty().boxed())
    }
}

fn drafts(source: &Arc<Source>) -> RemoteDrafts {
    let name = WorldName::new("room").unwrap();
    RemoteDrafts::new(Arc::clone(source) as _, WorldId::from_hash([1; 16]), name)
}

/// How often the source is asked within this time.
async fn asked_within(time: Duration, drafts: &mut RemoteDrafts, source: &Source) -> usize {
    let before = source.asked.load(Ordering::SeqCst);
    let shown = tokio::time::timeout(time, drafts.next()).await;
    assert!(shown.is_err(), "{shown:?}");
    source.asked.load(Ordering::SeqCst) - before
}

#[tokio::test(start_paused = true)]
async fn whoever_shows_no_drafts_is_asked_ever_less_often() {
    let source = Arc::new(Source::default());
    let mut drafts = drafts(&source);
    let second = Duration::from_secs(1);
    // At once, and after 0.5, 1.5, 3.5, 7.5 and 15.5 seconds.
    assert_eq!(asked_within(16 * second, &mut drafts, &source).await, 6);
    assert_eq!(asked_within(100 * second, &mut drafts, &source).await, 10);
    // Somebody else follows them later.
    drafts.hang_up();
    assert_eq!(asked_within(second / 4 * 3, &mut drafts, &source).await, 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_breaks_off_is_asked_again_soon() {
    let shows = true;
    let source = Arc::new(Source {
        shows,
        ..Source::default()
    });
    let mut drafts = drafts(&source);
    let seconds = Duration::from_secs(10);
    assert!(asked_within(seconds, &mut drafts, &source).await >= 20);
}
