// What people read is made by the firewall and from typed data, never from a string.
use folkmoot_core::text::UserText;

fn main() {
    let _ = UserText("{\"name\": \"search\"}".to_owned());
    let _: UserText = "words".into();
    let _: UserText = serde_json::from_str("\"words\"").unwrap();
    let mut text = UserText::default();
    text.push_str("words");
}
