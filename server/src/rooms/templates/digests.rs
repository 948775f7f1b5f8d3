//! The digests of a server's templates, by which the nodes of a store see that all have the same.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use folkmoot::core::ids::{Digest, NodeId};
use folkmoot::core::port::{MemberError, Members, NodeCard, Offer};
use folkmoot::store::{LedgerError, SharedRecord, SharedRecords};
use serde::{Deserialize, Serialize};

/// The kind of the shared records that say what such a digest is made of.
const KIND: &str = "templates";

/// The digests of all templates of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateDigests {
    /// The folder in which they stand, and which their rooms need; `None`: there are none.
    folder: Option<String>,
    /// The digests of their texts, by their names.
    texts: BTreeMap<String, String>,
}

/// The reason that a server with these templates is no node of a store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplatesError {
    /// Another node has other templates.
    #[error(
        "the template {template:?} is not the same here as at the node {node}, and a room may not depend on where it is opened: \
         give both the same files; or, to change templates, end the nodes that have the old ones first: one that is ending, or \
         ended some seconds ago, does not count"
    )]
    Differ {
        /// The name of the first one that differs, or that one of both does not have.
        template: String,
        /// The name of the other node.
        node: String,
    },
    /// Another node has the same templates in another folder.
    #[error(
        "the folder of the templates differs: {theirs} at the node {node}, {here} here, and a room needs the folder that it was \
         opened in: give both the same path, or start this one with `--offer base:{theirs}` if it has that folder too, and the \
         other with `--offer base:{here}`"
    )]
    FoldersDiffer {
        /// The folder here.
        here: String,
        /// The folder there.
        theirs: String,
        /// The name of the other node.
        node: String,
    },
    /// This node is no member any more.
    #[error(
        "this node was declared dead before it began: see that it reaches the store, and start it again"
    )]
    NoMember,
    /// The store does not keep or give the digests.
    #[error("the templates of the other nodes cannot be read in the store")]
    Store(#[from] LedgerError),
    /// The store does not tell who the nodes are.
    #[error("the store does not tell which other nodes there are")]
    Members(#[from] MemberError),
    /// The digests do not read.
    #[error(
        "the digests of the templates of the node {node} do not read: {why}; use a build as new as its own"
    )]
    Malformed {
        /// The name of the node.
        node: String,
        /// The fault.
        why: String,
    },
}

impl TemplateDigests {
    /// Those of a folder, none of which is known yet.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: Some(folder.display().to_string()),
            texts: BTreeMap::new(),
        }
    }

    pub(super) fn add(&mut self, name: String, digest: Digest) {
        self.texts.insert(name, digest.to_string());
    }

    /// Leaves the digests where other nodes find them, and gives what a node with these templates offers. The node has to
    /// have that among its offers when it joins, so that the others know as long as it lives.
    ///
    /// # Errors
    /// [`TemplatesError::Store`].
    pub async fn announce(&self, records: &dyn SharedRecords) -> Result<String, TemplatesError> {
        let digest = self.digest();
        let record = SharedRecord {
            kind: KIND.to_owned(),
            key: digest.as_bytes().to_vec(),
            value: self.written(),
        };
        // Under its digest nothing else can stand.
        records.put_shared(&record, None).await?;
        Ok(Offer::Templates(&digest.to_string()).to_string())
    }

    /// Checks that all other nodes of the store have the same templates, and in the same folder unless `node` offers theirs as
    /// well. Call it after `node` has joined with the offer of
    /// [`TemplateDigests::announce`], and before it serves; if it fails, leave. Of two that join at once with other templates at
    /// least one is refused. Nodes that drain, that are past their time, or that serve no rooms do not count.
    ///
    /// # Errors
    /// [`TemplatesError`].
    pub async fn check(
        &self,
        node: NodeId,
        members: &dyn Members,
        records: &dyn SharedRecords,
    ) -> Result<(), TemplatesError> {
        let nodes = members.nodes().await?;
        let own = nodes.iter().find(|state| state.card.node == node);
        let card = &own.ok_or(TemplatesError::NoMember)?.card;
        let own = self.digest().to_string();
        let others = nodes.iter().filter(|node| node.goes_on());
        for other in others.map(|state| &state.card) {
            let theirs = other.offers.iter().find_map(|offer| digest_of(offer));
            if let Some(theirs) = theirs.filter(|theirs| *theirs != own) {
                let theirs = kept(theirs, &other.name, records).await?;
                self.compare(&theirs, &other.name)?;
                self.compare_folders(&theirs, other, &card.offers)?;
            }
        }
        Ok(())
    }

    /// Refuses other templates than these, and names the first that differs.
    fn compare(&self, theirs: &Self, node: &str) -> Result<(), TemplatesError> {
        let names = self.texts.keys().chain(theirs.texts.keys());
        let differs = |name: &&String| self.texts.get(*name) != theirs.texts.get(*name);
        match names.filter(differs).min() {
            None => Ok(()),
            Some(template) => Err(TemplatesError::Differ {
                template: template.clone(),
                node: node.to_owned(),
            }),
        }
    }

    /// Refuses another folder that is not among the `offers` of this node. That the other node lacks this one's is only logged:
    /// it runs already.
    fn compare_folders(
        &self,
        theirs: &Self,
        other: &NodeCard,
        offers: &BTreeSet<String>,
    ) -> Result<(), TemplatesError> {
        let (Some(here), Some(theirs)) = (&self.folder, &theirs.folder) else {
            return Ok(());
        };
        let is_offered = |offers: &BTreeSet<String>, folder| offers.contains(&base(folder));
        if here != theirs && !is_offered(offers, theirs) {
            return Err(TemplatesError::FoldersDiffer {
                here: here.clone(),
                theirs: theirs.clone(),
                node: other.name.clone(),
            });
        }
        if !is_offered(&other.offers, here) {
            let (node, offer) = (&other.name, base(here));
            tracing::warn!(
                node,
                offer,
                "a node cannot take over rooms that are made here: start it with this --offer"
            );
        }
        Ok(())
    }

    fn digest(&self) -> Digest {
        Digest::of(&[&self.written()])
    }

    fn written(&self) -> Vec<u8> {
        serde_json::json!(self).to_string().into_bytes()
    }
}

/// The digests that the node called `node` has left under their digest.
async fn kept(
    digest: &str,
    node: &str,
    records: &dyn SharedRecords,
) -> Result<TemplateDigests, TemplatesError> {
    let malformed = |why: String| TemplatesError::Malformed {
        node: node.to_owned(),
        why,
    };
    let key = Digest::try_from(digest.to_owned());
    let key = key.map_err(|error| malformed(error.to_string()))?;
    let value = records.shared(KIND, key.as_bytes()).await?;
    let value = value.ok_or_else(|| malformed(format!("nothing is kept under {key}")))?;
    serde_json::from_slice(&value).map_err(|error| malformed(error.to_string()))
}

/// The digest in the offer of a node's templates.
fn digest_of(offer: &str) -> Option<&str> {
    match Offer::read(offer)? {
        Offer::Templates(digest) => Some(digest),
        Offer::Base(_) | Offer::Public(_) => None,
    }
}

/// The offer of a folder.
fn base(folder: &str) -> String {
    Offer::Base(folder).to_string()
}

#[cfg(test)]
mod tests;
