//! Included specs.

use super::*;

/// A folder with these files, and the path of the first.
fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let first = folder.path().join(files[0].0);
    (folder, first)
}

const SHARED: &str = "\
description: shared
models: { m: { provider: scripted }, n: { provider: scripted } }
defaults: { model: m }
agents: [{ name: planner, prompt: Plan., tools: [look] }, { name: worker }]
tools: { look: { use: clock.now }, sum: { use: calc } }
limits: { attempts: 7, approval_ttl: { write: 1h } }
";

#[test]
fn including_file_wins_per_agent_and_key_and_per_entry() {
    let script = "\
world: w
include: shared.yaml
agents: [{ name: planner, prompt: Plan well. }, { name: critic }]
tools: { look: { use: calc } }
defaults: { model: n }
limits: { approval_ttl: { destructive: 1m } }
";
    let (_folder, file) = folder(&[("script.yaml", script), ("shared.yaml", SHARED)]);
    let whole = "\
world: w
description: shared
models: { m: { provider: scripted }, n: { provider: scripted } }
defaults: { model: n }
agents: [{ name: planner, prompt: Plan well., tools: [look] }, { name: worker }, { name: critic }]
tools: { look: { use: calc }, sum: { use: calc } }
limits: { attempts: 7, approval_ttl: { write: 1h, destructive: 1m } }
";
    let definition = |script: Script| script.spec.definition(std::collections::BTreeMap::new());
    assert_eq!(
        definition(Script::load(&file).unwrap()),
        definition(parse(whole).unwrap())
    );
}

#[test]
fn faults_of_an_included_file_are_shown_in_it() {
    let (_folder, file) = folder(&[
        (
            "script.yaml",
            "world: w\ninclude: shared.yaml\npolicy: { main_agent: wroker }",
        ),
        ("shared.yaml", &format!("{SHARED}script: []\nplocy: {{}}")),
    ]);
    let error = Script::load(&file).unwrap_err();
    let files: Vec<_> = error
        .faults
        .iter()
        .map(|fault| fault.file.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(files, ["script.yaml", "shared.yaml", "shared.yaml"]);
    assert_eq!(
        error.faults[1].source.lines().next(),
        Some("description: shared")
    );
    assert_eq!(
        lines(&error),
        [
            "3:23 no agent is called `wroker` | did you mean `worker`?",
            "7:1 `script` is not a key of an included spec | keys: include, description, rules, context, models, gateway, prices, defaults, agents, tools, local, states, policy, limits, replies",
            "8:1 `plocy` is not a key of an included spec | did you mean `policy`?",
        ]
    );
}

#[test]
fn missing_include_is_shown_where_it_is_asked_for() {
    let (folder, file) = folder(&[(
        "script.yaml",
        "world: w\ninclude: nowhere.yaml\npolicy: { main_agent: planner }",
    )]);
    let message = format!(
        "2:10 `{}` cannot be read: there is no such file | the path is relative to the folder of this file",
        folder.path().join("nowhere.yaml").display()
    );
    assert_eq!(lines(&Script::load(&file).unwrap_err()), [message]);
}

#[test]
fn files_cannot_include_themselves_by_a_detour() {
    let (folder, file) = folder(&[
        ("script.yaml", "world: w\ninclude: one.yaml"),
        ("one.yaml", "include: two.yaml"),
        ("two.yaml", "description: d\ninclude: ./one.yaml"),
    ]);
    let error = Script::load(&file).unwrap_err();
    assert_eq!(error.faults[0].file.file_name().unwrap(), "two.yaml");
    let message = format!(
        "2:10 `{}` includes itself | leave this `include` out, or name another file",
        folder.path().join("./one.yaml").display()
    );
    assert_eq!(lines(&error), [message]);
}

#[test]
fn script_that_is_not_there_is_one_fault_without_a_place() {
    let error = Script::load(Path::new("/nowhere/script.yaml")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "/nowhere/script.yaml:1:1: the script cannot be read: there is no such file"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_an_end_is_too_large() {
    let (_folder, file) = folder(&[("script.yaml", "world: w\ninclude: /dev/zero")]);
    for file in [file.as_path(), Path::new("/dev/zero")] {
        assert_eq!(
            lines(&Script::load(file).unwrap_err()),
            ["1:1 the file is larger than 4194304 bytes"]
        );
    }
}

#[test]
fn a_file_that_is_too_large_is_so_wherever_it_is_cut() {
    let (folder, file) = folder(&[("script.yaml", "")]);
    let text = "ü".repeat(2 * 1024 * 1024);
    for text in [format!("{text}ü"), format!("-{text}"), text] {
        fs::write(&file, &text).unwrap();
        let is_large = text.len() > 4 * 1024 * 1024;
        let said = lines(&Script::load(&file).unwrap_err());
        assert_eq!(
            said == ["1:1 the file is larger than 4194304 bytes"],
            is_large,
            "{said:?}"
        );
    }
    fs::write(folder.path().join("bytes.yaml"), [0xff, 0xfe]).unwrap();
    let error = Script::load(&folder.path().join("bytes.yaml")).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("the script cannot be read: line 1 is not UTF-8 text"),
        "{error}"
    );
}
