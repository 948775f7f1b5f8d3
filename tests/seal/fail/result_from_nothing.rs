//! The result of a call, as an agent's handler gets it, is made by the runtime alone.
use folkmoot_core::port::ToolResultEvent;

fn main() {
    let _: ToolResultEvent = serde_json::from_str("{}").unwrap();
    let _: ToolResultEvent = Default::default();
}

fn change(result: &mut ToolResultEvent) {
    result.text = "done".to_owned();
}
