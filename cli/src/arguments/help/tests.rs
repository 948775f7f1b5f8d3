use std::collections::BTreeSet;

use clap::Command;

use super::*;

/// Every command that can be typed, with its words, and help as it is printed.
fn all() -> Vec<(String, String)> {
    let mut program = program();
    program.build();
    let mut all = Vec::new();
    let mut left: Vec<(String, Command)> = vec![(String::new(), program)];
    while let Some((words, command)) = left.pop() {
        for child in command.get_subcommands() {
            if child.get_name() != "help" {
                left.push((format!("{words} {}", child.get_name()), child.clone()));
            }
        }
        if !words.is_empty() {
            all.push((words, command.clone().render_long_help().to_string()));
        }
    }
    all
}

#[test]
fn every_command_stands_in_one_group_with_its_sentence() {
    let mut program = program();
    program.build();
    let known: BTreeSet<&str> = program
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| *name != "help")
        .collect();
    let grouped: Vec<&str> = GROUPS
        .iter()
        .flat_map(|(_, names)| *names)
        .copied()
        .collect();
    assert_eq!(known, grouped.iter().copied().collect());
    assert_eq!(
        known.len(),
        grouped.len(),
        "one command stands in two groups"
    );
    let help = super::program().render_long_help().to_string();
    for name in known {
        let lines = help.lines().filter(|line| {
            line.strip_prefix("  ")
                .and_then(|line| line.strip_prefix(name))
                .is_some_and(|rest| rest.starts_with(' '))
        });
        let lines: Vec<&str> = lines.collect();
        assert!(
            matches!(lines.as_slice(), [line] if line.len() <= 80 && line.len() > 20),
            "{name}: {lines:?}"
        );
    }
}

#[test]
fn help_of_the_program_ends_with_the_exit_codes() {
    let help = program().render_long_help().to_string();
    let codes = help.rsplit_once("Exit codes:\n").unwrap().1;
    let codes: Vec<&str> = codes
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(codes, ["0", "1", "2", "3", "4", "5", "6", "130", "141"]);
    for (heading, _) in GROUPS {
        assert!(help.contains(&format!("\n{heading}\n")), "{help}");
    }
}

#[test]
fn own_options_stand_before_the_global_ones_and_the_end_is_one_example() {
    let all = all();
    assert!(all.len() > 40, "{all:?}");
    for (words, help) in all {
        let global = help.find("\nGlobal options:\n").unwrap();
        for own in ["\nOptions:\n", "\nArguments:\n", "\nCommands:\n"] {
            assert!(
                help.find(own).is_none_or(|own| own < global),
                "{words}: {own} stands behind the global options\n{help}"
            );
        }
        let options = help.split("\nOptions:\n").nth(1).unwrap_or_default();
        let own = options
            .split("\nGlobal options:\n")
            .next()
            .unwrap_or_default();
        for global in ["--store", "--json", "--color", "--help", "--version"] {
            // An option stands at the beginning of its line, a short form before it. What it does
            // stands further to the right.
            let is_shown = |line: &str| {
                let mut words = line.split_whitespace().take(2);
                !line.starts_with("          ") && words.any(|word| word == global)
            };
            let is_own = own.lines().any(is_shown);
            assert!(!is_own, "{words}: {own}");
        }
        let (_, example) = help.rsplit_once("\n\nExample:\n  ").unwrap_or_else(|| {
            panic!("{words} has no example at its end\n{help}");
        });
        assert!(!example.trim_end().contains('\n'), "{words}: {example}");
        assert!(
            example.starts_with("folkmoot ") && example.contains(words.trim()),
            "{words}: {example}"
        );
    }
}

#[test]
fn sentences_of_help_have_a_subject() {
    for (words, help) in all() {
        for start in ["What ", ". What ", "  What ", ": what "] {
            assert!(!help.contains(start), "{words}: {start}\n{help}");
        }
    }
}
