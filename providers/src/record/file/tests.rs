use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use folkmoot_core::ids::{AgentName, Digest};
use serde_json::{Value, json};

use super::*;
use crate::codec::Wire;

fn exchange(body: &str) -> Exchange {
    Exchange {
        fingerprint: Digest::sha256(b"1"),
        agent: AgentName::new("worker").unwrap(),
        wire: Wire::OpenaiChat,
        path: "/chat/completions".into(),
        request: json!({ "model": "m" }),
        status: 200,
        headers: BTreeMap::from([("content-type".into(), "application/json".into())]),
        stream: false,
        body: body.into(),
    }
}

fn silent(_: &str) {}

#[test]
fn exchanges_are_lines_of_a_file_that_only_its_owner_reads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recording = RecordingFile::create(&path, silent).unwrap();
    ["one", "two\nlines"]
        .into_iter()
        .for_each(|body| recording.record(&exchange(body)));
    assert_eq!((recording.count(), recording.failure()), (2, None));
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = json!({
        "fingerprint": Digest::sha256(b"1"), "agent": "worker", "wire": "openai-chat", "path": "/chat/completions",
        "request": { "model": "m" }, "status": 200, "headers": { "content-type": "application/json" },
        "stream": false, "body": "two\nlines",
    });
    assert_eq!((lines.len(), &lines[1]), (2, &expected));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn a_file_with_something_in_it_is_refused_and_left_alone() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(RecordingFile::create(file.path(), silent).is_ok()); // an empty one may be there
    std::fs::write(file.path(), "mine").unwrap();
    let error = RecordingFile::create(file.path(), silent)
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        format!(
            "{} is not empty: a recording begins with a new file",
            file.path().display()
        )
    );
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "mine");
    let nowhere = RecordingFile::create("/no/such/folder/x", silent)
        .unwrap_err()
        .to_string();
    assert_eq!(nowhere, "cannot make the recording /no/such/folder/x");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_once_and_ends_the_recording() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    fn tell(failure: &str) {
        assert!(
            failure.starts_with("the recording /dev/full ends after 0 exchanges: "),
            "{failure}"
        );
        TOLD.fetch_add(1, Ordering::Relaxed);
    }
    let recording = RecordingFile::create("/dev/full", tell).unwrap();
    ["one", "two"]
        .into_iter()
        .for_each(|body| recording.record(&exchange(body)));
    assert_eq!((recording.count(), TOLD.load(Ordering::Relaxed)), (0, 1));
    assert!(recording.failure().unwrap().contains("No space left"));
}
