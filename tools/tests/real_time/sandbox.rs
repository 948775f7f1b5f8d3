//! Programs in a sandbox.

use folkmoot_core::port::{FolderId, Network, Sandbox, SandboxPlace};

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
        is_required: None,
    }
}

pub(crate) fn reading() -> Sandbox {
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

#[tokio::test]
async fn program_has_no_capability_and_namespaces_of_its_own() {
    let place = Place::new();
    let script = "grep -E '^(Cap(Eff|Prm|Inh|Amb)|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\t'; readlink /proc/self/ns/*";
    let output = run_in(&place, writing(), script).await.unwrap();
    if !output.gaps.is_empty() {
        println!("skipped: {:?}", output.gaps);
        return;
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let (spaces, state): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.ends_with(']'));
    let none = "0000000000000000";
    let expected = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map(|set| format!("{set}:{none}"));
    let expected = [&expected[..], &["NoNewPrivs:1".into(), "Seccomp:2".into()]].concat();
    assert_eq!(state, expected);
    for name in ["user", "net", "ipc", "mnt", "pid"] {
        let outside = std::fs::read_link(format!("/proc/self/ns/{name}")).unwrap();
        assert!(
            !spaces.contains(&outside.to_str().unwrap()),
            "{name}: {text}"
        );
    }
}

#[tokio::test]
async fn listed_program_may_lie_anywhere_and_reads_nothing_beside_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("work")).unwrap();
    write_program(
        &place.path("greet"),
        "#!/bin/sh\necho hello; cat \"$0.txt\"\n",
    );
    std::fs::write(place.path("greet.txt"), "secret").unwrap();
    let program = place.path("greet").display().to_string();
    for pins in [Vec::new(), vec![digest_of(&program)]] {
        let command = HostCommand {
            cwd: place.path("work"),
            sandbox: Some(reading()),
            pins,
            ..place.command(&[&program])
        };
        let output = place.host().run(command).await.unwrap();
        assert_eq!(output.stdout, b"hello\n");
    }
}

#[tokio::test]
async fn program_that_cannot_be_started_in_its_sandbox_is_told_as_without() {
    let place = Place::new();
    let run = |pins: Vec<Digest>, argv: &[&str]| {
        let command = HostCommand {
            sandbox: Some(reading()),
            pins,
            ..place.command(argv)
        };
        let host = place.host();
        async move { host.run(command).await.unwrap_err() }
    };
    let error = run(Vec::new(), &["no-such-program"]).await;
    let HostError::NotStarted { program, source } = error else {
        panic!("{error}")
    };
    assert_eq!(
        (program.as_str(), source.kind()),
        ("no-such-program", std::io::ErrorKind::NotFound)
    );
    let error = run(vec![Digest::default()], &["true"]).await;
    assert!(matches!(error, HostError::Changed(_)), "{error}");
}

#[tokio::test]
async fn program_in_a_sandbox_reads_its_input_and_ends_by_signals_as_without() {
    let place = Place::new();
    let command = HostCommand {
        input: Some("a\n".repeat(100_000)),
        sandbox: Some(reading()),
        ..place.shell("wc -l; kill -TERM $$")
    };
    let output = place.host().run(command).await.unwrap();
    assert_eq!((output.stdout, output.code), (b"100000\n".to_vec(), None));
}

/// A helper that can make no namespace: those of its own are used up.
pub(crate) fn without_namespaces(place: &Place) -> Option<PathBuf> {
    let script = format!(
        "#!/bin/sh\nexec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec {HELPER} \"$@\"' sh \"$@\"\n"
    );
    let path = place.path("helper");
    write_program(&path, &script);
    let is_there = Command::new(&path).arg("").stdin(Stdio::null()).output();
    is_there.unwrap().status.success().then_some(path)
}

#[tokio::test]
async fn gap_is_told_and_nothing_runs_where_all_is_required() {
    let place = Place::new();
    let Some(helper) = without_namespaces(&place) else {
        return println!("skipped: a system without namespaces cannot be played here");
    };
    let host = ProcessHost::new(helper, place.path("locks"));
    let run = |is_required: Option<bool>| HostCommand {
        sandbox: Some(Sandbox {
            is_required,
            ..writing()
        }),
        ..place.shell("echo ran | tee trace")
    };
    let output = host.run(run(None)).await.unwrap();
    let gap = output.gaps.first().unwrap();
    assert!(gap.starts_with("namespaces: "), "{gap}");
    assert_eq!(output.stdout, b"ran\n");
    std::fs::remove_file(place.path("trace")).unwrap();
    let strict = host.clone().requiring_sandboxes();
    for (host, is_required) in [(&host, Some(true)), (&strict, Some(true)), (&strict, None)] {
        let error = host.run(run(is_required)).await.unwrap_err();
        assert!(
            matches!(&error, HostError::Unconfined(why) if why.starts_with("namespaces: ")),
            "{error}"
        );
        assert!(!place.path("trace").exists());
    }
    let output = strict.run(run(Some(false))).await.unwrap();
    assert_eq!(output.stdout, b"ran\n", "the script says so");
}

