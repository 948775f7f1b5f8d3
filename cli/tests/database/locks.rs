//! The locks of runs of tools: all processes of a machine have the same for one database.

use std::fs;
use std::path::Path;

use super::Desk;
use super::server::Server;

const COUNTS: &str = "
world: NAME
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [count] }]
tools: { count: { use: shell, cwd: ./data, allow: [[wc, -w, words.txt]] } }
policy: { mode: auto }
replies: { clerk: [{ calls: [{ tool: count, args: { argv: [wc, -w, words.txt] } }] }, { text: They are counted. }] }
script:
  - say: Please count them.
    as: ada
  - idle: {}
  - expect: { tool_runs: { count: 1 } }
";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names
}

#[test]
fn processes_have_one_folder_of_locks_wherever_they_were_started() {
    let Some(server) = Server::start("the locks of tools over a database") else {
        return;
    };
    let desk = Desk::new(&server);
    fs::create_dir(desk.folder.path().join("data")).unwrap();
    fs::write(desk.folder.path().join("data/words.txt"), "one two").unwrap();
    let states = desk.folder.path().join("states");
    let run = |schema: &str, world: &str| {
        let script = desk.script(&format!("{world}.yaml"), &COUNTS.replace("NAME", world));
        let place = desk.folder.path().join(format!("place of {world}"));
        fs::create_dir(&place).unwrap();
        let mut command = desk.command(schema, &["run", script.to_str().unwrap()]);
        command.current_dir(&place).env("XDG_STATE_HOME", &states);
        let ran = command.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{world}: {said}");
        assert_eq!(names(&place), [""; 0], "{world}");
        names(&states.join("folkmoot"))
    };
    let first = run("locks", "one");
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].ends_with("-locks"), "{first:?}");
    assert_eq!(names(&states.join("folkmoot").join(&first[0])), ["locks"]);
    assert_eq!(run("locks", "two"), first);
    assert_eq!(run("elsewhere", "three").len(), 2);
}
