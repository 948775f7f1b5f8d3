//! People: what they do, each thing at its time, and again after a restart if they got no answer.

use std::rc::Rc;
use std::time::Duration;

use folkmoot::core::command::{Action, ConsentAction, Judgement, Reply, Settlement, TalkAction};
use folkmoot::core::event::{Author, Scope};
use folkmoot::core::tool::ToolOutcome;
use folkmoot::run::{Asks, Waiting, waiting};
use folkmoot::{Key, Proof, Seat, SeatError, Verdict, WorldHandle};

use super::follow::{Follower, follow};
use super::lots::between_ms;
use super::process::Process;
use super::room::{self, RoomPlan};
use crate::law::Law;
use crate::story::{Does, StoryDeed};

/// How long somebody waits who finds a room closed.
const PATIENCE: Duration = Duration::from_millis(250);

/// Does what is not done yet, each deed at its time.
pub(super) async fn act(process: Rc<Process>) {
    for number in 0..process.setting.story.deeds.len() {
        let is_done = process
            .outside
            .books()
            .done
            .get(number)
            .copied()
            .unwrap_or(true);
        let Some(deed) = process.setting.story.deeds.get(number).filter(|_| !is_done) else {
            continue;
        };
        process
            .outside
            .clock
            .until(Duration::from_micros(deed.at_us))
            .await;
        process.spawn(see_to(Rc::clone(&process), number));
    }
}

/// Does one deed until there is an answer.
async fn see_to(process: Rc<Process>, number: usize) {
    let Some(deed) = process.setting.story.deeds.get(number) else {
        return;
    };
    let Some(plan) = process.setting.plans.get(deed.room).map(Rc::clone) else {
        return;
    };
    loop {
        let answer = match process.runtime.world(&plan.name) {
            Some(world) => give(&process, (number, deed), &plan, &world).await,
            None => Err(SeatError::Closed),
        };
        match answer {
            Ok(()) => return done(&process, number, true),
            Err(SeatError::Refused(_)) => return done(&process, number, false),
            Err(SeatError::Closed) => {}
            Err(error @ (SeatError::Stopped(_) | SeatError::Full)) => {
                note_stop(&process, &plan, &error);
            }
            Err(error) => return process.violated(&plan, Law::NothingTwice, error.to_string()),
        }
        tokio::time::sleep(PATIENCE).await;
    }
}

/// A world stops only with its store.
pub(super) fn note_stop(process: &Process, plan: &RoomPlan, why: &SeatError) {
    if !process.pulse.is_ending() && !plan.has_steps() {
        process.violated(
            plan,
            Law::ComesToRest,
            format!("its store did not stop: {why}"),
        );
    }
}

fn done(process: &Process, number: usize, is_accepted: bool) {
    let mut books = process.outside.books();
    if let Some(done) = books.done.get_mut(number) {
        *done = true;
    }
    let count = if is_accepted {
        &mut books.counts.accepted
    } else {
        &mut books.counts.refused
    };
    *count += 1;
}

/// A person's seat.
pub(super) fn seat(world: &WorldHandle, person: &str) -> Result<Seat, SeatError> {
    let name = person
        .to_owned()
        .try_into()
        .map_err(|_| SeatError::Closed)?;
    Ok(world.as_principal(Proof::script(name)))
}

/// Returns what waits in a room; whoever looks remembers how far the log was.
pub(super) async fn look(
    process: &Process,
    world: &WorldHandle,
) -> Result<Vec<Waiting>, SeatError> {
    let (head, all) = world
        .operator()
        .read(|world| (world.head(), waiting(world)))
        .await?;
    process.outside.books().ledger.saw(world.name(), head);
    Ok(all)
}

async fn give(
    process: &Rc<Process>,
    (number, deed): (usize, &StoryDeed),
    plan: &Rc<RoomPlan>,
    world: &WorldHandle,
) -> Result<(), SeatError> {
    let seat = seat(world, &deed.person)?;
    let all = look(process, world).await?;
    let who = (deed.room, deed.person.as_str());
    let action = match &deed.does {
        Does::Say(text) => return say(process, &seat, who, (text, None)).await,
        Does::SayTwice(text) => {
            let key = Key::Client(format!("deed-{number}"));
            say(process, &seat, who, (text, Some(key.clone()))).await?;
            return say(process, &seat, who, (text, Some(key))).await;
        }
        Does::Allow => decision(&all, Verdict::Allow, Scope::Once),
        Does::AllowAll => decision(&all, Verdict::Allow, Scope::World),
        Does::Deny => decision(&all, Verdict::Deny, Scope::Once),
        Does::Answer => all.iter().find_map(answer),
        Does::Stop => Some(Action::Talk(TalkAction::Stop { episode: None })),
        Does::Retract => {
            let last = process.outside.books().ledger.last(deed.room, &deed.person);
            last.map(|message| Action::Talk(TalkAction::Retract { message }))
        }
        Does::Regenerate => last_answer(world).await?,
        Does::Join => Some(Action::Talk(TalkAction::Join)),
        Does::Leave => Some(Action::Talk(TalkAction::Leave)),
        Does::Reopen => {
            process.runtime.close(&plan.name).await;
            room::open(process, plan).await;
            None
        }
        Does::Follow => {
            begin_to_follow(process, deed.room);
            None
        }
    };
    match action {
        Some(action) => act_on(process, &seat, action).await,
        None => Ok(()),
    }
}

