//! Whoever is handed a request can only read it, also where it is owned.
use std::sync::Arc;

use folkmoot_core::port::ModelCall;
use folkmoot_core::prompt::{Item, ModelRequest};

fn change(call: &mut ModelCall, item: Arc<Item>) {
    call.request.items.push(item);
    call.request.model = "another".to_owned();
}

fn lend(request: &mut ModelRequest, item: Arc<Item>) {
    request.items().push(item);
}

fn main() {
    let _ = (change, lend);
}
