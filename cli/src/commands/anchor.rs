//! `folkmoot anchor`.

use std::path::PathBuf;

use folkmoot::core::event::TreeHead;
use folkmoot::core::ids::Position;
use folkmoot::core::port::Signer as _;
use folkmoot::proof::anchors::{Anchor as Kept, AnchorsFile};
use folkmoot::proof::note::SignedNote;
use folkmoot::view::anchor::{AnchorQuery, AnchorView};
use folkmoot::{HeadSigner, note_of};

use crate::arguments::{AnchorArgs, CommonArgs};
use crate::exit::{CliError, INTEGRITY, STORE};
use crate::new_file::{self, NewFile};
use crate::show;
use crate::signing;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::view::query::Query;

/// A head that is kept elsewhere.
struct Made {
    view: AnchorView,
    head: TreeHead,
    key: String,
    /// The position of the signature in the log; `None` if the head was signed for this command.
    at: Option<Position>,
    note: SignedNote,
}

/// Prints the newest signed heads as anchors, or writes them to a file.
pub(crate) async fn anchor(common: &CommonArgs, arguments: AnchorArgs) -> Result<(), CliError> {
    let AnchorArgs {
        world,
        all,
        output,
        force,
    } = arguments;
    let signer = signing::signer(common)?;
    let asked = StoreSource::look(common)
        .await?
        .ask(Query::Anchors(AnchorQuery { world }))
        .await?
        .all()
        .await?;
    let mut made = Vec::new();
    let mut missing = 0_usize;
    for value in asked {
        let view: AnchorView = serde_json::from_value(value).map_err(CliError::json)?;
        match make(common, view, signer.as_deref()) {
            Ok(anchor) => made.push(anchor),
            Err(error) if all && error.code() == STORE => {
                show::complain(&error.to_string());
                missing += 1;
            }
            Err(error) => return Err(error),
        }
    }
    if made.is_empty() {
        return Err(if missing > 0 {
            CliError::Said(STORE)
        } else {
            none(common)
        });
    }
    if !common.quiet {
        made.iter().for_each(|anchor| show::remark(&remark(anchor)));
    }
    give(common, &made, all, output.map(|path| (path, force)))?;
    if missing > 0 {
        Err(CliError::Said(STORE))
    } else {
        Ok(())
    }
}

/// The newest recorded head; with a key one that covers all, if that does not.
fn make(
    common: &CommonArgs,
    view: AnchorView,
    signer: Option<&HeadSigner>,
) -> Result<Made, CliError> {
    let (at, signed) = match (&view.signed, signer) {
        (Some((at, signed)), None) => (*at, signed),
        (Some((at, signed)), Some(_)) if view.unsigned == 0 => (*at, signed),
        (Some(_) | None, Some(signer)) => {
            let note = signer
                .note(view.id, &view.head)
                .map_err(|error| CliError::other(INTEGRITY, error.to_string()))?;
            return Ok(Made {
                head: view.head.clone(),
                key: signer.key(),
                at: None,
                note,
                view,
            });
        }
        (None, None) => return Err(unsigned(common, &view)),
    };
    let broken = |why: String| {
        CliError::other(
            INTEGRITY,
            format!("event {at} of {} is no signed head: {why}", view.world),
        )
    };
    let note = note_of(view.id, signed).map_err(|error| broken(error.to_string()))?;
    // An anchor that is written here must be read again.
    Kept::of_note(note.clone()).map_err(|error| broken(error.to_string()))?;
    if let Some(signer) = signer.filter(|signer| signer.key() == signed.key) {
        note.verify(&[signer.verifier()])
            .map_err(|error| broken(error.to_string()))?;
    }
    let head = signed.head.clone();
    let key = signed.key.clone();
    Ok(Made {
        head,
        key,
        at: Some(at),
        note,
        view,
    })
}

fn unsigned(common: &CommonArgs, view: &AnchorView) -> CliError {
    let program = common.program();
    let world = &view.world;
    let what = format!("no head of {world} is signed, and no key is given to sign one with");
    let how = format!(
        "make a key with `folkmoot key new FILE`, then `{program} --key FILE anchor {world}`"
    );
    CliError::other(
        STORE,
        format!(
            "{what}: {how}; with FOLKMOOT_KEY=FILE heads are signed whenever a world is opened"
        ),
    )
}

fn none(common: &CommonArgs) -> CliError {
    CliError::other(
        STORE,
        format!("there is no world in the store {}", common.store),
    )
}

/// Says what an anchor covers, and whether the log has it.
fn remark(anchor: &Made) -> String {
    let Made {
        view:
            AnchorView {
                world,
                head: now,
                unsigned,
                ..
            },
        head,
        key,
        at,
        ..
    } = anchor;
    let covers = format!("{world}: events 1 to {}", head.of);
    match at {
        None => format!("{covers}, signed now by {key}; the log has no record of this signature"),
        Some(at) if *unsigned == 0 => {
            format!("{covers}, which is all of it, signed by {key} in event {at}")
        }
        Some(at) => format!(
            "{covers}, signed by {key} in event {at}; what came after it, up to event {}, is not covered: \
             with --key it would be signed now",
            now.of
        ),
    }
}

/// Prints the anchors or writes them to a file; JSON is printed in either case.
fn give(
    common: &CommonArgs,
    made: &[Made],
    all: bool,
    output: Option<(PathBuf, bool)>,
) -> Result<(), CliError> {
    let text = made
        .iter()
        .map(|anchor| anchor.note.clone())
        .collect::<AnchorsFile>()
        .to_string();
    let is_written = output.is_some();
    if let Some((path, force)) = output {
        new_file::check(&path, force)?;
        let mut file = NewFile::beside(&path)?;
        file.write(text.as_bytes())?;
        file.finish(&path, force)?;
        if !common.quiet {
            show::remark(&format!(
                "written to {}; keep it where whoever holds the store cannot change it",
                path.display()
            ));
        }
    }
    let mut terminal = Terminal::new();
    match (common.json, all) {
        (true, true) => made
            .iter()
            .try_for_each(|anchor| terminal.json(&json(anchor))),
        (true, false) => made
            .iter()
            .try_for_each(|anchor| terminal.document(&json(anchor))),
        (false, _) if is_written => Ok(()),
        (false, _) => terminal.piece(&text),
    }
}

fn json(anchor: &Made) -> serde_json::Value {
    let Made {
        view,
        head,
        key,
        at,
        note,
    } = anchor;
    serde_json::json!({
        "world": view.world,
        "id": view.id,
        "head": head,
        "key": key,
        "recorded": at,
        "log": view.head,
        "unsigned": if at.is_some() { view.unsigned } else { 0 },
        "note": note.to_string(),
    })
}