#[tokio::test]
async fn whole_sandbox_satisfies_one_that_is_required() {
    let place = Place::new();
    let gaps = folkmoot_tools::host::try_sandbox(Path::new(HELPER))
        .unwrap()
        .gaps;
    let sandbox = Sandbox {
        is_required: Some(true),
        ..writing()
    };
    match run_in(&place, sandbox, "echo ran").await {
        Ok(output) => assert_eq!((output.stdout, gaps), (b"ran\n".to_vec(), vec![])),
        Err(error) => assert!(!gaps.is_empty(), "{error}"),
    }
}

#[tokio::test]
async fn network_that_is_allowed_is_that_of_tcp_and_udp() {
    let place = Place::new();
    let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let _path = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    let port = tcp.local_addr().unwrap().port();
    let script = format!(
        "use Socket;
         socket S, PF_INET, SOCK_STREAM, 0; print 'tcp ' if connect S, sockaddr_in({port}, INADDR_LOOPBACK);
         print 'udp ' if socket S, PF_INET6, SOCK_DGRAM, 17;
         print 'pair ' if socketpair A, B, PF_UNIX, SOCK_STREAM, 0;
         print 'path ' if socket(S, PF_UNIX, SOCK_STREAM, 0) && connect S, sockaddr_un('socket');
         print 'raw ' if socket S, PF_INET, 3, 1; print 'packet ' if socket S, 17, 3, 0;"
    );
    for (network, expected) in [(Network::Any, "tcp udp pair "), (Network::None, "pair ")] {
        let command = HostCommand {
            sandbox: Some(Sandbox {
                network,
                ..writing()
            }),
            ..place.command(&["perl", "-e", &script])
        };
        let output = place.host().run(command).await.unwrap();
        if output.gaps.is_empty() {
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        } else {
            println!("skipped: {:?}", output.gaps);
        }
    }
}

