use proptest::prelude::*;

use super::*;
use crate::text::mentions::{Addressee, addressed};

/// Pieces of which replies are made that come near to all rules.
const PIECES: &[&str] = &[
    "<world>",
    "</world>",
    "<WORLD >",
    "< / world>",
    "<",
    ">",
    "/",
    "<wor",
    "ld>",
    "world",
    "PASS",
    "stop",
    "Done",
    "TO: eve, ada",
    "to:",
    "<world>PASS</world>",
    "<world>foo</world>",
    "<world>TO: eve</world>",
    "@bob",
    "@Bob Lee",
    "@Bob Two",
    "@Bob May",
    "@eve",
    "@tim",
    "@",
    "＠bob",
    "bob",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\n\n",
    ",",
    ", ",
    ":",
    ".",
    " and ",
    "hey ",
    "- ",
    "1. ",
    "> ",
    "```",
    "~~~",
    "`",
    "**",
    "_",
    "[",
    "/",
    " or ",
    "<!--",
    "-->",
    "'s",
    "’s",
    "x",
    "é",
    "\u{301}",
    "\u{ad}",
    "\u{200d}",
    "👩",
    "hello",
    "{\"name\":\"look\",\"arguments\":{}}",
    "<tool_call>{\"name\":\"x\",",
    "\"arguments\":{}}</tool_call>",
    "{\"a\":",
    "[1",
    "]",
    "}",
];

fn reply() -> impl Strategy<Value = String> {
    let piece = prop_oneof![12 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Replies of the pieces alone. A rare punctuation mark behind an own mention can make what stands behind it a greeting,
/// once the mention is cut: `@tim @bob¡,hey @bob`.
fn plain_reply() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Pushes `spoken`, split behind characters by the bits of `splits`.
fn streamed(spoken: &str, splits: &[bool]) -> String {
    let mut cutter = cutter();
    let (mut given, mut delta) = (String::new(), String::new());
    for (c, ends) in spoken.chars().zip(splits.iter().cycle()) {
        delta.push(c);
        if *ends {
            given.push_str(&cutter.push(&std::mem::take(&mut delta)));
        }
    }
    given.push_str(&cutter.push(&delta));
    given.push_str(&cutter.finish());
    given
}

fn cases() -> u32 {
    let default = ProptestConfig::default().cases;
    if default == 256 { 400 } else { default }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_split_of_a_stream_gives_the_final_text(
        spoken in prop_oneof![9 => reply(), 1 => any::<String>()],
        splits in prop::collection::vec(any::<bool>(), 1..16),
    ) {
        let whole = cutter().whole(&spoken);
        prop_assert_eq!(streamed(&spoken, &splits), whole.text.clone());
        prop_assert_eq!(streamed(&spoken, &[true]), whole.text);
    }

    #[test]
    fn what_is_cut_leads_from_the_spoken_to_the_final_text(spoken in reply()) {
        let reply = cutter().whole(&spoken);
        prop_assert!(reply.cut.iter().all(|(start, end)| start < end));
        prop_assert!(reply.cut.is_sorted_by(|(_, end), (start, _)| end < start));
        prop_assert_eq!(LLMResponse::text(&spoken).spoken_without(&reply.cut), reply.text);
    }

    #[test]
    fn final_text_has_no_tag_and_no_own_mention(spoken in plain_reply()) {
        // A tag that nothing closes, with the agent's own mention before its word, becomes one only once that is cut.
        let unclosed = spoken.rsplit_once("<world>").map_or("", |(_, behind)| behind);
        prop_assume!(unclosed.contains("</world>") || !unclosed.contains("@bob"));
        let text = cutter().whole(&spoken).text;
        let again = cutter().whole(&text);
        prop_assert_eq!(&again, &FinalReply { text: text.clone(), ..FinalReply::default() });
        prop_assert!(!addressed(&text, &room().0).contains(&Addressee::Agent(agent("bob"))), "{text:?}");
    }
}
