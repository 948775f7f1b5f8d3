//! A database that was restored from a backup lacks the last commits. What they led to has happened, and does not happen again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use folkmoot::core::event::{CallEvent, Event};
use folkmoot::core::ids::CopyId;
use folkmoot::core::tool::{EffectClass, ToolOutcome};
use folkmoot::{Activity, Opening, Post, WorldHandle};
use folkmoot_tests::{Commons, FakeTool, Room, commits_of, person, room_name};

use super::{Payer, Process, id_of};

/// A room in which bob wants to pay, people decide, and payments are counted.
fn counting(payments: &Arc<AtomicUsize>) -> Room {
    let payments = Arc::clone(payments);
    let pay = FakeTool::new("pay", EffectClass::Destructive, move |_call| {
        payments.fetch_add(1, Ordering::Relaxed);
        async { ToolOutcome::text("paid") }
    });
    Room::asking()
        .agent("bob", &["pay"], Arc::new(Payer(1)))
        .tool(pay)
}

async fn pay(world: &WorldHandle) {
    let ada = person(world, "ada");
    ada.publish_message(Post::text("pay")).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Parked));
    for request in ada.waiting().await.unwrap() {
        ada.allow(&request).await.unwrap();
    }
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
}

/// The number of commits up to the request, and of those up to the end of the payment.
async fn commits(commons: &Commons) -> (usize, usize, usize) {
    let all = commits_of(&commons.store(), &room_name()).await;
    let place = |is: fn(&CallEvent) -> bool| {
        let has = |event: &Event| matches!(event, Event::Call(call) if is(call));
        let at = all.iter().position(|commit| commit.events.iter().any(has));
        at.unwrap() + 1
    };
    let asked = place(|call| matches!(call, CallEvent::ApprovalRequested(_)));
    let finished = place(|call| matches!(call, CallEvent::ToolFinished(_)));
    (asked, finished, all.len())
}

/// How often people were asked something.
async fn requests(commons: &Commons) -> usize {
    let all = commits_of(&commons.store(), &room_name()).await;
    let events = all.iter().flat_map(|commit| &commit.events);
    let asks = |event: &&Event| {
        matches!(
            event,
            Event::Call(CallEvent::ApprovalRequested(_) | CallEvent::OutcomeUnknown(_))
        )
    };
    events.filter(asks).count()
}

#[tokio::test]
async fn a_payment_whose_commits_are_missing_after_a_restoration_is_not_made_again_unasked() {
    let mut was_lost = false;
    for lost in 1.. {
        let (commons, payments) = (Commons::default(), Arc::default());
        let room = counting(&payments);
        let first = Process::start(1, &room, &commons);
        pay(&first.begin(&room).await).await;
        first.runtime.shutdown().await;
        let (asked, finished, all) = commits(&commons).await;
        if all - lost < asked {
            break;
        }
        was_lost |= all - lost < finished;
        let id = id_of(&commons).await;
        let copy = CopyId(uuid::Uuid::from_u128(7));
        commons.ledger().restore(copy, id, lost);

        let second = Process::start(2, &room, &commons);
        let opened = second.runtime.open(Opening::recorded(room_name())).await;
        let world = opened.unwrap();
        let activity = world.quiet().await.unwrap();
        assert_eq!(payments.load(Ordering::Relaxed), 1, "{lost} lost");
        // People are asked, unless the end of the payment is known.
        let is_known = all - lost >= finished;
        assert_eq!(activity == Activity::Idle, is_known, "{lost} lost");
        second.runtime.shutdown().await;
        // They are asked once: it is the same copy at the next opening.
        let asked = requests(&commons).await;
        let third = Process::start(3, &room, &commons);
        let opened = third.runtime.open(Opening::recorded(room_name())).await;
        opened.unwrap().quiet().await.unwrap();
        third.runtime.shutdown().await;
        assert_eq!(payments.load(Ordering::Relaxed), 1, "{lost} lost");
        assert_eq!(requests(&commons).await, asked, "{lost} lost");
    }
    assert!(was_lost);
}
