use proptest::prelude::*;

use super::*;

/// Something that happens to a lease, some milliseconds after what happened before.
#[derive(Debug, Clone, Copy)]
enum Happening {
    Sends,
    Hears(Renewed),
    Nothing,
}

fn at(millis: u64) -> BootTime {
    BootTime::new(Duration::from_millis(millis))
}

const fn heard(ledger: u64, before: u64, after: u64) -> HeardTime {
    HeardTime {
        ledger: Time(ledger),
        before: Time(before),
        after: Time(after),
    }
}

const PROLONGED: Renewed = Renewed::Prolonged(heard(5, 0, 9));

fn lease() -> Lease {
    Lease::new(Timings::default(), at(0))
}

/// A lease that was prolonged every second, from the first to the last of these.
fn renewed_each_second(seconds: std::ops::RangeInclusive<u64>) -> Lease {
    let mut lease = lease();
    for second in seconds {
        renew(&mut lease, second * 1_000, second * 1_000 + 10, PROLONGED);
    }
    lease
}

fn renew(lease: &mut Lease, sent: u64, answered: u64, answer: Renewed) {
    lease.send(at(sent));
    lease.hear(at(answered), answer);
}

#[test]
fn lease_is_counted_from_before_the_renewal_was_sent() {
    let mut lease = lease();
    renew(&mut lease, 1_000, 2_500, PROLONGED);
    assert!(lease.stretch(at(4_999)).is_some());
    assert_eq!(lease.stretch(at(5_000)), None);
}

#[test]
fn answer_that_comes_when_its_time_is_over_gives_nothing() {
    let mut lease = lease();
    renew(&mut lease, 1_000, 5_000, PROLONGED);
    assert_eq!(lease.stretch(at(5_000)), None);
    assert!(lease.is_member());
}

#[test]
fn next_renewal_comes_a_second_after_the_last_was_sent_or_soon_after_one_failed() {
    let mut lease = lease();
    assert_eq!(lease.next(), at(0));
    renew(&mut lease, 0, 700, PROLONGED);
    assert_eq!(lease.next(), at(1_000));
    renew(&mut lease, 1_000, 1_100, Renewed::Unheard);
    assert_eq!(lease.next(), at(1_350));
    renew(&mut lease, 1_350, 1_400, Renewed::Dead);
    assert_eq!(lease.next(), at(1_400));
}

#[test]
fn declared_dead_it_is_no_member_and_holds_nothing_of_before() {
    let mut lease = renewed_each_second(0..=9);
    let stretch = lease.stretch(at(9_100)).unwrap();
    renew(&mut lease, 10_000, 10_010, Renewed::Dead);
    assert!(!lease.is_member());
    assert!(!lease.holds(at(10_010), stretch));
    renew(&mut lease, 10_010, 10_020, PROLONGED);
    assert!(lease.stretch(at(10_020)).is_some());
    assert!(!lease.holds(at(10_020), stretch));
    assert!(!lease.may_reap(at(10_020)));
}

#[test]
fn prolonged_after_it_was_cut_off_it_begins_anew() {
    let mut lease = renewed_each_second(0..=9);
    let stretch = lease.stretch(at(9_100)).unwrap();
    renew(&mut lease, 20_000, 20_010, PROLONGED);
    assert!(lease.stretch(at(20_010)).is_some());
    assert!(!lease.holds(at(20_010), stretch));
    assert!(!lease.may_reap(at(20_010)));
}

#[test]
fn whole_ttl_of_renewals_lets_it_reap_and_one_failure_takes_that_back() {
    assert!(!renewed_each_second(0..=4).may_reap(at(4_990)));
    let mut lease = renewed_each_second(0..=5);
    assert!(lease.may_reap(at(5_010)));
    renew(&mut lease, 6_000, 6_010, Renewed::Unheard);
    assert!(lease.stretch(at(6_010)).is_some());
    assert!(!lease.may_reap(at(6_010)));
    for second in 7..=11 {
        renew(&mut lease, second * 1_000, second * 1_000 + 10, PROLONGED);
        assert!(!lease.may_reap(at(second * 1_000 + 10)));
    }
    renew(&mut lease, 12_000, 12_010, PROLONGED);
    assert!(lease.may_reap(at(12_010)));
    assert!(!lease.may_reap(at(16_000)), "it is cut off");
}

