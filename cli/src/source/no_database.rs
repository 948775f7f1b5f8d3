//! A build without shared stores: no URL names a database, so that nobody is one of its nodes.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use folkmoot::core::port::Members;
use folkmoot::store::{OpenMode, SharedRecords};
use folkmoot::{Membership, Store, WorldName};

use super::StoreUse;
use super::members::{CopiedView, DatabaseView};
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

/// A database, which there is none of.
#[derive(Debug, Clone)]
pub(crate) enum Database {}

impl Database {
    pub(crate) async fn reach(url: &DatabaseUrl, _: OpenMode) -> Result<Self, CliError> {
        match *url {}
    }

    pub(crate) fn records(&self) -> Arc<dyn SharedRecords> {
        match *self {}
    }

    pub(crate) fn members(&self) -> Arc<dyn Members> {
        match *self {}
    }

    pub(crate) fn folder(&self) -> Result<PathBuf, CliError> {
        match *self {}
    }

    pub(crate) async fn visit(
        &self,
        _: &[WorldName],
        _: Option<&Path>,
    ) -> Result<Membership, CliError> {
        match *self {}
    }

    pub(crate) async fn join(&self, _: NodeWish) -> Result<Membership, CliError> {
        match *self {}
    }
}

pub(crate) async fn look_at(url: &DatabaseUrl) -> Result<DatabaseView, CliError> {
    match *url {}
}

pub(crate) async fn copy_in(_: &Store, url: &DatabaseUrl) -> Result<CopiedView, CliError> {
    match *url {}
}

/// A node, which there is none of.
#[expect(dead_code, reason = "nobody reads it: no node joins")]
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeWish {
    pub(crate) offers: BTreeSet<String>,
    pub(crate) room: u32,
    pub(crate) advertise: Option<String>,
}
