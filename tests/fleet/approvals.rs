//! Approvals that are given from outside the nodes, while these die.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

use crate::books::{Line, Moment};
use crate::crowd::Client;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::history::Fact;
use crate::house::{Consent, PAYMENTS_MAX};
use crate::scale;
use crate::wait::{until, within};

/// The worlds in which people are asked.
const WORLDS: usize = 20;

/// The nodes that are killed meanwhile.
const KILLS: usize = 4;

/// A decision, and how long its giver waited.
#[derive(Debug, Clone, Copy)]
struct Decision {
    given: Moment,
    answered: Moment,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_approval_from_outside_is_decided_once_while_nodes_die() {
    let each = scale("FOLKMOOT_FLEET_APPROVALS", 3 * WORLDS) / WORLDS;
    assert!(
        (1..=PAYMENTS_MAX).contains(&each),
        "{each} approvals in a world"
    );
    let test = "approvals while nodes die";
    let Some(mut fleet) = Fleet::with(test, WORLDS, Consent::Asked).await else {
        return;
    };
    fleet.start(4).await;
    let decided = Arc::new(AtomicUsize::new(0));
    let all = each * WORLDS;
    let mut clients = JoinSet::new();
    for (number, world) in (0..).zip(&fleet.worlds) {
        let client = Client::of(&fleet, number, world);
        clients.spawn(decide_all(client, each, Arc::clone(&decided)));
    }
    let mut killed = Vec::new();
    for kill in 1..=KILLS {
        until("more is decided", async || {
            (decided.load(Ordering::Acquire) >= all * kill / (KILLS + 1)).then_some(())
        })
        .await;
        killed.push(Moment::now());
        fleet.nodes.remove(0).kill();
        fleet.start(1).await;
    }
    let decisions = within("all is decided", clients.join_all()).await.concat();
    let is_quiet = |decision: &&Decision| decision.answered < killed[0];
    let waited = |decision: &Decision| decision.given.millis_to(decision.answered);
    let quiet: Figures = decisions.iter().filter(is_quiet).map(waited).collect();
    let figures: Figures = decisions.iter().map(waited).collect();
    println!("{all} approvals from outside, {KILLS} nodes killed meanwhile: answered in {figures}");
    println!("  before the first death in {quiet}");
    let history = fleet.judge().await;
    let in_log = history
        .facts()
        .filter(|(_, fact)| matches!(fact, Fact::Decided(_)));
    assert_eq!(in_log.count(), all);
}

/// Has payments asked for, and decides each request by two people at once.
async fn decide_all(mut client: Client, each: usize, decided: Arc<AtomicUsize>) -> Vec<Decision> {
    client.say(&format!("pay {each}")).await;
    let requests = client.requests(each).await;
    let mut decisions = Vec::new();
    for request in requests {
        let given = Moment::now();
        let mut other = client.twin();
        let ada = client.decide(&request, "ada");
        let (ada, bea) = tokio::join!(ada, other.decide(&request, "bea"));
        assert_ne!(ada, bea, "{request}: one of them decides");
        let answered = Moment::now();
        decisions.push(Decision { given, answered });
        client.book.write(&Line::Decided {
            world: client.world,
            request: request.request,
            when: answered,
        });
        decided.fetch_add(1, Ordering::AcqRel);
    }
    client.settle_all().await;
    client.look().await;
    decisions
}
