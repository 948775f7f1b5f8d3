//! Forged histories: the judge finds what was done to each, and nothing else.

use std::collections::BTreeSet;

use folkmoot::core::ids::{Attempt, Digest, Incarnation, NodeId, Position, WorldId};
use folkmoot::{CallId, RequestId};
use uuid::Uuid;

use super::{Fault, faults, late_runs};
use crate::books::{Acknowledged, Entry, Line, Moment, Run, Saw};
use crate::history::{Fact, History, Log, Logged};

const WORLD: WorldId = WorldId(Uuid::from_u128(7));

fn node(number: u128) -> NodeId {
    NodeId(Uuid::from_u128(number))
}

fn call() -> CallId {
    CallId::of(WORLD, Position::new(6), 0)
}

fn request() -> RequestId {
    serde_json::from_str("5").unwrap()
}

fn link(at: u64) -> Digest {
    Digest::of(&[&at.to_be_bytes()])
}

/// A commit of so many events, up to `last`.
fn commit(events: u64, last: u64, incarnation: u32, facts: Vec<Fact>) -> Logged {
    Logged {
        first: Position::new(last + 1 - events),
        last: Position::new(last),
        incarnation: Incarnation(incarnation),
        link: link(last),
        key: None,
        facts,
    }
}

fn opened(incarnation: u32, number: u128) -> Fact {
    Fact::Opened {
        incarnation: Incarnation(incarnation),
        node: node(number),
    }
}

fn entry(process: &str, line: Line) -> Entry {
    let process = process.into();
    Entry { process, line }
}

/// An append of `events` events up to `last`, acknowledged at `when`.
fn acknowledged(process: &str, events: u64, last: u64, incarnation: u32, when: u64) -> Entry {
    let line = Acknowledged {
        world: WORLD,
        incarnation: Incarnation(incarnation),
        first: Position::new(last + 1 - events),
        last: Position::new(last),
        link: link(last),
        when: Moment(when),
    };
    entry(process, Line::Acknowledged(line))
}

fn run(attempt: u32, incarnation: u32, when: u64) -> Run {
    Run {
        world: WORLD,
        key: format!("{WORLD}:{}", call()),
        attempt: Attempt(attempt),
        incarnation: Incarnation(incarnation),
        when: Moment(when),
    }
}

fn saw(head: u64, since: u64) -> Entry {
    let line = Saw {
        reader: "ada".to_owned(),
        world: WORLD,
        head: Position::new(head),
        since: Moment(since),
    };
    entry("clients", Line::Saw(line))
}

/// A history with nothing wrong: one node begins a world and dies in the midst of a run, another one goes on.
fn fair() -> History {
    let started = Fact::Started {
        call: call(),
        attempt: Attempt(1),
        incarnation: Incarnation(1),
    };
    let mut said = commit(1, 4, 1, Vec::new());
    said.key = Some("hi".to_owned());
    let commits = vec![
        commit(3, 3, 1, vec![opened(1, 1)]),
        said,
        commit(2, 6, 1, vec![Fact::Decided(request())]),
        commit(1, 7, 1, vec![started]),
        commit(2, 9, 2, vec![opened(2, 2), Fact::Unknown(call())]),
        commit(1, 10, 2, Vec::new()),
    ];
    let told = Line::Told {
        world: WORLD,
        key: "hi".to_owned(),
        at: Position::new(4),
        when: Moment(25),
    };
    let decided = Line::Decided {
        world: WORLD,
        request: request(),
        when: Moment(35),
    };
    let entries = vec![
        acknowledged("a", 3, 3, 1, 10),
        acknowledged("a", 1, 4, 1, 20),
        entry("clients", told),
        saw(4, 26),
        acknowledged("a", 2, 6, 1, 30),
        entry("clients", decided),
        saw(6, 31),
        acknowledged("a", 1, 7, 1, 40),
        entry("a", Line::Began(run(1, 1, 50))),
        acknowledged("b", 2, 9, 2, 60),
        // The append of 10 was never acknowledged, and is there: that may be.
        saw(10, 70),
    ];
    let log = Log {
        commits,
        repeated: Vec::new(),
    };
    History {
        worlds: [(WORLD, log)].into(),
        entries,
    }
}

impl History {
    fn log(&mut self) -> &mut Log {
        self.worlds.get_mut(&WORLD).unwrap()
    }

    fn at(&mut self, place: usize) -> &mut Logged {
        &mut self.log().commits[place]
    }

    fn line(&mut self, place: usize) -> &mut Acknowledged {
        match &mut self.entries[place].line {
            Line::Acknowledged(line) => line,
            other => panic!("{other:?}"),
        }
    }
}