#[tokio::test]
async fn home_is_the_users_where_something_of_it_is_open() {
    let place = Place::new();
    let home = std::env::var("HOME").unwrap();
    let inside = Path::new(&home).join("settings");
    for (read, expected) in [
        (vec![], "/nonexistent"),
        (vec!["/usr".into()], "/nonexistent"),
        (vec![inside.into()], &home),
        (vec!["/".into()], &home),
    ] {
        let sandbox = Sandbox { read, ..writing() };
        let output = run_in(&place, sandbox, "printf '%s' \"$HOME\"")
            .await
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

#[tokio::test]
async fn program_that_reads_changes_no_mode_where_mounts_cannot_forbid_it() {
    let place = Place::new();
    let Some(helper) = without_namespaces(&place) else {
        return println!("skipped: a system without namespaces cannot be played here");
    };
    std::fs::write(place.path("notes"), "a\n").unwrap();
    let host = ProcessHost::new(helper, place.path("locks"));
    let script = "for c in 'chmod 600' 'chgrp 0' 'touch -c -d 2001-01-01'; do $c notes && echo changed; done";
    for (sandbox, expected) in [(reading(), ""), (writing(), "changed\nchanged\nchanged\n")] {
        let command = HostCommand {
            sandbox: Some(sandbox),
            ..place.shell(script)
        };
        let output = host.run(command).await.unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        let gap = output.gaps.first().unwrap();
        assert!(gap.contains("modes, owners and times"), "{gap}");
    }
}

/// The place at `path`, as it is now.
fn exact(path: &Path) -> SandboxPlace {
    let there = std::fs::metadata(path).unwrap();
    SandboxPlace {
        path: path.canonicalize().unwrap(),
        id: Some(FolderId {
            device: there.dev(),
            inode: there.ino(),
        }),
    }
}

#[tokio::test]
async fn place_that_became_another_one_is_told_and_nothing_runs() {
    for is_written in [false, true] {
        for becomes in ["a link", "a folder", "nothing"] {
            let place = Place::new();
            for folder in ["work", "listed", "other"] {
                std::fs::create_dir(place.path(folder)).unwrap();
            }
            let listed = exact(&place.path("listed"));
            let mut sandbox = writing();
            let places = if is_written {
                &mut sandbox.write
            } else {
                &mut sandbox.read
            };
            places.push(listed);
            let run = || HostCommand {
                cwd: place.path("work"),
                sandbox: Some(sandbox.clone()),
                ..place.shell("echo ran")
            };
            let output = place.host().run(run()).await.unwrap();
            assert_eq!(output.stdout, b"ran\n");
            std::fs::rename(place.path("listed"), place.path("was")).unwrap();
            match becomes {
                "a link" => std::os::unix::fs::symlink("other", place.path("listed")).unwrap(),
                "a folder" => std::fs::create_dir(place.path("listed")).unwrap(),
                _ => {}
            }
            let error = place.host().run(run()).await.unwrap_err();
            let is_told = matches!(&error, HostError::Changed(why) if why.contains("listed"));
            assert!(is_told, "{becomes}: {error}");
        }
    }
}

#[tokio::test]
async fn what_is_no_file_is_no_program_and_keeps_nobody_waiting() {
    let place = Place::new();
    let pipe = place.path("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(place.path("plain"), "true\n").unwrap();
    std::os::unix::fs::symlink("plain", place.path("link")).unwrap();
    std::fs::create_dir(place.path("folder")).unwrap();
    for name in ["pipe", "link", "folder"] {
        for sandbox in [Some(reading()), None] {
            for pins in [Vec::new(), vec![Digest::default()]] {
                let command = HostCommand {
                    sandbox: sandbox.clone(),
                    pins,
                    ..place.command(&[place.path(name).to_str().unwrap()])
                };
                let error = place.host().run(command).await.unwrap_err();
                let is_told = matches!(error, HostError::NotStarted { .. } | HostError::Changed(_));
                assert!(is_told, "{name}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn variables_reach_the_program_and_no_loader_before_it() {
    let place = Place::new();
    let variables = [
        ("LD_DEBUG", "files".to_owned()),
        ("LD_DEBUG_OUTPUT", place.path("trace").display().to_string()),
        ("VARIABLES", "PATH,LD_DEBUG,LD_DEBUG_OUTPUT".to_owned()),
        ("SANDBOX", "1".to_owned()),
    ];
    let mut runtime = super::kill::runtime(&place, "true; echo $LD_DEBUG > seen");
    runtime.envs(variables).output().unwrap();
    let seen = std::fs::read_to_string(place.path("seen")).unwrap();
    assert_eq!(seen, "files\n");
    let mut traces = 0;
    for entry in std::fs::read_dir(place.folder.path()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name().as_encoded_bytes().starts_with(b"trace") {
            let text = std::fs::read(entry.path()).unwrap();
            let text = String::from_utf8_lossy(&text);
            let loads = ["folkmoot-tool-helper", "/proc/self/exe"]
                .iter()
                .any(|program| text.contains(program));
            assert!(!loads, "{text}");
            traces += 1;
        }
    }
    assert!(traces > 0, "the loader of the runtime itself writes one");
}

#[tokio::test]
async fn program_has_a_folder_for_passing_files_to_itself() {
    let place = Place::within("/var/tmp");
    let script = "cd \"${TMPDIR-/tmp}\" && echo a > own && ls -A . && head -c 20000000 /dev/zero > big; wc -c < big";
    let sandbox = Sandbox {
        memory_bytes: 16 << 20,
        ..writing()
    };
    let output = run_in(&place, sandbox, script).await.unwrap();
    if !output.gaps.is_empty() {
        return println!("skipped: {:?}", output.gaps);
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let (first, size) = text.split_once('\n').unwrap();
    assert_eq!(first, "own", "nothing of others lies there");
    let size: u64 = size.trim().parse().unwrap();
    assert!(size < 17 << 20, "as large as the memory: {size}");
    assert!(!Path::new("/tmp/own").exists());
    let there = tempfile::NamedTempFile::new_in("/tmp").unwrap();
    let real = Sandbox {
        write: vec![".".into(), "/tmp".into()],
        ..writing()
    };
    let script = format!("echo ${{TMPDIR-none}}; ls {}", there.path().display());
    let output = run_in(&place, real, &script).await.unwrap();
    let expected = format!("none\n{}\n", there.path().display());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[tokio::test]
async fn program_sees_its_own_processes_alone() {
    let place = Place::new();
    let script = "ls -d /proc/[0-9]* | wc -l; echo $PPID";
    let output = run_in(&place, writing(), script).await.unwrap();
    if !output.gaps.is_empty() {
        return println!("skipped: {:?}", output.gaps);
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<u32> = text
        .lines()
        .map(|line| line.trim().parse().unwrap())
        .collect();
    assert!(lines[0] < 6 && lines[1] == 1, "{text}");
}
