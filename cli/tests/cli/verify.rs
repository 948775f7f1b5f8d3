//! `verify`: verdicts and exit codes.

use std::path::Path;

use folkmoot::core::event::{Event, RoutingRule, TalkEvent, TurnEvent, WorldEvent};
use folkmoot::core::ids::{Digest, Incarnation, Position};
use folkmoot::core::port::{Custody as _, EventLog as _};
use folkmoot::proof::note::{Checkpoint, SignerKey};
use folkmoot::{OpenMode, Store, WorldName};
use futures::TryStreamExt as _;

use crate::desk::{Desk, example};

fn told() -> Desk {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk
}

/// Copies the worlds `names` to another store, changed.
fn copy(desk: &Desk, names: &[&str], mut change: impl FnMut(&str, &mut Event)) {
    let copied = async {
        let store = Store::open(desk.path("store"), OpenMode::Existing).unwrap();
        let copy = Store::open(desk.path("copy"), OpenMode::Create).unwrap();
        for name in names {
            let entry = store
                .find(&WorldName::new(*name).unwrap())
                .await
                .unwrap()
                .unwrap();
            let mut incarnation = Incarnation(1);
            let mut commits = store.read(entry.world, Position::new(1)).await.unwrap();
            while let Some(mut stored) = commits.try_next().await.unwrap() {
                stored
                    .commit
                    .events
                    .iter_mut()
                    .for_each(|event| change(name, event));
                let opened = |event: &Event| {
                    if let Event::World(WorldEvent::Opened(opened)) = event {
                        Some(opened.incarnation)
                    } else {
                        None
                    }
                };
                incarnation = stored
                    .commit
                    .events
                    .iter()
                    .find_map(opened)
                    .unwrap_or(incarnation);
                copy.append(incarnation, vec![stored.commit]).await.unwrap();
            }
        }
        copy.close().unwrap();
        store.close().unwrap();
    };
    tokio::runtime::Runtime::new().unwrap().block_on(copied);
}

#[test]
fn a_world_that_nobody_touched_is_intact_in_every_check_and_silently() {
    let desk = told();
    let verified = desk.run(&["verify", "release-room"]).expect(0);
    assert_eq!(verified.err, "");
    let lines: Vec<&str> = verified.out.lines().collect();
    assert_eq!(lines[0], "release-room");
    for (line, name) in
        lines[1..]
            .iter()
            .zip(["  integrity ", "  reading ", "  re-decision ", "  epoch 1 "])
    {
        // Nobody has said what it should be.
        if name == "  integrity " {
            assert!(
                line.contains(" not checked ")
                    && line.contains("no anchor of this world was given"),
                "{line}"
            );
            continue;
        }
        assert!(
            line.starts_with(name) && line.contains(" intact "),
            "{line}"
        );
    }
    assert!(
        lines[4].contains("events 1 to ") && lines[4].ends_with(", those of this build"),
        "{}",
        lines[4]
    );
    let report = desk
        .run(&["verify", "release-room", "--json"])
        .expect(0)
        .document();
    assert_eq!(report["checks"][2]["name"], "re-decision");
    assert_eq!(report["checks"][2]["verdict"], "intact");
    assert_eq!(report["redecision"]["epochs"][0]["to"], report["head"]);
    assert_eq!(
        desk.run(&["verify", "release-room"]).expect(0).out,
        verified.out,
        "verifying writes nothing"
    );
}

#[test]
fn a_forged_routing_is_named_with_what_the_rules_make_of_it() {
    let desk = told();
    let mut at = None;
    let mut position = 0;
    copy(&desk, &["release-room"], |_, event| {
        position += 1;
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event
            && at.is_none()
        {
            (at, routed.rule) = (Some(position), RoutingRule::Everyone);
        }
    });
    let at = at.unwrap();
    let verified = desk
        .run(&["verify", "release-room", "--store", "copy"])
        .expect(5);
    let verified = verified.out_has(&format!("re-decision  diverged at {at} "));
    let verified = verified.out_has(&format!("event {at}, of the command post_message"));
    let shown: Vec<&str> = verified
        .out
        .lines()
        .filter(|line| line.contains("\"kind\":\"MessageRouted\""))
        .collect();
    assert!(
        shown[0].contains("recorded ") && shown[0].contains(r#""rule":"everyone""#),
        "{shown:?}"
    );
    assert!(
        shown[1].contains("recomputed ") && !shown[1].contains("everyone"),
        "{shown:?}"
    );
    let report = desk
        .run(&["verify", "release-room", "--store", "copy", "--json"])
        .expect(5)
        .document();
    assert_eq!(report["checks"][2]["verdict"]["diverged_at"], at);
    assert_eq!(
        report["redecision"]["first"]["recorded"]["facts"]["rule"],
        "everyone"
    );
}

#[test]
fn all_worlds_are_verified_and_a_bad_one_hides_no_other() {
    let desk = told();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&["verify", "--all"])
        .expect(0)
        .out_has("2 worlds: 2 right in themselves, no anchor given");
    copy(&desk, &["denied", "release-room"], |name, event| {
        if let (Event::Turn(TurnEvent::ModelCalled(called)), "denied") = (event, name) {
            called.fingerprint = Digest::of(&[b"another prompt"]);
        }
    });
    let verified = desk.run(&["verify", "--all", "--store", "copy"]).expect(5);
    let verified =
        verified.out_has("2 worlds: 1 right in themselves, no anchor given, 1 damaged or diverged");
    let (bad, good) = (
        verified.out.find("diverged at").unwrap(),
        verified.out.find("release-room").unwrap(),
    );
    assert!(bad < good, "{}", verified.out);
    let reports = desk
        .run(&["verify", "--all", "--store", "copy", "--json"])
        .expect(5)
        .values();
    assert_eq!(
        reports
            .iter()
            .map(|report| &report["world"])
            .collect::<Vec<_>>(),
        ["denied", "release-room"]
    );
}

