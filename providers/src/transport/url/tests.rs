use super::*;

#[test]
fn slashes_may_meet() {
    let joined = |base: &str| url(base, "/chat", KeyUse::Yes);
    assert_eq!(joined("https://a.example/v1"), "https://a.example/v1/chat");
    assert_eq!(joined("https://a.example/v1/"), "https://a.example/v1/chat");
    assert_eq!(
        joined("https://a.example//openai/v1"),
        "https://a.example/openai/v1/chat"
    );
    assert_eq!(joined("http://[::1]:8080"), "http://[::1]:8080/chat");
}

#[test]
fn a_bare_host_is_spoken_to_in_clear_but_never_with_a_key() {
    assert_eq!(
        url("127.0.0.1:11434/v1", "/chat", KeyUse::No),
        "http://127.0.0.1:11434/v1/chat"
    );
    assert_eq!(
        url("a.example/v1", "/chat", KeyUse::Yes),
        "a.example/v1/chat"
    );
}
