use folkmoot_client::Request;
use serde_json::{Value, json};

use super::RequestOffer;

fn offer(you: &Value, deciders: &Value) -> RequestOffer {
    let request = json!({
        "name": "room#4", "request": 4, "agent": "worker", "asks": {}, "you": you, "deciders": deciders,
    });
    let request: Request = serde_json::from_value(request).unwrap();
    RequestOffer::of(&request).unwrap()
}

#[test]
fn a_bar_says_why_and_whose_the_decision_is() {
    let all = json!({ "decide": true, "allow": true });
    let two = json!({ "decide": true, "allow": false, "why": "four eyes" });
    let none = json!({ "decide": false, "allow": false, "why": "no right" });
    let named = json!({ "people": ["token:ada", "token:kim"], "names": { "token:ada": "ada" }, "others": false });
    let nobody = json!({ "people": [], "others": false });
    let ada = json!({ "method": "token", "subject": "ada", "display": "ada" });
    let another = json!({ "people": ["token:ada"], "others": true, "all_but": [ada] });
    let cases = [
        (&all, &named, None),
        (
            &none,
            &named,
            Some("It is not for you to decide: no right; ada (token:ada) and token:kim may."),
        ),
        (
            &none,
            &nobody,
            Some(
                "It is not for you to decide: no right; nobody may: whoever operates the room can give somebody the right.",
            ),
        ),
        (
            &two,
            &another,
            Some(
                "You may deny it, and not allow it: four eyes; everybody else whose token gives the right to decide may.",
            ),
        ),
    ];
    for (you, deciders, bar) in cases {
        assert_eq!(offer(you, deciders).bar().as_deref(), bar);
    }
}