/// Gives a command. Whatever a person decides is known to be wanted before it is.
pub(super) async fn act_on(
    process: &Process,
    seat: &Seat,
    action: Action,
) -> Result<(), SeatError> {
    if let Action::Consent(ConsentAction::Decide { request, .. })
    | Action::Consent(ConsentAction::Answer { request, .. })
    | Action::Consent(ConsentAction::Settle { request, .. }) = &action
    {
        process.outside.books().checker.decides(*request);
    }
    seat.give(action, None).await.map(|_| ())
}

async fn say(
    process: &Process,
    seat: &Seat,
    who: (usize, &str),
    (text, key): (&str, Option<Key>),
) -> Result<(), SeatError> {
    let post = folkmoot::Post {
        text: text.to_owned(),
        key,
        ..folkmoot::Post::default()
    };
    let message = seat.publish_message(post).await?;
    process
        .outside
        .books()
        .ledger
        .said(seat.world().name(), who, message, text);
    Ok(())
}

fn decision(all: &[Waiting], verdict: Verdict, scope: Scope) -> Option<Action> {
    let one = all
        .iter()
        .find(|one| matches!(one.asks, Asks::Approval { .. }))?;
    let judgement = Judgement::new(verdict).within(scope);
    Some(Action::Consent(ConsentAction::Decide {
        agent: Some(one.agent.clone()),
        request: one.request,
        judgement,
    }))
}

/// The first option of a question, or some words if it has none.
pub(super) fn answer(one: &Waiting) -> Option<Action> {
    let Asks::Question { question } = &one.asks else {
        return None;
    };
    let has_options = question
        .as_ref()
        .is_some_and(|question| !question.options.is_empty());
    let reply = if has_options {
        Reply::Options(vec![0])
    } else {
        Reply::Text("As you like.".to_owned())
    };
    Some(Action::Consent(ConsentAction::Answer {
        request: one.request,
        reply,
    }))
}

async fn last_answer(world: &WorldHandle) -> Result<Option<Action>, SeatError> {
    let last = |world: &folkmoot::core::world::World| {
        let by_agent = |author: &Author| matches!(author, Author::Agent(_));
        let last = world
            .transcript()
            .iter()
            .rev()
            .find(|message| by_agent(&message.author));
        last.map(|message| {
            Action::Talk(TalkAction::Regenerate {
                message: message.id,
            })
        })
    };
    world.operator().read(last).await
}

fn begin_to_follow(process: &Rc<Process>, room: usize) {
    let number = {
        let mut books = process.outside.books();
        books.followers.push(Follower {
            room,
            ..Follower::default()
        });
        books.followers.len().saturating_sub(1)
    };
    process.spawn(follow(Rc::clone(process), number));
}

/// Looks into every room now and then, and says what became of lost runs.
pub(super) async fn settle_now_and_then(process: Rc<Process>) {
    let mut lots = process.outside.lots("settling");
    loop {
        tokio::time::sleep(between_ms(&mut lots, 3_000, 60_000)).await;
        for plan in process
            .setting
            .plans
            .iter()
            .filter(|plan| !plan.has_steps())
        {
            settle_doubts(&process, plan).await;
        }
    }
}

/// Says of every lost run in a room what is true of it. Gives how many there were.
pub(super) async fn settle_doubts(process: &Process, plan: &RoomPlan) -> usize {
    let Some(world) = process.runtime.world(&plan.name) else {
        return 0;
    };
    let Ok(all) = look(process, &world).await else {
        return 0;
    };
    let mut settled = 0_usize;
    for one in all
        .iter()
        .filter(|one| matches!(one.asks, Asks::Outcome { .. }))
    {
        let Ok(Some(settlement)) = truth(process, &world, one).await else {
            continue;
        };
        let Ok(seat) = seat(&world, "auditor") else {
            continue;
        };
        let action = Action::Consent(ConsentAction::Settle {
            request: one.request,
            settlement,
        });
        if act_on(process, &seat, action).await.is_ok() {
            settled += 1;
        }
        let _activity = world.quiet().await;
    }
    settled
}

/// Returns what is true of a lost run.
async fn truth(
    process: &Process,
    world: &WorldHandle,
    one: &Waiting,
) -> Result<Option<Settlement>, SeatError> {
    let request = one.request;
    let key = move |world: &folkmoot::core::world::World| {
        Some(format!(
            "{}:{}",
            world.id()?,
            world.consent().pending().get(&request)?.call
        ))
    };
    let Some(key) = world.operator().read(key).await? else {
        return Ok(None);
    };
    let effects = process.outside.books().effects.get(&key).cloned();
    let scripted = process
        .setting
        .plans
        .iter()
        .any(|plan| plan.name == *world.name() && plan.has_steps());
    Ok(Some(match effects {
        // What is closed cannot run again.
        None if matches!(one.asks, Asks::Outcome { is_open: false }) => Settlement::NotRun,
        None if scripted || process.outside.lots("settlement").bool() => Settlement::RunAgain,
        None => Settlement::NotRun,
        Some(effects) => Settlement::Ran(match effects.outcome {
            ToolOutcome::Done(output) => Some(output.text),
            ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_) => None,
        }),
    }))
}

/// Says something in every room of a process that was taken over: nobody may be told that it is
/// kept.
pub(crate) async fn ask_in_vain(process: &Process) {
    for plan in process.setting.plans.iter() {
        let Some(world) = process.runtime.world(&plan.name) else {
            continue;
        };
        let Ok(seat) = seat(&world, "latecomer") else {
            continue;
        };
        if seat
            .publish_message(folkmoot::Post::text("Is anybody there?"))
            .await
            .is_ok()
        {
            let what = "a process that was taken over says that it has kept a message".to_owned();
            process.violated(plan, Law::NothingLost, what);
        }
    }
}
