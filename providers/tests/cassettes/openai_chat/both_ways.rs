//! Chunks of the common shape are read by a shortcut. A field that says nothing, but that it does not know, sends a
//! chunk the long way.

use folkmoot_providers::codec::{OpenAiChat, Wire};

use crate::recording::exchanges;
use crate::stream;

#[test]
fn every_recorded_stream_gives_the_same_answer_the_long_way() {
    let streams: Vec<String> = exchanges(Wire::OpenaiChat)
        .into_iter()
        .filter(|exchange| exchange.stream)
        .map(|exchange| exchange.body)
        .collect();
    for body in &streams {
        let long = body.replace("data: {", "data: {\"unheard_of\":null,");
        let codec = OpenAiChat::default();
        assert_eq!(
            stream(&codec, [body.as_bytes()]),
            stream(&codec, [long.as_bytes()]),
            "{body}"
        );
    }
    println!("{} recorded streams decoded both ways", streams.len());
}
