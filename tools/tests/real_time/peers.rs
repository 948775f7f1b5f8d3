use std::io::{Read as _, Write as _};
use std::process::Child;

use crate::*;

#[tokio::test]
async fn a_tools_process_is_told_from_others_even_when_it_detached_itself() {
    let place = Place::new();
    let host = place.host();
    let looked = async {
        for pid in [place.pid_in("child").await, place.pid_in("orphan").await] {
            assert!(descends_from_tool(pid).unwrap());
            assert!(descends_from_runtime_or_tool(pid, std::process::id()).unwrap());
            assert!(
                descends_from_runtime_or_tool(pid, 0).unwrap(),
                "a tool of another runtime is a tool"
            );
        }
    };
    tokio::select! {
        ended = host.run(place.shell(DETACHES)) => panic!("it ended by itself: {ended:?}"),
        () = looked => {}
    }
}

#[test]
fn the_runtimes_own_descendants_are_told_from_strangers() {
    let mut child = started(&mut Command::new("cat"));
    let own = std::process::id();
    assert!(descends_from_runtime_or_tool(child.id(), own).unwrap());
    assert!(descends_from_runtime_or_tool(own, own).unwrap());
    assert!(
        !descends_from_runtime_or_tool(own, child.id()).unwrap(),
        "a parent is no descendant"
    );
    assert!(!descends_from_tool(child.id()).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_program_whose_helper_was_killed_still_has_its_mark() {
    let mut child = started(Command::new("cat").env("FOLKMOOT_TOOL", "1"));
    assert!(descends_from_tool(child.id()).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A process that runs `cat`. While it becomes that, nothing can be read of it: when it answers, it has.
fn started(cat: &mut Command) -> Child {
    let mut child = cat
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b".").unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    child
}

#[test]
fn a_process_that_is_gone_has_no_ancestry() {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    descends_from_tool(child.id()).unwrap_err();
    descends_from_runtime_or_tool(child.id(), 1).unwrap_err();
}
