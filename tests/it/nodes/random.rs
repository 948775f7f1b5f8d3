//! Random lives of several nodes: one holder acts, and once all is well again everybody's worlds are held.

use std::sync::Arc;
use std::time::Duration;

use super::stage::{House, Process, Start, Weather, pass, pass_until};

/// How many lives are tried; `tests/long.sh` tries more.
pub(super) fn lives() -> u64 {
    std::env::var("FOLKMOOT_NODE_LIVES").map_or(25, |lives| lives.parse().unwrap())
}

/// A life: nodes that come, go and are cut off, for as many deeds.
async fn live(seed: u64) {
    const WORLDS: u8 = 12;
    const DEEDS: usize = 60;
    let house = House::new();
    let mut random = fastrand::Rng::with_seed(seed);
    house.worlds(0..WORLDS, &[]).await;
    let mut next = seed * 1_000;
    let mut processes = Vec::new();
    for _ in 0..4 {
        processes.push(start(&house, &mut next).await);
    }
    for _ in 0..DEEDS {
        let place = random.usize(..processes.len());
        match random.u8(..12) {
            0 => {
                processes.swap_remove(place).kill().await;
                processes.push(start(&house, &mut next).await);
            }
            1 => {
                // It ends while the others live on.
                processes[place].wire.set(Weather::Fair);
                processes[place].thaw();
                processes[place].stop();
                let all: Vec<&Process> = processes.iter().collect();
                let has_ended = || all[place].has_ended();
                pass_until(&house, &all, Duration::from_secs(60), has_ended).await;
                processes[place] = start(&house, &mut next).await;
            }
            2 | 3 => processes[place].freeze(),
            4 => {
                let suspended = Duration::from_millis(random.u64(..8_000));
                processes[place].machine.suspend(suspended);
            }
            5 => processes.iter().for_each(Process::thaw),
            6 => processes
                .iter()
                .for_each(|process| process.wire.set(Weather::Fair)),
            7 => {
                let weather = weather(&mut random);
                processes
                    .iter()
                    .for_each(|process| process.wire.set(weather));
            }
            _ => processes[place].wire.set(weather(&mut random)),
        }
        let all: Vec<&Process> = processes.iter().collect();
        let time = Duration::from_millis(random.u64(..5_000));
        pass(&house, &all, time).await;
    }
    let all: Vec<&Process> = processes.iter().collect();
    for process in &all {
        process.wire.set(Weather::Fair);
        process.thaw();
    }
    let held = || {
        let held = all.iter().map(|process| process.shelf.acting().len());
        held.sum::<usize>() == usize::from(WORLDS)
    };
    // A minute: whoever was cut off while it opened a world leaves it alone for so long.
    pass_until(&house, &all, Duration::from_secs(90), held).await;
}

async fn start(house: &Arc<House>, next: &mut u64) -> Process {
    *next += 1;
    Process::start(house, *next, Start::default()).await
}

pub(super) fn weather(random: &mut fastrand::Rng) -> Weather {
    match random.u8(..5) {
        0 => Weather::Away,
        1 => Weather::Deaf,
        2 => Weather::Mute,
        3 => Weather::Slow(random.u64(..1_800)),
        _ => Weather::Fair,
    }
}

#[tokio::test(start_paused = true)]
async fn one_holder_acts_whatever_becomes_of_the_nodes() {
    for seed in 0..lives() {
        println!("life {seed}");
        live(seed).await;
    }
}
