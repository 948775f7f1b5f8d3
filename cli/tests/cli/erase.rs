//! `erase`: what people wrote is gone from the store, and who wanted that stays.

use std::fs;
use std::path::Path;

use crate::desk::Desk;

const CANARY: &str = "canary-77f0d2";

fn room(policy: &str) -> String {
    format!(
        r#"
world: room
models: {{ scripted: {{ provider: scripted }} }}
defaults: {{ model: scripted }}
agents:
  - {{ name: worker, prompt: You listen. }}
policy: {{ main_agent: worker{policy} }}
replies:
  worker:
    - text: "@ada I see: My secret word is {CANARY} and nothing else. Noted"
    - text: "@bob nothing"
script:
  - say: My secret word is {CANARY} and nothing else.
    as: ada
  - idle: {{}}
  - say: What is new?
    as: bob
  - idle: {{}}
"#
    )
}

fn desk(policy: &str) -> Desk {
    let desk = Desk::new();
    desk.write("room.yaml", &room(policy));
    desk.run(&["run", "room.yaml"]).expect(0);
    desk
}

fn has_canary(folder: &Path) -> bool {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .any(|path| {
            if path.is_dir() {
                return has_canary(&path);
            }
            fs::read(&path)
                .unwrap()
                .windows(CANARY.len())
                .any(|window| window == CANARY.as_bytes())
        })
}

#[test]
fn what_a_person_gave_is_erased_and_who_repeats_it_is_named() {
    let desk = desk("");
    let erase = [
        "erase",
        "room",
        "--person",
        "ada",
        "--basis",
        "article 17",
        "--as",
        "eve",
    ];
    let listed = desk
        .run(&[&erase[..], &["--dry-run", "--json"]].concat())
        .expect(0)
        .values()
        .remove(0);
    assert!(
        listed["done"].is_null() && listed["count"].as_u64() > Some(0),
        "{listed}"
    );
    let quotes = listed["quotes"].as_array().unwrap();
    assert_eq!(
        quotes.len(),
        2,
        "the script's replies in the definition, and the worker's answer: {listed}"
    );
    assert!(
        !desk.kinds("room").contains(&"ErasureRequested".to_owned()),
        "nothing is done"
    );
    desk.run(&erase)
        .expect(0)
        .out_has("eve erased the content of")
        .out_has("  on the basis of: article 17")
        .out_has(&format!("word for word: {} {}", quotes[0], quotes[1]));
    let asked = desk
        .run(&["log", "room", "--json", "--kind", "ErasureRequested"])
        .expect(0)
        .values();
    assert_eq!(asked[0]["content"], "article 17");
    assert_eq!(
        asked[0]["principal"]["person"]["display"], "eve",
        "{asked:?}"
    );
    assert!(desk.kinds("room").contains(&"Erased".to_owned()));
    let log = desk.run(&["log", "room"]).expect(0);
    assert!(
        log.out.contains("[erased]") && log.out.contains("What is new?"),
        "{log:?}"
    );
    let again = desk.run(&erase).expect(2);
    assert!(again.err.contains("no content left"), "{again:?}");
}

#[test]
fn an_episode_goes_with_all_that_was_repeated_in_it() {
    let desk = desk("");
    let said = desk
        .run(&["log", "room", "--json", "--kind", "MessagePosted"])
        .expect(0)
        .values();
    let episode = said[0]["position"].to_string();
    let erase = [
        "erase",
        "room",
        "--episode",
        &episode,
        "--basis",
        "article 17",
        "--as",
        "eve",
        "--json",
    ];
    let gone = desk.run(&erase).expect(0).values().remove(0);
    assert_eq!(
        gone["quotes"],
        serde_json::json!([1]),
        "the script's replies in the definition: {gone}"
    );
    for arguments in [
        &["log", "room", "--json", "--from", "3"][..],
        &["replay", "room", "--json"],
        &["why", "room", &episode],
    ] {
        assert!(
            !desk.run(arguments).expect(0).out.contains(CANARY),
            "{arguments:?}"
        );
    }
    desk.run(&["log", "room"]).expect(0).out_has("What is new?");
    desk.run(&["resume", "room"]).expect(0);
}

#[test]
fn events_are_erased_by_their_numbers() {
    let desk = desk("");
    desk.run(&["erase", "room", "0", "--basis", "b"]).expect(2);
    desk.run(&["erase", "room", "9-3", "--basis", "b"])
        .expect(2);
    desk.run(&["erase", "room", "3-9999", "--basis", "b"])
        .expect(2);
    desk.run(&["erase", "room", "--basis", "b"]).expect(2);
    desk.run(&["erase", "nowhere", "3", "--basis", "b"])
        .expect(3);
    let last = desk.kinds("room").len();
    desk.run(&[
        "erase",
        "room",
        &format!("4-{last}"),
        "--basis",
        "b",
        "--as",
        "eve",
    ])
    .expect(0);
    assert!(
        !desk
            .run(&["log", "room", "--json", "--from", "4"])
            .expect(0)
            .out
            .contains("What is new?")
    );
}

#[test]
fn a_sealed_room_has_nothing_in_its_files_before_and_no_key_of_a_person_behind() {
    let desk = desk(", privacy: sealed");
    assert!(!has_canary(&desk.path("store")));
    assert!(
        desk.run(&["log", "room", "--json"])
            .expect(0)
            .out
            .contains(CANARY)
    );
    let keys = || {
        fs::read_dir(
            fs::read_dir(desk.path("store/keys"))
                .unwrap()
                .next()
                .unwrap()
                .unwrap()
                .path(),
        )
        .unwrap()
        .count()
    };
    let before = keys();
    desk.run(&[
        "erase",
        "room",
        "--person",
        "ada",
        "--basis",
        "article 17",
        "--as",
        "eve",
    ])
    .expect(0);
    assert_eq!(keys(), before - 1);
    desk.run(&["log", "room"]).expect(0).out_has("What is new?");
    desk.write("open.yaml", &room(""));
    let changed = desk.run(&["run", "open.yaml"]);
    assert!(
        changed.code != 0 && changed.err.contains("privacy"),
        "{changed:?}"
    );
}
