use super::*;
use crate::text::firewall::{ArtifactFamily, Withheld};

#[test]
fn artifacts_are_cut_and_listed() {
    check_texts(&[
        (
            "So:\n\n{\"name\":\"look\",\"arguments\":{}}\n\nDone.",
            "So:\n\nDone.",
        ),
        (
            "I look. {\"name\":\"look\",\"arguments\":{}} Done.",
            "I look. Done.",
        ),
        ("{\"name\":\"look\",\"arguments\":{}}", ""),
        (
            "```json\n{\"name\":\"look\",\"arguments\":{}}\n```\nDone.",
            "Done.",
        ),
        (
            "{\"name\":\"Alice\",\"arguments\":[\"a\"]}",
            "{\"name\":\"Alice\",\"arguments\":[\"a\"]}",
        ),
        ("Action: look\nAction Input: {}\n@eve hi", "@eve hi"),
        ("@bob, Action: look\nAction Input: {}", ""),
        (
            "<world>DONE</world> Action: look\nAction Input: {}\nok",
            "ok",
        ),
    ]);
    let reply = finalise("é {\"name\":\"look\",\"arguments\":{}} <world>DONE</world> ok");
    let family = ArtifactFamily::OpenaiCall;
    assert_eq!((&*reply.text, reply.tag), ("é ok", Some(RoutingTag::Done)));
    assert_eq!(
        reply.withheld,
        [Withheld {
            from: 3,
            to: 33,
            family
        }]
    );
}

#[test]
fn routing_tags_inside_artifacts_are_not_obeyed() {
    let reply = finalise("{\"name\":\"look\",\"arguments\":{\"a\":\"<world>STOP</world>\"}} ok");
    assert_eq!((&*reply.text, reply.tag), ("ok", None));
}

#[test]
fn a_draft_never_shows_the_beginning_of_an_artifact() {
    let mut cutter = cutter();
    assert_eq!(cutter.push("I look. {\"name\":\"lo"), "I look.");
    assert_eq!(cutter.push("ok\",\"arguments\":{}}"), "");
    assert_eq!(cutter.push(" Done."), " Done.");
}
