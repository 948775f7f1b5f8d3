//! The end of a story: nothing goes wrong any more, people answer whatever waits, and every room
//! comes to rest.

use std::rc::Rc;
use std::time::Duration;

use folkmoot::core::command::{Action, ConsentAction, Judgement};
use folkmoot::core::ids::WorldName;
use folkmoot::core::world::effect::Effect;
use folkmoot::core::world::{Activity, World};
use folkmoot::run::{Asks, Waiting};
use folkmoot::{SeatError, Verdict, WorldHandle, fold_world};

use super::lots::between_ms;
use super::people::{self, act_on, answer, look, seat, settle_doubts};
use super::process::Process;
use super::room::RoomPlan;
use crate::law::{Law, LawFinding, Violation};

/// How long a room may go on by itself.
const QUIET_MAX: Duration = Duration::from_secs(4 * 3_600);

/// How often people answer what waits.
const ROUNDS_MAX: usize = 2_000;

/// Brings every room to rest. `false` if the process ended meanwhile.
pub(crate) async fn rest(process: &Rc<Process>) {
    for plan in process.setting.plans.iter() {
        if let Err(what) = rest_room(process, plan).await {
            return process.violated(plan, Law::ComesToRest, what);
        }
    }
    follow_up(process).await;
    for plan in process.setting.plans.iter() {
        if let Err(what) = is_fold(process, plan).await {
            process.violated(plan, Law::StateIsTheFold, what);
        }
    }
}

