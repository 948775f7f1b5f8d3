//! Keys, the logs that they sign, and the anchors that are kept of them.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use folkmoot::proof::anchors::Anchors;
use folkmoot::proof::note::VerifierKey;
use serde_json::Value;

use crate::desk::{Desk, Ran};

/// A room that is run to its end.
const CHAT: &str = "
world: WORLD
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents: [{ name: bob, prompt: You say aye. }]
policy: { main_agent: bob }
replies: { bob: [{ text: aye }, { text: aye }, { text: aye }, { text: aye }] }
script: [{ say: hello, as: ada }, { idle: {} }]
";

impl Desk {
    /// Makes a key in a new file; gives the public key.
    fn key(&self, file: &str) -> VerifierKey {
        let made = self
            .run(&["key", "new", file, "--name", "example.com/desk"])
            .expect(0);
        VerifierKey::parse(made.out.trim_end()).unwrap()
    }

    /// Writes a script of a world.
    fn room(&self, world: &str) {
        self.write(&format!("{world}.yaml"), &CHAT.replace("WORLD", world));
    }

    /// The signed heads in the log of `world`, as `log --json` gives them.
    fn heads(&self, world: &str) -> Vec<Value> {
        let ran = self
            .run(&["log", world, "--json", "--kind", "HeadSigned"])
            .expect(0);
        ran.values()
    }
}

fn anchors(text: &str) -> Anchors {
    Anchors::parse(text.as_bytes()).unwrap()
}

/// The text has anchors, all signed by `key`; gives the last event that each covers.
fn covered(text: &str, key: &VerifierKey) -> Vec<u64> {
    let keys = [key.clone()];
    let verified = |anchor: &folkmoot::proof::anchors::Anchor| {
        anchor.note().verify(&keys).unwrap();
        anchor.last_event()
    };
    anchors(text).iter().map(verified).collect()
}

#[test]
fn a_new_key_is_its_owners_and_is_never_overwritten() {
    let desk = Desk::new();
    let made = desk
        .run(&["key", "new", "desk.key"])
        .expect(0)
        .err_has("the key is in desk.key");
    let public = VerifierKey::parse(made.out.trim_end()).unwrap();
    assert_eq!(public.name(), "folkmoot");
    let path = desk.path("desk.key");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o7777,
        0o600
    );
    let secret = fs::read_to_string(&path).unwrap();
    assert!(
        secret.starts_with("PRIVATE+KEY+folkmoot+") && !made.out.contains("PRIVATE"),
        "{made:?}"
    );
    desk.run(&["key", "new", "desk.key"])
        .expect(3)
        .err_has("desk.key exists");
    assert_eq!(fs::read_to_string(&path).unwrap(), secret);
    assert_eq!(
        desk.run(&["key", "show", "desk.key"]).expect(0).out,
        made.out
    );
    let told = desk
        .run(&["key", "show", "desk.key", "--json"])
        .expect(0)
        .document();
    assert_eq!(told["public"], made.out.trim_end());
    assert_eq!(told["key"], format!("folkmoot+{}", public.id()));
    desk.run(&["key", "new", "other.key", "--name", "two words"])
        .expect(2)
        .err_has("two words");
    assert!(!desk.path("other.key").exists());
}

#[test]
fn a_key_that_cannot_be_used_stops_everything_before_it_begins() {
    let desk = Desk::new();
    desk.room("one");
    desk.key("desk.key");
    fs::set_permissions(desk.path("desk.key"), Permissions::from_mode(0o644)).unwrap();
    let refused = |ran: Ran| ran.expect(3);
    refused(desk.run(&["run", "one.yaml", "--key", "desk.key"])).err_has("chmod 600");
    refused(desk.run(&[
        "run",
        "one.yaml",
        "--key",
        "missing.key",
        "--record",
        "r.jsonl",
    ]))
    .err_has("missing.key");
    desk.write("no.key", "PRIVATE+KEY+c2VjcmV0IHNlY3JldA==\n");
    fs::set_permissions(desk.path("no.key"), Permissions::from_mode(0o600)).unwrap();
    let ran = refused(desk.run(&["--key", "no.key", "run", "one.yaml"]))
        .err_has("no.key does not have exactly one key");
    assert!(!ran.err.contains("c2VjcmV0"), "{ran:?}");
    assert!(
        !desk.path("store").exists() && !desk.path("r.jsonl").exists(),
        "nothing was begun"
    );
    let mut by_variable = desk.command(&["approve", "one", "3"]);
    by_variable.env("FOLKMOOT_KEY", "missing.key");
    Ran::of(by_variable).expect(3).err_has("missing.key");

    desk.run(&["run", "one.yaml"]).expect(0);
    desk.run(&["key", "new", "store/desk.key"])
        .expect(3)
        .err_has("lies in the store");
    assert!(!desk.path("store/desk.key").exists());
    fs::rename(desk.path("desk.key"), desk.path("store/desk.key")).unwrap();
    refused(desk.run(&["run", "one.yaml", "--key", "store/desk.key"])).err_has("lies in the store");
}

