use std::sync::{Arc, OnceLock};

use super::*;
use crate::model::response::LLMResponse;
use crate::spec::AgentSpec;
use crate::spec::rules::Rules;
use crate::testing::*;
use crate::text::firewall::Known;
use crate::text::mentions::{Joined, Names, Roster};

mod artifact;
mod laws;
mod mention;
mod streaming;
mod tag;

/// A room of `bob` (shown as `Bob Lee`), `eve`, `Bob Two` and the person `Bob May`.
fn room() -> (Roster, Known) {
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
    let rules = Rules::check(spec).unwrap();
    let roster = Roster::new(Arc::clone(rules.names()), Arc::new(people));
    (roster, rules.known().clone())
}

/// Where `bob` is about to speak in that room, which is made once.
fn cutter() -> ReplyCutter {
    static ROOM: OnceLock<(Roster, Known)> = OnceLock::new();
    let (roster, known) = ROOM.get_or_init(room).clone();
    ReplyCutter::new(agent("bob"), roster, known)
}

/// What `bob` says, finalised. What is cut leads from the one text to the other.
fn finalise(spoken: &str) -> FinalReply {
    let reply = cutter().whole(spoken);
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