#[test]
fn what_is_not_there_is_no_verdict() {
    let desk = told();
    desk.run(&["verify", "nowhere"])
        .expect(3)
        .err_has("there is no world called nowhere");
    desk.run(&["verify", "release-room", "--store", "elsewhere"])
        .expect(3);
    desk.run(&["verify"]).expect(2);
    desk.run(&["verify", "release-room", "--all"])
        .expect(2)
        .err_has("cannot be used with");
}

/// Writes the anchor of the world as it stands, and gives the public key of who signed it.
fn anchor(desk: &Desk, world: &str, change: impl Fn(&mut Checkpoint)) -> String {
    let signer = SignerKey::generate("desk.example", &[7; 32]).unwrap();
    let written = async {
        let store = Store::open(desk.path("store"), OpenMode::Existing).unwrap();
        let entry = store
            .find(&WorldName::new(world).unwrap())
            .await
            .unwrap()
            .unwrap();
        let head = store.tree_head(entry.world).await.unwrap();
        let (world, root) = (*entry.world.0.as_bytes(), *head.root.as_bytes());
        let mut checkpoint = Checkpoint::of_world(world, head.commits, root, head.of.get());
        change(&mut checkpoint);
        std::fs::write(
            desk.path("anchor"),
            checkpoint.sign(&signer).unwrap().to_string(),
        )
        .unwrap();
        store.close().unwrap();
    };
    tokio::runtime::Runtime::new().unwrap().block_on(written);
    signer.verifier().to_string()
}

#[test]
fn a_world_is_intact_if_an_anchor_says_so_and_damaged_if_it_says_otherwise() {
    let desk = told();
    let key = anchor(&desk, "release-room", |_| {});
    let verify = [
        "verify",
        "release-room",
        "--against",
        "anchor",
        "--trust",
        &key,
    ];
    desk.run(&verify)
        .expect(0)
        .out_has("integrity    intact                   as anchored up to event ");
    desk.run(&["verify", "--all", "--against", "anchor"])
        .expect(0)
        .out_has("1 world: 1 intact");
    anchor(&desk, "release-room", |checkpoint| {
        checkpoint.root = [7; 32]
    });
    desk.run(&verify)
        .expect(5)
        .out_has("integrity    damaged at 1             rewritten between events 1 and ");
    anchor(&desk, "release-room", |checkpoint| checkpoint.size += 1);
    desk.run(&verify)
        .expect(5)
        .out_has("rolled-back head: an anchor covers ");
}

#[test]
fn an_anchor_that_cannot_be_used_is_told_and_is_no_damage() {
    let desk = told();
    let key = anchor(&desk, "release-room", |_| {});
    let stranger = SignerKey::generate("elsewhere.example", &[8; 32])
        .unwrap()
        .verifier()
        .to_string();
    let verify = |key: &str| {
        desk.run(&[
            "verify",
            "release-room",
            "--against",
            "anchor",
            "--trust",
            key,
        ])
    };
    verify(&stranger)
        .expect(6)
        .out_has("none of the given keys has signed the note");
    verify("nonsense").expect(2).err_has("--trust nonsense");
    std::fs::write(desk.path("anchor"), "nothing like it\n").unwrap();
    verify(&key).expect(6).out_has("line 1 of the anchors");
    desk.run(&["verify", "release-room", "--against", "nowhere"])
        .expect(6)
        .err_has("the anchors nowhere");
}

#[test]
fn a_store_that_does_not_open_is_verified_as_far_as_it_goes() {
    let desk = told();
    copy_folder(&desk.path("store"), &desk.path("earlier"));
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    std::fs::copy(
        desk.path("store").join("head"),
        desk.path("earlier").join("head"),
    )
    .unwrap();
    let verified = desk
        .run(&["verify", "--all", "--store", "earlier"])
        .expect(5);
    verified
        .err_has("saves what is whole")
        .out_has("release-room")
        .out_has("cut tail at frame ");
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
