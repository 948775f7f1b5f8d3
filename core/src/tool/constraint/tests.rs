//! What constraints allow, and what they leave as it is.

use serde_json::{Value, json};

use super::path::PathFault;
use super::{Constraint, ConstraintError, digest_of_rest, fits_all, is_pointer};

mod paths;

fn read(constraint: Value) -> Constraint {
    serde_json::from_value(constraint).unwrap()
}

#[test]
fn a_constraint_fits_what_it_allows_and_nothing_else() {
    let given = json!({ "path": "notes/a.md", "argv": ["git", "log", "-1"], "n": 7, "big": 9_007_199_254_740_993_u64 });
    let table = [
        (json!({ "path": "/path", "equals": "notes/a.md" }), true),
        (json!({ "path": "/path", "equals": "notes/b.md" }), false),
        (json!({ "path": "/path", "prefix": "notes/" }), true),
        (json!({ "path": "/path", "prefix": "etc/" }), false),
        (json!({ "path": "/argv", "prefix": ["git", "log"] }), true),
        (json!({ "path": "/argv", "prefix": ["git", "push"] }), false),
        (json!({ "path": "/argv", "prefix": "git" }), false),
        (json!({ "path": "/argv/0", "one_of": ["git", "hg"] }), true),
        (
            json!({ "path": "/n", "range": { "min": 1, "max": 7 } }),
            true,
        ),
        (json!({ "path": "/n", "range": { "max": 6.5 } }), false),
        (json!({ "path": "/path", "range": {} }), false),
        (
            json!({ "path": "/big", "range": { "max": 9_007_199_254_740_992_u64 } }),
            false,
        ),
        (json!({ "path": "/missing", "range": {} }), false),
        (json!({ "path": "", "equals": given }), true),
    ];
    for (constraint, fits) in table {
        assert_eq!(read(constraint.clone()).fits(&given), fits, "{constraint}");
    }
}

#[test]
fn what_no_constraint_is_about_stays_as_it_is() {
    let free = [read(json!({ "path": "/path", "prefix": "notes/" }))];
    let digest = |document: Value| digest_of_rest(&free, &document);
    assert!(fits_all(&free, &json!({ "path": "notes/a" })));
    assert_eq!(
        digest(json!({ "path": "notes/a", "mode": 1 })),
        digest(json!({ "mode": 1, "path": "notes/b" }))
    );
    assert_ne!(
        digest(json!({ "path": "notes/a", "mode": 1 })),
        digest(json!({ "path": "notes/a", "mode": 2 }))
    );
    assert_ne!(
        digest(json!({ "path": "notes/a" })),
        digest(json!({ "path": "notes/a", "more": null }))
    );
}

#[test]
fn a_constraint_is_written_in_one_line() {
    let constraint = json!({ "path": "/n", "range": { "min": 1 } });
    assert_eq!(
        serde_json::to_value(read(constraint.clone())).unwrap(),
        constraint
    );
}

#[test]
fn a_written_constraint_says_one_thing_about_one_place() {
    let good = json!({ "path": "/a~1b/0", "range": { "min": 1 } });
    assert_eq!(good.to_string().parse(), Ok(read(good)));
    let bad = [
        json!({ "path": "/path" }),
        json!({ "prefix": "notes/" }),
        json!({ "path": "/path", "prefix": "notes/", "range": { "min": 1 } }),
        json!({ "path": "/path", "prefix": "notes/", "note": "well" }),
        json!({ "path": "path", "prefix": "notes/" }),
        json!({ "path": "", "equals": {} }),
        json!({ "path": "/a~b", "equals": 1 }),
        json!({ "path": "/path", "prefix": 3 }),
        json!({ "path": "/path", "one_of": [] }),
        json!({ "path": "/path", "range": {} }),
        json!({ "path": "/path", "range": { "min": "1" } }),
        json!({ "path": "/path", "range": { "least": 1 } }),
        json!(["/path", "equals", 1]),
    ];
    for constraint in bad {
        assert_eq!(
            constraint.to_string().parse::<Constraint>(),
            Err(ConstraintError::Form),
            "{constraint}"
        );
    }
    for text in [
        "/path^=notes/",
        r#"{"path":"/a","equals":1,"equals":2}"#,
        r#"{"path":"/a","equals":{"b":1,"\u0062":2}}"#,
    ] {
        assert_eq!(
            text.parse::<Constraint>(),
            Err(ConstraintError::Form),
            "{text}"
        );
    }
}

