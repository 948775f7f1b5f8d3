//! What stands beside a log: the tables of keys and of messages that are gone, and files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::io::{self, ErrorKind};

use folkmoot_core::event::{
    CallEvent, Event, MessageBody, MessageEdited, MessagePosted, MessageRetracted, OutcomeSettled,
    Reconciled, ReplyRegenerated, TalkEvent, ToolFinished,
};
use folkmoot_core::ids::{Digest, Position, WorldId};
use folkmoot_core::port::BlobError;
use folkmoot_core::tool::{BlobRef, Reconciliation, ToolOutcome, ToolOutput, View};

use super::report::{Damage, DamageKind};
use crate::engine::{Engine, EngineError, Table, each_row};
use crate::format::event::Beside;
use crate::format::record::RecordRef;
use crate::format::{Malformed, header};
use crate::home::blobs::Vault;
use crate::read::runs;
use crate::read::runs::entry;
use crate::state::content;

/// The word of the log about what stands beside it, compared as it goes by.
#[derive(Debug, Default)]
pub(crate) struct LogCompanions<'a> {
    place: Option<TablesPlace<'a>>,
    /// The number of commits in runs that have keys.
    keys: u64,
    /// The messages that are gone, and whether a commit in runs says so.
    gone: BTreeMap<Position, bool>,
    files: BTreeSet<Digest>,
    damage: Option<Damage>,
    /// The refusal of the disk to read: that says nothing of what is there.
    refused: Option<EngineError>,
}

/// The places of all of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TablesPlace<'a> {
    pub(crate) engine: &'a dyn Engine,
    pub(crate) files: &'a dyn KeptFiles,
    pub(crate) world: WorldId,
    /// The last event whose commit is in the tables.
    pub(crate) runs_end: Position,
    /// True if there is a table of keys; else they stand beside the records.
    pub(crate) has_keys: bool,
    /// True if nothing is written meanwhile.
    pub(crate) is_still: bool,
}

/// The place where files are kept.
pub(crate) trait KeptFiles: Debug {
    /// The bytes of a file that is not sealed; verified to be those that were kept.
    fn file(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError>;
}

impl KeptFiles for Vault {
    fn file(&self, world: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        self.get(world, blob, None)
    }
}

impl<'a> LogCompanions<'a> {
    pub(crate) fn new(place: TablesPlace<'a>) -> Self {
        Self {
            place: Some(place),
            ..Self::default()
        }
    }

    /// Fetches content that stands beside the frames; `None` if nobody looks, or the disk refused
    /// to read it.
    pub(crate) fn fetch(
        &mut self,
        at: (WorldId, Position),
        beside: &Beside,
    ) -> Result<Option<Vec<u8>>, Malformed> {
        let Some(TablesPlace { engine, .. }) = self.place else {
            return Ok(None);
        };
        match content::fetch_one(engine, at, beside) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(EngineError::Damaged(what)) => Err(Malformed(what)),
            Err(error) => {
                self.refuse(error);
                Ok(None)
            }
        }
    }

    /// Compares the key of a commit in runs with the table.
    pub(crate) fn note_commit(&mut self, record: &RecordRef<'_>) -> Result<(), Malformed> {
        let Some(TablesPlace {
            engine,
            world,
            runs_end,
            has_keys,
            ..
        }) = self.place
        else {
            return Ok(());
        };
        if !has_keys || record.fixed.last() > runs_end || record.fixed.world != world {
            return Ok(());
        }
        let Some(keyed) = header::read_key(record.header)? else {
            return Ok(());
        };
        let first = record.fixed.first;
        self.keys += 1;
        match runs::find_key(engine, world, &keyed.key) {
            Ok(found) if found == Some((first, keyed.digest)) => {}
            Err(error) if !matches!(error, EngineError::Damaged(_)) => self.refuse(error),
            Ok(_) | Err(_) => {
                let what = "the table of keys does not have the key of this commit".to_owned();
                self.index_damage(first, what);
            }
        }
        Ok(())
    }

    /// Compares the files that an event refers to, and remembers the messages that it takes away.
    pub(crate) fn note_event(
        &mut self,
        world: WorldId,
        at: Position,
        event: &Event,
    ) -> Option<Damage> {
        if let Event::Talk(TalkEvent::MessageEdited(MessageEdited { gone, .. }))
        | Event::Talk(TalkEvent::MessageRetracted(MessageRetracted { gone, .. }))
        | Event::Talk(TalkEvent::ReplyRegenerated(ReplyRegenerated { gone, .. })) = event
        {
            let is_in_table = self
                .place
                .is_some_and(|place| at <= place.runs_end && world == place.world);
            self.gone
                .extend(gone.iter().map(|gone| (*gone, is_in_table)));
        }
        // The files of what a fork shares are its parent's.
        if self.place.is_none_or(|place| world != place.world) {
            return None;
        }
        if let Event::Talk(TalkEvent::MessagePosted(MessagePosted { body, .. }))
        | Event::Talk(TalkEvent::MessageEdited(MessageEdited { body, .. })) = event
        {
            let files = body
                .present()
                .map_or(&[][..], |MessageBody { attachments, .. }| attachments);
            return files
                .iter()
                .find_map(|file| self.file(at, file.blob, Kept::Surely));
        }
        output(event).and_then(|output| self.output(at, output))
    }

