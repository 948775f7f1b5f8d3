use folkmoot_agents::Secrets as _;
use serde_json::json;

use super::RoomSecrets;

#[test]
fn a_secret_of_a_tool_is_taken_out_and_other_variables_are_not() {
    // Every process has this one.
    let value = std::env::var("PATH").unwrap();
    let concealed = |uses: &str| {
        let settings = json!({ "use": uses, "allow": [{ "host": "a", "headers": { "authorization": "Bearer ${PATH}" } }] });
        let secrets = RoomSecrets {
            models: Vec::new(),
            tools: vec![settings],
            variables: Vec::new(),
        };
        let text = format!("it said: {value}.");
        let rules = secrets.rules();
        rules.first().unwrap().redact_text(&text).into_owned()
    };
    assert_eq!(concealed("http.get"), "it said: [secret].");
    assert_eq!(concealed("http.request"), "it said: [secret].");
    assert_eq!(concealed("sql"), "it said: [secret].");
    assert_eq!(concealed("scripted"), format!("it said: {value}."));
}