#[test]
fn clock_is_off_by_no_more_than_the_way_to_the_ledger_can_explain() {
    let off = |ledger, before, after| {
        let mut lease = lease();
        renew(
            &mut lease,
            0,
            10,
            Renewed::Prolonged(heard(ledger, before, after)),
        );
        lease.clock_off()
    };
    assert_eq!(off(10_000, 12_000, 12_010), None);
    assert_eq!(off(10_000, 5_000, 15_000), None);
    assert_eq!(off(10_000, 7_000, 8_000), None);
    let ahead = Some(ClockOff::Ahead(Duration::from_millis(2_001)));
    assert_eq!(off(10_000, 12_001, 12_010), ahead);
    let behind = Some(ClockOff::Behind(Duration::from_millis(2_001)));
    assert_eq!(off(10_000, 7_000, 7_999), behind);
}

fn happening() -> impl Strategy<Value = Happening> {
    prop_oneof![
        4 => Just(Happening::Sends),
        4 => Just(Happening::Hears(PROLONGED)),
        1 => Just(Happening::Hears(Renewed::Dead)),
        1 => Just(Happening::Hears(Renewed::Unheard)),
        1 => Just(Happening::Nothing),
    ]
}

fn history() -> impl Strategy<Value = Vec<(u64, Happening)>> {
    let wait = prop_oneof![8 => 0_u64..900, 2 => 900_u64..6_000];
    proptest::collection::vec((wait, happening()), 1..120)
}

/// The renewals of a history, as somebody sees them who knows nothing of leases.
#[derive(Debug, Default)]
struct Books {
    sent: Option<u64>,
    /// When the last one was sent that was answered with yes, in this membership.
    renewed: Option<u64>,
    /// When those were sent that were answered with yes, since the last other answer or gap.
    row: Vec<u64>,
}

impl Books {
    fn note(&mut self, now: u64, happening: Happening) {
        match happening {
            Happening::Sends => self.sent = Some(now),
            Happening::Nothing => {}
            Happening::Hears(answer) => {
                let Some(sent) = self.sent.take() else { return };
                match answer {
                    Renewed::Prolonged(_) => {
                        if self.renewed.is_none_or(|renewed| now - renewed >= 4_000) {
                            self.row.clear();
                        }
                        self.row.push(sent);
                        self.renewed = Some(sent);
                    }
                    Renewed::Dead => *self = Self::default(),
                    Renewed::Unheard => self.row.clear(),
                }
            }
        }
    }

    fn acts(&self, now: u64) -> bool {
        self.renewed.is_some_and(|renewed| now - renewed < 4_000)
    }

    fn reaps(&self, now: u64) -> bool {
        let span = self.row.first().zip(self.row.last());
        self.acts(now) && span.is_some_and(|(first, last)| last - first >= 5_000)
    }
}

proptest! {
    #[test]
    fn it_acts_for_4_seconds_from_its_last_renewal_and_reaps_after_a_ttl_without_a_failure(history in history()) {
        let mut lease = lease();
        let mut books = Books::default();
        let mut now = 0;
        for (wait, happening) in history {
            now += wait;
            match happening {
                Happening::Sends => lease.send(at(now)),
                Happening::Hears(answer) => lease.hear(at(now), answer),
                Happening::Nothing => {}
            }
            books.note(now, happening);
            prop_assert_eq!(lease.stretch(at(now)).is_some(), books.acts(now));
            prop_assert_eq!(lease.may_reap(at(now)), books.reaps(now));
            prop_assert_eq!(lease.is_member(), books.renewed.is_some());
        }
    }

    #[test]
    fn right_that_was_once_refused_is_refused_for_ever(history in history()) {
        let mut lease = lease();
        let mut given = Vec::new();
        let mut now = 0;
        for (wait, happening) in history {
            // Whoever asks at any moment in between hears the same as right before the next thing happens.
            now += wait;
            for (stretch, is_over) in &mut given {
                let holds = lease.holds(at(now), *stretch);
                prop_assert!(!(holds && *is_over));
                *is_over = !holds;
            }
            match happening {
                Happening::Sends => lease.send(at(now)),
                Happening::Hears(answer) => lease.hear(at(now), answer),
                Happening::Nothing => {}
            }
            given.extend(lease.stretch(at(now)).map(|stretch| (stretch, false)));
        }
    }
}
