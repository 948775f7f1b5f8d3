use super::*;
use crate::response::{CallPart, Part};

/// A memory of `h`eard messages, `c`alls and their `r`esults.
fn memory(kinds: &str) -> Memory {
    let mut memory = Memory::default();
    let call = || Part::Call(CallPart { label: "x".to_owned(), tool: "look".to_owned(), arguments: "{}".to_owned() });
    for kind in kinds.chars() {
        memory.remember(match kind {
            'h' => Item::Heard { from: "ada".to_owned(), text: "hi".to_owned(), attachments: Vec::new() },
            'c' => Item::Said { parts: vec![call()] },
            _ => Item::Result { label: "x".to_owned(), text: "ok".to_owned(), failed: false },
        });
    }
    memory
}

#[test]
fn nothing_goes_while_there_is_room() {
    assert_eq!(memory("hhhh").surplus(0, 4), 0);
}

#[test]
fn older_half_goes_when_there_is_no_room_left() {
    assert_eq!(memory("hhhh").surplus(1, 4), 3);
    assert_eq!(memory("hhhhh").surplus(0, 4), 3);
}

#[test]
fn result_stays_with_its_call() {
    assert_eq!(memory("hhcrr").surplus(0, 4), 2);
    assert_eq!(memory("crrrr").surplus(0, 4), 0);
}
