//! Files that are attached: shown, and missed where they are not.

use crate::desk::{Desk, GATE};

fn desk() -> Desk {
    let desk = Desk::new();
    let say = "  - say: { text: Please push, attach: [data/plan.txt] }";
    desk.write(
        "gate.yaml",
        &GATE
            .replace("  - say: Please push", say)
            .replace("effect: destructive", "effect: read"),
    );
    desk
}

#[test]
fn a_file_is_shown_beside_its_message() {
    let desk = desk();
    desk.write("data/plan.txt", "1. push\n");
    let line = "[attached: plan.txt, text/plain, 8 bytes]";
    let run = desk.run(&["run", "gate.yaml"]).expect(0);
    assert!(run.out.contains(line), "{}", run.out);
    let log = desk
        .run(&["log", "gate", "--kind", "MessagePosted"])
        .expect(0)
        .out;
    assert!(log.contains(&format!("ada: Please push {line}")), "{log}");
    let memory = desk
        .run(&["replay", "gate", "--agent", "worker"])
        .expect(0)
        .out;
    let quoted = line.replace("plan.txt", "\"plan.txt\"");
    assert!(
        memory.contains(&format!("heard ada: Please push {quoted}")),
        "{memory}"
    );
}

#[test]
fn a_missing_file_is_a_fault_of_the_script_before_anything_runs() {
    let desk = desk();
    for command in ["check", "run"] {
        let ran = desk.run(&[command, "gate.yaml"]).expect(2);
        ran.err_has("`data/plan.txt` cannot be read");
    }
    assert_eq!(desk.runs(), 0);
}