    fn output(&mut self, at: Position, output: &ToolOutput) -> Option<Damage> {
        let whole = output
            .whole
            .as_ref()
            .and_then(|whole| self.file(at, whole.blob, Kept::Surely));
        // A tool may show a picture that it keeps itself.
        let mut images = output.views.iter().filter_map(image);
        whole.or_else(|| images.find_map(|image| self.file(at, image.blob, Kept::Perhaps)))
    }

    fn file(&mut self, at: Position, blob: Digest, kept: Kept) -> Option<Damage> {
        let TablesPlace { files, world, .. } = self.place?;
        if !self.files.insert(blob) {
            return None;
        }
        // What a sealed world refers to is sealed with the words that refer to it: here it reads as
        // erased.
        let what = match (files.file(world, blob), kept) {
            (Ok(Some(_)), _) | (Ok(None), Kept::Perhaps) => return None,
            (Ok(None), Kept::Surely) => format!("the file {} is missing", blob.short()),
            (Err(BlobError::Damaged { .. }), _) => {
                format!("the file {} has other bytes than were kept", blob.short())
            }
            (Err(BlobError::Io(error)), _) if error.kind() == ErrorKind::IsADirectory => {
                format!("in place of the file {} there is a folder", blob.short())
            }
            (Err(BlobError::Io(error) | BlobError::Full(error)), _) => {
                let named =
                    io::Error::new(error.kind(), format!("the file {}: {error}", blob.short()));
                self.refuse(EngineError::Io(named));
                return None;
            }
            (Err(error), _) => format!("the file {} cannot be read: {error}", blob.short()),
        };
        Some(Damage {
            at,
            until: None,
            kind: DamageKind::File,
            what,
        })
    }

    fn refuse(&mut self, error: EngineError) {
        self.refused.get_or_insert(error);
    }

    fn index_damage(&mut self, at: Position, what: String) {
        self.damage.get_or_insert(Damage {
            at,
            until: None,
            kind: DamageKind::Index,
            what,
        });
    }

    /// Compares the tables with the whole log.
    pub(crate) fn finish(mut self) -> Result<Option<Damage>, EngineError> {
        let Some(TablesPlace {
            engine,
            world,
            runs_end,
            has_keys,
            is_still,
            ..
        }) = self.place
        else {
            return Ok(None);
        };
        if let Some(refused) = self.refused {
            return Err(refused);
        }
        if self.damage.is_some() {
            return Ok(self.damage);
        }
        let (rows, is_readable) = match has_keys {
            true => count_keys(engine, world, runs_end)?,
            false => (self.keys, true),
        };
        if rows != self.keys || !is_readable {
            let what = format!(
                "the table of keys has {rows} keys, the log has {}",
                self.keys
            );
            self.index_damage(runs_end, what);
        }
        let table: BTreeSet<Position> = runs::gone(engine, world, Position::ZERO, END, END)?
            .into_iter()
            .collect();
        let missing = self
            .gone
            .iter()
            .find(|(gone, in_table)| **in_table && !table.contains(gone));
        let more = table
            .iter()
            .find(|gone| is_still && !self.gone.contains_key(gone));
        if let Some(gone) = missing.map(|(gone, _)| *gone).or(more.copied()) {
            self.index_damage(
                gone,
                "the table of messages that are gone is not what the log says".to_owned(),
            );
        }
        Ok(self.damage)
    }
}

/// Behind every event.
const END: Position = Position::new(u64::MAX);

/// The need for a file that an event refers to.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Surely,
    Perhaps,
}

fn output(event: &Event) -> Option<&ToolOutput> {
    let outcome = if let Event::Call(CallEvent::ToolFinished(ToolFinished { outcome, .. })) = event
    {
        outcome.present()?.as_ref()
    } else if let Event::Call(CallEvent::OutcomeSettled(OutcomeSettled { text, .. })) = event {
        text.present()?.late.as_ref().map(|(_, outcome)| outcome)
    } else if let Event::Call(CallEvent::Reconciled(Reconciled { outcome, .. })) = event {
        match outcome.present()? {
            Reconciliation::Landed(outcome) => Some(outcome),
            Reconciliation::DidNot | Reconciliation::CannotTell => None,
        }
    } else {
        None
    };
    match outcome? {
        ToolOutcome::Done(output) => Some(output),
        ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_) => None,
    }
}

const fn image(view: &View) -> Option<&BlobRef> {
    match view {
        View::Image { image, .. } => Some(image),
        View::Text(_) | View::Table(_) | View::Json(_) | View::Artifact(_) => None,
    }
}

/// Returns how many keys of commits in runs the table has, and whether all of them read.
fn count_keys(
    engine: &dyn Engine,
    world: WorldId,
    runs_end: Position,
) -> Result<(u64, bool), EngineError> {
    let from = world.0.as_bytes().to_vec();
    let to = [world.0.as_bytes().as_slice(), &[0xff; 17]].concat();
    let mut count = 0_u64;
    let mut is_readable = true;
    each_row(engine, Table::Keys, from, &to, |(_, value)| {
        match entry::read_key(&value) {
            Ok((first, _)) => count += u64::from(first <= runs_end),
            Err(_) => is_readable = false,
        }
        Ok(())
    })?;
    Ok((count, is_readable))
}
