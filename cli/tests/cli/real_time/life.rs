//! Backups and deletions while another process holds the store.

use std::fs;

use super::*;
use crate::lost::Room;

#[test]
fn a_store_is_backed_up_while_another_process_works_in_it() {
    let (desk, mut run) = waiting();
    fs::create_dir(desk.path("elsewhere")).unwrap();
    let mut command = desk.command(&["--store", "../store", "backup", "copy"]);
    command.current_dir(desk.path("elsewhere"));
    Ran::of(command).expect(0).out_has("1 world with");
    let held = desk.run(&["log", "gate", "--json"]).expect(0).values();
    let copied = desk
        .run(&["--store", "elsewhere/copy", "log", "gate", "--json"])
        .expect(0)
        .values();
    assert_eq!(copied, held);
    desk.run(&["backup", "elsewhere/copy"])
        .expect(2)
        .err_has("is not empty");
    desk.run(&["backup", "store/inside"])
        .expect(2)
        .err_has("inside the store");
    desk.run(&["deny", "gate", &desk.asked("gate").0]).expect(0);
    run.until("it is done");
}

#[test]
fn a_world_that_is_open_is_not_deleted_and_others_are() {
    let desk = Desk::with_gate();
    desk.run(&["run", "gate.yaml", "--world", "old"]).expect(4);
    let mut run = Running::start(&desk, &["run", "gate.yaml", "--wait"]);
    run.until("gate#");
    desk.run(&["delete", "gate", "old", "--yes"])
        .expect(3)
        .err_has("gate is open")
        .err_has("none was deleted");
    desk.run(&["log", "old"]).expect(0);
    desk.run(&["delete", "old", "--yes"])
        .expect(0)
        .out_has("old is deleted");
    desk.run(&["log", "old"])
        .expect(3)
        .err_has("there is no world called old");
    let gone = desk
        .run(&["worlds", "--deleted", "--json"])
        .expect(0)
        .values();
    assert_eq!(
        (gone.len(), &gone[0]["name"]),
        (1, &serde_json::json!("old"))
    );
    desk.run(&["deny", "gate", &desk.asked("gate").0]).expect(0);
    run.until("it is done");
}

#[test]
fn lost_content_closes_nothing_else_to_those_who_ask_whoever_has_the_store_open() {
    let Room { desk, files, .. } = Room::new();
    fs::remove_file(&files[0]).unwrap();
    desk.write("gate.yaml", GATE);
    let mut run = Running::start(&desk, &["run", "gate.yaml", "--wait"]);
    run.until("gate#");
    let file = files[0].file_name().unwrap().to_string_lossy().into_owned();
    desk.run(&["log", "large"])
        .expect(5)
        .out_has("two two")
        .out_has("[content lost]")
        .err_has(&file);
    desk.run(&["export", "large", "--format", "md"])
        .expect(5)
        .out_has("two two")
        .err_has(&file);
    desk.run(&["resume", "large"]).expect(3);
    desk.run(&["log", "gate"]).expect(0);
    desk.run(&["delete", "large", "--yes"]).expect(0);
    desk.run(&["verify", "--all"]).expect(0);
}
