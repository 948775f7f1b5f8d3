use folkmoot_core::port::Sandbox;

use crate::*;

#[tokio::test]
async fn a_program_that_takes_too_long_is_stopped_with_all_it_detached() {
    let place = Place::new();
    let limit = Duration::from_millis(500);
    let error = place
        .host()
        .run(HostCommand {
            timeout: limit,
            ..place.shell(DETACHES)
        })
        .await
        .unwrap_err();
    assert!(
        matches!(error, HostError::TimedOut(after) if after == limit),
        "{error}"
    );
    assert_eq!(processes_in(place.folder.path()), Vec::<u32>::new());
}

#[tokio::test]
async fn what_a_finished_program_left_running_is_killed_before_the_run_is_over() {
    let place = Place::new();
    let script = "setsid sh -c 'echo $$ > a; exec sleep 1000' & \
                  (sh -c 'echo $$ > b; trap \"\" TERM HUP; while :; do sleep 1000; done' &) ; \
                  until [ -s a ] && [ -s b ]; do :; done; echo bye";
    let output = place.run(script).await.unwrap();
    assert_eq!(output.stdout, b"bye\n");
    for file in ["a", "b"] {
        assert!(
            !is_alive(place.pid_in(file).await),
            "{file} lives after the run is over"
        );
    }
}

#[tokio::test]
async fn a_dropped_run_is_stopped_with_all_it_detached() {
    let place = Place::new();
    let host = place.host();
    let (child, orphan) = tokio::select! {
        ended = host.run(place.shell(DETACHES)) => panic!("it ended by itself: {ended:?}"),
        pids = async { (place.pid_in("child").await, place.pid_in("orphan").await) } => pids,
    };
    gone(child).await;
    gone(orphan).await;
}

#[tokio::test]
async fn programs_that_fork_all_the_time_are_caught() {
    let place = Place::new();
    let host = place.host();
    let script = "echo $$ > child.new; mv child.new child; \
                  while :; do setsid sh -c 'sleep 1000 & sleep 1000' & sleep 0.002; done";
    tokio::select! {
        ended = host.run(place.shell(script)) => panic!("it ended by itself: {ended:?}"),
        _ = place.pid_in("child") => {}
    }
    nothing_is_left_in(&place).await;
}

/// To unlock is the helper's last deed: it may be ending still, and nobody else may.
async fn nothing_is_left_in(place: &Place) {
    place.unlocked().await;
    for pid in processes_in(place.folder.path()) {
        gone(pid).await;
    }
    assert_eq!(processes_in(place.folder.path()), Vec::<u32>::new());
}

/// The living processes whose working folder is `folder`.
fn processes_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap();
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder)
    })
    .collect()
}

#[tokio::test]
async fn nothing_survives_when_the_runtime_is_killed() {
    let place = Place::new();
    let mut runtime = spawn_runtime(&place, DETACHES);
    let (child, orphan) = (place.pid_in("child").await, place.pid_in("orphan").await);
    assert!(is_alive(child) && is_alive(orphan));
    runtime.kill().unwrap();
    runtime.wait().unwrap();
    gone(child).await;
    gone(orphan).await;
}

#[tokio::test]
async fn a_rerun_starts_only_when_nothing_of_the_killed_run_lives() {
    let place = Place::new();
    let mut runtime = spawn_runtime(&place, DETACHES);
    let (child, orphan) = (place.pid_in("child").await, place.pid_in("orphan").await);
    runtime.kill().unwrap();
    runtime.wait().unwrap();
    let seen = format!("kill -0 {child} 2>/dev/null || kill -0 {orphan} 2>/dev/null || echo alone");
    assert_eq!(place.run(&seen).await.unwrap().stdout, b"alone\n");
}

#[tokio::test]
async fn a_rerun_waits_for_the_lock_of_a_living_run() {
    let place = Place::new();
    let host = place.host();
    let first =
        host.run(place.shell(
            "echo $$ > child.new; mv child.new child; until [ -e go ]; do :; done; touch done",
        ));
    let second = async {
        place.pid_in("child").await;
        let limit = Duration::from_millis(100);
        let error = host
            .run(HostCommand {
                timeout: limit,
                ..place.shell("touch second")
            })
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("an earlier run still has the lock"),
            "{error}"
        );
        assert!(!place.path("second").exists());
        std::fs::write(place.path("go"), "").unwrap();
        host.run(place.shell("test -e done")).await.unwrap()
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.unwrap().code, second.code), (Some(0), Some(0)));
}

/// A process that runs `script` as a runtime would: this test program, playing that part.
fn spawn_runtime(place: &Place, script: &str) -> std::process::Child {
    runtime(place, script).spawn().unwrap()
}

/// Starts such a process. `VARIABLES` names those of its program, and `SANDBOX` puts that into one.
pub(crate) fn runtime(place: &Place, script: &str) -> Command {
    let mut runtime = Command::new(std::env::current_exe().unwrap());
    runtime
        .args([
            "--exact",
            "real_time::kill::plays_the_runtime",
            "--ignored",
            "--nocapture",
        ])
        .env("PLACE", place.folder.path())
        .env("SCRIPT", script)
        .stdout(Stdio::null());
    runtime
}

