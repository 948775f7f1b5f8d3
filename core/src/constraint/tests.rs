//! What constraints allow, and what they leave as it is.

use serde_json::{Value, json};

use super::{Constraint, ConstraintError, digest_of_rest, fits_all};

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
        (json!({ "path": "/n", "range": { "min": 1, "max": 7 } }), true),
        (json!({ "path": "/n", "range": { "max": 6.5 } }), false),
        (json!({ "path": "/path", "range": {} }), false),
        (json!({ "path": "/big", "range": { "max": 9_007_199_254_740_992_u64 } }), false),
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
    assert_eq!(digest(json!({ "path": "notes/a", "mode": 1 })), digest(json!({ "mode": 1, "path": "notes/b" })));
    assert_ne!(digest(json!({ "path": "notes/a", "mode": 1 })), digest(json!({ "path": "notes/a", "mode": 2 })));
    assert_ne!(digest(json!({ "path": "notes/a" })), digest(json!({ "path": "notes/a", "more": null })));
}

#[test]
fn a_constraint_is_written_in_one_line() {
    let constraint = json!({ "path": "/n", "range": { "min": 1 } });
    assert_eq!(serde_json::to_value(read(constraint.clone())).unwrap(), constraint);
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
        assert_eq!(constraint.to_string().parse::<Constraint>(), Err(ConstraintError), "{constraint}");
    }
    assert_eq!("/path^=notes/".parse::<Constraint>(), Err(ConstraintError));
}
