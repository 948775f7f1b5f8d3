//! The crash sweep: every script is cut at every commit, once before and once after the effects in flight, and run again.
//! `FOLKMOOT_SWEEP=1` does; without it every ninth commit is cut, each script from another one on.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use folkmoot::core::command::Settlement;
use folkmoot::core::command::commit::Commit;
use folkmoot::core::event::{Event, WorldEvent};
use folkmoot::core::ids::{CallId, ToolName};
use folkmoot::core::world::effect::Effect;
use folkmoot::proof::note::SignerKey;
use folkmoot::run::{Asks, waiting};
use folkmoot::{HeadSigner, Proof, Runtime, Waiting, WorldHandle, fold_world};
use folkmoot_tests::{Cut, Kept, Side, Stage, Trace, commits_of, repeats_of, story_of};

use crate::scripts;

#[cfg(feature = "nodes")]
mod database;

/// No single run of a script takes this long; one that does hangs.
const RUN_MAX: Duration = Duration::from_secs(60);

/// How often a run may be taken up again after doubts were settled.
const SETTLINGS_MAX: usize = 20;

macro_rules! sweeps {
    ($($(#[$only:meta])* $test:ident: $script:literal,)*) => {
        const SCRIPTS: &[&str] = &[$($(#[$only])* $script),*];

        $(
            $(#[$only])*
            #[tokio::test]
            async fn $test() {
                sweep($script, None).await;
            }
        )*
    };
}

sweeps! {
    release_room_survives_every_cut: "release-room",
    crash_and_resume_survives_every_cut: "crash-and-resume",
    denied_survives_every_cut: "denied",
    #[cfg(feature = "data")]
    data_sets_survive_every_cut: "data-copilot",
    forks_survive_every_cut: "fork",
    forged_approval_survives_every_cut: "forged-approval",
    domain_artifacts_survive_every_cut: "home-advisor",
    wrong_agent_survives_every_cut: "wrong-agent",
    recorded_survives_every_cut: "recorded",
    attachments_survive_every_cut: "attached",
    files_survive_every_cut: "files",
    parallel_agents_survive_every_cut: "parallel",
    questions_survive_every_cut: "questions",
    failures_and_streams_survive_every_cut: "weather",
    reconciled_runs_survive_every_cut: "reconciled",
    programs_survive_every_cut: "ledger",
    questions_between_agents_survive_every_cut: "ask",
    handoffs_survive_every_cut: "handoff",
    joins_survive_every_cut: "joined",
    summaries_survive_every_cut: "compacted",
    limits_survive_every_cut: "limits",
    routing_tags_survive_every_cut: "tags",
    revisions_survive_every_cut: "revised",
    agents_that_wait_survive_every_cut: "waiting",
    people_survive_every_cut: "people",
    rights_survive_every_cut: "rights",
    grants_survive_every_cut: "grants",
    standing_grants_survive_every_cut: "standing-grants",
    edited_calls_survive_every_cut: "edited",
    denials_survive_every_cut: "denials",
    choices_survive_every_cut: "choices",
    four_eyes_survive_every_cut: "four-eyes",
    prices_and_fallbacks_survive_every_cut: "budget",
    a_pipeline_survives_every_cut: "pipeline",
    an_intent_router_survives_every_cut: "intent-router",
    a_state_machine_survives_every_cut: "state-machine",
    a_debate_survives_every_cut: "debate",
    a_fan_out_survives_every_cut: "fan-out",
    a_fan_in_survives_every_cut: "fan-in",
    an_orchestrator_survives_every_cut: "orchestrator-worker",
    a_tool_proxy_survives_every_cut: "tool-proxy",
    an_approval_gate_survives_every_cut: "approval-gate",
    a_fix_loop_survives_every_cut: "retry-fix-loop",
}

#[tokio::test]
async fn a_signed_log_survives_every_cut() {
    let signer = HeadSigner::new(SignerKey::generate("example.com/desk", &[7; 32]).unwrap());
    sweep("edited", Some(&Arc::new(signer))).await;
}

#[test]
fn no_script_is_left_out_of_the_sweep() {
    let stem = |path: std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let all: BTreeSet<String> = scripts::all().into_iter().map(stem).collect();
    assert_eq!(all, SCRIPTS.iter().map(ToString::to_string).collect());
}

/// Every how many commits a script is cut, unless `FOLKMOOT_SWEEP` says otherwise.
const STEP: usize = 9;

fn step() -> usize {
    match std::env::var("FOLKMOOT_SWEEP") {
        Ok(step) => step.parse().unwrap(),
        Err(_) => STEP,
    }
}

/// Cuts the script in memory at every `step` commits, and at a few of them on disk.
async fn sweep(script: &str, signer: Signing<'_>) {
    let file = scripts::named(script);
    let (uncut, appends) = run_whole(&file, signer).await;
    let (step, mut cuts) = (step(), 0);
    let first = (script.len() % step) as u64;
    for last in (first..=appends).step_by(step) {
        for side in [Side::Before, Side::After] {
            cuts += run_cut(stage_of(&file, Kept::InMemory, signer), last, side, &uncut).await;
        }
    }
    let mut on_disk = 0;
    for last in (1..=appends).step_by(6 + step) {
        let side = if last % 2 == 0 {
            Side::Before
        } else {
            Side::After
        };
        on_disk += run_cut(stage_of(&file, Kept::OnDisk, signer), last, side, &uncut).await;
    }
    println!("{script}: {appends} commits, {cuts} cuts in memory, {on_disk} on disk");
    assert!(cuts * step as u64 >= appends && on_disk > 0);
}

/// The key that a script's runs sign with, if they do.
type Signing<'a> = Option<&'a Arc<HeadSigner>>;

fn stage_of(file: &Path, kept: Kept, signer: Signing<'_>) -> Stage {
    let stage = Stage::of(file, kept);
    match signer {
        Some(signer) => stage.signed_with(signer),
        None => stage,
    }
}

struct Uncut {
    trace: Trace,
    probe: folkmoot_tests::Probe,
}

async fn run_whole(file: &Path, signer: Signing<'_>) -> (Uncut, u64) {
    let stage = stage_of(file, Kept::InMemory, signer);
    let gate = Arc::new(Cut::never(&stage.probe));
    let runtime = stage.runtime(crate::helper(), Arc::clone(&gate) as _);
    stage.run(&runtime).await.unwrap();
    runtime.shutdown().await;
    (
        Uncut {
            trace: Trace::of(&stage).await,
            probe: stage.probe.clone(),
        },
        gate.asked(),
    )
}

/// Cuts after the `last`-th append, runs the script again until it ends, and compares. Gives how often it was cut.
async fn run_cut(mut stage: Stage, last: u64, side: Side, uncut: &Uncut) -> u64 {
    let what = format!(
        "{} cut {side:?} the effects of commit {last}, {:?}",
        stage.script.world,
        stage.kept()
    );
    let runtime = stage.runtime(
        crate::helper(),
        Arc::new(Cut::after(last, side, &stage.probe)),
    );
    let first = within(&what, stage.run(&runtime)).await;
    runtime.shutdown().await;
    drop(runtime);
    if first.is_err() {
        stage.reopen().await;
        run_again(&stage, &what, uncut).await;
    }
    check(&stage, &what, uncut).await;
    u64::from(first.is_err())
}

/// Runs the same script until it ends. What parks it because a run's outcome is not known is settled by the tool's own
/// count of runs.
async fn run_again(stage: &Stage, what: &str, uncut: &Uncut) {
    let runtime = stage.runtime(crate::helper(), Arc::new(Cut::never(&stage.probe)));
    for _ in 0..SETTLINGS_MAX {
        let Err(error) = within(what, stage.run(&runtime)).await else {
            runtime.shutdown().await;
            return;
        };
        let settled = settle(&runtime, stage, uncut).await;
        assert!(
            settled > 0,
            "{what}: {error}\n{}",
            story_of(&commits_of(stage.store(), &stage.script.world).await)
        );
        runtime.close(&stage.script.world).await;
    }
    panic!("{what}: it does not end");
}

/// Settles every open call whose outcome is not known. Gives how many there were.
async fn settle(runtime: &Runtime, stage: &Stage, uncut: &Uncut) -> usize {
    let Some(world) = runtime.world(&stage.script.world) else {
        return 0;
    };
    let doubts = doubts(&world).await;
    let seat = world.as_principal(Proof::script("auditor".to_owned().try_into().unwrap()));
    for (request, call) in &doubts {
        let tool = request.tool.as_ref().map_or("", ToolName::as_str);
        let arguments = request.arguments.as_deref().unwrap_or_default();
        let settlement = match stage.probe.runs(*call) {
            0 => Settlement::RunAgain,
            1 => Settlement::Ran(uncut.probe.given(tool, arguments)),
            more => panic!("{tool} ran {more} times in one call"),
        };
        seat.settle(request, settlement).await.unwrap();
        world.quiet().await.unwrap();
    }
    doubts.len()
}

async fn doubts(world: &WorldHandle) -> Vec<(Waiting, CallId)> {
    let look = |world: &folkmoot::core::world::World| {
        let open = waiting(world)
            .into_iter()
            .filter(|one| matches!(one.asks, Asks::Outcome { is_open: true }));
        open.map(|one| {
            let call = world.consent().pending()[&one.request].call;
            (one, call)
        })
        .collect()
    };
    world.operator().read(look).await.unwrap_or_default()
}

async fn check(stage: &Stage, what: &str, uncut: &Uncut) {
    let world = fold_world(stage.store(), &stage.script.world, None)
        .await
        .unwrap();
    let owed: Vec<Effect> = world
        .owed()
        .filter(|effect| !matches!(effect, Effect::TickAt { .. }))
        .collect();
    assert_eq!(owed, [], "{what}: something is owed");
    let commits = commits_of(stage.store(), &stage.script.world).await;
    assert_eq!(
        repeats_of(&commits),
        [],
        "{what}: an unrepeatable tool was started twice"
    );
    let is_signature = |commit: &Commit| {
        matches!(
            commit.events.as_slice(),
            [Event::World(WorldEvent::HeadSigned(_))]
        )
    };
    assert!(
        !commits.windows(2).any(|pair| pair.iter().all(is_signature)),
        "{what}: a signature was signed"
    );
    let ends_signed = commits.last().is_some_and(is_signature);
    assert_eq!(
        ends_signed,
        world.upkeep().signer().is_some(),
        "{what}: the end is not signed, or without a key"
    );
    let trace = Trace::of(stage).await;
    assert_eq!(trace, uncut.trace, "{what}");
}

async fn within<T>(what: &str, run: impl Future<Output = T>) -> T {
    tokio::time::timeout(RUN_MAX, run)
        .await
        .unwrap_or_else(|_| panic!("{what}: it hangs"))
}
