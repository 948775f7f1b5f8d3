use folkmoot_core::ids::{Position, Seed, Stamp, Time};

use super::*;
use crate::write::encode::Unlinked;

type Answer = oneshot::Receiver<Result<Appended, AppendError>>;

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([number; 16]),
    })
}

fn request(number: u8, first: u64) -> (AppendRequest, Answer) {
    let (reply, answer) = oneshot::channel();
    let position = Position::new(first);
    let summary = Summary {
        world: world(number),
        first: position,
        last: position,
        time: Time(1),
        key: None,
        opened: None,
        origin: None,
        created: None,
        is_sealed: false,
        labelled: None,
        gone: Vec::new(),
    };
    (
        AppendRequest {
            incarnation: Incarnation(1),
            first: EncodedCommit {
                summary,
                record: Unlinked::of_len(100),
            },
            rest: Vec::new(),
            beside: None,
            reply,
        },
        answer,
    )
}

fn queue(requests: &[(u8, u64)]) -> (Queue, Vec<Answer>) {
    let queue = Queue::default();
    let answers = requests.iter().map(|(number, first)| {
        let (request, answer) = request(*number, *first);
        queue.put(request).unwrap();
        answer
    });
    let answers = answers.collect();
    (queue, answers)
}

fn taken(queue: &Queue, bytes_max: usize) -> Vec<(WorldId, u64)> {
    queue
        .take(bytes_max)
        .iter()
        .map(|request| (request.world(), request.first.summary.first.get()))
        .collect()
}

#[test]
fn a_burst_of_one_world_does_not_delay_the_others() {
    let (queue, _answers) = queue(&[(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (3, 1)]);
    assert_eq!(
        taken(&queue, 300),
        [(world(1), 1), (world(2), 1), (world(3), 1)]
    );
    assert_eq!(
        taken(&queue, 300),
        [(world(1), 2), (world(1), 3), (world(1), 4)]
    );
}

#[test]
fn one_request_is_taken_however_large() {
    let (queue, _answers) = queue(&[(1, 1), (2, 1)]);
    assert_eq!(taken(&queue, 1), [(world(1), 1)]);
    assert_eq!(taken(&queue, 1), [(world(2), 1)]);
}

#[test]
fn a_closed_queue_is_emptied_and_a_stopped_one_refuses() {
    let (queue, _answers) = queue(&[(1, 1)]);
    queue.close("done");
    assert!(matches!(queue.put(request(1, 2).0), Err(AppendError::Stopped(why)) if why == "done"));
    assert_eq!(taken(&queue, 1_000), [(world(1), 1)]);
    assert_eq!(taken(&queue, 1_000), []);
}

#[test]
fn what_waits_when_the_store_stops_is_refused() {
    let (queue, mut answers) = queue(&[(1, 1), (2, 1)]);
    queue.stop("broken");
    for answer in &mut answers {
        assert!(matches!(answer.try_recv(), Ok(Err(AppendError::Stopped(why))) if why == "broken"));
    }
    assert_eq!(taken(&queue, 1_000), []);
}

#[test]
fn world_that_is_under_way_has_no_turn_before_it_is_settled() {
    let (queue, _answers) = queue(&[(1, 1), (1, 2), (2, 1)]);
    let take = |most: usize| {
        let mut left = most;
        let fits = |_: &AppendRequest| {
            let fits = left > 0;
            left = left.saturating_sub(1);
            fits
        };
        let taken = queue.take_apart(fits);
        let place = |request: &AppendRequest| (request.world(), request.first.summary.first.get());
        taken.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(take(0), [(world(1), 1)], "one is taken in any case");
    queue.put(request(1, 3).0).unwrap();
    assert_eq!(take(9), [(world(2), 1)]);
    assert_eq!(take(9), []);
    queue.settled(world(1));
    queue.settled(world(2));
    assert_eq!(take(9), [(world(1), 2)]);
    queue.settled(world(1));
    assert_eq!(take(9), [(world(1), 3)]);
}
