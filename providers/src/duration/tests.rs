use super::*;

#[test]
fn a_number_and_a_unit_are_a_duration() {
    let millis = |text| parse(text).map(|duration| duration.as_millis());
    assert_eq!(
        ["0ms", "150ms", "2s", "1m", "1h", "7d"].map(millis),
        [0, 150, 2_000, 60_000, 3_600_000, 604_800_000].map(Some)
    );
}

#[test]
fn everything_else_is_none() {
    for text in [
        "",
        "2",
        "s",
        "2 s",
        "-2s",
        "1.5s",
        "2sec",
        "99999999999999999999s",
        "18446744073709551615d",
    ] {
        assert_eq!(parse(text), None, "{text:?}");
    }
}
