//! `folkmoot erase`.

use crate::arguments::{CommonArgs, EraseArgs};
use crate::desk::DeskRequest;
use crate::desk::erasure::{Erasing, Gone, Wish};
use crate::exit::CliError;
use crate::show::{clean, clip};
use crate::signing;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;

/// The longest basis that is repeated, in characters.
const BASIS_MAX: usize = 200;

/// Erases content, in the store or through the process that holds it.
pub(crate) async fn erase(common: &CommonArgs, arguments: EraseArgs) -> Result<(), CliError> {
    let EraseArgs {
        world,
        events,
        person,
        episode,
        basis,
        by,
        dry_run,
    } = arguments;
    let signer = signing::signer(common)?;
    let wish = if dry_run { Wish::List } else { Wish::Erase };
    let erasing = Erasing {
        world,
        events,
        person,
        episode,
        basis,
        by: by.by,
        wish,
    };
    let source = if dry_run {
        StoreSource::look(common).await?
    } else {
        StoreSource::open_to_erase(common, std::slice::from_ref(&erasing.world), signer).await?
    };
    let gone = source.ask(DeskRequest::Erase(erasing)).await?;
    say(common, &gone.first().await?)
}

fn say(common: &CommonArgs, gone: &Gone) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(gone);
    }
    let spans = gone.events.iter().map(|span| {
        if span.from == span.to {
            span.from.to_string()
        } else {
            format!("{}-{}", span.from, span.to)
        }
    });
    let spans = spans.collect::<Vec<_>>().join(" ");
    match &gone.done {
        Some(done) => {
            let world = &gone.world;
            let by = clean(&gone.by);
            terminal.line(&format!(
                "{by} erased the content of {} of {world}: {spans}",
                counted(done.events, "event")
            ))?;
            terminal.line(&format!(
                "  on the basis of: {}",
                clip(&clean(&gone.basis), BASIS_MAX)
            ))?;
            terminal.line(&format!(
                "  {world}#{} records it; {} went with it",
                done.request,
                counted(done.files, "attached file")
            ))?;
        }
        None => terminal.line(&format!(
            "Without --dry-run this erases the content of {}: {spans}",
            counted(gone.count, "event")
        ))?,
    }
    if gone.quotes.is_empty() {
        return Ok(());
    }
    let more = if gone.has_more_quotes {
        " and others"
    } else {
        ""
    };
    let at = gone
        .quotes
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" ");
    terminal.line(&format!(
        "These events have sentences of it word for word: {at}{more}"
    ))?;
    terminal.line(&format!(
        "  look at them with: {} log {} --from N",
        common.program(),
        gone.world
    ))
}
