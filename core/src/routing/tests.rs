use super::{Route, route};
use crate::event::{Author, Others, RoutingReason, RoutingRule};
use crate::testing::*;

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
