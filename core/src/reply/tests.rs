use std::sync::Arc;

use super::*;
use crate::response::LLMResponse;
use crate::routing::mentions::{Joined, Names};
use crate::rules::Rules;
use crate::spec::AgentSpec;
use crate::testing::*;

mod artifact;
mod laws;
mod mention;
mod streaming;
mod tag;

/// A room of `bob` (shown as `Bob Lee`), `eve`, `Bob Two` and the person `Bob May`.
fn roster() -> Roster {
    let spec = room_with(|spec| {
        let bob = AgentSpec {
            display: Some(agent("Bob Lee")),
            ..spec.agents[0].clone()
        };
        let two = AgentSpec {
            name: agent("Bob Two"),
            ..spec.agents[1].clone()
        };
        spec.agents = vec![bob, spec.agents[1].clone(), two];
    });
    let mut people = Names::default();
    people.insert(
        "Bob May",
        Joined {
            person: person("Bob May").display,
            at: at(3),
        },
    );
    Roster::new(Arc::new(Rules::check(spec).unwrap()), Arc::new(people))
}

/// What `bob` says, finalised. What is cut leads from the one text to the other.
fn finalise(spoken: &str) -> FinalReply {
    let reply = FinalReply::of(spoken, &agent("bob"), &roster());
    assert_eq!(
        LLMResponse::text(spoken).spoken_without(&reply.cut),
        reply.text,
        "{spoken:?}"
    );
    assert!(
        reply.cut.is_sorted_by(|(_, end), (start, _)| end < start),
        "{spoken:?}: {:?}",
        reply.cut
    );
    reply
}

/// Holds each spoken text of a table against what people read.
#[track_caller]
fn check_texts(table: &[(&str, &str)]) {
    for (spoken, expected) in table {
        assert_eq!(finalise(spoken).text, *expected, "{spoken:?}");
    }
}
