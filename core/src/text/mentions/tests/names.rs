use super::*;
use crate::ids::letters::fold;

fn suggestions(unknown: &[&str]) -> Vec<String> {
    let unknown: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    nearest(&unknown, roster_of(AGENTS).agents())
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn nearest_names_are_suggested_best_first() {
    assert_eq!(suggestions(&["bbo"]), ["bob"]);
    assert_eq!(suggestions(&["allice"]), ["Alice"]);
    assert_eq!(suggestions(&["planer"]), ["Release Planner", "plan"]);
    assert_eq!(suggestions(&["build-bot2"]), ["build"]);
    assert_eq!(suggestions(&["bob.smith"]), ["bob"]);
    assert_eq!(suggestions(&["BOBLEE"]), ["bob"]);
    assert_eq!(suggestions(&["xavier"]), Vec::<String>::new());
    assert_eq!(suggestions(&[""]), Vec::<String>::new());
    assert_eq!(suggestions(&["xavier", "zoe"]), ["Zoë"]);
}

#[test]
fn at_most_three_names_are_suggested() {
    let names = ["tom", "tim", "tam", "tem"];
    let found = nearest(&["tum".to_owned()], roster_of(&names).agents());
    assert_eq!(found, [agent("tam"), agent("tem"), agent("tim")]);
}

#[test]
fn names_are_folded() {
    let table = [
        ("Release\u{a0} \tPlanner", "release planner"),
        ("ＺＯＥ\u{308}", "zoë"),
        ("ΌΔΟΣ", "όδοσ"),
        ("ﬁﬂ\u{ad}", "fifl"),
        ("👩\u{200d}💻\u{fe0f}", "👩\u{200d}💻"),
        ("a\u{200d}b", "ab"),
        ("\u{1100}\u{1161}\u{11a8}", "각"),
        ("ｶﾞ", "ガ"),
    ];
    for (name, folded) in table {
        assert_eq!(fold::fold(name), folded, "{name:?}");
    }
}

#[test]
fn names_that_only_folding_shows_to_be_bad_have_a_fault() {
    for bad in [
        "\u{3164}",
        "a＠b",
        "a，b",
        "tom\u{a0}and\u{a0}jerry",
        "´bob",
        "bob!",
        "(bob",
        "\u{301}bob",
    ] {
        assert!(name_fault(bad).is_some(), "{bad:?}");
    }
    for good in AGENTS {
        assert_eq!(name_fault(good), None, "{good:?}");
    }
}

#[test]
fn who_bears_a_name_first_keeps_it() {
    let mut names = Names::default();
    assert!(names.insert("Zoë", 1));
    assert!(!names.insert("ZOE\u{308}", 2));
    assert!(!names.insert("\u{ad}", 3));
    assert_eq!(names.iter().collect::<Vec<_>>(), [("zoë", &1)]);
    assert_eq!(names.find("zoë"), Some(&1));
}

#[test]
fn emoji_are_characters_of_their_own_unless_they_are_joined() {
    assert_eq!(fold::cluster_len("\u{1f44d}\u{1f44d}"), 4);
    assert_eq!(fold::cluster_len("\u{1f469}\u{200d}\u{1f4bb}"), 11);
}
