use crate::*;

#[tokio::test]
async fn outputs_and_exit_code_come_back() {
    let output = Place::new()
        .run("echo out; echo err >&2; exit 3")
        .await
        .unwrap();
    let expected = HostOutput {
        code: Some(3),
        signal: None,
        stdout: b"out\n".to_vec(),
        stderr: b"err\n".to_vec(),
        is_cut: false,
        gaps: Vec::new(),
    };
    assert_eq!(output, expected);
}

#[tokio::test]
async fn outputs_beyond_the_limit_are_read_and_thrown_away() {
    let output = Place::new()
        .run("head -c 1000000 /dev/zero; echo done >&2")
        .await
        .unwrap();
    let expected = HostOutput {
        code: Some(0),
        signal: None,
        stdout: vec![0; 1000],
        stderr: b"done\n".to_vec(),
        is_cut: true,
        gaps: Vec::new(),
    };
    assert_eq!(output, expected);
}

#[tokio::test]
async fn a_program_that_a_signal_ended_has_no_exit_code() {
    let output = Place::new().run("kill -TERM $$").await.unwrap();
    assert_eq!(output.code, None);
}

#[tokio::test]
async fn a_program_gets_no_secrets_no_input_and_its_folder() {
    let place = Place::new();
    let output = place.run("env | cut -d= -f1; cat; pwd").await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let allowed = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "FOLKMOOT_TOOL",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
    ];
    let (cwd, names): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('/'));
    assert_eq!(
        cwd,
        [place
            .folder
            .path()
            .canonicalize()
            .unwrap()
            .to_str()
            .unwrap()]
    );
    assert!(names.contains(&"FOLKMOOT_TOOL"));
    assert_eq!(names.iter().find(|name| !allowed.contains(name)), None);
}

#[tokio::test]
async fn a_program_gets_the_variables_that_are_named_and_no_other() {
    let place = Place::new();
    let command = HostCommand {
        // Cargo gives it to tests.
        variables: vec!["CARGO_PKG_NAME".into(), "NO_SUCH_VARIABLE".into()],
        ..place.command(&["env"])
    };
    for sandbox in [None, Some(super::sandbox::reading())] {
        let command = HostCommand {
            sandbox,
            ..command.clone()
        };
        let output = place.host().run(command).await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        // A sandbox names its own folder for passing files.
        lines.retain(|line| !line.starts_with("TMPDIR="));
        assert_eq!(lines, ["CARGO_PKG_NAME=folkmoot-tools", "FOLKMOOT_TOOL=1"]);
    }
}

#[tokio::test]
async fn a_program_reads_its_input_to_the_end() {
    let place = Place::new();
    let input = "a\n\"ü\"".repeat(50_000);
    let command = HostCommand {
        input: Some(input.clone()),
        ..place.shell("wc -c")
    };
    let output = place.host().run(command).await.unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        format!("{}\n", input.len())
    );
}

#[tokio::test]
async fn a_program_may_leave_its_input_unread() {
    let place = Place::new();
    for script in ["exit 3", "exec <&-; exit 3"] {
        let command = HostCommand {
            input: Some("x".repeat(500_000)),
            ..place.shell(script)
        };
        assert_eq!(place.host().run(command).await.unwrap().code, Some(3));
    }
}

#[tokio::test]
async fn a_program_gets_no_file_that_the_runtime_has_opened() {
    let place = Place::new();
    let _open = std::fs::File::create(place.path("secret")).unwrap();
    let output = place.run("ls -l /proc/self/fd").await.unwrap();
    let files = String::from_utf8(output.stdout).unwrap();
    assert!(files.contains("/dev/null"), "{files}");
    assert!(
        !files.contains("secret") && !files.contains("locks"),
        "{files}"
    );
}

#[tokio::test]
async fn arguments_reach_the_program_as_they_are() {
    let place = Place::new();
    let output = place
        .host()
        .run(place.command(&["printf", "%s|", "a b", "$HOME", "; ls", "ü\n"]))
        .await
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "a b|$HOME|; ls|ü\n|"
    );
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let place = Place::new();
    let error = place
        .host()
        .run(place.command(&["no-such-program", "x"]))
        .await
        .unwrap_err();
    let HostError::NotStarted { program, source } = error else {
        panic!("{error}")
    };
    assert_eq!(
        (program.as_str(), source.kind()),
        ("no-such-program", std::io::ErrorKind::NotFound)
    );
}

#[tokio::test]
async fn a_missing_folder_is_told_from_a_missing_program() {
    let place = Place::new();
    let command = HostCommand {
        cwd: place.path("nowhere"),
        ..place.command(&["true"])
    };
    let error = place.host().run(command).await.unwrap_err();
    let HostError::NotStarted { source, .. } = error else {
        panic!("{error}")
    };
    assert!(
        source.to_string().ends_with("nowhere is not a folder"),
        "{source}"
    );
}

