use governor::clock::FakeRelativeClock;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn limit(requests: u32, per: Duration) -> RateLimit {
    RateLimit {
        requests: NonZeroU32::new(requests).unwrap(),
        per,
    }
}

#[test]
fn calls_are_let_through_at_once_and_then_one_by_one() {
    let clock = FakeRelativeClock::default();
    let limiter = Limiter::new(limit(2, 10 * SECOND), clock.clone());
    assert_eq!(
        [limiter.take(), limiter.take(), limiter.take()],
        [Ok(()), Ok(()), Err(5 * SECOND)]
    );
    clock.advance(4 * SECOND);
    assert_eq!(limiter.take(), Err(SECOND));
    clock.advance(SECOND);
    assert_eq!([limiter.take(), limiter.take()], [Ok(()), Err(5 * SECOND)]);
}

#[test]
fn a_limit_of_very_many_calls_is_one_that_lets_them_through() {
    let limiter = Limiter::new(
        limit(u32::MAX, Duration::from_millis(1)),
        FakeRelativeClock::default(),
    );
    assert!((0..1_000).all(|_| limiter.take().is_ok()));
}

#[test]
fn one_model_at_one_place_has_one_limiter() {
    let (slow, fast) = (limit(1, SECOND), limit(2, SECOND));
    let one = limiter(slow, "http://a", "m");
    assert!(Arc::ptr_eq(&one, &limiter(slow, "http://a", "m")));
    for other in [
        limiter(fast, "http://a", "m"),
        limiter(slow, "http://b", "m"),
        limiter(slow, "http://a", "n"),
    ] {
        assert!(!Arc::ptr_eq(&one, &other));
    }
}
