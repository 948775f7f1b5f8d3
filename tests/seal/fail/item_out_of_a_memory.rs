//! A memory can be parsed, but it shows nobody outside what it holds for models.
use folkmoot_core::world::memory::Memory;

fn main() {
    let memory: Memory = serde_json::from_str("{}").unwrap();
    let _ = &memory.items[0].item;
    let _ = &memory.held_notices;
    let turn = memory.turn.unwrap();
    let _ = &turn.layers;
    let _ = &turn.slots[0].result.as_ref().unwrap().view;
}
