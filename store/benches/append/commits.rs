//! Commits: the first one of a world, and messages.

use folkmoot_core::command::CommandKind;
use folkmoot_core::command::commit::{Commit, CommitHeader};
use folkmoot_core::content::Content;
use folkmoot_core::event::{
    Author, ClockKind, Event, MessageBody, MessagePosted, Opened, TalkEvent, WorldEvent,
    WorldOpened,
};
use folkmoot_core::ids::principal::Principal;
use folkmoot_core::ids::{
    Digest, Incarnation, MessageId, NodeId, PersonName, Position, Seed, Stamp, Time, WorldId,
    WorldName,
};
use folkmoot_core::spec::SpecText;

const TEXT: &str = "The release notes are ready, the changelog has been read twice, and nobody has found a reason to wait \
     any longer; if the tests on the last two platforms are green by noon we tag it, and if one of them is not we say so \
     in the room and look at it together before anybody goes home, which is what we said we would do the last time.";

fn header(world: WorldId, first: u64) -> CommitHeader {
    CommitHeader {
        world,
        first: Position::new(first),
        stamp: Stamp {
            time: Time(first),
            seed: Seed::new(std::array::from_fn(|at| (first >> at) as u8)),
        },
        principal: Principal::Runtime,
        cause: None,
        key: None,
        decider: Digest::of(&[b"rules"]),
        command: CommandKind::PostMessage,
        residual: None,
    }
}

/// The first commit of the world of this number: two events.
pub(crate) fn creation(number: u64) -> Option<Commit> {
    let stamp = Stamp {
        time: Time(number),
        seed: Seed::new([1; 16]),
    };
    let world = WorldId::from_stamp(&stamp);
    let opened = WorldOpened {
        world,
        name: WorldName::new(format!("bench-{number}")).ok()?,
        clock: ClockKind::System,
        decider: Digest::of(&[b"rules"]),
        base: None,
        source: None,
        spec_digest: Digest::of(&[b"spec"]),
        spec: Box::default(),
        text: Content::Present(SpecText::default()),
    };
    let opening = Opened {
        incarnation: Incarnation(1),
        node: NodeId::from_stamp(&stamp),
        base: None,
        signer: None,
    };
    Some(Commit {
        header: header(world, 1),
        events: vec![
            Event::World(WorldEvent::WorldOpened(opened)),
            Event::World(WorldEvent::Opened(opening)),
        ],
    })
}

/// A message at `first`.
pub(crate) fn post(world: WorldId, first: u64) -> Option<Commit> {
    let message = MessagePosted::said(
        MessageId(Position::new(first)),
        Author::Person(PersonName::new("Ada").ok()?),
        None,
        MessageBody::text(TEXT.to_owned()),
    );
    Some(Commit {
        header: header(world, first),
        events: vec![Event::Talk(TalkEvent::MessagePosted(message))],
    })
}
