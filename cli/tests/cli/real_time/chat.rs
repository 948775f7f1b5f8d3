//! Two people in one room, each at their own process.

use std::io::Write as _;
use std::process::{ChildStdin, Command};

use super::{Running, Stdio};
use crate::desk::Desk;
use crate::talk::OFFICE;

/// A chat, and the way to type into it.
pub(super) struct Talker {
    pub(super) chat: Running,
    pub(super) input: ChildStdin,
}

impl Talker {
    pub(super) fn sit_down(desk: &Desk, arguments: &[&str]) -> Self {
        Self::begin(desk.command(arguments))
    }

    pub(super) fn begin(mut command: Command) -> Self {
        command.stdin(Stdio::piped());
        let mut chat = Running::spawn(command);
        let input = chat.child.stdin.take().unwrap();
        Self { chat, input }
    }

    pub(super) fn types(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Ends the input, and gives the exit code and all that was written.
    pub(super) fn leaves(self) -> (Option<i32>, String) {
        drop(self.input);
        self.chat.end()
    }
}

/// Ada, who holds the room, and Bob, who came from another terminal.
fn two(desk: &Desk, script: &str, world: &str) -> (Talker, Talker) {
    let mut ada = Talker::sit_down(desk, &["chat", script, "--as", "ada"]);
    // A room that answers is open.
    ada.types("/agents");
    ada.chat.until("idle");
    let mut bob = Talker::sit_down(desk, &["chat", world, "--as", "bob"]);
    bob.types("/agents");
    bob.chat.until("idle");
    (ada, bob)
}

#[test]
fn two_people_talk_in_one_room_from_two_terminals() {
    let desk = Desk::new();
    desk.write("office.yaml", OFFICE);
    let (mut ada, mut bob) = two(&desk, "office.yaml", "office");
    bob.types("hello, ada");
    ada.chat.until("bob  ┊ hello, ada");
    ada.chat.until("clerk  ┊ first");
    bob.chat.until("clerk  ┊ first");
    ada.types("hello, bob");
    bob.chat.until("ada  ┊ hello, bob");
    bob.chat.until("clerk  ┊ second");
    let (code, of_bob) = bob.leaves();
    assert_eq!(code, Some(0), "{of_bob}");
    let (code, of_ada) = ada.leaves();
    assert_eq!(code, Some(0), "{of_ada}");
    for said in ["hello, ada", "hello, bob", "first", "second"] {
        for seen in [&of_ada, &of_bob] {
            assert_eq!(seen.matches(said).count(), 1, "{said} in {seen}");
        }
    }
    let people = desk.run(&["replay", "office", "--json"]).document();
    assert_eq!(people["people"].as_array().unwrap().len(), 2, "{people}");
}

#[test]
fn who_came_later_decides_what_the_holder_of_the_room_is_asked() {
    let desk = Desk::with_gate();
    let (mut ada, mut bob) = two(&desk, "gate.yaml", "gate");
    ada.types("please push");
    bob.chat.until("worker asks to run push");
    bob.chat.until("o once");
    bob.types("o");
    bob.chat.until("worker  ┊ @ada it is done");
    ada.chat.until("✓ bob allows gate#");
    assert_eq!(bob.leaves().0, Some(0));
    assert_eq!(ada.leaves().0, Some(0));
    assert_eq!(desk.runs(), 1);
}

#[test]
fn who_comes_late_is_shown_what_waits_and_can_stop_it() {
    let desk = Desk::with_gate();
    let mut ada = Talker::sit_down(&desk, &["chat", "gate.yaml", "--as", "ada"]);
    ada.types("please push");
    ada.chat.until("o once");
    let mut bob = Talker::sit_down(&desk, &["chat", "gate", "--as", "bob"]);
    bob.chat.until("worker asks to run push");
    bob.chat.until("o once");
    bob.types("/stop");
    bob.chat.until("bob stopped what was going on");
    bob.types("/grants");
    bob.types("/revoke 1");
    bob.types("/fork other");
    bob.chat.until("no call is allowed in advance");
    bob.chat.until("refused");
    bob.chat.until("other is branched off");
    assert_eq!(bob.leaves().0, Some(0));
    ada.chat.until("bob stopped what was going on");
    assert_eq!(ada.leaves().0, Some(0));
    assert_eq!(desk.runs(), 0);
}

#[test]
fn all_that_a_person_does_in_a_room_goes_through_the_process_that_holds_it() {
    let desk = Desk::new();
    desk.write("office.yaml", OFFICE);
    let mut ada = Talker::sit_down(&desk, &["chat", "office.yaml", "--as", "ada"]);
    ada.types("/agents");
    ada.chat.until("idle");
    let bob = |arguments: &[&str]| {
        let all = [arguments, &["--as", "bob", "--json"]].concat();
        desk.run(&all).expect(0).values().remove(0)
    };
    bob(&["join", "office"]);
    ada.chat.until("bob joined");
    let said = bob(&["say", "office", "and now?"]);
    ada.chat.until("clerk  ┊ first");
    let message = format!("office#{}", said["at"]);
    bob(&["edit", &message, "and then?"]);
    ada.chat.until("and then?");
    ada.chat.until("clerk  ┊ second");
    let log = desk.run(&["log", "office", "--kind", "message_posted", "--json"]);
    let reply = log.values().last().unwrap()["position"].to_string();
    bob(&["regenerate", &format!("office#{reply}")]);
    ada.chat.until("clerk  ┊ third");
    bob(&["retract", &message]);
    ada.chat.until("was taken back");
    bob(&["leave", "office"]);
    ada.chat.until("bob left");
    assert_eq!(ada.leaves().0, Some(0));
}

#[test]
fn a_chat_ends_with_the_process_that_holds_the_room() {
    let desk = Desk::new();
    desk.write("office.yaml", OFFICE);
    let (mut ada, bob) = two(&desk, "office.yaml", "office");
    ada.types("/quit");
    assert_eq!(ada.leaves().0, Some(0));
    let (code, out) = bob.leaves();
    assert_eq!(code, Some(3), "{out}");
}

#[test]
fn nobody_chats_in_a_held_store_where_no_room_is_open_or_under_anothers_name() {
    let desk = Desk::with_gate();
    desk.write("office.yaml", OFFICE);
    desk.run(&["run", "gate.yaml"]).expect(4);
    let mut ada = Talker::sit_down(&desk, &["chat", "office.yaml", "--as", "ada"]);
    ada.types("/agents");
    ada.chat.until("idle");
    desk.run(&["chat", "gate"])
        .expect(3)
        .err_has("has not opened gate");
    desk.run(&["chat", "office.yaml"])
        .expect(3)
        .err_has("in use by process")
        .err_has("`folkmoot chat office` takes you into");
    desk.run(&["chat", "office", "--as", "clerk"])
        .expect(2)
        .err_has("clerk");
    assert_eq!(ada.leaves().0, Some(0));
}
