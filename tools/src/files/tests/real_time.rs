use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crate::files::blocking;

/// More than threads that may wait.
const CALLS: usize = 600;

#[tokio::test]
async fn disk_that_never_answers_leaves_threads_for_others() {
    let (answer, asked) = mpsc::channel::<()>();
    let asked = Arc::new(Mutex::new(asked));
    for _ in 0..CALLS {
        let asked = Arc::clone(&asked);
        tokio::spawn(blocking(move |_| {
            let _disconnected = asked.lock().unwrap().recv();
            Ok(String::new())
        }));
    }
    for _ in 0..CALLS {
        tokio::task::yield_now().await;
    }
    let other = tokio::task::spawn_blocking(|| 7);
    let other = tokio::time::timeout(Duration::from_secs(5), other).await;
    drop(answer);
    assert_eq!(other.unwrap().unwrap(), 7);
}
