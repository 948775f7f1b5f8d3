//! The facts of a commit that the index needs.

use std::io;

use folkmoot_core::command::commit::{Commit, Keyed};
use folkmoot_core::event::{
    Event, EventKind, Forked, Labelled, MessageEdited, MessageRetracted, ReplyRegenerated,
    TalkEvent, WorldEvent,
};
use folkmoot_core::ids::{Digest, Incarnation, Position, Time, WorldId, WorldName};
use folkmoot_core::spec::Privacy;

use crate::format::Malformed;
use crate::format::event::{ContentRef, EventRef};
use crate::format::header;
use crate::format::record::RecordRef;
use crate::format::upcast::{LiftError, Upcasters};
use crate::home::keys::Keyring;
use crate::state::index::Reach;

/// The facts of a commit that the index needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) world: WorldId,
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) time: Time,
    pub(crate) key: Option<Keyed>,
    /// The incarnation of its last `Opened`.
    pub(crate) opened: Option<Incarnation>,
    /// The world's name, if the commit begins with `WorldOpened`.
    pub(crate) created: Option<WorldName>,
    /// The place at which the world was forked, if the commit begins with `Forked`.
    pub(crate) origin: Option<Box<Origin>>,
    /// True if it begins with a `WorldOpened` whose definition wants content sealed.
    pub(crate) is_sealed: bool,
    /// The newest owner and labels.
    pub(crate) labelled: Option<Labelled>,
    /// The messages that it takes away.
    pub(crate) gone: Vec<Position>,
}

/// The place at which a world was forked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) forked: Forked,
    /// The reach of the parent there, under the name of the fork; `None` before anybody has looked.
    pub(crate) reach: Option<Reach>,
}

impl Summary {
    /// Summarises a commit that is about to be appended.
    pub(crate) fn of(commit: &Commit) -> Self {
        let mut summary = Self {
            world: commit.header.world,
            first: commit.header.first,
            last: commit.last(),
            time: commit.header.stamp.time,
            key: commit.header.key.clone(),
            opened: None,
            created: None,
            origin: None,
            is_sealed: false,
            labelled: None,
            gone: Vec::new(),
        };
        summary.note_first(commit.events.first());
        commit.events.iter().for_each(|event| summary.note(event));
        summary
    }

    /// Summarises a stored commit.
    pub(crate) fn read(record: &RecordRef<'_>, upcasters: &Upcasters) -> Result<Self, LiftError> {
        let (header, _) = header::read(record.header)?;
        let mut summary = Self {
            world: header.world,
            first: header.first,
            last: record.fixed.last(),
            time: header.stamp.time,
            key: header.key,
            opened: None,
            created: None,
            origin: None,
            is_sealed: false,
            labelled: None,
            gone: Vec::new(),
        };
        for (at, event) in record.events()?.into_iter().enumerate() {
            if is_noted(event.kind)
                || (at == 0 && (header.first.get() == 1 || event.kind == EventKind::Forked as u16))
            {
                let event = decode(&event, upcasters)?;
                if at == 0 {
                    summary.note_first(Some(&event));
                }
                summary.note(&event);
            }
        }
        Ok(summary)
    }

    fn note_first(&mut self, event: Option<&Event>) {
        if let Some(Event::World(WorldEvent::WorldOpened(opened))) = event
            && opened.world == self.world
            && self.first.get() == 1
        {
            self.created = Some(opened.name.clone());
            self.is_sealed = opened.spec.policy.privacy == Privacy::Sealed;
        }
        if let Some(Event::World(WorldEvent::Forked(forked))) = event
            && forked.world == self.world
            && self.first == forked.base.of.next()
        {
            self.origin = Some(Box::new(Origin {
                forked: forked.clone(),
                reach: None,
            }));
        }
    }

    fn note(&mut self, event: &Event) {
        if let Event::World(WorldEvent::Opened(opened)) = event {
            self.opened = Some(opened.incarnation);
        } else if let Event::World(WorldEvent::Labelled(labelled)) = event {
            self.labelled = Some(labelled.clone());
        } else if let Event::Talk(TalkEvent::MessageEdited(MessageEdited { gone, .. }))
        | Event::Talk(TalkEvent::MessageRetracted(MessageRetracted { gone, .. }))
        | Event::Talk(TalkEvent::ReplyRegenerated(ReplyRegenerated { gone, .. })) = event
        {
            self.gone.extend_from_slice(gone);
        }
    }
}

/// Tells whether an event of this kind says something that the index needs to know.
fn is_noted(kind: u16) -> bool {
    const NOTED: &[EventKind] = &[
        EventKind::Opened,
        EventKind::Labelled,
        EventKind::MessageEdited,
        EventKind::MessageRetracted,
        EventKind::ReplyRegenerated,
    ];
    NOTED.iter().any(|noted| *noted as u16 == kind)
}

/// The reason that a sealed event does not read.
#[derive(Debug)]
pub(crate) enum SealedError {
    /// The event would not read if it were not sealed.
    Lift(LiftError),
    /// The key is there and does not read.
    Key(io::Error),
}

/// Reads an event of `world`, with its content if that is sealed and its key is there.
pub(crate) fn decode_sealed(
    event: &EventRef<'_>,
    upcasters: &Upcasters,
    (world, keys): (WorldId, &Keyring),
) -> Result<Event, SealedError> {
    let opened = match &event.content {
        ContentRef::Sealed { key, nonce, bytes } => keys
            .open(world, key, nonce, bytes)
            .map_err(SealedError::Key)?,
        ContentRef::None
        | ContentRef::Present { .. }
        | ContentRef::Beside(_)
        | ContentRef::Erased { .. } => None,
    };
    let content = match &opened {
        Some(plain) => ContentRef::Present {
            salt: Default::default(),
            bytes: plain,
        },
        None => event.content,
    };
    decode(&EventRef { content, ..*event }, upcasters).map_err(SealedError::Lift)
}

/// Reads an event, lifted to this build's version if it has an older one.
pub(crate) fn decode(event: &EventRef<'_>, upcasters: &Upcasters) -> Result<Event, LiftError> {
    let read = if upcasters.is_current(event.kind, event.version) {
        Event::from_view(upcasters.known(event.view()))
    } else {
        Event::from_view(upcasters.known(upcasters.lift(event.to_record())?.view()))
    };
    read.map_err(|error| LiftError::Malformed(Malformed(describe(&error))))
}

fn describe(error: &dyn std::error::Error) -> String {
    error
        .source()
        .map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
}

/// The digest under which the key table keeps a key.
pub(crate) fn key_digest(
    key: &folkmoot_core::command::commit::CommandKey,
) -> Result<Digest, Malformed> {
    let json = serde_json::to_vec(key)
        .map_err(|error| Malformed(format!("its key has no JSON form: {error}")))?;
    Ok(Digest::of(&[&json]))
}
