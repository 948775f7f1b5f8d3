//! Parsing makes no world: a checkpoint is read by `World::restore`, which says what that means.
use folkmoot_core::world::World;

fn main() {
    let _: World = serde_json::from_str("{}").unwrap();
}
