use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    Against, Bundle, BundleError, BundleVerdict, BundledCommit, BundledContent, BundledEvent,
    FORMAT, Note, Report, ShownContent, check,
};
use crate::leaf::{Leaf, LeafEvent, NO_LINK, commitment, link};
use crate::note::{Checkpoint, SignerKey, VerifierKey};
use crate::{Frontier, Hash, Prover};

mod changed;
mod example;
mod heads;
mod stories;

const WORLD: [u8; 16] = [
    1, 0x89, 0x0a, 0x5d, 0xac, 0x96, 0x77, 0x4b, 0xbc, 0xce, 0xb3, 2, 9, 0x9a, 0x80, 0x57,
];
const CALL: &str = "70e326365301b96cbf19af9b313ef6ee";
const ARGUMENTS: &str = r#"{"argv":["wc","-w","CHANGES.md"]}"#;
/// SHA-256 of the canonical arguments and of the shown text, as the store of this project recorded them.
const ARGUMENTS_DIGEST: &str = "2f005b24dfd65f339ca35faf06b5ea308754cdd6d4162f61a72c2fb95fd9fb9f";
const SHOWN_DIGEST: &str = "2eef2c910fd36ee03fde45f0593afdb333a229c1a226463606e2c3c3c0bc7549";

/// An event: its kind, its facts and its content.
type Happened = (u16, Value, Option<Value>);

fn key() -> SignerKey {
    SignerKey::generate("example.com/rooms", &[9; 32]).unwrap()
}

fn keys() -> Vec<VerifierKey> {
    vec![key().verifier()]
}

fn ada() -> Value {
    json!({ "method": "script", "subject": "ada", "display": "ada" })
}

/// A commit as the store would keep it.
fn commit(
    index: u64,
    first: u64,
    by: &Value,
    cause: Option<u64>,
    events: &[Happened],
) -> BundledCommit {
    let mut header = WORLD.to_vec();
    header.extend(first.to_le_bytes());
    header.extend(u32::try_from(events.len()).unwrap().to_le_bytes());
    header.extend((1_893_456_000_000 + index * 1_500).to_le_bytes());
    header.extend([7; 48]);
    header.extend(
        json!({ "p": by, "m": "decide", "c": cause })
            .to_string()
            .bytes(),
    );
    let salt = |at: usize| [u8::try_from(at).unwrap(); 16];
    let event = |(at, (kind, facts, content)): (usize, &Happened)| BundledEvent {
        kind: *kind,
        version: 1,
        facts: facts.to_string(),
        content: content.as_ref().map(|content| {
            BundledContent::Shown(ShownContent {
                salt: salt(at),
                text: content.to_string(),
            })
        }),
    };
    let events = events.iter().enumerate().map(event).collect();
    BundledCommit {
        index,
        header,
        events,
        link: None,
        proof: Vec::new(),
    }
}

/// A log in which an agent asks for a command, and ada allows it.
fn log() -> Vec<BundledCommit> {
    let (runtime, person) = (json!("runtime"), json!({ "person": ada() }));
    let answer = json!({ "calls": { "parts": [{ "text": "Let me see." },
        { "call": { "label": "", "tool": "run_command", "arguments": ARGUMENTS } }] } });
    let of_call = |more: Value| {
        let mut facts = json!({ "call": CALL, "agent": "worker" });
        facts
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        facts
    };
    let admitted = json!({ "agent": "worker", "turn": 3, "answer": 4, "calls":
        [{ "call": CALL, "ordinal": 0, "label": "call_0", "tool": "run_command", "arguments": ARGUMENTS_DIGEST }] });
    let asked = of_call(
        json!({ "tool": "run_command", "effect": "destructive", "arguments": ARGUMENTS_DIGEST,
        "schema": "00", "shown": SHOWN_DIGEST, "expires_at": 1_893_456_900_000_u64 }),
    );
    let decided = of_call(
        json!({ "request": 6, "verdict": "allow", "scope": "once", "shown": "2eef2c91", "by": ada() }),
    );
    let started = of_call(
        json!({ "attempt": 1, "incarnation": 2, "effect": "destructive", "repeat": "never" }),
    );
    let posted = json!({ "message": 1, "author": { "person": "ada" } });
    vec![
        commit(
            0,
            1,
            &person,
            None,
            &[
                (20, posted, Some(json!({ "text": "Count the words" }))),
                (21, json!({}), None),
            ],
        ),
        commit(
            1,
            3,
            &runtime,
            Some(1),
            &[(40, json!({ "agent": "worker", "news": [1] }), None)],
        ),
        commit(
            2,
            4,
            &runtime,
            Some(3),
            &[
                (44, json!({}), Some(answer)),
                (60, admitted, None),
                (61, asked, None),
            ],
        ),
        commit(
            3,
            7,
            &person,
            Some(6),
            &[(62, decided, Some(json!({ "reason": "It only counts" })))],
        ),
        commit(4, 8, &runtime, Some(7), &[(66, started, None)]),
        commit(
            5,
            9,
            &runtime,
            Some(8),
            &[(
                67,
                of_call(json!({ "status": "done", "attempt": 1 })),
                Some(json!({ "done": { "text": "49 CHANGES.md" } })),
            )],
        ),
        commit(6, 10, &runtime, None, &[(49, json!({ "turn": 3 }), None)]),
    ]
}

