//! What is asked of whoever holds a world.

use std::time::Duration;

use folkmoot_core::ids::AskId;
use folkmoot_core::port::{
    ANSWER_BYTES_MAX, ANSWER_KEPT, ASK_BYTES_MAX, ASKS_BYTES_MAX, ASKS_WAITING_MAX, Ask, AskState,
    Asked, AsksWanted, MemberError,
};
use folkmoot_store::Burial;
use futures::FutureExt as _;
use uuid::Uuid;

use super::bench::{Bench, fill, join, node, world};

fn ask(number: u128, of: u8) -> Ask {
    Ask {
        id: AskId(Uuid::from_u128(number)),
        world: world(of),
        command: vec![number as u8; 30],
        principal: Some(vec![1, 2]),
    }
}

async fn leave(bench: &dyn Bench, ask: &Ask) -> Asked {
    bench.inbox().ask(ask).await.unwrap()
}

async fn waiting(bench: &dyn Bench, by: u8) -> Vec<Ask> {
    let waiting = bench
        .inbox()
        .asks(node(by), AsksWanted::of_all(1_000))
        .await
        .unwrap();
    waiting.into_iter().map(|waiting| waiting.ask).collect()
}

async fn states(bench: &dyn Bench, numbers: &[u128]) -> Vec<AskState> {
    let asks: Vec<AskId> = numbers
        .iter()
        .map(|number| AskId(Uuid::from_u128(*number)))
        .collect();
    bench.inbox().answers(&asks).await.unwrap()
}

pub(crate) async fn ask_reaches_the_holder_and_its_answer_comes_back(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    for number in [2, 1] {
        assert_eq!(leave(bench, &ask(number, 1)).await, Asked::Waits);
    }
    assert_eq!(leave(bench, &ask(3, 9)).await, Asked::NoSuchWorld);
    assert_eq!(waiting(bench, 1).await, [ask(1, 1), ask(2, 1)]);
    assert_eq!(waiting(bench, 2).await, []);
    let one = bench
        .inbox()
        .asks(node(1), AsksWanted::of_all(1))
        .await
        .unwrap();
    assert_eq!(one.len(), 1);
    assert!(!one[0].login.is_empty());
    bench
        .inbox()
        .answer(ask(1, 1).id, vec![9; 9])
        .await
        .unwrap();
    assert_eq!(waiting(bench, 1).await, [ask(2, 1)]);
    let expected = [
        AskState::Waits,
        AskState::Answered(vec![9; 9]),
        AskState::Gone,
    ];
    assert_eq!(states(bench, &[2, 1, 3]).await, expected);
}

pub(crate) async fn ask_makes_a_free_world_due(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(bench.members().claim(node(1), 9).await.unwrap(), []);
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    assert_eq!(bench.members().claim(node(1), 9).await.unwrap(), [world(1)]);
    assert_eq!(waiting(bench, 1).await, [ask(1, 1)]);
    // Nor does it sleep over an ask that it did not see.
    bench
        .members()
        .release(node(1), world(1), None)
        .await
        .unwrap();
    assert_eq!(bench.members().claim(node(1), 9).await.unwrap(), [world(1)]);
}

pub(crate) async fn same_ask_waits_once(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    for _ in 0..3 {
        assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    }
    assert_eq!(waiting(bench, 1).await.len(), 1);
    bench.inbox().answer(ask(1, 1).id, vec![1]).await.unwrap();
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    assert_eq!(states(bench, &[1]).await, [AskState::Answered(vec![1])]);
}

pub(crate) async fn first_answer_stays(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    for answer in [vec![1], vec![2]] {
        bench.inbox().answer(ask(1, 1).id, answer).await.unwrap();
    }
    assert_eq!(states(bench, &[1]).await, [AskState::Answered(vec![1])]);
    bench.inbox().answer(ask(7, 1).id, vec![1]).await.unwrap();
    assert_eq!(states(bench, &[7]).await, [AskState::Gone]);
}

