//! `verify`: verdicts and exit codes.

use folkmoot::core::event::{Event, RoutingRule};
use folkmoot::core::ids::{Digest, Incarnation, Position};
use folkmoot::core::port::EventLog as _;
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
            let entry = store.find(&WorldName::new(*name).unwrap()).await.unwrap().unwrap();
            let mut incarnation = Incarnation(1);
            let mut commits = store.read(entry.world, Position::new(1)).await.unwrap();
            while let Some(mut stored) = commits.try_next().await.unwrap() {
                stored.commit.events.iter_mut().for_each(|event| change(name, event));
                let opened =
                    |event: &Event| if let Event::Opened(opened) = event { Some(opened.incarnation) } else { None };
                incarnation = stored.commit.events.iter().find_map(opened).unwrap_or(incarnation);
                copy.append(incarnation, stored.commit).await.unwrap();
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
    for (line, name) in lines[1..].iter().zip(["  reading ", "  re-decision ", "  epoch 1 "]) {
        assert!(line.starts_with(name) && line.contains(" intact "), "{line}");
    }
    assert!(lines[3].contains("events 1 to ") && lines[3].ends_with(", those of this build"), "{}", lines[3]);
    let report = desk.run(&["verify", "release-room", "--json"]).expect(0).document();
    assert_eq!(report["checks"][1]["name"], "re-decision");
    assert_eq!(report["checks"][1]["verdict"], "intact");
    assert_eq!(report["redecision"]["epochs"][0]["to"], report["head"]);
    assert_eq!(desk.run(&["verify", "release-room"]).expect(0).out, verified.out, "verifying writes nothing");
}

#[test]
fn a_forged_routing_is_named_with_what_the_rules_make_of_it() {
    let desk = told();
    let mut at = None;
    let mut position = 0;
    copy(&desk, &["release-room"], |_, event| {
        position += 1;
        if let Event::MessageRouted(routed) = event
            && at.is_none()
        {
            (at, routed.rule) = (Some(position), RoutingRule::Everyone);
        }
    });
    let at = at.unwrap();
    let verified = desk.run(&["verify", "release-room", "--store", "copy"]).expect(5);
    let verified = verified.out_has(&format!("re-decision  diverged at {at} "));
    let verified = verified.out_has(&format!("event {at}, of the command post_message"));
    let shown: Vec<&str> = verified.out.lines().filter(|line| line.contains("\"kind\":\"MessageRouted\"")).collect();
    assert!(shown[0].contains("recorded ") && shown[0].contains(r#""rule":"everyone""#), "{shown:?}");
    assert!(shown[1].contains("recomputed ") && !shown[1].contains("everyone"), "{shown:?}");
    let report = desk.run(&["verify", "release-room", "--store", "copy", "--json"]).expect(5).document();
    assert_eq!(report["checks"][1]["verdict"]["diverged_at"], at);
    assert_eq!(report["redecision"]["first"]["recorded"]["facts"]["rule"], "everyone");
}

#[test]
fn all_worlds_are_verified_and_a_bad_one_hides_no_other() {
    let desk = told();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&["verify", "--all"]).expect(0).out_has("2 worlds: 2 intact");
    copy(&desk, &["denied", "release-room"], |name, event| {
        if let (Event::ModelCalled(called), "denied") = (event, name) {
            called.fingerprint = Digest::of(&[b"another prompt"]);
        }
    });
    let verified = desk.run(&["verify", "--all", "--store", "copy"]).expect(5);
    let verified = verified.out_has("2 worlds: 1 intact, 1 damaged or diverged");
    let (bad, good) = (verified.out.find("diverged at").unwrap(), verified.out.find("release-room").unwrap());
    assert!(bad < good, "{}", verified.out);
    let reports = desk.run(&["verify", "--all", "--store", "copy", "--json"]).expect(5).values();
    assert_eq!(reports.iter().map(|report| &report["world"]).collect::<Vec<_>>(), ["denied", "release-room"]);
}

#[test]
fn what_is_not_there_is_no_verdict() {
    let desk = told();
    desk.run(&["verify", "nowhere"]).expect(3).err_has("there is no world called nowhere");
    desk.run(&["verify", "release-room", "--store", "elsewhere"]).expect(3);
    desk.run(&["verify"]).expect(2);
    desk.run(&["verify", "release-room", "--all"]).expect(2).err_has("cannot be used with");
}
