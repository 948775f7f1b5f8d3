//! Stories that are lived in every run of the tests.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may")]

use std::ops::Range;
use std::time::Duration;

use folkmoot_sim::{
    Goes, Story, StoryCounts, StoryDeed, StoryFault, breaks, generate, generate_around, live_all,
    shrink, simulate,
};

/// The seeds that are lived: few by default, or as `FOLKMOOT_SIM_SEEDS` says, as `A..B`.
fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("FOLKMOOT_SIM_SEEDS") else {
        return default;
    };
    let (from, to) = text.split_once("..").expect("FOLKMOOT_SIM_SEEDS is A..B");
    from.parse().unwrap()..to.parse().unwrap()
}

/// How long each story is, in simulated seconds.
const SECONDS: u64 = 600;

#[test]
fn every_law_holds_in_every_story() {
    let (mut counts, mut time, mut broken) = (StoryCounts::default(), Duration::ZERO, Vec::new());
    let seeds = seeds(0..16);
    live_all(
        seeds.clone(),
        &|seed| generate(seed, SECONDS),
        &mut |seed, lived| {
            let lived = lived.unwrap();
            counts.add(&lived.counts);
            time += lived.time;
            broken.extend(
                lived
                    .result
                    .err()
                    .map(|violation| (seed, violation.to_string())),
            );
            true
        },
    );
    broken.sort();
    for (seed, violation) in &broken {
        let violation: String = violation.chars().take(700).collect();
        println!("folkmoot-sim --seeds {seed}..{}: {violation}", seed + 1);
    }
    println!(
        "{seeds:?}: {time:?} lived, {counts:?}, {} violations",
        broken.len()
    );
    assert!(broken.is_empty());
}

/// Nothing goes wrong but that processes are taken over, each while somebody has just done something.
#[test]
fn whoever_has_lost_a_room_acts_no_more_in_it() {
    let mut lost = 0;
    for seed in 0..12 {
        let mut story = generate(seed, 120);
        let behind = |deed: &StoryDeed| StoryFault {
            at_us: deed.at_us + 2_000_000,
            goes: Goes::TakenOver,
        };
        story.faults = story.deeds.iter().map(behind).collect();
        let lived = simulate(&story).unwrap();
        lost += lived.counts.faults.get("rooms lost").unwrap_or(&0);
        assert_eq!(lived.result, Ok(()), "seed {seed}");
    }
    assert!(lost > 10, "rooms were lost {lost} times");
}

#[test]
fn the_same_story_makes_the_same_bytes() {
    let mut lives = [Vec::new(), Vec::new()];
    for lives in &mut lives {
        live_all(
            seeds(0..8),
            &|seed| generate(seed, 60),
            &mut |seed, lived| {
                lives.push((seed, lived.unwrap()));
                true
            },
        );
        lives.sort_by_key(|(seed, _)| *seed);
    }
    let [first, second] = lives;
    assert!(!first.is_empty());
    for (first, second) in first.into_iter().zip(second) {
        assert_eq!(first, second);
    }
}

/// Set where the test below runs itself in another process.
const CHILD: &str = "FOLKMOOT_SIM_CHILD";

#[test]
fn another_process_makes_the_same_bytes() {
    let lines = (0..6).map(|seed| {
        let lived = simulate(&generate(seed, 120)).unwrap();
        format!("seed {seed} {:?} {:?}", lived.digest, lived.counts)
    });
    let lines: Vec<String> = lines.collect();
    if std::env::var_os(CHILD).is_some() {
        lines.iter().for_each(|line| println!("{line}"));
        return;
    }
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "another_process_makes_the_same_bytes",
            "--exact",
            "--nocapture",
        ])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let told = String::from_utf8(child.stdout).unwrap();
    let told: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with("seed "))
        .collect();
    assert_eq!(told, lines);
}

#[test]
fn a_story_that_is_written_down_is_read_as_it_was() {
    for seed in 0..100 {
        let story = generate(seed, SECONDS);
        assert_eq!(Story::from_yaml(&story.to_yaml().unwrap()), Ok(story));
    }
}

#[test]
fn a_story_ends_in_another_executor_as_on_a_plain_thread() {
    let story = generate(3, 60);
    let plain = simulate(&story).unwrap();
    let elsewhere = std::thread::spawn(move || simulate(&story).unwrap())
        .join()
        .unwrap();
    assert_eq!(plain, elsewhere);
}

/// Prints a shorter story of each seed that breaks a law: `folkmoot-sim` does the same.
#[test]
#[ignore = "it is no test: it shows what a failing one found"]
fn shrink_what_is_broken() {
    for seed in seeds(0..0) {
        let story = generate(seed, SECONDS);
        if let Err(violation) = simulate(&story).unwrap().result {
            let story = shrink(story, &mut |story| breaks(story, violation.law));
            println!(
                "seed {seed}: {}\n{}",
                simulate(&story).unwrap().result.unwrap_err(),
                story.to_yaml().unwrap()
            );
        }
    }
}

/// Stories that broke a law once, shortened.
#[test]
fn what_was_mended_stays_mended() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("stories");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let story = Story::from_yaml(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(
            simulate(&story).unwrap().result,
            Ok(()),
            "{}",
            file.display()
        );
    }
}

/// A room whose tool takes longer than it may, and may not run again: people are asked what became of it, and nobody says.
const DOUBT: &str = r#"{
    "world": "doubt", "models": { "scripted": { "provider": "scripted" } }, "defaults": { "model": "scripted" },
    "agents": [{ "name": "worker", "prompt": "You push.", "tools": ["push"] }],
    "tools": { "push": { "use": "scripted", "description": "Pushes.", "effect": "destructive", "timeout": "1s",
        "schema": { "type": "object" }, "results": [{ "text": "pushed", "takes": "1h" }] } },
    "policy": { "mode": "auto", "main_agent": "worker" },
    "replies": { "worker": [{ "calls": [{ "tool": "push", "args": {} }] }, { "text": "I do not know." }] },
    "script": [{ "say": "Please push", "as": "ada" }, { "expect": { "message": { "from": "worker" } } }]
}"#;

#[test]
fn an_unknown_outcome_that_waits_breaks_no_law() {
    for seed in 0..4 {
        let script = serde_json::from_str(DOUBT).unwrap();
        assert_eq!(
            simulate(&generate_around(script, seed, 60)).unwrap().result,
            Ok(()),
            "seed {seed}"
        );
    }
}