async fn rest_room(process: &Process, plan: &RoomPlan) -> Result<(), LawFinding> {
    if plan.has_steps() {
        return script_ends(process, plan).await;
    }
    for _ in 0..ROUNDS_MAX {
        let Some(world) = process.runtime.world(&plan.name) else {
            tokio::time::sleep(Duration::from_secs(1)).await;
            continue;
        };
        match round(process, plan, &world).await {
            Ok(true) => return Ok(()),
            Ok(false) | Err(SeatError::Closed) => {}
            Err(why @ (SeatError::Stopped(_) | SeatError::Full)) => {
                people::note_stop(process, plan, &why);
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            Err(error) => return Err(error.to_string().into()),
        }
    }
    let is_open = process.runtime.world(&plan.name).is_some();
    Err(LawFinding::from(if is_open {
        format!("it goes on after {ROUNDS_MAX} rounds")
    } else {
        "it stopped by itself".to_owned()
    }))
}

/// Waits until the room is quiet, and answers the first that waits. Whether it is at rest.
async fn round(process: &Process, plan: &RoomPlan, world: &WorldHandle) -> Result<bool, SeatError> {
    let Ok(quiet) = tokio::time::timeout(QUIET_MAX, world.quiet()).await else {
        let owed = world.operator().read(owed).await?;
        process.violated(
            plan,
            Law::ComesToRest,
            format!("it goes on for {QUIET_MAX:?}: {owed:?}"),
        );
        return std::future::pending().await;
    };
    quiet?;
    let all = look(process, world).await?;
    let open: Vec<&Waiting> = all
        .iter()
        .filter(|one| !matches!(one.asks, Asks::Outcome { is_open: false }))
        .collect();
    if let Some(one) = open.first() {
        decide(process, plan, world, one).await?;
        return Ok(false);
    }
    let (activity, owed) = world
        .operator()
        .read(|world| (world.activity(), owed(world)))
        .await?;
    if activity == Activity::Idle && owed.is_empty() {
        return Ok(true);
    }
    if activity == Activity::Parked {
        process.violated(
            plan,
            Law::ComesToRest,
            "it waits for people, and asks them nothing".to_owned(),
        );
        return std::future::pending().await;
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok(false)
}

/// Returns what is owed, but for what only waits for its time.
fn owed(world: &World) -> Vec<Effect> {
    world
        .owed()
        .filter(|effect| !matches!(effect, Effect::TickAt { .. }))
        .collect()
}

async fn decide(
    process: &Process,
    plan: &RoomPlan,
    world: &WorldHandle,
    one: &Waiting,
) -> Result<(), SeatError> {
    let mut lots = process.outside.lots("deciding");
    tokio::time::sleep(between_ms(&mut lots, 10, 20_000)).await;
    let answered = match &one.asks {
        Asks::Approval { .. } => {
            let verdict = if lots.u32(0..3) == 0 {
                Verdict::Deny
            } else {
                Verdict::Allow
            };
            let agent = Some(one.agent.clone());
            let judgement = Judgement::new(verdict);
            act_on(
                process,
                &seat(world, "judge")?,
                Action::Consent(ConsentAction::Decide {
                    agent,
                    request: one.request,
                    judgement,
                }),
            )
            .await
        }
        Asks::Question { .. } => match answer(one) {
            Some(action) => act_on(process, &seat(world, "judge")?, action).await,
            None => Ok(()),
        },
        Asks::Outcome { .. } => {
            settle_doubts(process, plan).await;
            Ok(())
        }
    };
    match answered {
        // It may be decided, or out of time, meanwhile.
        Err(SeatError::Refused(_)) => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            Ok(())
        }
        other => other,
    }
}

async fn script_ends(process: &Process, plan: &RoomPlan) -> Result<(), LawFinding> {
    let is_finished = || {
        process
            .outside
            .books()
            .finished
            .get(plan.number)
            .copied()
            .unwrap_or(true)
    };
    for _ in 0..ROUNDS_MAX {
        if is_finished() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    Err("its script does not end".to_owned().into())
}

/// Waits until whoever follows a room has seen all of it.
async fn follow_up(process: &Process) {
    let followers = process.outside.books().followers.clone();
    for (number, follower) in followers.into_iter().enumerate() {
        let Some(plan) = process.setting.plans.get(follower.room) else {
            continue;
        };
        if let Err(what) = has_caught_up(process, number, &plan.name).await {
            process.violated(plan, Law::FollowersSeeTheLog, what);
        }
    }
}

async fn has_caught_up(
    process: &Process,
    number: usize,
    name: &WorldName,
) -> Result<(), LawFinding> {
    use folkmoot::core::port::EventLog as _;
    let mut reached = Default::default();
    for _ in 0..ROUNDS_MAX {
        let head = process
            .store
            .find(name)
            .await
            .ok()
            .flatten()
            .map(|entry| entry.head)
            .unwrap_or_default();
        let follower = process
            .outside
            .books()
            .followers
            .get(number)
            .cloned()
            .unwrap_or_default();
        reached = follower.head();
        if reached >= head {
            let checked = match follower.world {
                Some(world) => process
                    .outside
                    .books()
                    .checker
                    .followed(world, &follower.seen),
                None => Ok(()),
            };
            process.outside.hold(checked);
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    Err(format!("whoever follows it has not got beyond event {reached}").into())
}

/// Tells whether what is in memory is the fold of the log.
async fn is_fold(process: &Process, plan: &RoomPlan) -> Result<(), LawFinding> {
    let Some(world) = process.runtime.world(&plan.name) else {
        return Ok(());
    };
    let state = |world: &World| (world.head(), serde_json::to_string(world));
    let Ok((head, in_memory)) = world.operator().read(state).await else {
        return Ok(());
    };
    let folded = fold_world(&process.store, &plan.name, Some(head))
        .await
        .map_err(|error| LawFinding::from(error.to_string()))?;
    let (in_memory, folded) = match (in_memory, serde_json::to_string(&folded)) {
        (Ok(in_memory), Ok(folded)) => (in_memory, folded),
        (Err(error), _) | (_, Err(error)) => {
            return Err(format!("the state has no written form: {error}").into());
        }
    };
    if in_memory == folded {
        Ok(())
    } else {
        Err(difference(&in_memory, &folded).into())
    }
}

fn difference(one: &str, other: &str) -> String {
    let at = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let around = |text: &str| {
        text.chars()
            .skip(at.saturating_sub(60))
            .take(160)
            .collect::<String>()
    };
    format!("in memory …{}…, folded …{}…", around(one), around(other))
}

/// Tells whether what is kept verifies, world by world.
pub(crate) async fn verify(process: &Process) -> Result<(), Violation> {
    let worlds = super::process::recover(&process.outside, &process.store).await?;
    for entry in worlds {
        let broken = |what: String| Violation {
            world: Some(entry.name.clone()),
            ..Violation::of(Law::StoreWhole, what)
        };
        let against = folkmoot::store::Against::default();
        let found = process
            .store
            .verify(entry.world, against)
            .await
            .map_err(|error| broken(error.to_string()))?;
        if let Some(damage) = found.damage {
            return Err(broken(format!("{damage:?}")));
        }
        let report = folkmoot::audit::verify(&process.store, &entry.name).await;
        let report = report.map_err(|error| broken(error.to_string()))?.await;
        if let Some(check) = report.checks.iter().find(|check| check.is_bad()) {
            return Err(broken(format!("{}: {}", check.name, check.detail)));
        }
    }
    process.outside.books().checker.over()
}
