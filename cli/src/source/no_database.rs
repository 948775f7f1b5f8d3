//! A build without shared stores: nobody is one of the nodes of a database.

use folkmoot::{Runtime, RuntimeBuilder};

/// A place among the nodes of a database, which there is none of.
#[derive(Debug)]
pub(crate) enum Membership {}

impl Membership {
    pub(crate) fn introduce(&self, _: RuntimeBuilder) -> RuntimeBuilder {
        match *self {}
    }

    pub(crate) fn answer(&mut self, _: &Runtime) {
        match *self {}
    }

    pub(crate) async fn leave(self) {
        match self {}
    }
}