#[test]
fn prefix_of_nothing_is_refused() {
    for empty in [json!(""), json!([])] {
        let constraint = json!({ "path": "/path", "prefix": empty }).to_string();
        assert_eq!(
            constraint.parse::<Constraint>(),
            Err(ConstraintError::EmptyPrefix),
            "{constraint}"
        );
    }
}

#[test]
fn folder_of_beneath_is_a_plain_path() {
    let parsed = |folder: &str| {
        json!({ "path": "/path", "beneath": folder })
            .to_string()
            .parse::<Constraint>()
            .map(drop)
    };
    assert_eq!(
        (parsed("notes"), parsed("."), parsed("a/b")),
        (Ok(()), Ok(()), Ok(()))
    );
    assert_eq!(
        parsed("notes/"),
        Err(ConstraintError::Beneath(PathFault::EmptyPart))
    );
    assert_eq!(
        parsed("../notes"),
        Err(ConstraintError::Beneath(PathFault::Parent))
    );
}

/// Of each line all numbers are equal to one another, and to none of another line.
#[test]
fn numbers_are_equal_by_value_however_they_are_written() {
    let lines: [&[&str]; 14] = [
        &["1000", "1000.0", "1e3", "1E+3", "1000.000", "0.1e4"],
        &["0", "-0", "0.0", "-0.0", "0e5"],
        &["-1", "-1.0", "-10e-1"],
        &[
            "9007199254740992",
            "9007199254740992.0",
            "9.007199254740992e15",
        ],
        &["9007199254740993"],
        &["-9007199254740993"],
        &["18446744073709551615"],
        &["18446744073709551616", "18446744073709551616.0"],
        &["9223372036854775807"],
        &["9223372036854775808", "9223372036854775808.0"],
        &["-9223372036854775808", "-9223372036854775808.0"],
        &["0.1", "1e-1", "0.10"],
        &["1e300", "10e299"],
        &["5e-324"],
    ];
    let all = || {
        lines
            .iter()
            .enumerate()
            .flat_map(|(line, texts)| texts.iter().map(move |text| (line, *text)))
    };
    for (line, one) in all() {
        for (other_line, other) in all() {
            let document = format!(r#"{{"n":{other},"in":[{{"n":{other}}}],"s":"{other}"}}"#);
            let document: Value = serde_json::from_str(&document).unwrap();
            let is_same = line == other_line;
            for (constraint, fits) in [
                (format!(r#"{{"path":"/n","equals":{one}}}"#), is_same),
                (format!(r#"{{"path":"/n","one_of":["x",{one}]}}"#), is_same),
                (
                    format!(r#"{{"path":"/in","equals":[{{"n":{one}}}]}}"#),
                    is_same,
                ),
                (
                    format!(r#"{{"path":"/in","prefix":[{{"n":{one}}}]}}"#),
                    is_same,
                ),
                (
                    format!(r#"{{"path":"/n","range":{{"min":{one},"max":{one}}}}}"#),
                    is_same,
                ),
                (format!(r#"{{"path":"/s","equals":{one}}}"#), false),
                (format!(r#"{{"path":"/s","equals":"{one}"}}"#), one == other),
            ] {
                assert_eq!(
                    constraint.parse::<Constraint>().unwrap().fits(&document),
                    fits,
                    "{constraint} {document}"
                );
            }
        }
    }
}

#[test]
fn texts_and_keys_are_compared_without_normalisation() {
    let composed = read(json!({ "path": "/name", "equals": "caf\u{e9}" }));
    assert!(composed.fits(&json!({ "name": "caf\u{e9}" })));
    assert!(!composed.fits(&json!({ "name": "cafe\u{301}" })));
    let keyed = read(json!({ "path": "/o", "equals": { "a": 1, "b": 2 } }));
    assert!(keyed.fits(&json!({ "o": { "b": 2.0, "a": 1 } })));
    assert!(
        !keyed.fits(&json!({ "o": { "a": 1 } }))
            && !keyed.fits(&json!({ "o": { "a": 1, "b": 2, "c": 3 } }))
    );
}

#[test]
fn digests_tell_numbers_apart_as_they_always_did() {
    assert_ne!(
        digest_of_rest(&[], &json!({ "n": 1 })),
        digest_of_rest(&[], &json!({ "n": 1.0 }))
    );
}

#[test]
fn a_json_pointer_to_a_part_begins_with_a_slash() {
    for path in ["/", "/a/0", "/a~1b/~0"] {
        assert!(is_pointer(path), "{path}");
    }
    for path in ["", "a", "$.a", "/a~", "/~2"] {
        assert!(!is_pointer(path), "{path}");
    }
}
