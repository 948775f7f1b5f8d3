use std::collections::BTreeMap;

use super::*;

#[derive(Debug)]
struct Variables(BTreeMap<&'static str, &'static str>);

impl Environment for Variables {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| (*value).to_owned())
    }
}

fn expand(template: &str) -> Result<String, MissingVariable> {
    let variables = Variables(BTreeMap::from([("KEY", "sk-123"), ("EMPTY", "")]));
    Template::new(template)
        .unwrap()
        .expand(&variables)
        .map(|secret| secret.expose().to_owned())
}

#[test]
fn variables_are_put_in() {
    assert_eq!(expand("plain").unwrap(), "plain");
    assert_eq!(expand("${KEY}").unwrap(), "sk-123");
    assert_eq!(expand("a ${KEY} b ${KEY}$").unwrap(), "a sk-123 b sk-123$");
    assert_eq!(expand("${NONE:-x:-y}").unwrap(), "x:-y");
    assert_eq!(expand("${EMPTY:-x}").unwrap(), "x");
    assert_eq!(expand("${NONE:-}").unwrap(), "");
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    for template in ["${NONE}", "${KEY} ${NONE}"] {
        assert_eq!(
            expand(template),
            Err(MissingVariable {
                name: "NONE".into()
            })
        );
    }
    assert_eq!(
        expand("${EMPTY}").unwrap_err().to_string(),
        "the environment variable EMPTY is not set"
    );
}

#[test]
fn what_is_no_template_is_an_error() {
    for text in ["${", "${}", "${A", "${1A}", "${A-B}", "a ${A B} c"] {
        assert!(Template::new(text).is_err(), "{text}");
    }
    assert_eq!(Template::new("a ${A B} c").unwrap_err().rest, "${A B} c");
}

#[test]
fn a_template_keeps_its_text_and_a_secret_hides_its_value() {
    let template = Template::new("Bearer ${KEY}").unwrap();
    assert_eq!(template.as_str(), "Bearer ${KEY}");
    assert_eq!(format!("{:?}", Secret::new("sk-123")), "Secret(..)");
}

#[test]
fn the_values_of_variables_are_told_apart_from_the_text_around_them() {
    let variables = Variables(BTreeMap::from([("KEY", "sk-123"), ("USER", "ada")]));
    let template = Template::new("Basic ${USER}:${KEY}${NONE:-x}").unwrap();
    let values: Vec<Secret> = template.values(&variables).collect();
    assert_eq!(
        values.iter().map(Secret::expose).collect::<Vec<_>>(),
        ["ada", "sk-123"]
    );
}

/// Has a way to be `proved` for every type, and a second one for those that can be written, shown or compared: for these
/// the compiler cannot choose.
trait Lacks<T> {
    fn proved() {}
}

impl<S> Lacks<()> for S {}
impl<S: serde::Serialize> Lacks<[(); 1]> for S {}
impl<S: fmt::Display> Lacks<[(); 2]> for S {}
impl<S: PartialEq> Lacks<[(); 3]> for S {}
impl<S: serde::de::DeserializeOwned> Lacks<[(); 4]> for S {}

/// It does not compile if a secret ever learns one of these.
#[test]
fn a_secret_cannot_be_written_read_shown_or_compared() {
    <Secret as Lacks<_>>::proved();
}
