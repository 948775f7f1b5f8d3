//! What an export holds, and what it does not.

use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::spans::{Span, Spans};

#[test]
fn lines_hold_all_of_the_log_but_its_salts() {
    for past in [
        Past::full_of("words", "ada"),
        Past::full_of("words", "ada").erased(),
    ] {
        let text = past.export(ExportFormat::Lines);
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let first = lines.next().unwrap();
        assert_eq!(
            (&first["folkmoot_export"], &first["world"]),
            (&1.into(), &NAME.into())
        );
        assert_eq!(read(lines), past.stored());
    }
}

/// Reads commits back.
fn read(lines: impl Iterator<Item = Value>) -> Vec<StoredCommit> {
    let mut commits: Vec<StoredCommit> = Vec::new();
    for line in lines {
        if let Some(commit) = line.get("commit") {
            let header: folkmoot_core::command::commit::CommitHeader =
                serde_json::from_value(commit.clone()).unwrap();
            assert_eq!(Value::from(header.first.get()), line["position"]);
            let link = serde_json::from_value(commit["link"].clone()).unwrap();
            commits.push(StoredCommit {
                link,
                commit: Commit {
                    header,
                    events: Vec::new(),
                },
            });
        }
        let kind = folkmoot_core::event::EventKind::ALL
            .iter()
            .find(|(kind, _)| line["kind"] == kind.name())
            .unwrap();
        let content = match (line.get("content"), line.get("erased")) {
            (Some(content), None) => StoredContent::Present(serde_json::to_vec(content).unwrap()),
            (None, Some(erased)) => StoredContent::Erased {
                by: serde_json::from_value(erased["by"].clone()).unwrap(),
            },
            (None, None) => StoredContent::None,
            (Some(_), Some(_)) => panic!("{line}"),
        };
        let record = folkmoot_core::event::EventRecord {
            kind: kind.0 as u16,
            version: u16::try_from(line["version"].as_u64().unwrap()).unwrap(),
            facts: serde_json::to_vec(&line["facts"]).unwrap(),
            content,
        };
        commits
            .last_mut()
            .unwrap()
            .commit
            .events
            .push(Event::from_record(record).unwrap());
    }
    commits
}

#[test]
fn what_was_erased_is_in_no_export_and_is_said_to_be_erased() {
    let past = Past::full_of("canary", "ada").erased();
    for format in [
        ExportFormat::Markdown,
        ExportFormat::Lines,
        ExportFormat::Html,
    ] {
        let text = past.export(format);
        assert!(!text.contains("canary"), "{text}");
        assert!(text.contains("erased"), "{text}");
    }
    assert!(
        past.export(ExportFormat::Html)
            .contains("<p class=\"gone\">[erased]</p>")
    );
    assert!(
        past.export(ExportFormat::Markdown)
            .contains("> *\\[erased\\]*")
    );
}

#[test]
fn what_was_erased_is_in_no_span() {
    let told = |past: &Past| {
        let name = WorldName::new(NAME).unwrap();
        let mut spans = Spans::of(past.world.id().unwrap(), name, Capture::Words);
        let take = |commit| spans.take(commit, &BTreeSet::new());
        let ended: Vec<Span> = past.commits.iter().flat_map(take).collect();
        format!("{ended:?}")
    };
    let past = Past::full_of("canary", "ada");
    assert!(told(&past).contains("canary"), "{}", told(&past));
    let erased = told(&past.erased());
    assert!(!erased.contains("canary"), "{erased}");
    assert!(erased.contains("execute_tool"), "{erased}");
}

#[test]
fn what_was_taken_back_or_edited_is_marked_and_its_words_are_gone() {
    let past = Past::began()
        .said("ada", "@bob first words")
        .said("ada", "second words");
    let past = past.edited(4, "@bob third words").retracted(6);
    for (format, mark) in [
        (ExportFormat::Markdown, "> *"),
        (ExportFormat::Html, "<p class=\"gone\">"),
    ] {
        let text = past.export(format);
        assert!(
            !text.contains("first words") && !text.contains("second words"),
            "{text}"
        );
        assert!(
            text.contains("third words") && text.contains(&format!("{mark}now says what #8 says")),
            "{text}"
        );
        assert!(
            text.contains(&format!("{mark}taken back by #10")) && text.contains("takes back #6"),
            "{text}"
        );
        assert!(text.contains("in the place of #4"), "{text}");
    }
}

#[test]
fn a_transcript_tells_who_allowed_what_and_what_ran() {
    let text = Past::full_of("words", "ada").export(ExportFormat::Markdown);
    let wanted = [
        "**bob** asks to run wipe (destructive)\n\n> ```text\n> {\"what\":\"words\"}\n> ```\n\n- shown ",
        "**ada** allows #12\n\n- confirmed what was shown (",
        ")\n- because: words\n",
        "**bob** ran wipe with {\"what\":\"words\"}\n\n> ```text\n> words\n> ```\n\n> ```text\n> words\n> words | Number\n",
        "\n> ```text\n> Estimate\n> Cost: $1,200 – $3,400\n> Notes:\n> - words\n> ```\n\nIn words:\n\n> ```text\n> words\n> ```\n",
    ];
    for part in wanted {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}
