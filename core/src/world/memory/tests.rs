use crate::model::response::{CallPart, Part};
use crate::world::memory::*;

/// A memory of `h`eard messages, `c`alls and their `r`esults.
fn memory(kinds: &str) -> Memory {
    let mut memory = Memory::default();
    let call = || {
        Part::Call(CallPart {
            label: "x".to_owned(),
            tool: "look".to_owned(),
            arguments: "{}".to_owned(),
        })
    };
    for kind in kinds.chars() {
        memory.remember(match kind {
            'h' => Item::Heard {
                from: "ada".into(),
                text: "hi".into(),
                attachments: Vec::new(),
            },
            'c' => Item::Said {
                parts: vec![call()],
            },
            _ => Item::Result {
                label: "x".into(),
                text: "ok".into(),
                failed: false,
            },
        });
    }
    memory
}

/// How many items of a memory go that has `fresh` more and may have 4.
fn surplus(kinds: &str, fresh: usize) -> usize {
    let (memory, more) = (
        memory(kinds),
        vec![Remembered::new(Item::Notice { text: "n".into() }, Arc::default()); fresh],
    );
    Reading::new(&memory, &more, &[]).surplus(4)
}

#[test]
fn nothing_goes_while_there_is_room() {
    assert_eq!(surplus("hhhh", 0), 0);
}

#[test]
fn older_half_goes_when_there_is_no_room_left() {
    assert_eq!(surplus("hhhh", 1), 3);
    assert_eq!(surplus("hhhhh", 0), 3);
}

#[test]
fn result_stays_with_its_call() {
    assert_eq!(surplus("hhcrr", 0), 2);
    assert_eq!(surplus("crrrr", 0), 0);
}

#[test]
fn result_goes_with_its_call_where_erased_answers_left_fewer_items_than_were_counted() {
    let mut memory = memory("hcrrh");
    memory.forget(2);
    assert_eq!(memory.items.len(), 1);
}

#[test]
fn summary_stands_for_no_more_than_can_be_read_at_once() {
    let memory = memory("hhhhhh");
    let reading = Reading::new(&memory, &[], &[]);
    let each = reading.first(1);
    assert_eq!(
        (reading.first(0), reading.first(6), reading.without(2)),
        (0, 6 * each, 4 * each)
    );
    // Half of the room is three messages; what is read is exactly, or not quite, as much as three of them.
    let items = |readable| reading.summarisable(6 * each, readable, 0);
    assert_eq!([items(3 * each), items(3 * each - 1)], [Some(3), Some(2)]);
}
