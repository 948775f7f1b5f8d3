use std::collections::BTreeMap;

use crate::command::{Action, Command, WorldAction};
use crate::event::refusal::{Refusal, RefusalReason};
use crate::event::{Event, Labelled, WorldEvent};
use crate::ids::principal::Principal;
use crate::testing::*;

fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

fn label(owner: Option<&str>, pairs: &[(&str, &str)]) -> Command {
    runtime(Action::World(WorldAction::Label {
        owner: owner.map(str::to_owned),
        labels: labels(pairs),
    }))
}

#[test]
fn owner_and_labels_replace_the_ones_before() {
    let labelled = |owner: Option<&str>, pairs: &[(&str, &str)]| Labelled {
        owner: owner.map(str::to_owned),
        labels: labels(pairs),
    };
    let past = Past::began();
    assert_eq!(*past.world.labelled(), Labelled::default());
    let first = label(Some("team-a"), &[("stage", "test"), ("topic", "release")]);
    check(
        &past,
        &first,
        &accepted([Event::World(WorldEvent::Labelled(labelled(
            Some("team-a"),
            &[("stage", "test"), ("topic", "release")],
        )))]),
    );
    let past = past.then(first);
    let past = past.then(label(None, &[("stage", "live")]));
    assert_eq!(*past.world.labelled(), labelled(None, &[("stage", "live")]));
}

#[test]
fn the_same_labels_again_are_no_event() {
    let same = label(Some("team-a"), &[("stage", "test")]);
    check(&Past::began().then(same.clone()), &same, &accepted([]));
    check(&Past::began(), &label(None, &[]), &accepted([]));
}

#[test]
fn labels_that_nobody_could_type_or_keep_are_refused() {
    let long = "x".repeat(129);
    let many: Vec<(String, String)> = (0..17).map(|n| (format!("k{n}"), String::new())).collect();
    let many: Vec<(&str, &str)> = many
        .iter()
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    let cases: [(Command, &str); 7] = [
        (
            label(Some(""), &[]),
            "the owner is empty; leave it out instead",
        ),
        (
            label(Some(&long), &[]),
            "the owner has 129 bytes, at most 128 are allowed",
        ),
        (
            label(None, &[("a b", "")]),
            "the label \"a b\" has a bad name: use letters, digits and . _ - / only",
        ),
        (
            label(None, &[("", "")]),
            "the label \"\" has a bad name: use letters, digits and . _ - / only",
        ),
        (
            label(None, &[("a", &long)]),
            "a has 129 bytes, at most 128 are allowed",
        ),
        (label(None, &[("a", "b\nc")]), "a has a control character"),
        (
            label(None, &many),
            "there are 17 labels, at most 16 are allowed",
        ),
    ];
    for (command, why) in cases {
        check(
            &Past::began(),
            &command,
            &quietly(Refusal::BadLabels {
                why: why.to_owned(),
            }),
        );
    }
}

#[test]
fn agents_and_tools_label_nothing() {
    for principal in [
        Principal::Agent(agent("bob")),
        Principal::Tool(tool("look")),
    ] {
        let command = Command::of(principal, label(None, &[("a", "b")]).action);
        let then = recorded(
            RefusalReason::NotAPerson,
            [refused(&command, RefusalReason::NotAPerson, None)],
        );
        check(&Past::began(), &command, &then);
    }
}