pub(crate) async fn asks_are_bounded(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    let mut large = ask(1, 1);
    large.principal = None;
    large.command = vec![1; ASK_BYTES_MAX + 1];
    let refused = bench.inbox().ask(&large).await;
    assert!(matches!(refused, Err(MemberError::Invalid(_))));
    large.command.pop();
    assert_eq!(leave(bench, &large).await, Asked::Waits);
    assert_eq!(waiting(bench, 1).await, [large.clone()]);
    for number in 2..=ASKS_WAITING_MAX as u128 {
        assert_eq!(leave(bench, &ask(number, 1)).await, Asked::Waits);
    }
    assert_eq!(leave(bench, &ask(999, 1)).await, Asked::Busy);
    assert_eq!(leave(bench, &ask(999, 2)).await, Asked::Waits);
    let mut answer = vec![1; ANSWER_BYTES_MAX + 1];
    let refused = bench.inbox().answer(large.id, answer.clone()).await;
    assert!(matches!(refused, Err(MemberError::Invalid(_))));
    answer.pop();
    bench.inbox().answer(large.id, answer).await.unwrap();
    assert_eq!(leave(bench, &ask(1_000, 1)).await, Asked::Waits);
}

pub(crate) async fn answers_go_after_a_while(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    for number in [1, 2] {
        assert_eq!(leave(bench, &ask(number, 1)).await, Asked::Waits);
    }
    bench.inbox().answer(ask(1, 1).id, vec![1]).await.unwrap();
    bench.pass(ANSWER_KEPT / 2).await;
    bench.members().reap().await.unwrap();
    assert_eq!(states(bench, &[1]).await, [AskState::Answered(vec![1])]);
    bench.pass(ANSWER_KEPT / 2 + Duration::from_secs(1)).await;
    bench.members().reap().await.unwrap();
    assert_eq!(
        states(bench, &[1, 2]).await,
        [AskState::Gone, AskState::Waits]
    );
}

pub(crate) async fn asks_go_with_their_world(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    let deleted = bench.ledger().delete(node(1), &[(world(1), vec![1])]).await;
    assert_eq!(deleted.unwrap(), Burial::Deleted);
    assert_eq!(states(bench, &[1]).await, [AskState::Gone]);
}

pub(crate) async fn hint_comes_with_an_ask(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    let mut hint = bench.inbox().hint(0);
    // It waits, or may return at once where there are no hints.
    let early = (&mut hint).now_or_never();
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    let heard = match early {
        None => hint.await,
        Some(heard) => heard,
    };
    assert_ne!(heard, 0);
}

pub(crate) async fn hint_that_came_before_somebody_waits_is_heard(bench: &dyn Bench) {
    fill(bench, 1, 2).await;
    assert_eq!(leave(bench, &ask(1, 1)).await, Asked::Waits);
    // Of several who wait for hints each hears each.
    let [one, other] = [bench.inbox().hint(0), bench.inbox().hint(0)];
    assert_ne!(one.await, 0);
    assert_ne!(other.await, 0);
}

pub(crate) async fn large_asks_come_a_few_at_a_time(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    let large = |number: u128| Ask {
        command: vec![number as u8; ASK_BYTES_MAX - 2],
        ..ask(number, 1 + (number % 2) as u8)
    };
    let count = 2 * ASKS_BYTES_MAX.div_ceil(ASK_BYTES_MAX) as u128;
    for number in 1..=count {
        assert_eq!(leave(bench, &large(number)).await, Asked::Waits);
    }
    let mut taken = Vec::new();
    loop {
        let asks = waiting(bench, 1).await;
        if asks.is_empty() {
            break;
        }
        let bytes: usize = asks.iter().map(Ask::bytes).sum();
        assert!(bytes < ASKS_BYTES_MAX + ASK_BYTES_MAX, "{bytes}");
        for ask in &asks {
            bench.inbox().answer(ask.id, vec![1]).await.unwrap();
        }
        taken.extend(asks);
    }
    assert!(taken == (1..=count).map(large).collect::<Vec<_>>());
}

pub(crate) async fn asks_of_worlds_that_are_not_wanted_are_left_out(bench: &dyn Bench) {
    join(bench, 1).await;
    fill(bench, 1, 2).await;
    fill(bench, 2, 2).await;
    for (number, of) in [(1, 1), (2, 2), (3, 1)] {
        assert_eq!(leave(bench, &ask(number, of)).await, Asked::Waits);
    }
    let wanted = AsksWanted {
        limit: 9,
        not_of: &[world(1)],
    };
    let waiting = bench.inbox().asks(node(1), wanted).await.unwrap();
    let asks: Vec<Ask> = waiting.into_iter().map(|waiting| waiting.ask).collect();
    assert_eq!(asks, [ask(2, 2)]);
}
