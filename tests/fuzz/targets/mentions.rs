//! Mentions, routing tags and the end of replies.

use std::sync::{Arc, LazyLock};

use folkmoot::core::event::{Event, WorldEvent, WorldOpened};
use folkmoot::core::ids::{AgentName, PersonName, Position};
use folkmoot::core::spec::rules::Rules;
use folkmoot::core::spec::{AgentSpec, WorldSpec};
use folkmoot::core::text::firewall::Known;
use folkmoot::core::text::mentions::{Addressee, Joined, Names, Roster, addressed, mentioned};
use folkmoot::core::text::reply::ReplyCutter;
use folkmoot_tests::golden_commit;

use crate::corpus;

static ROOM: LazyLock<(Roster, Known)> = LazyLock::new(|| {
    let log = corpus::files("tests/golden/v4", "denied.jsonl").concat();
    let first = golden_commit(std::str::from_utf8(&log).unwrap().lines().next().unwrap())
        .events
        .remove(0);
    let Event::World(WorldEvent::WorldOpened(WorldOpened { spec, .. })) = first else {
        panic!("a log begins with its world")
    };
    let agent = |name: &str| AgentSpec {
        name: AgentName::new(name).unwrap(),
        ..spec.agents[0].clone()
    };
    let agents = ["ops", "Release Lead", "Zoë", "مساعد"].map(agent).into();
    let spec = WorldSpec {
        agents,
        models: spec.models,
        tools: spec.tools,
        ..WorldSpec::default()
    };
    let mut people = Names::default();
    for name in ["ada", "Ada Lovelace"] {
        people.insert(
            name,
            Joined {
                person: PersonName::new(name).unwrap(),
                at: Position::new(3),
            },
        );
    }
    let rules = Rules::check(spec).unwrap();
    let roster = Roster::new(Arc::clone(rules.names()), Arc::new(people));
    (roster, rules.known().clone())
});

/// Whom a text names is told once each, and exists. A reply that streams reads as the whole one does; what is cut of it
/// and what people read are together what was spoken. The first byte says how the text is split.
pub(crate) fn law(input: &[u8]) {
    let Some((seed, text)) = input.split_first() else {
        return;
    };
    let text = String::from_utf8_lossy(&text[..text.len().min(super::firewall::TEXT_MAX)]);
    let (roster, known) = &*ROOM;
    let found = addressed(&text, roster);
    for (at, who) in found.iter().enumerate() {
        assert!(!found[..at].contains(who), "{who:?} twice");
        let (Addressee::Agent(_) | Addressee::Person(_)) = who else {
            continue;
        };
        assert_eq!(roster.called(&name(who)), *who);
    }
    assert!(mentioned(&text, roster).len() <= 3);
    let agent = AgentName::new("ops").unwrap();
    let cutter = || ReplyCutter::new(agent.clone(), roster.clone(), known.clone());
    let whole = cutter().whole(&text);
    let mut cutter = cutter();
    let mut streamed = String::new();
    super::firewall::pieces(&text, 1 + usize::from(*seed) % 9)
        .for_each(|piece| streamed += &cutter.push(piece));
    streamed += &cutter.finish();
    assert_eq!(streamed, &*whole.text);
    let cut: usize = whole
        .cut
        .iter()
        .map(|(from, to)| (to - from) as usize)
        .sum();
    assert!(
        streamed.is_empty() || streamed.len() + cut == text.len(),
        "{} and {cut} of {}",
        streamed.len(),
        text.len()
    );
}

fn name(who: &Addressee) -> String {
    match who {
        Addressee::Agent(agent) => agent.to_string(),
        Addressee::Person(person) => person.to_string(),
        Addressee::Unknown(name) => name.clone(),
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let own = corpus::texts(&[
        "@ops please look, and @Ada Lovelace as well\n- @Zoë, @مساعد: now",
        "> @ops said\n```\n@ops in code\n```\nhello @release lead, `@ada` and @nobody",
        "<world>TO @ada, @zoë</world> It is done.\n\n@ops @ada @ops thanks",
        "<world>EVERYONE</world>\n1. Hi @ＡＤＡ!\n* @re\u{200d}lease\u{a0}lead",
    ]);
    corpus::split([own, corpus::files("tests/worlds", "tags.yaml")].concat())
}