#[tokio::test]
async fn a_helper_that_is_none_is_an_error() {
    let place = Place::new();
    for (helper, complaint) in [
        ("/no/such/helper", "cannot start /no/such/helper"),
        ("/bin/true", "no report"),
    ] {
        let error = ProcessHost::new(helper, place.path("locks"))
            .run(place.command(&["true"]))
            .await
            .unwrap_err();
        assert!(error.to_string().contains(complaint), "{error}");
    }
}

#[tokio::test]
async fn a_lock_name_cannot_leave_its_folder() {
    let place = Place::new();
    for lock in ["../call", "", "a/b", "."] {
        let error = place
            .host()
            .run(HostCommand {
                lock: lock.into(),
                ..place.shell("true")
            })
            .await
            .unwrap_err();
        assert!(error.to_string().contains("cannot name a lock"), "{error}");
    }
}

#[tokio::test]
async fn no_lock_file_is_left_behind() {
    let place = Place::new();
    place.run("true").await.unwrap();
    assert_eq!(std::fs::read_dir(place.path("locks")).unwrap().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_tests_wind_on_does_not_end_real_programs() {
    let place = Place::new();
    let host = place.host();
    let wound_on = async {
        tokio::time::advance(DEADLINE * 100).await;
        std::fs::write(place.path("go"), "").unwrap();
    };
    let (output, ()) = tokio::join!(
        host.run(place.shell("until [ -e go ]; do :; done; echo ran")),
        wound_on
    );
    assert_eq!(output.unwrap().stdout, b"ran\n");
}

#[tokio::test]
async fn programs_run_side_by_side() {
    let place = Place::new();
    // Each waits for the other's file.
    let meet = |mine: &str, other: &str| HostCommand {
        lock: mine.into(),
        ..place.shell(&format!(
            "touch {mine}; until [ -e {other} ]; do :; done; echo {mine}"
        ))
    };
    let host = place.host();
    let (left, right) = tokio::join!(
        host.run(meet("left", "right")),
        host.run(meet("right", "left"))
    );
    assert_eq!(
        (left.unwrap().stdout, right.unwrap().stdout),
        (b"left\n".to_vec(), b"right\n".to_vec())
    );
}

#[tokio::test]
async fn pinned_program_runs_from_the_file_that_was_compared() {
    let place = Place::new();
    let script = place.path("greet");
    std::fs::write(&script, "#!/bin/sh\necho \"$0 says hello to $1\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let pins = vec![digest_of(script.to_str().unwrap())];
    let command = |pins| HostCommand {
        pins,
        ..place.command(&["./greet", "ada"])
    };
    let output = place.host().run(command(pins.clone())).await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.ends_with("says hello to ada\n"), "{said}");
    let sh = ["/bin/sh", "/usr/bin/sh"]
        .into_iter()
        .find(|path| Path::new(path).exists())
        .unwrap();
    let by_name = HostCommand {
        pins: vec![digest_of(sh)],
        ..place.shell("echo $0")
    };
    assert_eq!(place.host().run(by_name).await.unwrap().stdout, b"sh\n");
    std::fs::write(&script, "#!/bin/sh\ntouch forged\n").unwrap();
    for pins in [
        pins.clone(),
        vec![digest_of(script.to_str().unwrap()), pins[0]],
    ] {
        let error = place.host().run(command(pins)).await.unwrap_err();
        assert!(
            matches!(&error, HostError::Changed(why) if why.contains("not the one that `pin` names")),
            "{error}"
        );
    }
    assert!(!place.path("forged").exists());
}

#[tokio::test]
async fn program_runs_in_no_other_folder_than_the_one_that_was_opened() {
    let place = Place::new();
    std::fs::create_dir(place.path("work")).unwrap();
    let opened = std::fs::File::open(place.path("work")).unwrap();
    let metadata = opened.metadata().unwrap();
    let folder = Some(FolderId {
        device: metadata.dev(),
        inode: metadata.ino(),
    });
    let command = || HostCommand {
        cwd: place.path("work"),
        folder,
        ..place.shell("touch here")
    };
    place.host().run(command()).await.unwrap();
    std::fs::rename(place.path("work"), place.path("old")).unwrap();
    std::fs::create_dir(place.path("work")).unwrap();
    let error = place.host().run(command()).await.unwrap_err();
    assert!(
        matches!(&error, HostError::Changed(why) if why.contains("not the folder that it was")),
        "{error}"
    );
    assert!(place.path("old/here").exists() && !place.path("work/here").exists());
}
