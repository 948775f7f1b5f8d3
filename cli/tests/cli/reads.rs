//! `worlds`, `log`, `replay`, `approvals`, `doctor`: they only read.

use std::process::Stdio;

use folkmoot::core::ids::Position;
use folkmoot::core::port::{Checkpoints as _, EventLog as _};
use folkmoot::core::world::decider::{checkpoint_id, decider_id};
use folkmoot::{
    FoldError, OpenMode, Opening, Perform, Runtime, Store, WorldName, fold_world, fold_world_from,
};
use serde_json::Value;

use crate::desk::{Desk, Ran, example};

fn told() -> Desk {
    let desk = Desk::new();
    desk.run(&["run", &example("release-room.yaml")]).expect(0);
    desk
}

#[test]
fn worlds_are_listed() {
    let desk = told();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    let table = desk.run(&["worlds"]).expect(0).out;
    assert!(
        table.contains("WORLD") && table.contains("release-room") && table.contains("denied"),
        "{table}"
    );
    let worlds = desk.run(&["worlds", "--json"]).expect(0).values();
    let names: Vec<&str> = worlds
        .iter()
        .map(|world| world["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["denied", "release-room"]);
    assert_eq!(worlds[1]["agents"], 2);
    assert_eq!(worlds[1]["pending"], 0);
    assert_eq!(worlds[1]["activity"], "idle");
    let events = desk
        .run(&["log", "release-room", "--json"])
        .expect(0)
        .values();
    assert_eq!(worlds[1]["events"], events.len());
}

#[test]
fn rights_are_listed_with_everyone_elses_last() {
    let desk = Desk::new();
    desk.run(&["run", &example("../../tests/worlds/rights.yaml")])
        .expect(0);
    let all = desk.run(&["rights", "rights", "--json"]).expect(0).values();
    let found: Vec<_> = all
        .iter()
        .map(|one| (one["person"].as_str(), one["rights"].to_string()))
        .collect();
    let (root, others) = (
        r#"["read","post","decide","operate"]"#.to_owned(),
        r#"["read","post"]"#.to_owned(),
    );
    let auditor = r#"["read","decide"]"#.to_owned();
    assert_eq!(
        found,
        [
            (Some("script:auditor"), auditor),
            (Some("script:root"), root),
            (None, others)
        ]
    );
    desk.run(&["rights", "rights"])
        .expect(0)
        .out_has("everyone else")
        .out_has("read, post");
}

#[test]
fn usage_is_told_per_agent_and_model_with_what_nobody_knows() {
    let desk = Desk::new();
    desk.run(&["run", &example("budget.yaml")]).expect(0);
    let all = desk.run(&["usage", "budget", "--json"]).expect(0).values();
    let of = |row: &Value| {
        (
            row["agent"].as_str().map(str::to_owned),
            row["model"].as_str().map(str::to_owned),
        )
    };
    let own = |model: &str| (Some("planner".to_owned()), Some(model.to_owned()));
    assert_eq!(
        all.iter().map(of).collect::<Vec<_>>(),
        [own("main"), own("spare"), (None, None)]
    );
    let [main, spare, world] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(
        (&main["calls"], &main["attempts"], &main["failed"]),
        (&2.into(), &4.into(), &3.into())
    );
    assert_eq!(
        (&main["spent"]["settled"], &main["uncounted"]),
        (&"0.001".into(), &1.into())
    );
    assert_eq!(
        (&spare["attempts"], &spare["tokens"]["cached"]),
        (&1.into(), &80.into())
    );
    assert_eq!(spare["spent"]["settled"], "0.000092");
    assert_eq!(
        (&world["spent"]["settled"], &world["limit"]),
        (&"0.001092".into(), &"0.05".into())
    );
    assert_ne!(
        world["spent"]["possible"], "0",
        "what broke off may have cost something"
    );
    let table = desk.run(&["usage", "budget"]).expect(0).out;
    assert!(
        table.contains("Nobody counted the tokens of 1 attempt")
            && table.contains("Of the limit of 0.05"),
        "{table}"
    );
    desk.run(&["worlds"]).expect(0).out_has("0.001092");
    desk.run(&["log", "budget"])
        .expect(0)
        .out_has("overload, then spare")
        .out_has("at most 0.00");
}

#[test]
fn cost_without_a_price_is_unknown_and_never_nothing() {
    let desk = told();
    desk.run(&["usage", "release-room"])
        .expect(0)
        .out_has("unknown")
        .out_has("no price is given for the model");
    desk.run(&["worlds"]).expect(0).out_has("unknown");
}

#[test]
fn a_log_has_every_event_once_and_in_order() {
    let events = told()
        .run(&["log", "release-room", "--json"])
        .expect(0)
        .values();
    let positions: Vec<u64> = events
        .iter()
        .map(|event| event["position"].as_u64().unwrap())
        .collect();
    assert_eq!(positions, (1..=positions.len() as u64).collect::<Vec<_>>());
    assert!(
        events
            .iter()
            .all(|event| event["time"].is_u64() && event["facts"].is_object())
    );
    let posted = events
        .iter()
        .find(|event| event["kind"] == "MessagePosted")
        .unwrap();
    assert_eq!(posted["content"]["text"], "Prepare the 1.2 release");
    assert_eq!(posted["principal"]["person"]["display"], "ada");
}

#[test]
fn a_log_can_be_narrowed_down() {
    let desk = told();
    let calls = desk
        .run(&[
            "log",
            "release-room",
            "--json",
            "--kind",
            "model_called",
            "--agent",
            "worker",
        ])
        .expect(0);
    let calls = calls.values();
    assert_eq!(calls.len(), 2);
    assert!(
        calls
            .iter()
            .all(|call| call["kind"] == "ModelCalled" && call["facts"]["agent"] == "worker")
    );
    let from = desk
        .run(&["log", "release-room", "--json", "--from", "20"])
        .expect(0)
        .values();
    assert_eq!(from[0]["position"], 20);
    desk.run(&["log", "release-room", "--kind", "Nonsense"])
        .expect(2)
        .err_has("there are WorldOpened, Opened");
}

#[test]
fn people_read_a_log_line_by_line() {
    let out = told().run(&["log", "release-room"]).expect(0).out;
    let line = out
        .lines()
        .find(|line| line.contains("ApprovalDecided"))
        .unwrap();
    assert!(
        line.contains("2030-01-01T00:00:00.000Z") && line.contains("ada") && line.contains("allow"),
        "{line}"
    );
    assert!(
        out.contains(" to ada (addressed)\n") && !out.contains("to nobody"),
        "whom people's messages are for: {out}"
    );
    assert!(out.contains("scripted, attempt 1, 1 item\n"), "{out}");
}

#[test]
fn following_a_log_that_nobody_writes_ends() {
    told()
        .run(&["log", "release-room", "--follow"])
        .expect(0)
        .err_has("nothing more will come");
}

#[test]
fn two_replays_give_the_same_bytes() {
    let desk = told();
    let replay = |arguments: &[&str]| {
        desk.run(&[&["replay", "release-room", "--json"], arguments].concat())
            .expect(0)
            .out
    };
    for arguments in [
        &[][..],
        &["--at", "17"],
        &["--agent", "worker"],
        &["--agent", "worker", "--at", "17"],
    ] {
        assert_eq!(replay(arguments), replay(arguments));
    }
    assert_ne!(replay(&[]), replay(&["--at", "17"]));
}

#[test]
fn a_replay_shows_the_room_as_it_stood() {
    let desk = told();
    let events = desk
        .run(&[
            "log",
            "release-room",
            "--json",
            "--kind",
            "ApprovalRequested",
        ])
        .expect(0)
        .values();
    let at = events[0]["position"].to_string();
    let state = desk
        .run(&["replay", "release-room", "--json", "--at", &at])
        .expect(0)
        .document();
    assert_eq!(state["world"], "release-room");
    assert_eq!(state["pending"][0]["name"], format!("release-room#{at}"));
    assert_eq!(state["pending"][0]["tool"], "run_command");
    assert_eq!(state["agents"][1]["name"], "worker");
    assert_eq!(state["transcript"].as_array().unwrap().len(), 2);
    assert_eq!(state["episodes"][0]["model_calls_total"], 2);
    desk.run(&["replay", "release-room", "--at", &at])
        .expect(0)
        .out_has("2 of 25 model calls");
}

#[test]
fn a_replay_lists_what_calls_and_requests_go_through() {
    let desk = told();
    let state = desk
        .run(&["replay", "release-room", "--json"])
        .expect(0)
        .document();
    let (stages, digest) = (
        state["pipeline"]["stages"].as_array().unwrap(),
        state["pipeline"]["digest"].clone(),
    );
    let names: Vec<&str> = stages
        .iter()
        .map(|stage| stage["name"].as_str().unwrap())
        .collect();
    let place = |name: &str| names.iter().position(|other| *other == name).unwrap();
    assert!(
        place("schema") < place("quota") && place("quota") < place("redaction"),
        "{names:?}"
    );
    let early = desk
        .run(&["replay", "release-room", "--json", "--at", "1"])
        .expect(0)
        .document();
    assert_eq!(
        early["pipeline"]["digest"], digest,
        "it is a function of the definition"
    );
    let text = format!("pipeline: {}", digest.as_str().unwrap());
    let shown = desk
        .run(&["replay", "release-room"])
        .expect(0)
        .out_has(&text);
    names
        .iter()
        .fold(shown, |shown, name| shown.out_has(&format!("  {name} ")));
}

#[test]
fn a_position_inside_a_commit_means_its_last_event() {
    let desk = told();
    let state = desk
        .run(&["replay", "release-room", "--json", "--at", "1"])
        .expect(0)
        .document();
    let last = state["at"].to_string();
    assert_ne!(last, "1");
    desk.run(&["replay", "release-room", "--at", "1"])
        .expect(0)
        .out_has(&format!(
            "event 1 belongs to the commit that ends with event {last}"
        ));
}

#[test]
fn an_agents_memory_is_shown() {
    let desk = told();
    let memory = desk
        .run(&["replay", "release-room", "--json", "--agent", "worker"])
        .expect(0)
        .document();
    assert_eq!(memory["agent"], "worker");
    assert_eq!(
        memory["items"][0]["heard"]["text"],
        "Prepare the 1.2 release"
    );
    desk.run(&["replay", "release-room", "--agent", "worker"])
        .expect(0)
        .out_has("heard ada: Prepare the 1.2 release");
    desk.run(&["replay", "release-room", "--agent", "nobody"])
        .expect(2)
        .err_has("there are planner, worker");
}

#[test]
fn the_request_of_a_call_is_rebuilt_as_it_was_sent() {
    let desk = told();
    let calls = desk
        .run(&["log", "release-room", "--json", "--kind", "ModelCalled"])
        .expect(0)
        .values();
    assert_eq!(calls.len(), 4);
    for call in calls {
        let position = call["position"].to_string();
        let prompt = desk
            .run(&["replay", "release-room", "--json", "--prompt", &position])
            .expect(0)
            .document();
        assert_eq!(
            prompt["request"]["fingerprint"],
            call["facts"]["fingerprint"]
        );
        assert_eq!(
            prompt["request"]["items"].as_array().unwrap().len() as u64,
            call["facts"]["items"].as_u64().unwrap()
        );
        assert_eq!(prompt["agent"], call["facts"]["agent"]);
    }
    desk.run(&["replay", "release-room", "--prompt", "1"])
        .expect(2)
        .err_has("is a WorldOpened, not a ModelCalled");
    desk.run(&["replay", "release-room", "--prompt", "9999"])
        .expect(2)
        .err_has("there is no event 9999");
}

#[test]
fn a_transcript_is_read_a_page_at_a_time() {
    let desk = told();
    let page = |arguments: &[&str]| {
        let all = [
            &["replay", "release-room", "--transcript", "--json"],
            arguments,
        ]
        .concat();
        desk.run(&all).expect(0).document()
    };
    let whole = page(&[]);
    assert_eq!(
        (&whole["world"], &whole["next"]),
        (&"release-room".into(), &Value::Null)
    );
    let entries = whole["entries"].as_array().unwrap();
    let first = &entries.last().unwrap()["message"];
    assert_eq!(
        (&first["text"], &first["author"]["person"]),
        (&"Prepare the 1.2 release".into(), &"ada".into())
    );
    let mut found = Vec::new();
    let mut next = page(&["--limit", "1"]);
    loop {
        assert!(next["entries"].as_array().unwrap().len() <= 1);
        found.extend(next["entries"].as_array().unwrap().clone());
        if next["next"].is_null() {
            break;
        }
        next = page(&["--limit", "1", "--before", &next["next"].to_string()]);
    }
    assert_eq!(found, *entries);
}

#[test]
fn people_read_a_transcript_as_it_was_said() {
    let desk = told();
    let whole = desk
        .run(&["replay", "release-room", "--transcript"])
        .expect(0)
        .out;
    let at = whole.find("Prepare the 1.2 release").unwrap();
    assert!(
        whole.find("ada").unwrap() < at && !whole.contains("older:"),
        "{whole}"
    );
    assert!(
        whole.rfind("planner").unwrap() > at,
        "the oldest stands first: {whole}"
    );
    let newest = desk
        .run(&["replay", "release-room", "--transcript", "--limit", "1"])
        .expect(0)
        .out;
    let (older, newest) = newest.split_once('\n').unwrap();
    assert!(whole.ends_with(newest), "{newest}");
    let before = older
        .strip_prefix("older: folkmoot replay release-room --transcript --before ")
        .unwrap();
    let rest = desk
        .run(&["replay", "release-room", "--transcript", "--before", before])
        .expect(0)
        .out;
    assert_eq!(format!("{rest}{newest}"), whole);
    desk.run(&[
        "replay",
        "release-room",
        "--transcript",
        "--limit",
        "1",
        "--store",
        "./store",
    ])
    .expect(0)
    .out_has("older: folkmoot --store ./store replay release-room --transcript --before");
    desk.run(&["replay", "release-room", "--transcript", "--before", "1"])
        .expect(0)
        .out_has("Nobody has said anything.");
}

#[test]
fn a_page_of_a_transcript_is_asked_for_as_one() {
    let desk = told();
    let replay = |arguments: &[&str]| desk.run(&[&["replay", "release-room"], arguments].concat());
    replay(&["--before", "9"]).expect(2).err_has("--transcript");
    replay(&["--transcript", "--at", "9"])
        .expect(2)
        .err_has("cannot be used with");
    replay(&["--transcript", "--limit", "0"])
        .expect(2)
        .err_has("1..=1000");
    desk.run(&["replay", "nowhere", "--transcript"])
        .expect(3)
        .err_has("there is no world called nowhere");
}

/// Opens the worlds once, as an application that embeds the runtime does, and labels them.
fn label(desk: &Desk, worlds: &[(&str, &str, &str)]) {
    let executor = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let store = Store::open(desk.path("store"), OpenMode::Existing).unwrap();
    executor.block_on(async {
        let runtime = Runtime::builder(&store).build();
        for (world, owner, stage) in worlds {
            let opening = Opening::recorded(WorldName::new(*world).unwrap()).owned_by(*owner);
            let opening = opening.label("stage", *stage).label("room", *world);
            runtime
                .open(Opening {
                    perform: Perform::Nothing,
                    ..opening
                })
                .await
                .unwrap();
        }
        runtime.shutdown().await;
    });
    store.close().unwrap();
}

#[test]
fn worlds_are_listed_by_their_labels() {
    let desk = told();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&["run", &example("denied.yaml"), "--world", "bare"])
        .expect(0);
    label(
        &desk,
        &[
            ("release-room", "team-a", "live"),
            ("denied", "team-b", "test"),
        ],
    );
    let listed = |labels: &[&str]| -> Vec<Value> {
        let arguments = labels.iter().flat_map(|label| ["--label", label]);
        desk.run(
            &["worlds", "--json"]
                .into_iter()
                .chain(arguments)
                .collect::<Vec<_>>(),
        )
        .expect(0)
        .values()
    };
    let names = |labels: &[&str]| -> Vec<String> {
        listed(labels)
            .iter()
            .map(|world| world["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&[]), ["bare", "denied", "release-room"]);
    assert_eq!(names(&["stage=live"]), ["release-room"]);
    assert_eq!(names(&["stage=test", "room=denied"]), ["denied"]);
    assert_eq!(names(&["stage=live", "room=denied"]), [""; 0]);
    let live = &listed(&["stage=live"])[0];
    let labels = serde_json::json!({ "stage": "live", "room": "release-room" });
    assert_eq!(
        (&live["owner"], &live["labels"]),
        (&"team-a".into(), &labels)
    );
    assert_eq!(listed(&[])[0]["owner"], Value::Null);

    desk.run(&["worlds", "--label", "stage=live"])
        .expect(0)
        .out_has("room=release-room stage=live");
    desk.run(&["worlds", "--label", "stage=none"])
        .expect(0)
        .out_has("There is no world with these labels.");
    desk.run(&["worlds", "--label", "stage"])
        .expect(2)
        .err_has("a label is written KEY=VALUE");
}

#[test]
fn what_waits_is_listed_with_its_commands() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml"]).expect(4);
    let request = desk.request("gate");
    assert_eq!(request["agent"], "worker");
    assert_eq!(request["arguments"], r#"{"branch":"main"}"#);
    assert_eq!(request["asks"]["kind"], "approval");
    assert_eq!(request["asks"]["expires_at"], 1_893_456_900_000_u64);
    let (position, shown) = desk.asked("gate");
    let command = format!("folkmoot approve gate {position} --shown {shown} --as tester");
    desk.run(&["approvals", "gate"])
        .expect(0)
        .out_has(&command)
        .out_has("expires 2030-01-01T00:15:00Z");
}

#[test]
fn nothing_is_waiting_when_all_is_decided() {
    told()
        .run(&["approvals", "release-room"])
        .expect(0)
        .out_has("Nothing waits for a person in release-room.");
}

#[test]
fn a_command_that_only_reads_makes_no_store() {
    let desk = Desk::new();
    for arguments in [
        &["worlds"][..],
        &["log", "w"],
        &["replay", "w"],
        &["approvals", "w"],
        &["resume", "w"],
    ] {
        desk.run(arguments)
            .expect(3)
            .err_has("there is no store at store");
    }
    for arguments in [
        &["approve", "w", "1"][..],
        &["deny", "w", "1"],
        &["answer", "w", "1", "x"],
        &["chat", "w"],
    ] {
        desk.run(arguments)
            .expect(3)
            .err_has("there is no store at store");
    }
    desk.run(&["doctor"])
        .expect(0)
        .out_has("store store: there is none yet");
    assert!(!desk.path("store").exists());
}

#[test]
fn reading_appends_nothing() {
    let desk = told();
    let before = desk.kinds("release-room");
    desk.run(&["replay", "release-room"]).expect(0);
    desk.run(&["approvals", "release-room"]).expect(0);
    desk.run(&["worlds"]).expect(0);
    assert_eq!(desk.kinds("release-room"), before);
}

#[test]
fn the_doctor_names_credentials_and_never_shows_them() {
    let desk = told();
    let mut command = desk.command(&["doctor", "--json"]);
    command.env("OPENAI_API_KEY", "very-secret");
    let ran = Ran::of(command).expect(0);
    assert!(!ran.out.contains("very-secret") && !ran.err.contains("very-secret"));
    let findings = ran.document();
    assert_eq!(findings["store"]["state"], "fine");
    assert_eq!(findings["store"]["worlds"], 1);
    assert_eq!(findings["sandbox"]["state"], "tried");
    assert_eq!(findings["credentials"][0]["variable"], "OPENAI_API_KEY");
    assert_eq!(findings["credentials"][0]["is_set"], true);
}

#[test]
fn a_closed_pipe_ends_a_reader_quietly() {
    let desk = told();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = desk.command(&["log", "release-room"]);
    let child = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(command);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn a_closed_pipe_ends_a_run_as_a_signal_would() {
    let desk = Desk::with_gate();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = desk.command(&["run", "gate.yaml"]);
    let child = command
        .stdout(writer)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(command);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (141, ""));
    desk.run(&["run", "gate.yaml"]).expect(4);
}

#[tokio::test]
async fn going_back_from_a_checkpoint_gives_what_the_whole_log_gives() {
    let desk = told();
    let store = Store::open(desk.path("store"), OpenMode::Existing).unwrap();
    let name = WorldName::new("release-room").unwrap();
    let id = store.find(&name).await.unwrap().unwrap().world;
    let head = fold_world(&store, &name, None).await.unwrap().head().get();
    let mut folds = Vec::new();
    for at in 1..=head {
        folds.push(
            fold_world(&store, &name, Some(Position::new(at)))
                .await
                .unwrap(),
        );
    }
    for saved in folds.iter().step_by(17) {
        let state = serde_json::to_vec(saved).unwrap();
        std::fs::remove_dir_all(desk.path("store/checkpoints")).unwrap();
        store
            .save(id, saved.head(), checkpoint_id(decider_id()), state)
            .await
            .unwrap();
        assert_eq!(
            store.places(id).await,
            [(saved.head(), checkpoint_id(decider_id()))]
        );
        for (at, fold) in (1..).map(Position::new).zip(&folds) {
            let found = fold_world_from(&store, &store, &name, Some(at))
                .await
                .unwrap();
            assert_eq!(
                found,
                *fold,
                "event {at}, from a checkpoint at {}",
                saved.head()
            );
        }
    }
    let behind = fold_world_from(&store, &store, &name, Some(Position::new(head + 1))).await;
    assert!(
        matches!(behind, Err(FoldError::BehindHead { .. })),
        "{behind:?}"
    );
}
