//! A build without shared stores: no URL names a database, so that nobody is one of its nodes.

use std::fmt::{self, Display};
use std::path::Path;
use std::sync::Arc;

use folkmoot::core::port::Members;
use folkmoot::store::{OpenMode, SharedRecords};
use folkmoot::{Runtime, RuntimeBuilder, Store, WorldName};

use super::StoreUse;
use crate::exit::CliError;

/// The URL of a database, which there is none of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {}

impl Display for DatabaseUrl {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// Says what to do to read the URL of a database.
pub(crate) fn read_url(_: &str) -> Result<DatabaseUrl, String> {
    Err("this build keeps stores in folders alone; build it with `--features nodes`".to_owned())
}

pub(crate) async fn open(url: &DatabaseUrl, _: &StoreUse) -> Result<Store, CliError> {
    match *url {}
}

pub(crate) async fn reach(
    url: &DatabaseUrl,
    _: OpenMode,
) -> Result<(Arc<dyn SharedRecords>, Arc<dyn Members>), CliError> {
    match *url {}
}

/// A place among the nodes of a database, which there is none of.
#[derive(Debug)]
pub(crate) enum Membership {}

impl Membership {
    pub(crate) async fn join(
        url: &DatabaseUrl,
        _: OpenMode,
        _: Option<&WorldName>,
        _: Option<&Path>,
    ) -> Result<(Store, Self), CliError> {
        match *url {}
    }

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