#[test]
fn heads_are_signed_with_the_key_that_is_given() {
    let desk = Desk::with_gate();
    let public = desk.key("desk.key");
    let mut run = desk.command(&["run", "gate.yaml"]);
    run.env("FOLKMOOT_KEY", "desk.key");
    Ran::of(run).expect(4);
    let waiting = desk.heads("gate").len();
    assert!(waiting > 0);
    let (request, shown) = desk.asked("gate");
    desk.run(&[
        "--key", "desk.key", "approve", "gate", &request, "--shown", &shown, "--as", "ada",
    ])
    .expect(0)
    .out_has("folkmoot --key desk.key resume gate");
    let heads = desk.heads("gate");
    assert_eq!(heads.last().unwrap()["facts"]["occasion"], "close");
    assert_eq!(
        heads.len(),
        waiting + 1,
        "who only decides signs at the end"
    );
    let key = format!("example.com/desk+{}", public.id());
    assert!(
        heads
            .iter()
            .all(|head| head["facts"]["key"] == key.as_str()),
        "{heads:?}"
    );
    assert_eq!(
        desk.kinds("gate").last().map(String::as_str),
        Some("HeadSigned")
    );
    desk.run(&["log", "gate"])
        .expect(0)
        .out_has(&format!("by {key}: the room was closed"));
    desk.run(&["resume", "gate"]).expect(0);
    assert_ne!(
        desk.kinds("gate").last().map(String::as_str),
        Some("HeadSigned"),
        "no key, no signature"
    );
}

#[test]
fn an_anchor_is_the_newest_signed_head() {
    let desk = Desk::new();
    desk.room("one");
    let public = desk.key("desk.key");
    desk.run(&["--key", "desk.key", "run", "one.yaml"])
        .expect(0);
    let heads = desk.heads("one");
    let newest = heads.last().unwrap();
    let printed = desk
        .run(&["anchor", "one"])
        .expect(0)
        .err_has("which is all of it");
    assert_eq!(
        covered(&printed.out, &public),
        [newest["facts"]["of"].as_u64().unwrap()]
    );
    assert_eq!(
        desk.run(&["--key", "desk.key", "anchor", "one"])
            .expect(0)
            .out,
        printed.out,
        "nothing is left to sign"
    );
    let told = desk.run(&["anchor", "one", "--json"]).expect(0).document();
    assert_eq!(
        (&told["note"], &told["recorded"]),
        (&Value::from(printed.out.as_str()), &newest["position"])
    );
    assert_eq!(desk.heads("one"), heads, "nothing is written");
}

#[test]
fn an_anchor_of_a_world_that_grew_says_what_it_does_not_cover_or_is_signed_anew() {
    let desk = Desk::new();
    desk.room("one");
    let public = desk.key("desk.key");
    desk.run(&["--key", "desk.key", "run", "one.yaml"])
        .expect(0);
    let first = covered(&desk.run(&["anchor", "one"]).expect(0).out, &public);
    desk.run(&["run", "one.yaml", "--again"]).expect(0);
    let events = u64::try_from(desk.kinds("one").len()).unwrap();
    let old = desk
        .run(&["anchor", "one"])
        .expect(0)
        .err_has("is not covered");
    assert_eq!(covered(&old.out, &public), first);
    let new = desk
        .run(&["anchor", "one", "--key", "desk.key"])
        .expect(0)
        .err_has("no record of this signature");
    assert_eq!(covered(&new.out, &public), [events]);
    assert_eq!(
        u64::try_from(desk.kinds("one").len()).unwrap(),
        events,
        "nothing is written"
    );
}

