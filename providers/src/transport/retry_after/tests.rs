use reqwest::header::{HeaderName, HeaderValue};

use super::*;

fn wait(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
    let pair = |(name, value): &(&'static str, &'static str)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    };
    retry_after(&headers.iter().map(pair).collect())
}

#[test]
fn seconds_and_milliseconds_are_read() {
    assert_eq!(wait(&[]), None);
    assert_eq!(wait(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
    assert_eq!(
        wait(&[("retry-after", " 0.5 ")]),
        Some(Duration::from_millis(500))
    );
    assert_eq!(
        wait(&[("retry-after", "2"), ("retry-after-ms", "1500")]),
        Some(Duration::from_millis(1_500))
    );
}

#[test]
fn a_date_is_measured_by_the_clock_of_the_server() {
    let date = ("date", "Wed, 21 Oct 2015 07:28:00 GMT");
    assert_eq!(
        wait(&[date, ("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT")]),
        Some(Duration::from_secs(30))
    );
    assert_eq!(
        wait(&[date, ("retry-after", "Wed, 21 Oct 2015 07:27:30 GMT")]),
        Some(Duration::ZERO)
    );
}

#[test]
fn nonsense_is_no_wait_and_too_much_is_cut() {
    for value in ["soon", "-1", "NaN", "", "21 Oct"] {
        assert_eq!(wait(&[("retry-after", value)]), None, "{value}");
    }
    for value in ["999999999", "1e300", "inf"] {
        assert_eq!(
            wait(&[("retry-after", value)]),
            Some(RETRY_AFTER_MAX),
            "{value}"
        );
    }
}