/// The leaf of a commit, by its definition.
fn leaf(commit: &BundledCommit) -> Hash {
    let mut leaf = Leaf::new(&commit.header);
    for event in &commit.events {
        let commitment = event.content.as_ref().map(|content| match content {
            BundledContent::Shown(shown) => commitment(&shown.salt, shown.text.as_bytes()),
            BundledContent::Withheld(hash) | BundledContent::Erased(hash) => *hash,
        });
        let (kind, version, facts) = (event.kind, event.version, event.facts.as_bytes());
        leaf.add(&LeafEvent {
            kind,
            version,
            facts,
            commitment: commitment.as_ref(),
        });
    }
    leaf.finish()
}

/// How far a log of those commits has come.
fn head(commits: &[BundledCommit]) -> Checkpoint {
    let mut tree = Frontier::default();
    commits.iter().for_each(|commit| tree.push(leaf(commit)));
    let events: usize = commits.iter().map(|commit| commit.events.len()).sum();
    Checkpoint::of_world(
        WORLD,
        tree.size(),
        tree.root(),
        u64::try_from(events).unwrap(),
    )
}

fn signed(head: &Checkpoint) -> String {
    head.sign(&key()).unwrap().to_string()
}

/// All commits, and a signed head.
fn whole(mut commits: Vec<BundledCommit>) -> Bundle {
    let head = head(&commits);
    let mut last = NO_LINK;
    for commit in &mut commits {
        last = link(&last, &leaf(commit));
        commit.link = Some(last);
    }
    let notes = vec![Note {
        note: signed(&head),
        proof: Vec::new(),
    }];
    Bundle {
        format: FORMAT.to_owned(),
        head: head.body(),
        notes,
        commits,
    }
}

/// Chosen commits with their proofs, under a signed head of the first `noted` commits.
fn chosen(commits: &[BundledCommit], indexes: &[u64], noted: u64) -> Bundle {
    let size = u64::try_from(commits.len()).unwrap();
    let mut prover = Prover::default();
    indexes
        .iter()
        .for_each(|index| prover.want_inclusion(*index, size).unwrap());
    prover.want_consistency(noted, size).unwrap();
    commits.iter().for_each(|commit| prover.push(leaf(commit)));
    let old = head(&commits[..usize::try_from(noted).unwrap()]);
    let notes = vec![Note {
        note: signed(&old),
        proof: prover.consistency(noted, size).unwrap(),
    }];
    let take = |index: &u64| {
        let commit = commits[usize::try_from(*index).unwrap()].clone();
        BundledCommit {
            proof: prover.inclusion(*index, size).unwrap(),
            ..commit
        }
    };
    let commits: Vec<_> = indexes.iter().map(take).collect();
    Bundle {
        format: FORMAT.to_owned(),
        head: head(&log()).body(),
        notes,
        commits,
    }
}

/// Takes the content of an event away, as whoever gives a bundle may.
fn withhold(event: &mut BundledEvent) {
    if let Some(BundledContent::Shown(shown)) = &event.content {
        event.content = Some(BundledContent::Withheld(commitment(
            &shown.salt,
            shown.text.as_bytes(),
        )));
    }
}

fn bytes(bundle: &Bundle) -> Vec<u8> {
    serde_json::to_vec_pretty(bundle).unwrap()
}

fn report(bundle: &Bundle) -> Report {
    check(&bytes(bundle), &keys(), None).unwrap()
}

/// The verdicts of all checks, in order.
fn verdicts(report: &Report) -> Vec<BundleVerdict> {
    report.checks.iter().map(|check| check.verdict).collect()
}
