use crate::event::*;
use crate::ids::RequestId;
use crate::testing::*;

fn recorded_of(past: &Past) -> Vec<bool> {
    let repeated = |event: &Event| {
        if let Event::Refused(refused) = event {
            Some(refused.repeated)
        } else {
            None
        }
    };
    past.events().filter_map(repeated).collect()
}

fn refused_times(mut past: Past, times: usize) -> Past {
    for _ in 0..times {
        past = past.then_refused(allow(RequestId(at(1))));
    }
    past
}

#[test]
fn from_the_33rd_equal_refusal_on_one_stands_for_a_minute() {
    let past = refused_times(Past::began(), 32);
    assert_eq!(recorded_of(&past), [false; 32]);
    let past = refused_times(past, 20);
    assert_eq!(recorded_of(&past)[32..], [true]);
    let past = refused_times(past.after_ms(60_000), 20);
    assert_eq!(recorded_of(&past)[32..], [true, true]);
}

#[test]
fn other_refusals_are_counted_apart() {
    let past = refused_times(Past::began(), 40).then_refused(stop());
    assert_eq!(recorded_of(&past)[33..], [false]);
}

#[test]
fn new_episode_counts_refusals_anew() {
    let past = refused_times(refused_times(Past::began(), 40).said("@bob hi"), 1);
    assert_eq!(recorded_of(&past)[33..], [false]);
}
