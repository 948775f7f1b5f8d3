//! Commands at a server elsewhere.

use std::collections::BTreeMap;

use folkmoot::core::command::{Judgement, Reply, Resolution, Settlement as Settled};
use folkmoot::core::event::{self, Wider};
use folkmoot::core::ids::{Position, RequestId, WorldName};
use folkmoot::run::Waiting;
use folkmoot_client::{
    Answer, ClientError, Decision, NewMessage, Reach, Request, Room, Scope, Settlement, Verdict,
};
use serde_json::json;

use crate::arguments::{ApprovalsArgs, CommonArgs, RosterArgs, SayArgs, WorldsArgs};
use crate::exit::{CliError, USAGE};
use crate::remote::{self, Remote, RequestOffer};
use crate::show::request::DecisionForm;
use crate::show::{self, one_line, table};
use crate::terminal::Terminal;

/// Lists the rooms that the caller may read.
pub(super) async fn worlds(
    common: &CommonArgs,
    remote: &Remote,
    arguments: &WorldsArgs,
) -> Result<(), CliError> {
    if arguments.deleted {
        let why = "a server does not list what was deleted: leave --deleted or --server out";
        return Err(CliError::other(USAGE, why));
    }
    let labels: BTreeMap<String, String> = arguments.label.iter().cloned().collect();
    let rooms = remote.told(remote.client().rooms(&labels).await)?;
    let mut terminal = Terminal::new();
    if common.json {
        return rooms.iter().try_for_each(|room| terminal.json(room));
    }
    if rooms.is_empty() {
        let url = common.server.as_deref().unwrap_or_default();
        return terminal.line(&format!("There is no room at {url} that you may read."));
    }
    let heads = [
        "WORLD",
        "TITLE",
        "EVENTS",
        "PENDING",
        "STATE",
        "LAST ACTIVITY",
        "LABELS",
    ];
    terminal.line(&table::of(&heads, rooms.iter().map(row).collect()))
}

fn row(room: &Room) -> Vec<String> {
    let is_title = |(key, _): &(&String, &String)| key.as_str() != "title";
    let labels: Vec<String> = room
        .labels
        .iter()
        .filter(is_title)
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let cells = [
        room.name.clone(),
        room.title.clone().unwrap_or_default(),
        room.head.to_string(),
        room.waiting.to_string(),
        room.activity.clone(),
        room.time.clone(),
        labels.join(" "),
    ];
    cells.iter().map(|cell| one_line(cell)).collect()
}

/// Shows what waits for people, in one room or in all.
pub(super) async fn approvals(
    common: &CommonArgs,
    remote: &Remote,
    arguments: &ApprovalsArgs,
) -> Result<(), CliError> {
    let requests = match &arguments.world {
        Some(world) => remote.client().waiting(world.as_str()).await,
        None => remote.client().inbox().await,
    };
    let requests = remote.told(requests)?;
    let mut terminal = Terminal::new();
    if common.json {
        return requests
            .iter()
            .try_for_each(|request| terminal.json(request));
    }
    if requests.is_empty() {
        return terminal.line(&match &arguments.world {
            Some(world) => format!("Nothing waits for a person in {world}."),
            None => "Nothing waits for a person in the rooms that you may read.".to_owned(),
        });
    }
    requests
        .iter()
        .try_for_each(|request| show(common, &mut terminal, request))
}

/// Shows a request, and the commands for what the caller may decide; else who may.
fn show(common: &CommonArgs, terminal: &mut Terminal, request: &Request) -> Result<(), CliError> {
    let offer = RequestOffer::of(request)?;
    let request = remote::waiting(request)?;
    for line in show::request::block(&request.name, &show::request::asked(&request)) {
        terminal.line(&line)?;
    }
    for command in show::request::permitted(common, &request, offer.permit()) {
        terminal.whole(&format!("  {command}"))?;
    }
    if let Some(bar) = offer.bar() {
        return terminal.line(&format!("  {bar}"));
    }
    for line in show::request::reaches(&request, DecisionForm::Options) {
        terminal.whole(&format!("    {line}"))?;
    }
    Ok(())
}

/// The requests that wait in a room.
pub(super) async fn waiting(remote: &Remote, world: &WorldName) -> Result<Vec<Waiting>, CliError> {
    let requests = remote.told(remote.client().waiting(world.as_str()).await)?;
    requests.iter().map(remote::waiting).collect()
}

/// Says something in a room.
pub(super) async fn say(
    common: &CommonArgs,
    remote: &Remote,
    arguments: &SayArgs,
) -> Result<(), CliError> {
    let SayArgs {
        world,
        text,
        reply_to,
        part,
    } = arguments;
    remote::check_options(part.person.by.as_ref(), part.resume)?;
    let mut message = NewMessage::text(text);
    if let Some(reply_to) = reply_to {
        message = message.in_reply_to(reply_to.get());
    }
    let posted = remote.told(remote.client().post(world.as_str(), &message).await)?;
    let at = posted.message;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(&json!({ "world": world, "how": "said", "at": at }));
    }
    terminal.line(&format!("said: {world}#{at}"))
}

