//! `fork` and `diff`.

use crate::desk::{Desk, example};

#[test]
fn room_is_branched_off_and_left_closed() {
    let desk = Desk::new();
    desk.run(&["run", &example("denied.yaml")]).expect(0);
    desk.run(&["fork", "denied", "--at", "6", "--as", "other"])
        .expect(0)
        .out_has("other is branched off denied behind event 7.\nEvent 6 stands inside a commit")
        .out_has("Its models and tools answer from the record of denied");
    assert_ne!(
        desk.run(&["fork", "denied", "--as", "other"]).code,
        0,
        "the name is taken"
    );
    desk.run(&["fork", "denied", "--at", "9999", "--as", "never"])
        .expect(2)
        .err_has("there is no event 9999");
    let copied = desk
        .run(&["fork", "denied", "--as", "third", "--copy", "--json"])
        .expect(0)
        .document();
    assert_eq!(
        (&copied["effects"], &copied["is_copied"]),
        (&"recorded".into(), &true.into())
    );
    assert_eq!(desk.run(&["worlds", "--json"]).expect(0).values().len(), 3);
    desk.run(&["resume", "third"]).expect(0);
}

#[test]
fn what_people_were_asked_is_asked_again_and_decided_there() {
    let desk = Desk::with_gate();
    let ran = desk.run(&["run", "gate.yaml"]);
    assert_eq!(ran.code, 4, "{}{}", ran.out, ran.err);
    desk.run(&["fork", "gate", "--as", "what-if"])
        .expect(0)
        .out_has("what-if asks people again: 1 request.")
        .out_has("what-if#");
    let request = desk.request("what-if")["request"].to_string();
    desk.run(&["deny", "what-if", &request]).expect(0);
    assert_eq!(
        desk.run(&["approvals", "what-if", "--json"])
            .expect(0)
            .values()
            .len(),
        0
    );
    assert_eq!(
        desk.run(&["approvals", "gate", "--json"])
            .expect(0)
            .values()
            .len(),
        1
    );
}

#[test]
fn two_worlds_are_compared_from_where_they_part() {
    let desk = Desk::new();
    desk.run(&["run", &example("fork.yaml")]).expect(0);
    desk.run(&["diff", "fork", "what-if"])
        .expect(0)
        .out_has("Both have the same events up to")
        .out_has("- ada allowed: janitor delete_files")
        .out_has("+ ada denied: janitor delete_files")
        .out_has("Both builds are gone")
        .out_has("the old builds stay")
        .out_has("tokens, cost unknown");
    desk.run(&["diff", "fork", "fork"])
        .expect(0)
        .out_has("Both have the same");
    let view = desk
        .run(&["diff", "fork", "what-if@10", "--json"])
        .expect(0)
        .document();
    assert_eq!(view["other"]["at"], view["common"]);
    desk.run(&["diff", "fork", "what-if@x"]).expect(2);
}

#[test]
fn an_expectation_behind_a_step_in_a_branch_looks_at_the_world_that_it_names() {
    let desk = Desk::new();
    let script = std::fs::read_to_string(example("fork.yaml")).unwrap();
    let expects = |message: &str| {
        format!("{script}  - expect: {{ message: {{ from: janitor, contains: {message} }} }}\n")
    };
    desk.write("fork.yaml", &expects("Both builds are gone"));
    desk.run(&["run", "fork.yaml"]).expect(0);
    desk.write(
        "other.yaml",
        &expects("the old builds stay").replace("world: fork", "world: other"),
    );
    desk.run(&["run", "other.yaml", "--store", "other"])
        .expect(1)
        .err_has("looked at events ")
        .err_has(" of other, since step ");
}

const CRASHES: &str = r#"
world: w
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: bot, prompt: Talk. }]
policy: { main_agent: bot }
replies: { bot: [{ text: one }, { text: two }, { text: three }, { text: four }, { text: five }] }
script:
  - { say: hello, as: ada }
  - fork: { as: f, live: true }
"#;

/// A room and its branch die apart, whatever the step is that meets the death. Beside the steps stand how often each is opened:
/// a branch has its parent's opening in its log, and its own.
#[test]
fn each_world_crashes_by_itself_and_comes_back_at_any_step() {
    let table = [
        (
            vec!["crash: {}", "in: f, restart: {}", "say: home, as: ada"],
            2,
            3,
        ),
        (
            vec![
                "in: f, say: hi, as: ada, wait: false",
                "in: f, crash: {}",
                "crash: {}",
                "say: home, as: ada",
                "say: again, as: ada",
                "in: f, say: you, as: ada",
                "in: f, idle: {}",
            ],
            2,
            3,
        ),
        (
            vec![
                "in: f, say: hi, as: ada, wait: false",
                "in: f, crash: {}",
                "say: home, as: ada",
                "say: again, as: ada",
                "in: f, note: back",
                "in: f, idle: {}",
            ],
            1,
            3,
        ),
        (vec!["crash: {}", "advance: 1s"], 2, 2),
        (
            vec![
                "crash: {}",
                "revise: { agents: [{ name: bot, prompt: Sing. }] }",
            ],
            2,
            2,
        ),
    ];
    for (steps, home, branch) in table {
        let desk = Desk::new();
        let steps: String = steps
            .iter()
            .map(|step| {
                if step.starts_with("revise") {
                    format!("  - {step}\n")
                } else {
                    format!("  - {{ {step} }}\n")
                }
            })
            .collect();
        desk.write("w.yaml", &format!("{CRASHES}{steps}"));
        let ran = desk.run(&["run", "w.yaml"]).expect(0);
        let openings = |world: &str| {
            let opened = ["log", world, "--json", "--kind", "Opened"];
            desk.run(&opened).expect(0).values().len()
        };
        assert_eq!(
            (openings("w"), openings("f")),
            (home, branch),
            "{steps}{ran:?}"
        );
    }
}

#[test]
fn steps_in_a_branch_show_its_name_and_what_happened_there_in_their_place() {
    let desk = Desk::new();
    let ran = desk.run(&["run", &example("fork.yaml")]).expect(0);
    let (_, behind) = ran.out.split_once("under a name of its own.\n").unwrap();
    let (branch, _) = behind.split_once("Where the answer").unwrap();
    let lines: Vec<&str> = branch
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let [heading, denies, result, reply, held] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    assert_eq!(*heading, "· in what-if");
    assert!(denies.starts_with("✗ ada denies what-if#"), "{denies}");
    assert_eq!(*result, "janitor  ← delete_files: denied, did not run");
    assert_eq!(*reply, "janitor  ┊ @ada Understood, the old builds stay.");
    assert_eq!(*held, "✓ as expected in what-if");
    let fresh = ["run", &example("fork.yaml"), "--fresh"];
    desk.run(&fresh).expect(0).out_has("· in fork-2-what-if\n");
}
