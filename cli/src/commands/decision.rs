//! The common part of `approve`, `deny`, `answer`, `settle` and `revoke`.

use folkmoot::core::command::Resolution;
use folkmoot::core::ids::{PersonName, RequestId};

use crate::arguments::{CommonArgs, DecisionArgs, ResumeArgs};
use crate::commands::{place, remote, resume, sole};
use crate::desk::DeskRequest;
use crate::desk::ruling::{Matter, PersonRuling, Taken};
use crate::exit::CliError;
use crate::remote::{Remote, check_options};
use crate::show::request::block;
use crate::show::{clean, clip, grant};
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::{person, signing};

/// The longest arguments that are repeated, in characters.
const ARGUMENTS_MAX: usize = 200;

/// Takes a decision: in the store, or through the process that holds it.
pub(crate) async fn decide(
    common: &CommonArgs,
    decided: DecisionArgs,
    resolution: Resolution,
) -> Result<(), CliError> {
    let DecisionArgs {
        world,
        request,
        person,
        resume,
    } = decided;
    let remote = Remote::of(common)?;
    if remote.is_some() {
        check_options(person.by.as_ref(), resume)?;
    }
    let (request, resolution) = match place::named(&world, request.as_deref(), "request")? {
        Some(at) => (RequestId(at), resolution),
        None => Box::pin(sole::confirmed(common, &world.world, resolution)).await?,
    };
    let world = world.world;
    if let Some(remote) = remote {
        return remote::resolve(common, &remote, &world, request, resolution).await;
    }
    let matter = Matter::Request {
        request,
        seen: None,
        resolution,
    };
    let ruling = PersonRuling {
        world: world.clone(),
        by: person.by,
        matter,
    };
    let is_held = take(common, ruling).await?;
    match (is_held, resume) {
        (true, _) if common.json => Ok(()),
        (true, _) => Terminal::new().line("The process that holds the store goes on with it."),
        (false, true) => {
            Box::pin(resume::resume(
                common,
                &ResumeArgs {
                    world,
                    base: None,
                    wait: false,
                },
            ))
            .await
        }
        (false, false) if common.json => Ok(()),
        (false, false) => {
            Terminal::new().line(&format!("Go on with: {} resume {world}", common.program()))
        }
    }
}

/// Gives a ruling and says what became of it; returns whether another process holds the store.
pub(crate) async fn take(common: &CommonArgs, ruling: PersonRuling) -> Result<bool, CliError> {
    let signer = signing::signer(common)?;
    let source = StoreSource::open(common, &ruling.world, signer).await?;
    let is_held = source.is_held();
    let by = ruling.by.clone();
    let answer = source.ask(DeskRequest::Decide(ruling)).await?;
    say(common, &answer.first().await?, by.as_ref())?;
    Ok(is_held)
}

fn say(common: &CommonArgs, taken: &Taken, by: Option<&PersonName>) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(taken);
    }
    let tool = taken
        .tool
        .as_ref()
        .map(|tool| format!(" {tool}"))
        .unwrap_or_default();
    let arguments = taken
        .arguments
        .as_deref()
        .map(|text| format!(" {}", clip(&clean(text), ARGUMENTS_MAX)));
    let by = by.cloned().or_else(person::login);
    let who = by.as_ref().map(|by| format!("{} ", clean(by.as_str())));
    terminal.line(&format!(
        "{}{} {}: {}{tool}{}",
        who.unwrap_or_default(),
        taken.how,
        taken.name,
        taken.agent,
        arguments.unwrap_or_default()
    ))?;
    let Some(given) = &taken.grant else {
        return Ok(());
    };
    for line in block(&format!("{} was granted", given.name), &grant::lines(given)) {
        terminal.line(&line)?;
    }
    terminal.line(&format!("  {}", grant::command(common, given, by.as_ref())))
}
