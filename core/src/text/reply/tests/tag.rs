use super::*;

/// Holds each spoken text against its tag, its names, and whether it is warned of.
#[track_caller]
fn check_tags(table: &[(&str, Option<RoutingTag>, &[&str], bool)]) {
    for (spoken, tag, to, has_unknown) in table {
        let reply = finalise(spoken);
        let warnings: &[&str] = if *has_unknown {
            &["unknown_routing_tag"]
        } else {
            &[]
        };
        assert_eq!(
            (reply.tag, &*reply.to, &*reply.warnings),
            (
                *tag,
                &*to.iter().map(ToString::to_string).collect::<Vec<_>>(),
                warnings
            ),
            "{spoken:?}"
        );
    }
}

#[test]
fn routing_tags_are_read_in_any_case_and_place() {
    use RoutingTag::{Done, Pass, Stop, To};
    check_tags(&[
        ("well", None, &[], false),
        ("<world>STOP</world>", Some(Stop), &[], false),
        ("ok <World> done </WORLD> then", Some(Done), &[], false),
        ("< world >\npass\n< / world >", Some(Pass), &[], false),
        ("`<world>PASS</world>`", Some(Pass), &[], false),
        ("```\n<world>PASS</world>\n```", Some(Pass), &[], false),
        ("> <world>PASS</world>", Some(Pass), &[], false),
        ("<world>TO: eve</world>", Some(To), &["eve"], false),
        (
            "<world>to : @eve, Bob Two ,,</world>",
            Some(To),
            &["eve", "Bob Two"],
            false,
        ),
        ("<world>TO:\na,\nb</world>", Some(To), &["a", "b"], false),
        (
            "<world>TO: a</world> x <world>TO: b</world>",
            Some(To),
            &["a", "b"],
            false,
        ),
        (
            "<world>TO: a</world><world>PASS</world>",
            Some(Pass),
            &[],
            false,
        ),
        (
            "<world>PASS</world><world>STOP</world><world>DONE</world>",
            Some(Stop),
            &[],
            false,
        ),
        ("<world>FOO</world>", None, &[], true),
        ("<world>TO:</world> <world></world>", None, &[], true),
        (
            "<world>PASS</world> <world>x</world>",
            Some(Pass),
            &[],
            true,
        ),
        ("the world passes", None, &[], false),
        ("<worlds>PASS</worlds>", None, &[], false),
        ("<wor ld>PASS</world>", None, &[], false),
        ("<world PASS</world>", None, &[], false),
    ]);
}

#[test]
fn known_word_at_the_end_of_a_line_needs_no_closing_bracket() {
    use RoutingTag::{Pass, Stop, To};
    check_tags(&[
        ("ok <world>pass", Some(Pass), &[], false),
        ("ok <world>pass \nand", Some(Pass), &[], false),
        ("<world>\n pass\nand", Some(Pass), &[], false),
        ("<world>PASS</wor", Some(Pass), &[], false),
        ("<world>TO: a, b\nhello", Some(To), &["a", "b"], false),
        ("<world>TO: a,\nhello", None, &[], false),
        ("<world>pass <world>stop</world>", Some(Stop), &[], false),
        ("<world>pass the salt", None, &[], false),
        ("<world>foo\n", None, &[], false),
        ("<world", None, &[], false),
    ]);
    check_texts(&[
        ("ok <world>pass \nand", "ok\nand"),
        ("ok <world>pass\n</world>\nand", "ok\nand"),
        ("ok <world>pass\nand </world>", "ok\nand </world>"),
        ("<world>PASS</wor", ""),
        ("<world>pass the salt", "<world>pass the salt"),
        ("<world>foo\nbar", "<world>foo\nbar"),
    ]);
}

#[test]
fn tag_goes_with_the_blank_or_the_line_that_would_stay() {
    check_texts(&[
        ("@eve ok <world>pass</world>", "@eve ok"),
        ("Hello <world>DONE</world> there", "Hello there"),
        ("Hello<world>DONE</world> there", "Hello there"),
        ("Hello <world>DONE</world>, there", "Hello , there"),
        ("Hel<world>DONE</world>lo", "Hello"),
        ("Hello\n<world>DONE</world>\nthere", "Hello\nthere"),
        ("Hello\r\n<world>DONE</world>\r\nthere", "Hello\r\nthere"),
        ("Hello\n\n<world>DONE</world>\n\nthere", "Hello\n\nthere"),
        ("Hello\n<world>DONE</world>\n\nthere", "Hello\n\nthere"),
        ("Hello\n<world>DONE</world>", "Hello"),
        ("Hello\n\n<world>DONE</world>\n", "Hello"),
        ("<world>DONE</world>\nHello", "Hello"),
        ("<world>DONE</world>\n\n    Hello", "    Hello"),
        ("<world>DONE</world> Hello", "Hello"),
        ("Hello <world>DONE</world>\nthere", "Hello\nthere"),
        ("Hello\n  <world>DONE</world> there", "Hello\n  there"),
        (
            "Hello <world>DONE</world> <world>PASS</world> there",
            "Hello there",
        ),
        (
            "Hello\n<world>DONE</world>\n<world>PASS</world>\nthere",
            "Hello\nthere",
        ),
        (" <world>DONE</world>\n", ""),
        (" \n ", ""),
        ("  Hello \n", "  Hello \n"),
    ]);
}

#[test]
fn no_tag_appears_because_another_one_is_cut() {
    check_texts(&[
        ("<wor<world>PASS</world>ld>STOP</world>", ""),
        ("<world>a<world>PASS</world>b</world>", ""),
        ("<world>ST<world>PASS</world>OP</world>!", "!"),
        ("<world><world>PASS</world>", "<world>"),
        ("a<b <world>PASS</world> c>d", "a<b c>d"),
        ("a </world> b", "a </world> b"),
    ]);
    assert_eq!(
        finalise("<wor<world>PASS</world>ld>STOP</world>").tag,
        Some(RoutingTag::Stop)
    );
}

#[test]
fn tag_that_is_too_long_is_none() {
    let long = format!("<world>{}</world> <world>PASS</world>", "x".repeat(5_000));
    let reply = finalise(&long);
    assert_eq!(
        (reply.tag, reply.text.len()),
        (
            Some(RoutingTag::Pass),
            long.len() - " <world>PASS</world>".len()
        )
    );
    let short = format!("<world>{}</world>", "x".repeat(4_000));
    assert_eq!(finalise(&short).text, "");
}

#[test]
fn what_is_cut_is_told_in_bytes_of_the_spoken_text() {
    let expected = FinalReply {
        text: UserText::new("é ok".to_owned()),
        cut: vec![(3, 23), (25, 45)],
        tag: Some(RoutingTag::Pass),
        to: Vec::new(),
        warnings: Vec::new(),
        ..FinalReply::default()
    };
    assert_eq!(
        finalise("é <world>PASS</world> ok <world>PASS</world>"),
        expected
    );
}
