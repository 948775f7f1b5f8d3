//! `folkmoot fork`.

use folkmoot::core::event::ForkEffects;
use folkmoot::core::ids::Position;

use crate::arguments::{CommonArgs, ForkArgs};
use crate::desk::DeskRequest;
use crate::desk::fork::{ForkView, ForkWish};
use crate::exit::CliError;
use crate::show;
use crate::signing;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;

/// Branches a world off another one: in the store, or through the process that holds it.
pub(crate) async fn fork(common: &CommonArgs, arguments: ForkArgs) -> Result<(), CliError> {
    let ForkArgs {
        world,
        at,
        name,
        copy,
        live,
    } = arguments;
    let signer = signing::signer(common)?;
    let at = at.map(Position::new);
    let wish = ForkWish {
        parent: world,
        at,
        name,
        is_copied: copy,
        is_live: live,
    };
    let source = StoreSource::open(common, &wish.parent, signer).await?;
    let view: ForkView = source.ask(DeskRequest::Fork(wish)).await?.first().await?;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.document(&view);
    }
    lines(common, &view, at)
        .iter()
        .try_for_each(|line| terminal.line(line))?;
    if !view.asked_again.is_empty() {
        show::request::pending(&mut terminal, common, &view.world, &view.asked_again)?;
    }
    terminal.line(&format!(
        "Talk in it: {} chat {}",
        common.program(),
        view.world
    ))?;
    terminal.line(&format!(
        "Compare:    {} diff {} {}",
        common.program(),
        view.parent,
        view.world
    ))
}

fn lines(common: &CommonArgs, view: &ForkView, wanted: Option<Position>) -> Vec<String> {
    let ForkView {
        world,
        parent,
        at,
        closed,
        ..
    } = view;
    let mut lines = vec![format!(
        "{world} is branched off {parent} behind event {at}."
    )];
    if let Some(wanted) = wanted.filter(|wanted| wanted < at) {
        lines.push(format!(
            "Event {wanted} stands inside a commit; its last event is {at}."
        ));
    }
    let counts = [
        (closed.turns, "turn"),
        (closed.calls, "call"),
        (closed.requests, "request"),
        (closed.messages, "unread message"),
    ];
    let closed: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| counted(count, what))
        .collect();
    if closed.is_empty() {
        lines.push(format!("Nothing was open in {parent} at that point."));
    } else {
        lines.push(format!(
            "These were open in {parent}, and are closed in {world}: {}.",
            closed.join(", ")
        ));
    }
    match view.asked_again.len() {
        0 => {}
        count => lines.push(format!(
            "{world} asks people again: {}.",
            counted(count, "request")
        )),
    }
    match view.effects {
        ForkEffects::Recorded => lines.push(format!(
            "Its models and tools answer from the record of {parent}, and nothing else happens (--live would allow it)."
        )),
        ForkEffects::Live => lines.push("It asks its models and runs its tools.".to_owned()),
    }
    if view.is_copied {
        lines.push("It has its own copy of the events that both have.".to_owned());
    }
    if view.asked_again.is_empty() {
        lines.push(format!("Go on with: {} resume {world}", common.program()));
    }
    lines
}
