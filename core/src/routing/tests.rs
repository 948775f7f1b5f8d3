use super::mentions::{Addressee, Roster, addressed};
use super::{Route, route};
use crate::event::{Author, Others, RoutingReason, RoutingRule};
use crate::testing::*;

/// Whom `text` addresses in the room of the tests, in which `Release Planner` and `Zoë` are as well.
fn whom(text: &str) -> Vec<String> {
    let room = room_with(|spec| {
        spec.agents[0].display = Some(agent("Bob Lee"));
        spec.agents[1].name = agent("Release Planner");
        spec.agents[2].name = agent("Zoë");
    });
    let name = |addressee| match addressee {
        Addressee::Agent(agent) => agent.to_string(),
        Addressee::Person(person) => format!("person {person}"),
        Addressee::Unknown(name) => format!("? {name}"),
    };
    let people = [person("ada").display];
    addressed(text, &Roster::new(&room, people.iter())).into_iter().map(name).collect()
}

#[test]
fn only_mentions_at_the_start_of_a_line_address() {
    assert_eq!(whom("@bob look\nand ask @Zoë"), ["bob"]);
    assert_eq!(whom("look\n  @Zoë now"), ["Zoë"]);
    assert_eq!(whom("mail bob@example.org"), Vec::<String>::new());
}

#[test]
fn line_may_begin_with_several_mentions() {
    assert_eq!(whom("@bob, @Zoë and @Release Planner: go"), ["bob", "Zoë", "Release Planner"]);
}

#[test]
fn names_are_found_without_regard_to_case_the_longest_first() {
    assert_eq!(whom("@BOB LEE hi"), ["bob"]);
    assert_eq!(whom("@release planner's turn"), ["Release Planner"]);
    assert_eq!(whom("@zoë!"), ["Zoë"]);
    assert_eq!(whom("@ada hi"), ["person ada"]);
}

#[test]
fn longer_word_is_another_name() {
    assert_eq!(whom("@bobby hi"), ["? bobby"]);
    assert_eq!(whom("@bob_2 hi"), ["? bob_2"]);
}

#[test]
fn quoted_and_fenced_lines_address_nobody() {
    assert_eq!(whom("> @bob said\n```\n@bob\n~~~\n@bob\n```\n@Zoë"), ["Zoë"]);
}

#[test]
fn agent_does_not_address_itself() {
    let past = Past::began();
    let own = route(&past.world, &Author::Agent(agent("bob")), "@bob and @eve go");
    let expected = Route {
        rule: RoutingRule::Addressed,
        respond: vec![(agent("eve"), RoutingReason::Mentioned)],
        others: Others::Store,
        unknown: Vec::new(),
        nearest: Vec::new(),
    };
    assert_eq!(own, expected);
}

#[test]
fn agent_that_addresses_nobody_wakes_nobody() {
    let past = Past::began();
    let said = route(&past.world, &Author::Agent(agent("bob")), "all is well");
    assert_eq!((said.rule, said.respond), (RoutingRule::Unaddressed, Vec::new()));
}
