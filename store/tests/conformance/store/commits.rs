//! The commits that operations mean.

use folkmoot_core::command::commit::{CommandKey, Commit, Keyed, StepKey};
use folkmoot_core::event::{
    Attachment, Author, ErasureRequested, Event, ForkEffects, Forked, Labelled, MessageBody,
    MessagePosted, MessageRetracted, Span, TalkEvent, WorldEvent,
};
use folkmoot_core::ids::principal::{Person, Principal};
use folkmoot_core::ids::{
    Digest, Incarnation, MessageId, PersonName, Position, WorldId, WorldName,
};
use folkmoot_core::port::ForkPoint;
use folkmoot_core::spec::Privacy;

use super::content::text;
use super::operation::{Append, Opening, What};
use crate::fixture::{self, creation_called, header, message, name, opening, warning, world};

/// The first commit of a world.
pub(crate) fn creation(number: u8, called: u8, is_sealed: bool) -> Commit {
    let mut commit = creation_called(world(number), name(called));
    if let Event::World(WorldEvent::WorldOpened(opened)) = &mut commit.events[0]
        && is_sealed
    {
        opened.spec.policy.privacy = Privacy::Sealed;
    }
    commit
}

/// The first commit of a fork. One that lies says something else of its parent.
pub(crate) fn fork(
    (parent, parent_name): (WorldId, WorldName),
    point: ForkPoint,
    (id, name): (WorldId, WorldName),
    lies: bool,
) -> Commit {
    let first = point.base.of.next().get();
    let link = if lies {
        Digest::of(&[b"another"])
    } else {
        point.link
    };
    let forked = Forked {
        world: id,
        name,
        parent,
        parent_name,
        base: point.base,
        link,
        effects: ForkEffects::Recorded,
    };
    Commit {
        header: header(id, first),
        events: vec![Event::World(WorldEvent::Forked(forked)), opening(1)],
    }
}

/// What `one` means at `first` of its world.
pub(crate) fn made(one: &Append, first: u64, current: Incarnation, seed: u64) -> Commit {
    let mut header = header(world(one.world), first);
    header.key = one.key.map(|(word, is_other)| Keyed {
        key: key(word),
        digest: Digest::of(&[&[u8::from(is_other)]]),
    });
    if let Some(person) = one.person {
        let subject = format!("person {person}");
        let display = PersonName::new(subject.clone()).unwrap();
        header.principal = Principal::Person(Person {
            method: "test".to_owned(),
            subject,
            display,
        });
    }
    let mut events = events(&one.what, first, seed);
    if let Opening::Itself(further) = one.opening {
        events.push(opening(current.0 + u32::from(further)));
    }
    Commit { header, events }
}

/// Somebody's wish that content be erased.
pub(crate) fn request(id: WorldId, first: Position, span: Span) -> Commit {
    let requested = ErasureRequested {
        events: vec![span],
        basis: "they asked".to_owned().into(),
    };
    Commit {
        header: header(id, first.get()),
        events: vec![Event::World(WorldEvent::ErasureRequested(requested))],
    }
}

fn events(what: &What, first: u64, seed: u64) -> Vec<Event> {
    match what {
        What::Nothing => Vec::new(),
        What::Said { len, packs } => vec![message(text(*len, *packs, seed), first)],
        What::Several { count, len } => (first..)
            .take((*count).into())
            .map(|at| message(text(*len, false, seed + at), at))
            .collect(),
        What::Warnings(count) => (0..*count)
            .map(|at| warning(&format!("warning {at}")))
            .collect(),
        What::Labels {
            owner,
            stage,
            topic,
        } => {
            let owner = owner.then(|| "ada".to_owned());
            vec![Event::World(WorldEvent::Labelled(Labelled {
                owner,
                labels: labels(*stage, *topic),
            }))]
        }
        What::TakenAway(places) => {
            let gone: Vec<_> = places
                .iter()
                .map(|at| Position::new(u64::from(*at) % first.max(1) + 1))
                .collect();
            vec![Event::Talk(TalkEvent::MessageRetracted(MessageRetracted {
                message: MessageId(gone[0]),
                at: gone[0],
                gone,
            }))]
        }
        What::Attached(number) => vec![attached(*number, first)],
    }
}

fn attached(number: u8, at: u64) -> Event {
    let attachments = vec![Attachment::of("a.txt", "text/plain", &blob(number))];
    let author = Author::Person(PersonName::new("Ada").unwrap());
    let body = MessageBody {
        text: "see this".to_owned(),
        attachments,
    };
    Event::Talk(TalkEvent::MessagePosted(MessagePosted::said(
        MessageId(Position::new(at)),
        author,
        None,
        body,
    )))
}

/// The blob that has to be there before a commit may refer to it.
pub(crate) fn needs(one: &Append) -> Option<Vec<u8>> {
    if let What::Attached(number) = one.what {
        Some(blob(number))
    } else {
        None
    }
}

/// The blob of this number; one of them is empty and one is large.
pub(crate) fn blob(number: u8) -> Vec<u8> {
    let len = [0, 10, 5_000, 70_000][usize::from(number)];
    text(len, false, number.into()).into_bytes()
}

pub(crate) fn rules(number: u8) -> Digest {
    Digest::of(&[&[number]])
}

/// The key of this number: a client's word, or a step of a script.
pub(crate) fn key(number: u8) -> CommandKey {
    if number < 4 {
        fixture::key(&format!("key {number}"))
    } else {
        CommandKey::Step(StepKey {
            run: 1,
            index: number.into(),
        })
    }
}

/// Labels; 0 is none.
pub(crate) fn labels(stage: u8, topic: u8) -> folkmoot_core::port::Labels {
    let all = [("stage", stage), ("topic", topic)]
        .into_iter()
        .filter(|(_, value)| *value > 0);
    all.map(|(key, value)| (key.to_owned(), value.to_string()))
        .collect()
}
