//! The one request that waits in a world, for whoever names none.

use std::io::{self, IsTerminal as _};

use folkmoot::core::command::Resolution;
use folkmoot::core::ids::{RequestId, WorldName};
use folkmoot::run::{Asks, Waiting};
use folkmoot::view::waiting::WaitingView;

use crate::arguments::CommonArgs;
use crate::commands::remote;
use crate::exit::{CliError, PENDING, USAGE};
use crate::remote::Remote;
use crate::show;
use crate::source::StoreSource;
use crate::terminal::{Terminal, ask};
use crate::view::query::Query;

/// Shows the one request that waits in `world`, and asks whoever sits at the terminal whether it is meant. An approval is then
/// decided as it was shown here. Without a terminal the digits that the person was shown stand for
/// their answer.
pub(crate) async fn confirmed(
    common: &CommonArgs,
    world: &WorldName,
    resolution: Resolution,
) -> Result<(RequestId, Resolution), CliError> {
    let has_seen = matches!(&resolution, Resolution::Judge(judgement) if judgement.shown.is_some());
    let can_ask = io::stdin().is_terminal() && !common.json;
    let waiting = sole(common, world, can_ask || has_seen).await?;
    if !can_ask {
        return Ok((waiting.request, resolution));
    }
    let mut terminal = Terminal::new();
    for line in show::request::block(&waiting.name, &show::request::asked(&waiting)) {
        terminal.line(&line)?;
    }
    let line = ask(&format!("{} it? [y/N]", deed(&resolution)))?;
    if !matches!(line.as_str(), "y" | "Y" | "yes") {
        return Err(CliError::other(PENDING, "nothing was decided"));
    }
    Ok((waiting.request, as_shown(resolution, &waiting)))
}

async fn sole(
    common: &CommonArgs,
    world: &WorldName,
    can_confirm: bool,
) -> Result<Waiting, CliError> {
    let mut all = match Remote::of(common)? {
        Some(remote) => remote::waiting(&remote, world).await?,
        None => stored(common, world).await?,
    };
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let why = match names.as_slice() {
        [] => format!("nothing waits for a person in {world}"),
        [_] if can_confirm => {
            return all
                .pop()
                .ok_or_else(|| CliError::other(USAGE, "nothing waits"));
        }
        [name] => format!("{name} waits, and there is no terminal to show it on; name it"),
        names => format!("{} wait; name one of them", names.join(", ")),
    };
    let how = format!("see {} approvals {world}", common.program());
    Err(CliError::other(USAGE, format!("{why}: {how}")))
}

/// The requests that wait in a world of the store.
async fn stored(common: &CommonArgs, world: &WorldName) -> Result<Vec<Waiting>, CliError> {
    let source = StoreSource::look(common).await?;
    let all = source.ask(Query::Approvals(world.clone())).await?;
    let all = all.all().await?.into_iter().map(serde_json::from_value);
    let mut all: Vec<WaitingView> = all.collect::<Result<_, _>>().map_err(CliError::json)?;
    all.retain(|view| !view.is_expired);
    Ok(all.into_iter().map(|view| view.waiting).collect())
}

const fn deed(resolution: &Resolution) -> &'static str {
    match resolution {
        Resolution::Judge(judgement) => match judgement.verdict {
            folkmoot::core::event::Verdict::Allow => "Allow",
            folkmoot::core::event::Verdict::Deny => "Deny",
        },
        Resolution::Answer(_) => "Answer",
        Resolution::Settle(_) => "Settle",
    }
}

/// A decision about what stood on the terminal, unless the person has said what they saw.
fn as_shown(resolution: Resolution, waiting: &Waiting) -> Resolution {
    match (resolution, &waiting.asks) {
        (Resolution::Judge(judgement), Asks::Approval { shown, .. })
            if judgement.shown.is_none() =>
        {
            Resolution::Judge(judgement.having_seen(Some(shown.short())))
        }
        (resolution, _) => resolution,
    }
}
