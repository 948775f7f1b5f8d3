use serde_json::json;

use super::{BrokenVariable, MissingVariable, Template, passwords_in, values_in};

fn look_up(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("s3cret-token".into()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

#[test]
fn a_template_is_expanded_or_says_which_variable_is_missing() {
    for (text, expected) in [
        ("plain", Ok("plain")),
        ("Bearer ${TOKEN}", Ok("Bearer s3cret-token")),
        ("${TOKEN}${TOKEN}", Ok("s3cret-tokens3cret-token")),
        ("${NONE:-a}", Ok("a")),
        ("${EMPTY:-a}", Ok("a")),
        ("${NONE}", Err("NONE")),
        ("${EMPTY}", Err("EMPTY")),
    ] {
        let expanded = Template::read(text).unwrap().expand(look_up);
        assert!(!format!("{expanded:?}").contains("s3cret"), "{text}");
        let expanded = expanded.map(|text| text.expose().to_owned());
        let expected = expected
            .map(str::to_owned)
            .map_err(|name: &str| MissingVariable(name.into()));
        assert_eq!(expanded, expected, "{text}");
    }
    for text in ["${", "${A", "${1}", "${a b}", "${}", "x ${-}"] {
        assert_eq!(Template::read(text), Err(BrokenVariable), "{text}");
    }
}

#[test]
fn the_values_of_all_variables_in_settings_are_known() {
    let settings = json!({ "use": "http.get", "allow": [{ "host": "a", "headers": { "authorization": "Bearer ${TOKEN}", "x": "${NONE:-d}" } }] });
    assert_eq!(values_in(&settings, &look_up), ["s3cret-token"]);
}

#[test]
fn the_password_of_a_url_is_a_secret_of_its_own() {
    let cases: [(&str, &[&str]); 4] = [
        ("postgres://shop:p%40ss@db/shop", &["p%40ss", "p@ss"]),
        ("postgres://shop@db/shop", &[]),
        ("s3cret-token", &[]),
        ("https://a:b@c/", &["b", "b"]),
    ];
    for (value, passwords) in cases {
        assert_eq!(passwords_in(value), passwords, "{value}");
    }
}
