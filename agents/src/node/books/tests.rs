use folkmoot_core::ids::Time;

use super::super::lease::Lease;
use super::super::timings::Timings;
use super::super::{BootTime, lease};
use super::*;

fn world(number: u8) -> WorldId {
    WorldId::from_hash([number; 16])
}

fn node() -> NodeId {
    NodeId(world(99).0)
}

/// Two stretches, the second after the first.
fn stretches() -> [Stretch; 2] {
    let mut lease = Lease::new(Timings::default(), BootTime::default());
    [0, 10].map(|second| {
        let now = BootTime::new(std::time::Duration::from_secs(second));
        let heard = lease::HeardTime {
            ledger: Time(0),
            before: Time(0),
            after: Time(0),
        };
        lease.send(now);
        lease.hear(now, lease::Renewed::Prolonged(heard));
        lease.stretch(now).unwrap()
    })
}

fn hold(books: &mut Books, number: u8, in_ledger: bool) -> Arc<Right> {
    let [stretch, _] = stretches();
    let serial = books.expect(world(number), stretch);
    let right = Arc::new(Right::new(world(number), node(), stretch, in_ledger));
    assert!(books.hold(serial, &right));
    right
}

fn compare(books: &mut Books, before: &Snapshot, listed: &[u8]) -> Compared {
    let listed = listed.iter().map(|number| world(*number)).collect();
    books.compare(before, &listed)
}

#[test]
fn ledger_and_books_that_say_the_same_differ_in_nothing() {
    let mut books = Books::default();
    hold(&mut books, 1, true);
    let before = books.snapshot();
    assert_eq!(compare(&mut books, &before, &[1]), Compared::default());
    assert_eq!(books.held(), [world(1)]);
}

#[test]
fn world_that_nobody_here_knows_is_found_unless_it_came_or_went_meanwhile() {
    let mut books = Books::default();
    let [stretch, _] = stretches();
    books.expect(world(2), stretch);
    let goes = hold(&mut books, 3, true);
    let before = books.snapshot();
    hold(&mut books, 4, true);
    books.strike_out(&goes);
    let compared = compare(&mut books, &before, &[1, 2, 3, 4]);
    assert_eq!(compared.unknown, [world(1)]);
    assert_eq!(compared.lost, []);
}

#[test]
fn world_that_the_ledger_does_not_list_is_lost_unless_it_begins_or_was_taken_meanwhile() {
    let mut books = Books::default();
    hold(&mut books, 1, true);
    let begins = hold(&mut books, 2, false);
    hold(&mut books, 3, true);
    let before = books.snapshot();
    // Taken anew while the ledger was asked: what it says is older than that.
    hold(&mut books, 3, true);
    let compared = compare(&mut books, &before, &[]);
    assert_eq!(compared.lost, [world(1)]);
    assert_eq!(books.held(), [world(2), world(3)]);
    let before = books.snapshot();
    compare(&mut books, &before, &[2, 3]);
    assert!(begins.should_be_listed(), "it has begun");
}

#[test]
fn end_of_a_stretch_takes_its_worlds_and_no_others() {
    let mut books = Books::default();
    let [old, new] = stretches();
    let right = hold(&mut books, 1, true);
    let serial = books.expect(world(2), old);
    books.expect(world(3), new);
    assert_eq!(books.lose(|stretch| stretch == new), 1);
    assert!(!right.should_be_listed(), "it is lost");
    assert_eq!(books.len(), 1);
    let late = Arc::new(Right::new(world(2), node(), old, true));
    assert!(!books.hold(serial, &late), "its entry is gone");
    books.abandon((node(), world(2)), serial, Again::Later);
    assert_eq!(books.abandoned(), []);
}

#[test]
fn abandoned_world_is_given_back_once_unless_somebody_has_it_by_then() {
    let mut books = Books::default();
    let [stretch, _] = stretches();
    for number in [1, 2] {
        let serial = books.expect(world(number), stretch);
        books.abandon((node(), world(number)), serial, Again::Later);
    }
    let falls = hold(&mut books, 3, true);
    books.let_fall(&falls);
    let listed = books.abandoned();
    assert_eq!(listed, [1, 2, 3].map(|number| (node(), world(number))));
    // Behind the look at the list: one is held again, and one is about to be.
    hold(&mut books, 2, true);
    let serial = books.expect(world(3), stretch);
    let taken: Vec<_> = listed
        .iter()
        .map(|world| books.return_abandoned(*world))
        .collect();
    assert_eq!(taken, [Some(Again::Later), None, None]);
    // The ledger does not give it: what was to be given back before still is.
    assert!(books.withdraw(world(3), serial));
    assert_eq!(books.abandoned(), [(node(), world(3))]);
    assert_eq!(
        books.return_abandoned((node(), world(3))),
        Some(Again::AtOnce)
    );
    assert_eq!(books.abandoned(), []);
    assert!(books.is_returning(world(3)));
    books.returned(world(3));
    assert!(!books.is_returning(world(3)));
}

#[test]
fn world_that_the_ledger_does_not_give_is_not_given_back() {
    let mut books = Books::default();
    let [stretch, _] = stretches();
    let serial = books.expect(world(1), stretch);
    assert!(books.withdraw(world(1), serial));
    assert_eq!((books.len(), books.abandoned()), (0, Vec::new()));
    let right = hold(&mut books, 1, true);
    assert!(!books.withdraw(world(1), serial), "another acts for it");
    assert!(right.should_be_listed());
}
