//! The digests of a server's templates, by which the nodes of a store see that all have the same.

use std::collections::BTreeMap;
use std::time::Duration;

use folkmoot::core::ids::{Digest, NodeId};
use folkmoot::core::port::{MemberError, Members, NodeState};
use folkmoot::store::{LedgerError, SharedRecord, SharedRecords};

/// The beginning of the offer by which a node says which templates it has.
const OFFER: &str = "templates:";
/// The kind of the shared records that say what such a digest is made of.
const KIND: &str = "templates";
/// The time for which a node that does not renew is a member.
const MEMBER: Duration = Duration::from_secs(5);

/// The digests of all templates of a server, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateDigests(BTreeMap<String, String>);

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
    pub(super) fn add(&mut self, name: String, digest: Digest) {
        self.0.insert(name, digest.to_string());
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
        Ok(format!("{OFFER}{digest}"))
    }

    /// Checks that all other nodes of the store have the same templates. Call it after `node` has joined with the offer of
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
        // It has renewed just now, so that its own time tells whose is past.
        let until = own.ok_or(TemplatesError::NoMember)?.until;
        let lives = |state: &&NodeState| !state.card.draining && state.until.after(MEMBER) > until;
        let own = self.digest().to_string();
        for other in nodes.iter().filter(lives) {
            let mut offers = other.card.offers.iter();
            let theirs = offers.find_map(|offer| offer.strip_prefix(OFFER));
            if let Some(theirs) = theirs.filter(|theirs| *theirs != own) {
                return Err(self.differs(theirs, &other.card.name, records).await?);
            }
        }
        Ok(())
    }

    /// The error that names the first template that differs from those under the digest `theirs`.
    async fn differs(
        &self,
        theirs: &str,
        node: &str,
        records: &dyn SharedRecords,
    ) -> Result<TemplatesError, TemplatesError> {
        let malformed = |why: String| TemplatesError::Malformed {
            node: node.to_owned(),
            why,
        };
        let key = Digest::try_from(theirs.to_owned());
        let key = key.map_err(|error| malformed(error.to_string()))?;
        let value = records.shared(KIND, key.as_bytes()).await?;
        let value = value.ok_or_else(|| malformed(format!("nothing is kept under {key}")))?;
        let theirs: BTreeMap<String, String> =
            serde_json::from_slice(&value).map_err(|error| malformed(error.to_string()))?;
        let names = self.0.keys().chain(theirs.keys());
        let template = names
            .filter(|name| self.0.get(*name) != theirs.get(*name))
            .min();
        let template = template.ok_or_else(|| malformed("they are the same".to_owned()))?;
        Ok(TemplatesError::Differ {
            template: template.clone(),
            node: node.to_owned(),
        })
    }

    fn digest(&self) -> Digest {
        Digest::of(&[&self.written()])
    }

    fn written(&self) -> Vec<u8> {
        let pairs = self.0.iter();
        let pairs = pairs.map(|(name, digest)| (name.clone(), digest.clone().into()));
        let object = serde_json::Value::Object(pairs.collect());
        object.to_string().into_bytes()
    }
}

#[cfg(test)]
mod tests;
