//! `folkmoot export --format bundle`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::Path;

use folkmoot::core::ids::Position;
use folkmoot::core::port::causes::with_causes;
use folkmoot::evidence::{BundleOrder, EvidenceError, bundle_of, slice_of};
use folkmoot::proof::bundle::{BUNDLE_MAX, Bundle};
use folkmoot::proof::note::{NOTE_MAX, SignedNote};
use folkmoot::store::Choice;
use folkmoot::{HeadSigner, Store};

use crate::arguments::{CommonArgs, ExportArgs};
use crate::commands::check_bundle::read;
use crate::commands::place;
use crate::exit::{CliError, STORE, USAGE};
use crate::new_file::NewFile;
use crate::signing;
use crate::source::{StoreUse, hold};

/// Writes an evidence bundle.
pub(crate) async fn export_bundle(
    common: &CommonArgs,
    arguments: ExportArgs,
    target: Option<&Path>,
) -> Result<(), CliError> {
    let key = signing::signer(common)?;
    let notes = arguments
        .note
        .iter()
        .map(|path| note(path))
        .collect::<Result<Vec<_>, _>>()?;
    let store = hold(&common.store, StoreUse::Read)
        .await?
        .map_err(|(_, locked)| CliError::from(locked))?;
    let bundle = bundle(&store, &arguments, &notes, key.as_deref()).await?;
    // The file ends with a line, as text files do.
    let mut bytes = serde_json::to_vec_pretty(&bundle).map_err(CliError::json)?;
    bytes.push(b'\n');
    if bytes.len() > BUNDLE_MAX {
        let what = format!(
            "the bundle would have {} bytes; at most {BUNDLE_MAX} can be checked",
            bytes.len()
        );
        return Err(CliError::other(
            USAGE,
            format!("{what}: choose events with --events or --why"),
        ));
    }
    let Some(path) = target else {
        return std::io::stdout()
            .write_all(&bytes)
            .map_err(CliError::output);
    };
    let mut file = NewFile::beside(path)?;
    file.write(&bytes)?;
    file.finish(path, arguments.force)
}

async fn bundle(
    store: &Store,
    arguments: &ExportArgs,
    notes: &[SignedNote],
    key: Option<&HeadSigner>,
) -> Result<Bundle, CliError> {
    let world = &arguments.world;
    let choice = match (&arguments.events, &arguments.why) {
        (Some(events), _) => Choice::Holding(positions(events)?),
        (None, Some(at)) => {
            Choice::Holding(slice_of(store, world, place::of(world, at, "event")?).await?)
        }
        (None, None) => Choice::All,
    };
    Ok(bundle_of(
        store,
        BundleOrder {
            world,
            choice,
            notes,
            key,
        },
    )
    .await?)
}

impl From<EvidenceError> for CliError {
    fn from(error: EvidenceError) -> Self {
        match error {
            EvidenceError::Fold(error) => error.into(),
            error @ (EvidenceError::NoSuchEvent { .. }
            | EvidenceError::OtherLog { .. }
            | EvidenceError::Checkpoint(_)) => Self::other(USAGE, with_causes(&error)),
            error @ EvidenceError::Ahead { .. } => {
                Self::other(crate::exit::INTEGRITY, error.to_string())
            }
            error @ (EvidenceError::NotText { .. } | EvidenceError::Sign(_) | _) => {
                Self::other(STORE, with_causes(&error))
            }
        }
    }
}

/// The positions that `17,26-28` means.
fn positions(text: &str) -> Result<BTreeSet<Position>, CliError> {
    let wrong = || {
        CliError::other(
            USAGE,
            format!("--events {text}: write positions and ranges, e.g. 17,26-28"),
        )
    };
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|number| *number > 0);
    let mut events = BTreeSet::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = number(from)
            .zip(number(to))
            .filter(|(from, to)| from <= to)
            .ok_or_else(wrong)?;
        if to - from >= RANGE_MAX {
            return Err(CliError::other(
                USAGE,
                format!("--events {part}: at most {RANGE_MAX} events in one range"),
            ));
        }
        events.extend((from..=to).map(Position::new));
    }
    Ok(events)
}

/// The most events of a range.
const RANGE_MAX: u64 = 1_000_000;

fn note(path: &Path) -> Result<SignedNote, CliError> {
    let failed = |error: &dyn std::fmt::Display| {
        CliError::other(USAGE, format!("{}: {error}", path.display()))
    };
    let bytes = read(path, NOTE_MAX).map_err(|error| CliError::other(USAGE, error.to_string()))?;
    SignedNote::parse(&bytes).map_err(|error| failed(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Vec<u64>> {
        positions(text)
            .ok()
            .map(|events| events.into_iter().map(Position::get).collect())
    }

    #[test]
    fn events_are_chosen_by_positions_and_ranges() {
        assert_eq!(read("26-28, 17"), Some(vec![17, 26, 27, 28]));
        for wrong in ["", "0", "3-2", "a", "1-", "1,,2", "1-99999999999"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
