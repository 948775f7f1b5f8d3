//! The same in a build that makes none.

use folkmoot_server::{Drain, Server};

use crate::exit::{CliError, USAGE};
use crate::view::answer::ValueStream;

/// There is no collector.
#[derive(Debug)]
pub(crate) enum Collector {}

/// Says that this build has none.
pub(crate) fn collector(_: Option<&str>) -> Result<Collector, CliError> {
    let why = folkmoot::export::ExportError::NotBuilt.to_string();
    Err(CliError::other(USAGE, why))
}

/// Does nothing.
pub(crate) async fn trace(_: &Server, collector: Option<Collector>, _: &Drain) {
    if let Some(collector) = collector {
        match collector {}
    }
}

/// Cannot be asked.
pub(crate) async fn send(collector: &Collector, _: ValueStream) -> Result<String, CliError> {
    match *collector {}
}
