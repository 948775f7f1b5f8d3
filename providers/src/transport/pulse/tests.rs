use proptest::prelude::*;

use super::StreamPulse;

/// What each piece of a stream says.
fn beats(pieces: &[&str]) -> Vec<bool> {
    let mut pulse = StreamPulse::default();
    pieces
        .iter()
        .map(|piece| pulse.beats(piece.as_bytes()))
        .collect()
}

#[test]
fn parts_of_events_and_pings_are_signs_of_life_and_nothing_else_is() {
    let table: [(&[&str], &[bool]); 9] = [
        (&["data: x\n\n"], &[true]),
        (
            &[": ping\n", ":\n", ": ", "still here"],
            &[true, true, true, true],
        ),
        (&["event: ping\ndata: {}\n\n"], &[true]),
        (
            &["\n", "\n\n", "\r\n\r\n", "\r", "\n"],
            &[false, false, false, false, false],
        ),
        (&["   ", "\n", "\t\n"], &[false, false, false]),
        (&["noise: x\n", "{}\n", "datum\n"], &[false, false, true]),
        (
            &["d", "a", "t", "a", ":", " ", "x", "\n", "\n", "\n"],
            &[true, true, true, true, true, true, true, true, true, false],
        ),
        (
            &["id: 7\r\n", "\r\n", "\r\n", "retry: 10\n"],
            &[true, true, false, true],
        ),
        (
            &["data: x\r", "\n", "\r", "\n", "\n"],
            &[true, false, true, false, false],
        ),
    ];
    for (pieces, wanted) in table {
        assert_eq!(beats(pieces), wanted, "{pieces:?}");
    }
}

proptest! {
    #[test]
    fn how_it_is_split_changes_nothing(text in "[d:a \n\r]{0,40}", at in 0_usize..40) {
        let at = at.min(text.len());
        let (before, behind) = text.split_at(at);
        let whole = beats(&[&text]);
        prop_assert_eq!(beats(&[before, behind]).contains(&true), whole.contains(&true));
    }
}
