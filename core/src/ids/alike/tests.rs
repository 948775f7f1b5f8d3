use super::{Looks, reserved};

#[test]
fn names_that_look_alike_have_a_look_in_common() {
    let pairs = [
        ("ada", "аdа"), // Cyrillic
        ("ada", "ADA"),
        ("Alda", "AIda"),
        ("IDA", "ida"),
        ("bob", "b0b"),
        ("zo\u{e9}", "zoe\u{301}"),
        ("ada", "\u{ff41}da"),
        ("tim", "tirn"),
        ("anna", "a\u{200c}nna"),
    ];
    for (one, other) in pairs {
        assert!(Looks::of(one).is_like(&Looks::of(other)), "{one} {other}");
    }
    for (one, other) in [
        ("ada", "eda"),
        ("ann", "anna"),
        ("bob", "rob"),
        ("zoe", "zo\u{e9}"),
    ] {
        assert!(!Looks::of(one).is_like(&Looks::of(other)), "{one} {other}");
    }
}

#[test]
fn words_for_what_is_nobody_are_no_names() {
    let kept = [
        ("runtime", "runtime"),
        ("World", "world"),
        ("SYSTEM", "system"),
        ("syst\u{435}m", "system"),
        ("w\u{43e}rld", "world"),
        ("agent:clerk", "agent:"),
        ("Agent\u{ff1a}x", "agent:"),
        ("tool:files", "tool:"),
        ("t00l:x", "tool:"),
    ];
    for (name, word) in kept {
        assert_eq!(reserved(name), Some(word), "{name}");
    }
    for name in ["ada", "worldly", "agent", "my system", "toolsmith", "human"] {
        assert_eq!(reserved(name), None, "{name}");
    }
}
