//! The names of requests.

use super::*;

#[test]
fn a_name_is_written_as_it_is_read() {
    let text = "desk-1#17#00ff12ab";
    let claim: Claim = text.parse().unwrap();
    assert_eq!(claim.to_string(), text);
    assert_eq!(claim.request().0.get(), 17);
}

#[test]
fn a_text_of_another_form_names_nothing() {
    for text in [
        "",
        "desk",
        "desk#17",
        "desk#17#00ff12a",
        "desk#17#00ff12ab0",
        "desk#17#00FF12AB",
        "desk#17#00ff12ag",
        "desk#-1#00ff12ab",
        "desk#+17#00ff12ab",
        "desk#017#00ff12ab",
        "desk#x#00ff12ab",
        "desk#17#00ff12ab#",
        &format!("{}#17#00ff12ab", "x".repeat(65)),
    ] {
        assert_eq!(text.parse::<Claim>(), Err(ClaimError), "{text}");
    }
}
