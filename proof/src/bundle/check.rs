//! Checking a bundle.

use std::collections::BTreeMap;

use super::event::{self, ReportedEvent};
use super::header::BundledHeader;
use super::heads::BundleHeads;
use super::report::{BundleVerdict, Check, Checked, Report};
use super::{Bundle, BundleError, BundledCommit, BundledContent, story};
use crate::leaf::{Leaf, LeafEvent, NO_LINK, commitment, link};
use crate::note::{Checkpoint, VerifierKey};
use crate::{Frontier, Hash, verify_inclusion, world};

/// The most faults that are told of one bundle.
const FAULTS_MAX: usize = 20;

/// A note that was kept elsewhere, to compare a bundle with: its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Against<'a>(pub &'a [u8]);

/// Checks a bundle with the public keys of those whose signatures count.
///
/// # Errors
/// [`BundleError`] if the bytes are no bundle.
pub fn check(
    bytes: &[u8],
    keys: &[VerifierKey],
    against: Option<Against<'_>>,
) -> Result<Report, BundleError> {
    let bundle = Bundle::parse(bytes)?;
    let head =
        Checkpoint::parse(&bundle.head).map_err(|error| BundleError::Head(error.to_string()))?;
    let no_world = || BundleError::Head("it is about no world of Folkmoot".to_owned());
    let world = head.world().ok_or_else(no_world)?;
    let last_event = head.last_event().ok_or_else(no_world)?;
    let heads = BundleHeads::read(&bundle, head, last_event, against);
    // The commits go first: the roots of the tree at the sizes of older notes are known only then.
    let mut commits = Commits::new(&heads);
    bundle
        .commits
        .iter()
        .for_each(|commit| commits.take(commit));
    let Commits {
        is_whole,
        proven,
        roots,
        ..
    } = commits.end();
    let mut checks = vec![commits_check(proven.faults, bundle.commits.len(), is_whole)];
    let (signature, covered) = heads.signature(keys, &roots, proven.last_index);
    checks.push(signature);
    let events: Vec<ReportedEvent> = proven
        .commits
        .iter()
        .flat_map(|(commit, header)| event::of(commit, header, covered))
        .collect();
    let (calls, digests) = story::of(&events);
    checks.extend(digests);
    checks.extend(heads.comparison(keys, &roots));
    Ok(Report {
        world: world::write(&world),
        size: heads.head.size,
        is_whole,
        checks,
        events,
        calls,
    })
}

fn commits_check(faults: Vec<String>, count: usize, is_whole: bool) -> Check {
    if !faults.is_empty() {
        return Check {
            what: Checked::Commits,
            verdict: BundleVerdict::Damaged,
            why: faults,
        };
    }
    let why = match (count, is_whole) {
        (0, _) => "the bundle has no commits".to_owned(),
        (_, true) => format!("all {count} commits are here, and give the root of the tree"),
        (_, false) => {
            format!("each of the {count} commits that are here is proven to be in the tree")
        }
    };
    let verdict = if count == 0 {
        BundleVerdict::NotChecked
    } else {
        BundleVerdict::Intact
    };
    Check {
        what: Checked::Commits,
        verdict,
        why: vec![why],
    }
}

/// The part of a bundle's commits that is proven.
#[derive(Default)]
struct Proven<'a> {
    /// The commits that are in the tree of the head, in order. Empty if all should be here and any
    /// is at fault.
    commits: Vec<(&'a BundledCommit, BundledHeader)>,
    /// The faults of the commits in words, at most `FAULTS_MAX`.
    faults: Vec<String>,
    /// The last leaf that is here.
    last_index: Option<u64>,
}

/// The commits of a bundle, as they are gone through.
struct Commits<'a, 'h> {
    /// The heads of the bundle, which say what the commits must prove.
    heads: &'h BundleHeads,
    /// True if all commits of the tree are here.
    is_whole: bool,
    /// The findings so far.
    proven: Proven<'a>,
    /// The tree of the commits so far. It grows only where all commits are here.
    tree: Frontier,
    /// The link of the last commit so far; `NO_LINK` before the first.
    link: Hash,
    /// The roots of the tree at the sizes that signed heads are about. Empty where only chosen
    /// commits are here.
    roots: BTreeMap<u64, Hash>,
    /// The position of the last event so far.
    last: u64,
}

