//! Tokens: made, listed and revoked in a file.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran};

impl Desk {
    /// Types `token VERB …` about the file `tokens`.
    pub(crate) fn token(&self, words: &[&str]) -> Ran {
        self.run(&[&["token"], words, &["--tokens", "tokens"]].concat())
    }

    fn listed(&self) -> Vec<Value> {
        self.token(&["list", "--json"]).expect(0).values()
    }
}

#[test]
fn a_token_is_shown_once_and_its_file_keeps_the_hash_and_who_made_it() {
    let desk = Desk::new();
    let made = desk
        .token(&["new", "--as", "ada"])
        .expect(0)
        .err_has("shown this once");
    let token = made.out.strip_suffix('\n').unwrap();
    let random = token.strip_prefix("fmt_").unwrap();
    assert!(random.len() == 64 && random.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let text = fs::read_to_string(desk.path("tokens")).unwrap();
    assert!(!text.contains(random) && !made.err.contains(random));
    let mode = fs::metadata(desk.path("tokens"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o600);
    let quiet = desk.token(&["new", "--as", "ada", "-q"]).expect(0);
    assert_eq!(quiet.err, "");
    let listed = desk.listed();
    let uid = rustix::process::getuid().as_raw();
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[0]["minted_by"], format!("local:uid={uid} (tester)"));
    assert_eq!(
        listed[0]["may"],
        json!(["read", "post", "decide", "operate"])
    );
    assert_eq!(listed[0]["worlds"], json!(["*"]));
    assert_eq!(listed[0]["create"], false);
    assert_eq!(listed[0]["expires"], Value::Null);
    desk.token(&["list"]).expect(0).out_has("no end");
}

#[test]
fn a_token_gives_what_is_said_and_a_program_less_unasked() {
    let desk = Desk::new();
    let new = |words: &[&str]| {
        let made = desk.token(&[&["new", "--json", "--as", "ci"], words].concat());
        made.expect(0).document()
    };
    let usual = new(&["--service"]);
    assert_eq!(
        (&usual["kind"], &usual["may"]),
        (&json!("service"), &json!(["read", "post"]))
    );
    let words = [
        "--service",
        "--may",
        "decide,read",
        "--worlds",
        "support-*,lobby",
        "--create",
    ];
    let said = new(&words);
    assert_eq!(said["may"], json!(["read", "decide"]));
    assert_eq!(said["worlds"], json!(["support-*", "lobby"]));
    assert_eq!(said["create"], true);
    let short = new(&["--expires", "90d"]);
    let span = short["expires"].as_i64().unwrap() - short["minted_at"].as_i64().unwrap();
    assert_eq!(span, 90 * 86_400_000);
    assert!(short["token"].as_str().unwrap().starts_with("fmt_"));
    for (words, why) in [
        (&["--may", "rule"][..], "rule"),
        (&["--worlds", "a*b"], "no pattern of worlds' names"),
        (&["--expires", "soon"], "is no age"),
        (&["--expires", "9999999999999d"], "cannot hold that long"),
    ] {
        let wrong = desk.token(&[&["new", "--as", "ci"], words].concat());
        wrong.expect(2).err_has(why);
    }
    desk.token(&["new", "--as", "a@b"])
        .expect(2)
        .err_has("it has an `@`");
    desk.token(&["new"]).expect(2).err_has("--as");
    desk.run(&["token", "list"]).expect(2).err_has("--tokens");
    assert_eq!(desk.listed().len(), 3);
}

#[test]
fn a_token_is_revoked_by_its_id_and_stays_in_the_list() {
    let desk = Desk::new();
    desk.token(&["revoke", "abcdef"])
        .expect(2)
        .err_has("has no token");
    assert!(!desk.path("tokens").exists());
    desk.token(&["new", "--as", "ada"]).expect(0);
    let id = desk.listed()[0]["id"].as_str().unwrap().to_owned();
    desk.token(&["revoke", &id[..3]])
        .expect(2)
        .err_has("at least 4 characters");
    desk.token(&["revoke", &id[..6]])
        .expect(0)
        .out_has(&format!("The token {id} of ada is revoked."));
    let revoked = &desk.listed()[0]["revoked"];
    assert!(revoked["by"].as_str().unwrap().ends_with("(tester)"));
    desk.token(&["list"]).expect(0).out_has("revoked by");
}

#[test]
fn a_broken_file_is_named_with_its_line_and_left_alone() {
    let desk = Desk::new();
    desk.token(&["list"])
        .expect(3)
        .err_has("tokens cannot be read");
    desk.token(&["new", "--as", "ada"]).expect(0);
    let text = fs::read_to_string(desk.path("tokens")).unwrap() + "{\"id\": 1}\n";
    desk.write("tokens", &text);
    let serve = ["serve", "--listen", "127.0.0.1:0", "--tokens", "tokens"];
    for ran in [
        desk.token(&["list"]),
        desk.token(&["new", "--as", "bob"]),
        desk.token(&["revoke", "abcdef"]),
        desk.run(&serve),
    ] {
        let ran = ran.expect(3).err_has("tokens, line 2: ");
        assert_eq!(ran.out, "");
    }
    assert_eq!(fs::read_to_string(desk.path("tokens")).unwrap(), text);
}

#[test]
fn a_program_of_a_tool_makes_no_token() {
    let desk = Desk::new();
    for words in [&["new", "--as", "ada"][..], &["revoke", "abcdef"]] {
        let mut command = desk.command(&[&["token"], words, &["--tokens", "tokens"]].concat());
        command.env("FOLKMOOT_TOOL", "1");
        Ran::of(command).expect(4).err_has("refused");
    }
    assert!(!desk.path("tokens").exists());
}
