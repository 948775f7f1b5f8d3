use super::*;

/// The folder of the example scripts.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds")
}

pub(super) fn examples() -> Vec<PathBuf> {
    let files = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut scripts: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "yaml"))
        .collect();
    scripts.sort();
    scripts
}

#[test]
fn every_example_passes_the_checks_and_says_what_it_shows() {
    assert!(examples().len() >= 6);
    for file in examples() {
        let text = fs::read_to_string(&file).unwrap();
        let (schema, rest) = text.split_once('\n').unwrap();
        assert_eq!(
            schema,
            "# yaml-language-server: $schema=../world-script.schema.json"
        );
        assert!(
            rest.starts_with("# "),
            "{} has no comment on top",
            file.display()
        );
        let script = Script::load(&file).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(script.world.as_str(), file.file_stem().unwrap());
        // A room to talk in plays nothing.
        let Some(last) = script.steps.last() else {
            assert!(text.contains("folkmoot chat"), "{}", file.display());
            continue;
        };
        assert!(
            matches!(last.verb, Verb::Expect(_)),
            "{} expects nothing",
            file.display()
        );
    }
}

/// Editors read it beside the examples. `folkmoot schema > examples/world-script.schema.json` writes it anew.
#[test]
fn the_schema_beside_the_examples_is_that_of_this_build() {
    let text = fs::read_to_string(folder().join("../world-script.schema.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(kept == json_schema(), "it is another one");
    assert!(text.len() <= 100 * 1024, "{} bytes", text.len());
}

/// A law rather than a table: whatever is cut off or garbled, the answer is a script or faults at places that exist.
#[test]
fn damaged_script_never_panics_and_its_faults_stand_in_its_text() {
    let text = fs::read_to_string(folder().join("release-room.yaml")).unwrap();
    let texts = text
        .char_indices()
        .map(|(at, _)| at)
        .step_by(11)
        .flat_map(|at| {
            let (before, after) = text.split_at(at);
            let garbled = ["", "\t", "'", "{", "- ", ": ", "ü&*!", "\n"]
                .map(|junk| format!("{before}{junk}{after}"));
            garbled
                .into_iter()
                .chain([before.to_owned(), after.to_owned()])
        });
    for text in texts {
        let Err(error) = Script::parse(&text, &folder().join("release-room.yaml")) else {
            continue;
        };
        assert!(!error.faults.is_empty());
        for fault in error.faults {
            let (start, len) = fault.span;
            assert!(
                fault.source.get(start..start + len).is_some(),
                "{fault} in\n{text}"
            );
        }
    }
}