#[tokio::test]
#[ignore = "the part of the runtime in the tests above, which kill it"]
async fn plays_the_runtime() {
    let (place, script) = (
        std::env::var("PLACE").unwrap(),
        std::env::var("SCRIPT").unwrap(),
    );
    let command = HostCommand {
        argv: vec!["sh".into(), "-c".into(), script],
        cwd: place.clone().into(),
        folder: None,
        pins: Vec::new(),
        timeout: DEADLINE,
        input: None,
        output_max: 1000,
        variables: std::env::var("VARIABLES")
            .unwrap_or_else(|_| "PATH".into())
            .split(',')
            .map(str::to_owned)
            .collect(),
        sandbox: std::env::var_os("SANDBOX").map(|_| super::sandbox::writing()),
        lock: "call".into(),
    };
    let ended = ProcessHost::new(HELPER, Path::new(&place).join("locks"))
        .run(command)
        .await;
    panic!("it should have been killed: {ended:?}");
}

#[tokio::test]
async fn a_chain_of_processes_that_each_start_the_next_is_caught() {
    let place = Place::new();
    let host = place.host();
    let script = "echo 'sh chain & exit' > chain; sh chain; echo $$ > child.new; mv child.new child; exec sleep 1000";
    tokio::select! {
        ended = host.run(place.shell(script)) => panic!("it ended by itself: {ended:?}"),
        _ = place.pid_in("child") => {}
    }
    nothing_is_left_in(&place).await;
}

/// Starts 300 processes that leave their group, two of which start the next one all the time. They end by themselves, lest a
/// mistake in what is tried here takes the machine with it.
const FLOOD: &str = "echo $$ > child.new; mv child.new child; perl -e '\
    for my $n (1..300) { next if fork; setpgrp; if ($n > 2) { sleep 30; exit } \
      for (1..2000) { setpgrp; exit if fork; select undef, undef, undef, 0.01 } exit }'; sleep 30";

fn flooding(place: &Place, timeout: Duration) -> HostCommand {
    HostCommand {
        sandbox: Some(Sandbox {
            processes: 400,
            ..super::sandbox::writing()
        }),
        timeout,
        ..place.shell(FLOOD)
    }
}

/// The helpers that run as this user, as one without rights, and without namespaces.
fn helpers(place: &Place) -> Vec<PathBuf> {
    let mut helpers = vec![PathBuf::from(HELPER)];
    let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
    if rustix::process::geteuid().is_root() && has_setpriv {
        let script = format!(
            "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups {HELPER} \"$@\"\n"
        );
        write_program(&place.path("nobody"), &script);
        helpers.push(place.path("nobody"));
    } else {
        println!("skipped: a flood as another user (that takes root and `setpriv`)");
    }
    match super::sandbox::without_namespaces(place) {
        Some(helper) => helpers.push(helper),
        None => println!("skipped: a flood without namespaces (they cannot be taken away here)"),
    }
    helpers
}

#[tokio::test]
async fn flood_of_processes_ends_with_its_time() {
    let place = Place::new();
    for folder in ["", "locks"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
        let all = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(place.path(folder), all).unwrap();
    }
    for helper in helpers(&place) {
        let host = ProcessHost::new(helper, place.path("locks"));
        let command = flooding(&place, Duration::from_secs(1));
        let error = host.run(command).await.unwrap_err();
        assert!(matches!(error, HostError::TimedOut(_)), "{host:?}: {error}");
        assert_eq!(processes_in(place.folder.path()), Vec::<u32>::new());
        // Whoever drops the run ends the flood as well.
        std::fs::remove_file(place.path("child")).unwrap();
        tokio::select! {
            ended = host.run(flooding(&place, DEADLINE)) => panic!("it ended by itself: {ended:?}"),
            _ = place.pid_in("child") => {}
        }
        nothing_is_left_in(&place).await;
        std::fs::remove_file(place.path("child")).unwrap();
    }
}

#[tokio::test]
async fn flood_of_processes_ends_with_a_killed_runtime_and_with_a_killed_helper() {
    for kills_helper in [false, true] {
        let place = Place::new();
        let mut runtime = runtime(&place, FLOOD).env("SANDBOX", "1").spawn().unwrap();
        place.pid_in("child").await;
        if kills_helper {
            let helper = Command::new("pkill")
                .args(["-KILL", "-P", &runtime.id().to_string()])
                .status();
            assert!(helper.unwrap().success());
        } else {
            runtime.kill().unwrap();
        }
        runtime.wait().unwrap();
        // A killed helper cannot remove its lock.
        if !kills_helper {
            place.unlocked().await;
        }
        for pid in processes_in(place.folder.path()) {
            gone(pid).await;
        }
        assert_eq!(processes_in(place.folder.path()), Vec::<u32>::new());
    }
}

#[tokio::test]
async fn a_helper_that_is_killed_is_an_error_that_says_what_may_have_happened() {
    let error = Place::new().run("kill -9 $PPID").await.unwrap_err();
    let HostError::Lost(why) = error else {
        panic!("{error}")
    };
    assert!(why.contains("signal: 9"), "{why}");
}
