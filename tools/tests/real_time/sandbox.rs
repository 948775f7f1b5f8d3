//! Programs in a sandbox.

use folkmoot_core::port::{Network, Sandbox};

use crate::*;

/// The sandbox of a tool that writes to its folder.
pub(crate) fn writing() -> Sandbox {
    Sandbox {
        network: Network::None,
        read: Vec::new(),
        write: vec![".".into()],
        memory_bytes: 512 << 20,
        cpu_s: 30,
        processes: 64,
        file_bytes: 256 << 20,
        is_required: false,
    }
}

fn reading() -> Sandbox {
    Sandbox {
        read: vec![".".into()],
        write: Vec::new(),
        ..writing()
    }
}

async fn run_in(place: &Place, sandbox: Sandbox, script: &str) -> Result<HostOutput, HostError> {
    let command = HostCommand {
        sandbox: Some(sandbox),
        ..place.shell(script)
    };
    place.host().run(command).await
}

#[tokio::test]
async fn ordinary_work_goes_on_in_a_sandbox() {
    let place = Place::new();
    let script = "echo a > one && mkdir two && cp one two/three && ls -l /proc/self/fd && cat < two/three | wc -c && \
                  head -c 4 /dev/urandom > /dev/null && rm one && id -u && env | wc -l";
    let output = run_in(&place, writing(), script).await.unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.code, Some(0), "{complaint}");
    assert!(place.path("two/three").exists());
}

#[tokio::test]
async fn reading_tool_writes_nothing() {
    let place = Place::new();
    std::fs::write(place.path("notes"), "a\n").unwrap();
    let script =
        "cat notes; echo b > notes; echo c > new; mkdir folder; rm notes; ln -s a b; : > notes";
    let output = run_in(&place, reading(), script).await.unwrap();
    assert_eq!(output.stdout, b"a\n");
    assert_eq!(std::fs::read(place.path("notes")).unwrap(), b"a\n");
    for name in ["new", "folder", "b"] {
        assert!(place.path(name).symlink_metadata().is_err(), "{name}");
    }
}
