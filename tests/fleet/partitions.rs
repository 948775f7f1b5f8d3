//! Nodes that are cut off from the database, by a proxy of their own.

use std::collections::BTreeSet;
use std::time::Duration;

use folkmoot::core::ids::NodeId;

use crate::books::{Line, Moment, Run};
use crate::crowd::Crowd;
use crate::figures::Figures;
use crate::fleet::Fleet;
use crate::house::Consent;
use crate::node::Trap;
use crate::proxy::{Proxy, Way};
use crate::scale;
use crate::wait::until;

/// The nodes, each behind a proxy.
const NODES: usize = 4;

/// How slow a slow line is.
const SLOW: Duration = Duration::from_millis(50);

/// How a node is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// Nothing passes.
    Blackhole,
    /// What it sends passes, and no answer comes back.
    OneWay,
    /// All its connections are cut, and no new one comes about.
    Cut,
}

const BREAKS: [Break; 3] = [Break::Blackhole, Break::OneWay, Break::Cut];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_is_cut_off_ends_its_tools_and_comes_back_by_itself() {
    let worlds = scale("FOLKMOOT_FLEET_WORLDS", 24);
    let partitions = scale("FOLKMOOT_FLEET_PARTITIONS", BREAKS.len());
    let Some(mut fleet) = Fleet::with("nodes that are cut off", worlds, Consent::Free).await else {
        return;
    };
    let proxies: Vec<Proxy> = (0..NODES)
        .map(|_| Proxy::before(fleet.server.port))
        .collect();
    let urls: Vec<String> = proxies
        .iter()
        .map(|proxy| fleet.url_at(proxy.port))
        .collect();
    fleet.start_at(urls.into_iter()).await;
    let crowd = Crowd::begin(&fleet);
    fleet.wait_for_holders().await;
    fleet.wait_for_answers().await;
    let (mut ended, mut handed, mut early) = (Figures::default(), Figures::default(), 0);
    for way in BREAKS.into_iter().cycle().take(partitions) {
        let node = busiest(&fleet).await;
        let name = fleet.nodes[node].name.clone();
        let run = wait_for_run(&fleet, &name).await;
        let ids = fleet.ids_of(&name).await.unwrap();
        let held = fleet.held_by(&name).await;
        let cut = Moment::now();
        cut_off(&proxies[node], way);
        let dropped = wait_for_end(&fleet, &name, &run).await;
        ended.add(cut.millis_to(dropped));
        let taken = fleet.wait_for_takers(&held, &name, cut).await;
        handed.extend(taken.values().map(|taken| cut.millis_to(*taken)));
        early += usize::from(taken.get(&run.world).is_some_and(|taken| *taken < dropped));
        proxies[node].set(Way::Open);
        wait_for_new_id(&fleet, &name, &ids).await;
        fleet.wait_for_answers().await;
    }
    slow_down(&fleet, &proxies).await;
    crowd.end().await;
    println!(
        "{partitions} partitions of 1 of {NODES} nodes with {worlds} worlds: its tool ended in {ended}"
    );
    println!("  a world was taken over in {handed}; {early} tools ended behind that");
    fleet.judge().await;
}

/// The node with the most worlds: one that was cut off before has few.
async fn busiest(fleet: &Fleet) -> usize {
    let mut most = (0, 0);
    for (node, process) in fleet.nodes.iter().enumerate() {
        most = most.max((fleet.held_by(&process.name).await.len(), node));
    }
    most.1
}

fn cut_off(proxy: &Proxy, way: Break) {
    match way {
        Break::Blackhole => proxy.set(Way::Blackhole),
        Break::OneWay => proxy.set(Way::Deaf),
        Break::Cut => {
            proxy.set(Way::Blackhole);
            proxy.cut_all();
        }
    }
}

/// Waits until this node runs a tool that goes on and on.
async fn wait_for_run(fleet: &Fleet, name: &str) -> Run {
    let since = Moment::now();
    Trap::Stay(name.to_owned()).set(fleet.folder());
    fleet
        .wait_for_lines("the node runs a tool", |entry| match &entry.line {
            Line::Stays(run) if *entry.process == *name && run.when > since => Some(run.clone()),
            _ => None,
        })
        .await
}

/// Waits until a run has been dropped; says when.
async fn wait_for_end(fleet: &Fleet, name: &str, run: &Run) -> Moment {
    fleet
        .wait_for_lines("the run is ended", |entry| match &entry.line {
            Line::Dropped(ended) if *entry.process == *name && ended.key == run.key => {
                Some(ended.when)
            }
            _ => None,
        })
        .await
}

async fn wait_for_new_id(fleet: &Fleet, name: &str, before: &BTreeSet<NodeId>) {
    until("it is a member under another id", async || {
        let ids = fleet.ids_of(name).await?;
        ids.difference(before).next().map(drop)
    })
    .await;
}

/// Has all lines be slow until everybody was answered.
async fn slow_down(fleet: &Fleet, proxies: &[Proxy]) {
    for proxy in proxies {
        proxy.set(Way::Delay(SLOW));
    }
    fleet.wait_for_answers().await;
    for proxy in proxies {
        proxy.set(Way::Open);
    }
}
