//! `folkmoot say`, `edit`, `retract`, `regenerate`, `stop`, `join` and `leave`.

use folkmoot::core::ids::{MessageId, WorldName};
use folkmoot::view::world::WorldAt;

use crate::arguments::{
    CommonArgs, EditArgs, MessageArgs, ResumeArgs, RosterArgs, SayArgs, TakingPartArgs, TalkCommand,
};
use crate::commands::{place, remote, resume};
use crate::desk::DeskRequest;
use crate::desk::deed::{Deed, Done, PersonDeed};
use crate::exit::CliError;
use crate::remote::Remote;
use crate::show::clean;
use crate::signing;
use crate::source::StoreSource;
use crate::terminal::Terminal;

/// Does what a person wants to do in a room: in the store, or through the process that holds it.
pub(crate) async fn talk(common: &CommonArgs, command: TalkCommand) -> Result<(), CliError> {
    if let Some(remote) = Remote::of(common)? {
        return elsewhere(common, &remote, &command).await;
    }
    let (world, deed, part) = read(command)?;
    let TakingPartArgs { person, resume } = part;
    let signer = signing::signer(common)?;
    let source = StoreSource::open(common, &world, signer).await?;
    let is_held = source.is_held();
    let wish = PersonDeed {
        world: world.clone(),
        by: person.by,
        deed,
    };
    let answer = source.ask(DeskRequest::Act(wish)).await?;
    say(common, &answer.first().await?)?;
    match (is_held, resume) {
        (false, true) => {
            let arguments = ResumeArgs {
                world,
                base: None,
                wait: false,
            };
            Box::pin(resume::resume(common, &arguments)).await
        }
        (true, _) | (false, false) if common.json => Ok(()),
        (true, _) => Terminal::new().line("The process that holds the store goes on with it."),
        (false, false) => {
            Terminal::new().line(&format!("Go on with: {} resume {world}", common.program()))
        }
    }
}

/// Does it in a room of a server elsewhere.
async fn elsewhere(
    common: &CommonArgs,
    remote: &Remote,
    command: &TalkCommand,
) -> Result<(), CliError> {
    match command {
        TalkCommand::Say(arguments) => remote::say(common, remote, arguments).await,
        TalkCommand::Stop(arguments) => remote::stop(common, remote, arguments).await,
        TalkCommand::Edit(_)
        | TalkCommand::Retract(_)
        | TalkCommand::Regenerate(_)
        | TalkCommand::Join(_)
        | TalkCommand::Leave(_) => Err(crate::remote::not_for_a_server()),
    }
}

/// The world that a command is about, and the deed that it names.
fn read(command: TalkCommand) -> Result<(WorldName, Deed, TakingPartArgs), CliError> {
    Ok(match command {
        TalkCommand::Say(SayArgs {
            world,
            text,
            reply_to,
            part,
        }) => {
            let reply_to = reply_to.map(MessageId);
            (world, Deed::Say { text, reply_to }, part)
        }
        TalkCommand::Edit(EditArgs {
            message,
            text,
            part,
        }) => {
            let (world, message) = named(message)?;
            (world, Deed::Edit { message, text }, part)
        }
        TalkCommand::Retract(MessageArgs { message, part }) => {
            let (world, message) = named(message)?;
            (world, Deed::Retract(message), part)
        }
        TalkCommand::Regenerate(MessageArgs { message, part }) => {
            let (world, message) = named(message)?;
            (world, Deed::Regenerate(message), part)
        }
        TalkCommand::Stop(RosterArgs { world, part }) => (world, Deed::Stop, part),
        TalkCommand::Join(RosterArgs { world, part }) => (world, Deed::Join, part),
        TalkCommand::Leave(RosterArgs { world, part }) => (world, Deed::Leave, part),
    })
}

fn named(message: WorldAt) -> Result<(WorldName, MessageId), CliError> {
    let at = place::needed(&message, None, "message")?;
    Ok((message.world, MessageId(at)))
}

fn say(common: &CommonArgs, done: &Done) -> Result<(), CliError> {
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(done);
    }
    let Done {
        world,
        how,
        at,
        notices,
    } = done;
    match at {
        Some(at) => terminal.line(&format!("{how}: {world}#{at}"))?,
        None => terminal.line(&format!(
            "{world} stays as it is: there was nothing to change"
        ))?,
    }
    for notice in notices {
        terminal.line(&clean(notice))?;
    }
    Ok(())
}
