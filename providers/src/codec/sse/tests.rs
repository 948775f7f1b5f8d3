use proptest::prelude::*;

use super::*;

type Event = (String, Vec<u8>);

fn event(name: &str, data: &str) -> Event {
    (name.into(), data.into())
}

fn push(parser: &mut SseParser, bytes: &[u8]) -> Result<Vec<Event>, DecodeError> {
    let mut events = Vec::new();
    let mut keep = |name: &str, data: &[u8]| {
        events.push((name.to_owned(), data.to_vec()));
        Ok(())
    };
    parser.push(bytes, &mut keep)?;
    Ok(events)
}

fn parse(pieces: &[&[u8]]) -> Vec<Event> {
    let mut parser = SseParser::default();
    let mut events: Vec<_> = pieces
        .iter()
        .flat_map(|piece| push(&mut parser, piece).unwrap())
        .collect();
    let rest = parser.finish(|name, data| {
        events.push((name.to_owned(), data.to_vec()));
        Ok(())
    });
    rest.unwrap();
    events
}

#[test]
fn lines_may_end_with_lf_cr_or_crlf() {
    for ending in ["\n", "\r", "\r\n"] {
        let text = format!("data: a{ending}{ending}data:b{ending}data: c{ending}{ending}");
        assert_eq!(
            parse(&[text.as_bytes()]),
            [event("", "a"), event("", "b\nc")],
            "{ending:?}"
        );
    }
}

#[test]
fn comments_ids_and_unknown_fields_are_read_over() {
    let text = ": PROCESSING\n\nid: 7\nretry: 10\nwhat\ndata: x\n\n: bye\n\n";
    assert_eq!(parse(&[text.as_bytes()]), [event("", "x")]);
}

#[test]
fn an_event_has_the_last_name_given_and_the_next_one_has_none() {
    assert_eq!(
        parse(&[b"event: a\nevent: error\ndata: 1\n\ndata: 2\n\n"]),
        [event("error", "1"), event("", "2")]
    );
}

#[test]
fn only_one_blank_is_taken_from_the_value() {
    assert_eq!(
        parse(&[b"data:  x\ndata:\ndata\n\n"]),
        [event("", " x\n\n")]
    );
}

#[test]
fn a_byte_order_mark_is_taken_from_the_first_line_only() {
    assert_eq!(
        parse(&[b"\xEF\xBB\xBFdata: x\n\n\xEF\xBB\xBFdata: y\n\n"]),
        [event("", "x")]
    );
    assert_eq!(
        parse(&[b"\xEF", b"\xBB", b"\xBFdata: x\n\n"]),
        [event("", "x")]
    );
}

#[test]
fn the_last_event_may_lack_its_blank_line() {
    assert_eq!(
        parse(&[b"data: a\n\ndata: [DONE]"]),
        [event("", "a"), event("", "[DONE]")]
    );
    assert_eq!(parse(&[b"data: a\n"]), [event("", "a")]);
}

#[test]
fn a_cr_and_its_lf_may_come_apart() {
    assert_eq!(
        parse(&[b"data: a\r", b"\n", b"\r", b"\ndata: b\r\n\r\n"]),
        [event("", "a"), event("", "b")]
    );
}

#[test]
fn an_event_longer_than_the_limit_is_an_error() {
    let too_long = DecodeError::TooLong { limit_bytes: 16 };
    assert_eq!(
        push(&mut SseParser::with_limit(16), b"data: 12345678901"),
        Err(too_long.clone())
    );
    let mut many_lines = SseParser::with_limit(16);
    assert_eq!(
        push(&mut many_lines, &b"data: 123\n".repeat(9)),
        Err(too_long)
    );
    let mut many_events = SseParser::with_limit(16);
    assert_eq!(
        push(&mut many_events, &b"data: 123\n\n".repeat(9)).map(|events| events.len()),
        Ok(9)
    );
}

/// The standard's algorithm on the whole text, written as plainly as it can be.
fn reference(text: &[u8]) -> Vec<Event> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let text: String = text.iter().map(|byte| char::from(*byte)).collect(); // Latin-1: one char a byte
    let (mut events, mut name, mut data) = (Vec::new(), String::new(), None::<String>);
    for line in text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .split('\n')
        .chain([""])
    {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" if line.is_empty() => {
                let name = std::mem::take(&mut name);
                events.extend(data.take().map(|data| (name, data)));
            }
            "data" => {
                data = Some(data.map_or_else(|| value.to_owned(), |data| data + "\n" + value))
            }
            "event" => value.clone_into(&mut name),
            _ => {}
        }
    }
    let bytes = |text: &str| {
        text.chars()
            .map(|c| u8::try_from(c).unwrap())
            .collect::<Vec<u8>>()
    };
    let event = |(name, data): (String, String)| {
        (
            String::from_utf8_lossy(&bytes(&name)).into_owned(),
            bytes(&data),
        )
    };
    events.into_iter().map(event).collect()
}

proptest! {
    #[test]
    fn every_text_reads_as_the_standard_says_however_it_is_split(
        words in prop::collection::vec(
            prop::sample::select(vec!["data", "event", ":", " ", "\r", "\n", "\r\n", "x", "é", "日", "\u{feff}", "id"]), 0..60),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let text = words.concat().into_bytes();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let expected = reference(&text);
        prop_assert_eq!(parse(&pieces), &expected[..]);
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        prop_assert_eq!(parse(&bytes), &expected[..]);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(parse(&[&bytes]), reference(&bytes));
    }
}
