use std::fs;
use std::time::Duration;

use folkmoot::core::ids::{Seed, Stamp, Time};
use folkmoot::core::port::{NodeCard, Renewal};
use folkmoot::store::MemoryLedger;
use tempfile::TempDir;

use super::super::Templates;
use super::*;

const DESK: &str = "
world: desk
include: house.yml
agents: [{ name: clerk, model: scripted }]
replies: { clerk: [{ text: Noted. }] }
";
const HOUSE: &str = "models: { scripted: { provider: scripted } }";

/// The time for which a node that does not renew is a member.
const MEMBER: Duration = Duration::from_secs(5);

/// A node with templates of its own.
struct Node {
    folder: TempDir,
    node: NodeId,
    /// The folders that it has besides.
    offers: Vec<String>,
}

fn id(number: u8) -> NodeId {
    NodeId::from_stamp(&Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([number; 16]),
    })
}

impl Node {
    fn new(number: u8) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let node = Self {
            folder,
            node: id(number),
            offers: Vec::new(),
        };
        node.write("desk.yaml", DESK);
        node.write("house.yml", HOUSE);
        node
    }

    /// One that has the folders of the others besides.
    fn beside(number: u8, others: &[&Self]) -> Self {
        let offers = others.iter().map(|other| other.base()).collect();
        Self {
            offers,
            ..Self::new(number)
        }
    }

    /// The offer of its folder.
    fn base(&self) -> String {
        format!("base:{}", self.folder.path().display())
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn digests(&self) -> TemplateDigests {
        Templates::of(self.folder.path()).digests().unwrap()
    }

    async fn join(&self, ledger: &MemoryLedger) -> Result<(), TemplatesError> {
        let digests = self.digests();
        let offer = digests.announce(ledger).await.unwrap();
        let offers = self.offers.iter().cloned().chain([self.base(), offer]);
        ledger.join(&card(self.node, offers), MEMBER).await.unwrap();
        digests.check(self.node, ledger, ledger).await
    }
}

fn card(node: NodeId, offers: impl IntoIterator<Item = String>) -> NodeCard {
    NodeCard {
        node,
        name: format!("node {node}"),
        offers: offers.into_iter().collect(),
        schema: 1,
        room: 1,
        draining: false,
        advertise: None,
    }
}

/// The template that keeps a node from joining.
fn differing(joined: Result<(), TemplatesError>) -> String {
    let error = joined.unwrap_err();
    let said = error.to_string();
    let TemplatesError::Differ { template, .. } = error else {
        panic!("{said}");
    };
    template
}

#[tokio::test]
async fn a_node_with_other_templates_is_refused_by_the_first_that_differs() {
    let ledger = MemoryLedger::default();
    let one = Node::new(1);
    let other = Node::beside(2, &[&one]);
    one.join(&ledger).await.unwrap();
    other.join(&ledger).await.unwrap();
    let cases: [(&str, &str, &str); 4] = [
        ("zoo.yaml", "world: zoo", "zoo"),
        ("desk.yaml", "world: {", "desk"),
        ("desk.yaml", DESK, "zoo"),
        (
            "house.yml",
            "models: { scripted: { provider: scripted }, more: { provider: scripted } }",
            "desk",
        ),
    ];
    for (file, text, template) in cases {
        other.write(file, text);
        let refused = other.join(&ledger).await;
        let said = refused.as_ref().unwrap_err().to_string();
        assert!(said.contains(&one.node.to_string()), "{said}");
        assert_eq!(differing(refused), template, "{file}");
    }
    // One that has none has others, too.
    one.write("inn.yaml", DESK);
    assert_eq!(differing(one.join(&ledger).await), "desk");
    let none = TemplateDigests::default();
    none.announce(&ledger).await.unwrap();
    let refused = none.check(one.node, &ledger, &ledger).await;
    assert_eq!(differing(refused), "desk");
}

#[tokio::test]
async fn a_node_that_ends_or_is_gone_keeps_nobody_from_joining() {
    let ledger = MemoryLedger::default();
    let one = Node::new(1);
    let other = Node::beside(2, &[&one]);
    one.join(&ledger).await.unwrap();
    other.write("desk.yaml", "world: desk");
    assert!(other.join(&ledger).await.is_err());
    let ends = Renewal {
        node: one.node,
        room: 0,
        draining: true,
        ttl: MEMBER,
    };
    ledger.renew(ends).await.unwrap();
    other.join(&ledger).await.unwrap();

    let ledger = MemoryLedger::default();
    one.join(&ledger).await.unwrap();
    ledger.advance(MEMBER + Duration::from_millis(1));
    other.join(&ledger).await.unwrap();
    let digests = other.digests();
    let nobody = digests.check(id(9), &ledger, &ledger).await;
    assert!(matches!(nobody, Err(TemplatesError::NoMember)));
}

#[tokio::test]
async fn a_node_whose_folder_is_elsewhere_is_refused_unless_it_has_the_other_one_too() {
    let ledger = MemoryLedger::default();
    let [one, other] = [1, 2].map(Node::new);
    one.join(&ledger).await.unwrap();
    let said = other.join(&ledger).await.unwrap_err().to_string();
    for word in [&one.node.to_string(), &one.base(), "base:", "--offer"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    let here = other.folder.path().display().to_string();
    assert!(said.contains(&here), "{said}");
    ledger.leave(other.node).await.unwrap();
    // Where they differ as well, that is said first.
    other.write("zoo.yaml", "world: zoo");
    assert_eq!(differing(other.join(&ledger).await), "zoo");
    ledger.leave(other.node).await.unwrap();
    let third = Node::beside(3, &[&one]);
    third.join(&ledger).await.unwrap();
    // Whoever makes no rooms from templates has no folder for them.
    let ledger = MemoryLedger::default();
    for node in [4, 5].map(id) {
        let none = TemplateDigests::default();
        let offer = none.announce(&ledger).await.unwrap();
        ledger.join(&card(node, [offer]), MEMBER).await.unwrap();
        none.check(node, &ledger, &ledger).await.unwrap();
    }
}

#[test]
fn what_counts_is_in_the_files_and_in_their_folder() {
    let [one, other] = [1, 2].map(Node::new);
    assert_eq!(one.digests().texts, other.digests().texts);
    assert_ne!(one.digests(), other.digests());
    other.write("notes.txt", "nothing of it counts");
    assert_eq!(one.digests().texts, other.digests().texts);
    assert_eq!(
        Templates::default().digests().unwrap(),
        TemplateDigests::default()
    );
}