type Forgery = (&'static str, fn(&mut History), fn() -> Vec<Fault>);

fn position(at: u64) -> Position {
    Position::new(at)
}

/// What is done to a fair history, and what the judge is to find.
const FORGERIES: &[Forgery] = &[
    ("nothing", |_| {}, Vec::new),
    (
        "an acknowledged commit at the end is lost",
        |history| {
            history.log().commits.truncate(4);
        },
        || {
            vec![Fault::Lost {
                world: WORLD,
                at: position(8),
            }]
        },
    ),
    (
        "a commit in the middle is lost",
        |history| {
            history.log().commits.remove(1);
        },
        || {
            vec![
                Fault::Hole {
                    world: WORLD,
                    at: position(5),
                },
                Fault::Lost {
                    world: WORLD,
                    at: position(4),
                },
                Fault::Untold {
                    world: WORLD,
                    key: "hi".to_owned(),
                },
            ]
        },
    ),
    (
        "a commit stands there twice",
        |history| {
            let double = history.at(3).clone();
            history.log().commits.insert(4, double);
        },
        || {
            vec![Fault::Hole {
                world: WORLD,
                at: position(7),
            }]
        },
    ),
    (
        "something else was written over a commit",
        |history| history.at(2).link = link(99),
        || {
            vec![Fault::Changed {
                world: WORLD,
                at: position(5),
            }]
        },
    ),
    (
        "one place was acknowledged to two",
        |history| {
            let twice = acknowledged("b", 2, 9, 2, 61);
            history.entries.push(twice);
        },
        || {
            vec![Fault::TakenTwice {
                world: WORLD,
                at: position(8),
            }]
        },
    ),
    (
        "the dead node appends once more",
        |history| {
            history.log().commits.push(commit(1, 11, 1, Vec::new()));
        },
        || {
            vec![Fault::Fell {
                world: WORLD,
                at: position(11),
            }]
        },
    ),
    (
        "nobody opened the world",
        |history| {
            history.at(4).facts.remove(0);
        },
        || {
            vec![Fault::Unopened {
                world: WORLD,
                at: position(8),
            }]
        },
    ),
    (
        "two processes appended in one incarnation",
        |history| {
            history.entries.push(acknowledged("c", 1, 10, 2, 80));
        },
        || {
            vec![Fault::Shared {
                world: WORLD,
                incarnation: Incarnation(2),
            }]
        },
    ),
    (
        "two processes were one node",
        |history| history.at(4).facts[0] = opened(2, 1),
        || vec![Fault::Impostor { node: node(1) }],
    ),
    (
        "a command was done twice",
        |history| history.at(5).key = Some("hi".to_owned()),
        || {
            vec![Fault::KeyTwice {
                world: WORLD,
                key: "hi".to_owned(),
            }]
        },
    ),
    (
        "a client was told another place",
        |history| {
            if let Line::Told { at, .. } = &mut history.entries[2].line {
                *at = position(3);
            }
        },
        || {
            vec![Fault::Untold {
                world: WORLD,
                key: "hi".to_owned(),
            }]
        },
    ),
    (
        "a decision that counted is not there",
        |history| history.at(2).facts.clear(),
        || {
            vec![Fault::Undecided {
                world: WORLD,
                request: request(),
            }]
        },
    ),
    (
        "a request was decided twice",
        |history| history.at(5).facts.push(Fact::Decided(request())),
        || {
            vec![Fault::Undecided {
                world: WORLD,
                request: request(),
            }]
        },
    ),
    (
        "a reader went back",
        |history| history.entries.push(saw(9, 71)),
        || {
            vec![Fault::WentBack {
                world: WORLD,
                reader: "ada".to_owned(),
            }]
        },
    ),
    (
        "a reader did not see what had been acknowledged",
        |history| history.entries[6] = saw(4, 31),
        || {
            vec![Fault::Stale {
                world: WORLD,
                reader: "ada".to_owned(),
            }]
        },
    ),
    (
        "a run began that nobody wrote down before",
        |history| history.at(3).facts.clear(),
        || {
            vec![Fault::Unrecorded {
                world: WORLD,
                run: format!("{WORLD}:{}", call()),
            }]
        },
    ),
    (
        "one attempt began twice",
        |history| {
            let again = Line::Began(run(1, 1, 55));
            history.entries.push(entry("a", again));
        },
        || {
            vec![Fault::BeganTwice {
                world: WORLD,
                run: format!("{WORLD}:{}", call()),
            }]
        },
    ),
    (
        "an unrepeatable call was repeated unasked",
        |history| history.log().repeated.push(call()),
        || {
            vec![Fault::Unasked {
                world: WORLD,
                call: call(),
            }]
        },
    ),
    (
        "an append was acknowledged under another incarnation",
        |history| history.line(7).incarnation = Incarnation(3),
        || {
            vec![Fault::Changed {
                world: WORLD,
                at: position(7),
            }]
        },
    ),
];

#[test]
fn every_forgery_is_found_and_nothing_else() {
    for (what, forge, expected) in FORGERIES {
        let mut history = fair();
        forge(&mut history);
        let expected: BTreeSet<Fault> = expected().into_iter().collect();
        assert_eq!(faults(&history), expected, "{what}");
    }
}

#[test]
fn runs_behind_the_opening_of_a_later_incarnation_are_counted_and_no_others() {
    let mut history = fair();
    assert_eq!(late_runs(&history.entries), []);
    let late = run(2, 1, 61);
    let runs = [late.clone(), run(3, 2, 62)];
    let lines = runs.map(|run| entry("a", Line::Began(run)));
    history.entries.extend(lines);
    assert_eq!(late_runs(&history.entries), [late]);
}