impl<'a, 'h> Commits<'a, 'h> {
    fn new(heads: &'h BundleHeads) -> Self {
        let tree = Frontier::default();
        let roots = if heads.is_whole {
            BTreeMap::from([(0, tree.root())])
        } else {
            BTreeMap::new()
        };
        Self {
            heads,
            is_whole: heads.is_whole,
            proven: Proven::default(),
            tree,
            link: NO_LINK,
            roots,
            last: 0,
        }
    }

    fn fault(&mut self, what: String) {
        if self.proven.faults.len() < FAULTS_MAX {
            self.proven.faults.push(what);
        }
    }

    fn take(&mut self, commit: &'a BundledCommit) {
        let index = commit.index;
        let previous = self.proven.last_index.replace(index);
        if previous.is_some_and(|previous| previous >= index) {
            self.fault(format!("commit {index} stands behind a later one"));
        }
        let Some((header, last)) = header_of(commit) else {
            return self.fault(format!(
                "commit {index} has a header that cannot be read, or other events than its header says"
            ));
        };
        let place = format!("commit {index} (events {} to {last})", header.first);
        let follows = previous.map_or(index == 0, |previous| {
            previous.checked_add(1) == Some(index)
        });
        let is_next = if follows {
            self.last.checked_add(1) == Some(header.first)
        } else {
            header.first > self.last
        };
        // A commit has at least one event, so the first position is above the number of commits
        // before.
        if !is_next || header.first <= index || last > self.heads.last_event {
            self.fault(format!(
                "{place} has events that do not fit in between those around it"
            ));
        }
        // Also behind a fault: the next commit is compared with this one, and one fault makes no
        // second.
        self.last = last;
        let leaf = leaf(commit);
        let fault = if self.is_whole {
            self.grow(commit, leaf)
        } else {
            self.prove(commit, leaf)
        };
        match fault {
            Some(fault) => self.fault(format!("{place} {fault}")),
            None => self.proven.commits.push((commit, header)),
        }
    }

    fn prove(&self, commit: &BundledCommit, leaf: Hash) -> Option<String> {
        if commit.link.is_some() {
            // Nobody could check it, and a reader might take it for a proof.
            return Some("has a link, which says nothing where commits are missing".to_owned());
        }
        let Checkpoint { size, root, .. } = &self.heads.head;
        let proof = verify_inclusion(&leaf, commit.index, *size, &commit.proof, root);
        proof
            .err()
            .map(|error| format!("is not proven to be in the log as it stands here: {error}"))
    }

    fn grow(&mut self, commit: &BundledCommit, leaf: Hash) -> Option<String> {
        self.tree.push(leaf);
        if self.heads.is_asked_for(self.tree.size()) {
            self.roots.insert(self.tree.size(), self.tree.root());
        }
        self.link = link(&self.link, &leaf);
        match commit.link {
            Some(link) if link != self.link => {
                // One fault is told once.
                self.link = link;
                Some("is not what was recorded: its link differs".to_owned())
            }
            Some(_) | None => None,
        }
    }

    fn end(mut self) -> Self {
        let found = self.tree.root();
        let head = &self.heads.head;
        if self.is_whole && found != head.root {
            self.fault("the commits do not give the root of the tree: something was changed, or is missing".to_owned());
        }
        if self.is_whole && self.last != self.heads.last_event {
            self.fault(format!(
                "the last event is {}, where the head says {}",
                self.last, self.heads.last_event
            ));
        }
        if !self.proven.faults.is_empty() && self.is_whole {
            // Only the root proves them, so none of them is proven.
            self.proven.commits.clear();
        }
        self
    }
}

/// The header, and the position of the last event.
fn header_of(commit: &BundledCommit) -> Option<(BundledHeader, u64)> {
    let header = BundledHeader::read(&commit.header)?;
    let last = header.last()?;
    (usize::try_from(header.count) == Ok(commit.events.len())).then_some((header, last))
}

/// The leaf that a commit gives as it stands in the bundle.
fn leaf(commit: &BundledCommit) -> Hash {
    let mut leaf = Leaf::new(&commit.header);
    for event in &commit.events {
        let commitment = event.content.as_ref().map(|content| match content {
            BundledContent::Shown(shown) => commitment(&shown.salt, shown.text.as_bytes()),
            BundledContent::Withheld(commitment) | BundledContent::Erased(commitment) => {
                *commitment
            }
        });
        leaf.add(&LeafEvent {
            kind: event.kind,
            version: event.version,
            facts: event.facts.as_bytes(),
            commitment: commitment.as_ref(),
        });
    }
    leaf.finish()
}
