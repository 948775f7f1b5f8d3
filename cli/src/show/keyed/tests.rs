//! Keys, and what was printed last.

use super::*;

fn asks(name: &str) -> ChatLine {
    ChatLine::Asks(name.to_owned(), vec!["worker asks".to_owned()])
}

fn keys(name: &str, again: bool) -> ChatLine {
    ChatLine::Keys {
        name: name.to_owned(),
        again: again.then(Vec::new),
        keys: "o once".to_owned(),
    }
}

#[test]
fn keys_decide_only_what_was_shown_last() {
    let asked = KeyedRequest::default();
    assert!(!asked.is_ready("gate#7"));
    asked.printed(&asks("gate#7"));
    assert!(!asked.is_ready("gate#7"), "its keys were not shown");
    asked.printed(&keys("gate#7", false));
    assert!(asked.is_ready("gate#7") && !asked.is_ready("gate#9"));
    for other in [
        ChatLine::Quiet("x".to_owned()),
        ChatLine::Plain("x".to_owned()),
        asks("gate#9"),
        keys("gate#9", true),
    ] {
        asked.printed(&keys("gate#7", true));
        assert!(asked.is_ready("gate#7"));
        asked.printed(&other);
        assert!(!asked.is_ready("gate#7"), "{other:?}");
    }
    asked.printed(&keys("gate#7", true));
    asked.disturb();
    assert!(!asked.is_ready("gate#7"), "a draft was begun");
    asked.printed(&keys("gate#7", false));
    assert!(
        !asked.is_ready("gate#7"),
        "what it asks is not to be seen any more"
    );
}

#[test]
fn a_key_acts_at_once_when_its_request_was_seen_and_until_it_is_left() {
    let asked = KeyedRequest::default();
    let shown = Some("gate#7".to_owned());
    asked.printed(&keys("gate#7", true));
    assert_eq!((asked.is_new(), asked.at_once()), (true, None));
    asked.take_keys();
    assert_eq!((asked.is_new(), asked.at_once()), (false, shown.clone()));
    assert!(asked.leave(), "it was there");
    assert_eq!((asked.is_new(), asked.at_once()), (false, None));
    assert!(asked.has_left("gate#7") && !asked.has_left("gate#9"));
    assert!(!asked.is_ready("gate#7"), "a line decides nothing either");
    asked.printed(&ChatLine::Quiet("x".to_owned()));
    assert!(asked.has_left("gate#7"), "until it is shown again");
    asked.printed(&keys("gate#7", true));
    asked.take_keys();
    assert_eq!(asked.at_once(), shown);
    asked.disturb();
    asked.take_keys();
    assert_eq!(asked.at_once(), None);
    assert!(!asked.leave());
}
