use crate::*;

#[tokio::test]
async fn a_tools_process_is_told_from_others_even_when_it_detached_itself() {
    let place = Place::new();
    let host = place.host();
    let looked = async {
        for pid in [place.pid_in("child").await, place.pid_in("orphan").await] {
            // While a process becomes another program nothing can be read of it.
            assert!(until(|| descends_from_tool(pid).ok()).await);
            assert!(descends_from_runtime_or_tool(pid, std::process::id()).unwrap());
            assert!(descends_from_runtime_or_tool(pid, 0).unwrap(), "a tool of another runtime is a tool");
        }
    };
    tokio::select! {
        ended = host.run(place.shell(DETACHES)) => panic!("it ended by itself: {ended:?}"),
        () = looked => {}
    }
}

#[tokio::test]
async fn the_runtimes_own_descendants_are_told_from_strangers() {
    let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
    let own = std::process::id();
    assert!(until(|| descends_from_runtime_or_tool(child.id(), own).ok()).await);
    assert!(descends_from_runtime_or_tool(own, own).unwrap());
    assert!(!descends_from_runtime_or_tool(own, child.id()).unwrap(), "a parent is no descendant");
    assert!(!until(|| descends_from_tool(child.id()).ok()).await);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test]
async fn a_program_whose_helper_was_killed_still_has_its_mark() {
    let mut child = Command::new("sleep").arg("1000").env("FOLKMOOT_TOOL", "1").spawn().unwrap();
    // Its environment cannot be read until it has become `sleep`.
    until(|| descends_from_tool(child.id()).ok().filter(|is_tool| *is_tool)).await;
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_process_that_is_gone_has_no_ancestry() {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    descends_from_tool(child.id()).unwrap_err();
    descends_from_runtime_or_tool(child.id(), 1).unwrap_err();
}
