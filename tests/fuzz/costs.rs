//! What reads what models speak costs little for each byte, whatever is repeated.

use crate::bounds::bounded;
use crate::targets::named;

/// How long the texts are, unless `FOLKMOOT_TEXT_BYTES` says otherwise: as much as a model answers with are 300,000.
const LEN: usize = 60_000;

fn repeated(piece: &str) -> String {
    let len = match std::env::var("FOLKMOOT_TEXT_BYTES") {
        Ok(len) => len.parse().unwrap(),
        Err(_) => LEN,
    };
    piece.repeat(len / piece.len())
}

/// What begins a comment that ends nowhere, also as it is written into a text once and twice.
const COMMENTS: [&str; 5] = ["[/*", "{/*", "[//", "[\\n/*", "[\\\\n/*"];

/// Tags that nothing closes, and calls that nothing follows.
const UNFINISHED: [&str; 8] = [
    "<",
    "[//\",\n",
    "{\"name\": \"search\", \"arguments\": {",
    "<tool_result>x",
    "<tool_code>x",
    "<tool_result>x<tool_output>x<function_results>x<function_response>x",
    "</tool_result<tool_result>x",
    "Action: search\n",
];

#[test]
fn what_is_begun_again_and_again_and_never_ends_costs_little_for_each_byte() {
    for text in UNFINISHED {
        bounded(repeated(text).as_bytes(), named("firewall").law);
    }
}

#[test]
fn comments_without_an_end_cost_little_for_each_byte() {
    for comment in COMMENTS {
        bounded(repeated(comment).as_bytes(), named("firewall").law);
    }
}

#[test]
fn brackets_that_may_begin_routing_tags_cost_little_for_each_byte() {
    bounded("<".repeat(200_000).as_bytes(), named("mentions").law);
}
