use proptest::prelude::*;

use super::*;

fn event(name: &str, id: Option<&str>, data: &str) -> SseEvent {
    SseEvent {
        name: name.to_owned(),
        id: id.map(str::to_owned),
        data: data.to_owned(),
    }
}

fn read(stream: &[u8]) -> Vec<SseEvent> {
    SseReader::default().push(stream).unwrap()
}

#[test]
fn an_event_has_a_name_an_id_and_data() {
    let stream =
        b"\xEF\xBB\xBF: hello\n\nevent: message\nid: 17.1\ndata: a\ndata:b\n\ndata\n\nid: 9\n\n";
    let expected = [event("message", Some("17.1"), "a\nb"), event("", None, "")];
    assert_eq!(read(stream), expected);
}

#[test]
fn lines_end_in_three_ways() {
    let expected = vec![event("a", None, "x"), event("b", None, "y")];
    for ending in ["\n", "\r", "\r\n"] {
        let stream = "event: a\ndata: x\n\nevent: b\ndata: y\n\n".replace('\n', ending);
        assert_eq!(read(stream.as_bytes()), expected, "{ending:?}");
    }
}

#[test]
fn an_event_whose_end_did_not_come_is_none() {
    assert_eq!(read(b"id: 4\ndata: cut off\n"), Vec::new());
}

#[test]
fn a_too_long_event_is_refused() {
    let long = vec![b'x'; EVENT_BYTES_MAX + 1];
    assert_eq!(SseReader::default().push(&long), Err(EventTooLong));
}

proptest! {
    #[test]
    fn a_split_changes_nothing(
        lines in proptest::collection::vec("(event|id|data|retry|)(:| |é|x|\r|\n){0,4}", 0..24),
        ends in proptest::collection::vec(0_usize..3, 24),
        size in 1_usize..7,
    ) {
        let endings = ["\n", "\r", "\r\n\n"];
        let text: String = lines.iter().zip(ends).map(|(line, end)| format!("{line}{}", endings[end])).collect();
        let mut reader = SseReader::default();
        let mut split = Vec::new();
        for part in text.as_bytes().chunks(size) {
            split.extend(reader.push(part).unwrap());
        }
        prop_assert_eq!(split, read(text.as_bytes()));
    }
}
