//! The ten patterns: what each says of itself, and what they show between them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::event::{Event, RoutingRule, TalkEvent};
use folkmoot::script::{Claim, Script, Verb};
use folkmoot_tests::{Cut, Kept, Stage, commits_of};

use crate::scripts;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds/patterns")
}

fn patterns() -> Vec<PathBuf> {
    let all: Vec<PathBuf> = scripts::all()
        .into_iter()
        .filter(|file| file.starts_with(folder()))
        .collect();
    assert_eq!(all.len(), 10);
    all
}

fn stems() -> impl Iterator<Item = String> {
    patterns()
        .into_iter()
        .map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned())
}

/// The rules by which the messages of a run of `file` went, in their order.
async fn rules(file: &Path) -> Vec<RoutingRule> {
    let stage = Stage::of(file, Kept::InMemory);
    let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
    stage.run(&runtime).await.unwrap();
    runtime.shutdown().await;
    let commits = commits_of(stage.store(), &stage.script.world).await;
    let rule = |event: &Event| {
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            Some(routed.rule)
        } else {
            None
        }
    };
    commits
        .iter()
        .flat_map(|commit| &commit.events)
        .filter_map(rule)
        .collect()
}

fn claims(file: &Path) -> Vec<Claim> {
    let script = Script::load(file).unwrap();
    let claims = script.steps.into_iter().flat_map(|step| match step.verb {
        Verb::Expect(expect) => expect.claims,
        _ => Vec::new(),
    });
    claims.map(|(_, claim)| claim).collect()
}

/// The rule after `rule`, until there is none.
const fn next(rule: RoutingRule) -> Option<RoutingRule> {
    use RoutingRule::*;
    match rule {
        Addressed => Some(Named),
        Named => Some(Tag),
        Tag => Some(Reply),
        Reply => Some(Asked),
        Asked => Some(HandedOff),
        HandedOff => Some(MainAgent),
        MainAgent => Some(Everyone),
        Everyone => Some(TooMany),
        TooMany => Some(Unaddressed),
        Unaddressed => Some(Undeliverable),
        Undeliverable => Some(BesideCalls),
        BesideCalls => Some(Joined),
        Joined => None,
    }
}

fn word(rule: RoutingRule) -> String {
    serde_json::to_value(rule)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn patterns_show_every_rule_of_routing_where_their_readme_says() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let mut shown = BTreeSet::new();
    for (file, stem) in patterns().into_iter().zip(stems()) {
        for rule in rules(&file).await {
            shown.insert((word(rule), stem.clone()));
        }
    }
    let every = std::iter::successors(Some(RoutingRule::Addressed), |rule| next(*rule));
    for rule in every.map(word) {
        let row = readme
            .lines()
            .find(|line| line.starts_with(&format!("| `{rule}` |")));
        let row = row.unwrap_or_else(|| panic!("the README does not explain {rule}"));
        let named: Vec<String> = stems()
            .filter(|stem| row.contains(&format!("`{stem}`")))
            .collect();
        let is_shown = |stem: &String| shown.contains(&(rule.clone(), stem.clone()));
        assert!(!named.is_empty() && named.iter().all(is_shown), "{row}");
    }
}

#[tokio::test]
async fn every_pattern_says_where_each_of_its_messages_goes() {
    for file in patterns() {
        let claimed: usize = claims(&file)
            .iter()
            .map(|claim| {
                if let Claim::Routings(routings, _) = claim {
                    routings.len()
                } else {
                    0
                }
            })
            .sum();
        assert_eq!(claimed, rules(&file).await.len(), "{}", file.display());
    }
}

#[test]
fn every_pattern_says_what_it_costs_at_most_and_is_explained() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for file in patterns() {
        let claims = claims(&file);
        let has =
            |is_it: fn(&Claim) -> bool| assert!(claims.iter().any(is_it), "{}", file.display());
        has(|claim| matches!(claim, Claim::ModelCalls(_)));
        has(|claim| matches!(claim, Claim::ModelCallsMax(_)));
        has(|claim| matches!(claim, Claim::NotExhausted));
        has(|claim| matches!(claim, Claim::ReplayIdentical));
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(
            readme.contains(&format!("`{name}`")),
            "the README does not list {name}"
        );
        let text = std::fs::read_to_string(&file).unwrap();
        let top: Vec<&str> = text
            .lines()
            .take_while(|line| line.starts_with('#'))
            .collect();
        assert!(
            top.iter().any(|line| line.starts_with("# Use it ")),
            "{name} does not say when to use it"
        );
        assert!(
            top.contains(&format!("#   folkmoot run examples/worlds/patterns/{name}").as_str()),
            "{name}"
        );
    }
}
