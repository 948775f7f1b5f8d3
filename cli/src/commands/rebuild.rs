//! `folkmoot rebuild`.

use std::path::Path;

use folkmoot::proof::bundle::{Bundle, BundleVerdict, check};
use folkmoot::store::{self, Rebuilt, RebuiltWorld};
use serde::Serialize;

use crate::arguments::{CommonArgs, RebuildArgs};
use crate::commands::check_bundle;
use crate::desk::life::copy_failed;
use crate::exit::{CliError, INTEGRITY, STORE};
use crate::show::one_line;
use crate::terminal::Terminal;
use crate::text::counted;

/// A new store, and whether nothing was left behind.
#[derive(Serialize)]
struct RebuiltStore<'a> {
    is_whole: bool,
    #[serde(flatten)]
    rebuilt: &'a Rebuilt,
}

/// Makes a new store of what is whole of a damaged one, and says what is not.
pub(crate) async fn rebuild(common: &CommonArgs, arguments: RebuildArgs) -> Result<(), CliError> {
    let exports = arguments
        .from_export
        .iter()
        .map(|path| export(path))
        .collect::<Result<_, _>>()?;
    let order = store::Rebuild {
        from: common.store.folder()?.to_owned(),
        to: arguments.to,
        kind: arguments.engine.into(),
        exports,
    };
    let rebuilt = tokio::task::spawn_blocking(move || store::rebuild(&order)).await;
    let rebuilt = rebuilt.map_err(|error| CliError::other(STORE, error.to_string()))?;
    let rebuilt = rebuilt.map_err(|error| copy_failed(&error, "nothing was rebuilt"))?;
    let mut terminal = Terminal::new();
    if common.json {
        terminal.document(&RebuiltStore {
            is_whole: rebuilt.is_whole(),
            rebuilt: &rebuilt,
        })?;
    } else {
        tell(&mut terminal, &rebuilt)?;
    }
    if rebuilt.is_whole() {
        Ok(())
    } else {
        Err(CliError::Said(INTEGRITY))
    }
}

/// Reads a bundle. One whose commits are not those that its head and its links speak of is of no
/// use.
fn export(path: &Path) -> Result<Bundle, CliError> {
    let failed = |error: &dyn std::fmt::Display| {
        CliError::other(STORE, format!("{}: {error}", path.display()))
    };
    let bytes = check_bundle::read(path, folkmoot::proof::bundle::BUNDLE_MAX)?;
    let report = check(&bytes, &[], None).map_err(|error| failed(&error))?;
    if report.verdict() == BundleVerdict::Damaged {
        let what = "it is damaged: see `folkmoot check-bundle`";
        return Err(CliError::other(
            INTEGRITY,
            format!("{}: {what}", path.display()),
        ));
    }
    let bundle = Bundle::parse(&bytes).map_err(|error| failed(&error))?;
    if bundle.commits.iter().any(|commit| commit.link.is_none()) {
        return Err(failed(
            &"it holds chosen events only; a whole world is exported without --events and --why",
        ));
    }
    Ok(bundle)
}

fn tell(terminal: &mut Terminal, rebuilt: &Rebuilt) -> Result<(), CliError> {
    for damage in &rebuilt.store {
        terminal.line(&format!("the store: {}", one_line(&damage.what)))?;
    }
    rebuilt
        .worlds
        .iter()
        .try_for_each(|world| terminal.line(&line(world)))?;
    let path = one_line(&rebuilt.path.display().to_string());
    let kept = rebuilt
        .worlds
        .iter()
        .filter(|world| world.kept.get() > 0)
        .count();
    terminal.line(&format!(
        "The new store {path} has {} and {}.",
        counted(kept, "world"),
        counted(rebuilt.blobs, "attachment")
    ))?;
    if rebuilt.blobs_damaged > 0 {
        terminal.line(&format!(
            "It lacks {}: the old store has it damaged.",
            counted(rebuilt.blobs_damaged, "attachment")
        ))?;
    }
    if let Some(keys) = &rebuilt.keys {
        let keys = one_line(&keys.display().to_string());
        terminal.line(&format!(
            "It has no keys of sealed worlds: copy {keys} to read them."
        ))?;
    }
    terminal.line(&format!("To use it: folkmoot --store {path} worlds"))
}

/// Says what became of a world.
fn line(world: &RebuiltWorld) -> String {
    let RebuiltWorld {
        kept,
        known,
        found,
        lost,
        ..
    } = world;
    let name = world
        .name
        .as_ref()
        .map_or_else(|| world.world.to_string(), |name| one_line(name.as_str()));
    match (lost, found) {
        (None, None) => format!("{name}: whole, {}", counted(kept.get(), "event")),
        (None, Some(found)) => format!(
            "{name}: whole, {}; in the old store: {}",
            counted(kept.get(), "event"),
            one_line(found)
        ),
        (Some(lost), _) if kept == known => format!(
            "{name}: {}; {}",
            counted(kept.get(), "event"),
            one_line(lost)
        ),
        (Some(lost), _) if kept.get() == 0 => {
            let events = counted(known.get(), "event");
            format!("{name}: lost, {events}; {}", one_line(lost))
        }
        (Some(lost), _) => format!(
            "{name}: kept up to event {kept} of {known}; {}",
            one_line(lost)
        ),
    }
}