#[test]
fn keys_can_be_rotated_between_runs() {
    let desk = Desk::new();
    desk.room("one");
    let (old, new) = (desk.key("old.key"), desk.key("new.key"));
    desk.run(&["--key", "old.key", "run", "one.yaml"]).expect(0);
    let before = desk.run(&["anchor", "one"]).expect(0).out;
    desk.run(&["--key", "new.key", "run", "one.yaml", "--again"])
        .expect(0);
    let after = desk.run(&["anchor", "one"]).expect(0).out;
    assert!(covered(&before, &old) < covered(&after, &new));
    assert!(
        anchors(&after)
            .iter()
            .all(|anchor| anchor.note().verify(std::slice::from_ref(&old)).is_err())
    );
    desk.run(&["log", "one", "--kind", "Opened"])
        .expect(0)
        .out_has(&format!("signed by example.com/desk+{}", new.id()));
}

#[test]
fn without_a_key_and_a_signed_head_there_is_no_anchor() {
    let desk = Desk::new();
    desk.room("one");
    desk.run(&["run", "one.yaml"]).expect(0);
    let ran = desk
        .run(&["anchor", "one"])
        .expect(3)
        .err_has("folkmoot key new FILE");
    assert_eq!(ran.out, "");
    desk.run(&["anchor", "nobody"]).expect(3).err_has("nobody");
    desk.run(&["anchor"]).expect(2);
    desk.run(&["anchor", "one", "--all"]).expect(2);
    let public = desk.key("desk.key");
    let ran = desk
        .run(&["--key", "desk.key", "anchor", "one"])
        .expect(0)
        .err_has("signed now");
    assert_eq!(
        covered(&ran.out, &public),
        [u64::try_from(desk.kinds("one").len()).unwrap()]
    );
}

#[test]
fn anchors_of_all_worlds_are_one_file_that_is_not_overwritten() {
    let desk = Desk::new();
    for world in ["one", "two"] {
        desk.room(world);
    }
    let public = desk.key("desk.key");
    desk.run(&["--key", "desk.key", "run", "one.yaml"])
        .expect(0);
    desk.run(&["run", "two.yaml"]).expect(0);
    let some = desk
        .run(&["anchor", "--all"])
        .expect(3)
        .err_has("no head of two is signed");
    assert_eq!(
        covered(&some.out, &public).len(),
        1,
        "what can be told is told"
    );

    let ran = desk
        .run(&["--key", "desk.key", "anchor", "--all", "-o", "anchors.txt"])
        .expect(0);
    let text = fs::read_to_string(desk.path("anchors.txt")).unwrap();
    assert_eq!((covered(&text, &public).len(), ran.out.as_str()), (2, ""));
    desk.run(&["--key", "desk.key", "anchor", "one", "-o", "anchors.txt"])
        .expect(2)
        .err_has("--force");
    assert_eq!(fs::read_to_string(desk.path("anchors.txt")).unwrap(), text);
    let told = desk
        .run(&["anchor", "one", "-o", "anchors.txt", "--force", "--json"])
        .expect(0)
        .document();
    assert_eq!(
        told["note"],
        fs::read_to_string(desk.path("anchors.txt")).unwrap()
    );
    desk.run(&["anchor", "one", "-o", "missing/anchors.txt"])
        .expect(2)
        .err_has("missing/anchors.txt");
    let left = fs::read_dir(desk.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(
        !left
            .into_iter()
            .any(|name| name.to_string_lossy().ends_with(".part"))
    );
    let told = desk
        .run(&["--key", "desk.key", "anchor", "--all", "--json"])
        .expect(0)
        .values();
    assert_eq!(
        told.iter()
            .map(|one| one["world"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["one", "two"]
    );
}

#[test]
fn the_doctor_says_which_key_signs() {
    let desk = Desk::new();
    desk.run(&["doctor"]).expect(0).out_has("signing key: none");
    let public = desk.key("desk.key");
    desk.run(&["--key", "desk.key", "doctor"])
        .expect(0)
        .out_has(&format!("signing key desk.key: {public}"));
    let told = desk
        .run(&["--key", "missing", "doctor", "--json"])
        .expect(3)
        .document();
    assert_eq!(told["signing"]["state"], "unusable");
}