/// Stops what goes on in a room.
pub(super) async fn stop(
    common: &CommonArgs,
    remote: &Remote,
    arguments: &RosterArgs,
) -> Result<(), CliError> {
    let RosterArgs { world, part } = arguments;
    remote::check_options(part.person.by.as_ref(), part.resume)?;
    remote.told(remote.client().stop(world.as_str()).await)?;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(&json!({ "world": world, "how": "stopped" }));
    }
    terminal.line(&format!("stopped: {world}"))
}

/// Decides, answers or settles a request.
pub(super) async fn resolve(
    common: &CommonArgs,
    remote: &Remote,
    world: &WorldName,
    request: RequestId,
    resolution: Resolution,
) -> Result<(), CliError> {
    let how = resolved(common, remote, world, request, resolution).await?;
    let name = format!("{world}#{request}");
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.json(&json!({ "name": name, "how": how }));
    }
    terminal.line(&format!("{how}: {name}"))
}

/// Decides, answers or settles a request; gives a word for what became of it.
pub(super) async fn resolved(
    common: &CommonArgs,
    remote: &Remote,
    world: &WorldName,
    request: RequestId,
    resolution: Resolution,
) -> Result<&'static str, CliError> {
    let (client, room, number) = (remote.client(), world.as_str(), request.0.get());
    let (result, how) = match resolution {
        Resolution::Judge(judgement) => {
            let (decision, how) = decision(common, world, request.0, judgement)?;
            (client.decide(room, &decision).await, how)
        }
        Resolution::Answer(reply) => {
            let answer = match reply {
                Reply::Text(text) => Answer::text(number, text),
                Reply::Options(options) => Answer::options(number, options),
            };
            (client.answer(room, &answer).await, "answered")
        }
        Resolution::Settle(settled) => {
            let settlement = match settled {
                Settled::Ran(result) => Settlement::ran(number, result),
                Settled::NotRun => Settlement::not_run(number),
                Settled::RunAgain => Settlement::run_again(number),
            };
            (client.settle(room, &settlement).await, "settled")
        }
    };
    let who = match &result {
        Err(ClientError::Problem(problem)) if problem.status == 403 => {
            others(remote, world, request).await
        }
        Ok(()) | Err(_) => None,
    };
    remote.told(result).map_err(|error| match who {
        Some(who) => CliError::other(error.code(), format!("{error}; {who}")),
        None => error,
    })?;
    Ok(how)
}

/// Says who may decide a request that the caller may not; `None` if that cannot be learnt: then the
/// refusal alone is told.
async fn others(remote: &Remote, world: &WorldName, request: RequestId) -> Option<String> {
    let waiting = remote.client().waiting(world.as_str()).await.ok()?;
    let mut waiting = waiting.iter();
    let request = waiting.find(|waiting| waiting.request == request.0.get())?;
    RequestOffer::of(request).ok().map(|offer| offer.who())
}

/// The decision as a server takes it, and the word for it when it is taken.
fn decision(
    common: &CommonArgs,
    world: &WorldName,
    request: Position,
    judgement: Judgement,
) -> Result<(Decision, &'static str), CliError> {
    let Some(shown) = judgement.shown else {
        let why = format!(
            "say what you saw, with --shown DIGEST8: `{} approvals {world}` shows it",
            common.program()
        );
        return Err(CliError::other(USAGE, why));
    };
    let (verdict, how) = match judgement.verdict {
        event::Verdict::Allow => (Verdict::Allow, "allowed"),
        event::Verdict::Deny => (Verdict::Deny, "denied"),
    };
    let mut decision = Decision::about(request.get(), verdict, shown);
    decision = match judgement.scope {
        event::Scope::Once => decision,
        event::Scope::Turn => decision.within(Scope::Turn),
        event::Scope::World => decision.within(Scope::World),
        event::Scope::Uses(uses) => decision.within(Scope::Uses(uses)),
    };
    decision = match judgement.wider {
        Wider::Same => decision,
        Wider::Any => decision.reaching(Reach::Any),
        Wider::Where(constraints) => {
            let constraints = constraints.iter().map(serde_json::to_value);
            let constraints = constraints.collect::<Result<_, _>>();
            decision.reaching(Reach::Where(constraints.map_err(CliError::json)?))
        }
    };
    if let Some(arguments) = judgement.arguments {
        decision = decision.with_arguments(arguments);
    }
    decision = match (judgement.reason, judgement.shares_reason) {
        (Some(reason), true) => decision.telling(reason),
        (Some(reason), false) => decision.because(reason),
        (None, _) => decision,
    };
    Ok((decision, how))
}
