//! Escapes: each program tries one way out of its sandbox. The same programs without a sandbox show that the ways are open
//! otherwise.

use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Child;

use folkmoot_core::port::Sandbox;
use folkmoot_tools::host::try_sandbox;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat, openat};
use rustix::process::geteuid;

use super::sandbox::writing;
use crate::*;

mod table;

use table::{Escape, Open, PROCESSES_TRIED, TABLE};

/// The word that nobody inside may read.
const SECRET: &str = "hidden-word";
/// The word that a program prints when it got out.
const OUT: &str = "GOT OUT";

/// The user that a helper runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    /// The one of the tests.
    Same,
    /// One without rights; for tests that root runs.
    Nobody,
}

impl User {
    fn command(self, program: &str) -> Command {
        match self {
            Self::Same => Command::new(program),
            Self::Nobody => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", program]);
                command
            }
        }
    }
}

/// A place with a folder inside, one outside, and somebody to attack.
struct Stage {
    place: Place,
    victim: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    path_socket: UnixListener,
    abstract_socket: UnixListener,
    pipe: std::fs::File,
    user: User,
}

impl Stage {
    fn new(user: User) -> Self {
        // Not where a program gets a folder of its own: what it cannot see would show nothing.
        let place = Place::within("/var/tmp");
        for folder in ["", "inside", "outside", "locks"] {
            std::fs::create_dir_all(place.path(folder)).unwrap();
            let all = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(place.path(folder), all).unwrap();
        }
        for file in ["outside/secret", "outside/kept"] {
            std::fs::write(place.path(file), SECRET).unwrap();
            let all = std::fs::Permissions::from_mode(0o666);
            std::fs::set_permissions(place.path(file), all).unwrap();
        }
        if user == User::Nobody {
            let nobody = Some(65534);
            std::os::unix::fs::chown(place.path("outside/kept"), nobody, nobody).unwrap();
        }
        mkfifoat(CWD, place.path("outside/pipe"), Mode::RWXU).unwrap();
        let all = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(place.path("outside/pipe"), all.clone()).unwrap();
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let pipe = openat(CWD, place.path("outside/pipe"), flags, Mode::empty()).unwrap();
        let name = place.path("abstract").display().to_string();
        let path_socket = UnixListener::bind(place.path("outside/socket")).unwrap();
        std::fs::set_permissions(place.path("outside/socket"), all).unwrap();
        let address = SocketAddr::from_abstract_name(name).unwrap();
        let mut victim = user
            .command("sh")
            .args(["-c", "echo ready; exec sleep 1000"])
            .env("WORD", SECRET)
            .current_dir(place.path("outside"))
            .stdin(std::fs::File::open(place.path("outside/secret")).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // From here on it is of the user that it shall be of, and open to that user's other programs.
        let mut ready = [0; 6];
        victim
            .stdout
            .take()
            .unwrap()
            .read_exact(&mut ready)
            .unwrap();
        let stage = Self {
            victim,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            path_socket,
            abstract_socket: UnixListener::bind_addr(&address).unwrap(),
            pipe: pipe.into(),
            user,
            place,
        };
        stage.tcp.set_nonblocking(true).unwrap();
        stage.udp.set_nonblocking(true).unwrap();
        stage.path_socket.set_nonblocking(true).unwrap();
        stage.abstract_socket.set_nonblocking(true).unwrap();
        stage
    }

    /// A helper that runs as the stage's user, and has a file open that it was not given on purpose.
    fn helper(&self) -> PathBuf {
        let prefix = match self.user {
            User::Same => "",
            User::Nobody => "setpriv --reuid=65534 --regid=65534 --clear-groups ",
        };
        let secret = self.place.path("outside/secret");
        let script = format!(
            "#!/bin/sh\nexec 7< {}\nexec {prefix}{HELPER} \"$@\"\n",
            secret.display()
        );
        let path = self.place.path("helper");
        write_program(&path, &script);
        path
    }

    /// The program of `escape`, with the names of this stage put in.
    fn program(&self, escape: &Escape) -> String {
        let program = (escape.program)();
        [
            ("OUTSIDE", self.place.path("outside").display().to_string()),
            (
                "ABSTRACT",
                self.place.path("abstract").display().to_string(),
            ),
            ("VICTIM", self.victim.id().to_string()),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
        ]
        .into_iter()
        .fold(program, |program, (name, value)| {
            program.replace(&format!("@{name}@"), &value)
        })
    }

    /// Runs `escape` and tells whether anything of it can be seen outside.
    async fn got_out(mut self, escape: &Escape, sandbox: Option<Sandbox>) -> bool {
        let folder = self.place.path("inside");
        let argv = if escape.is_perl {
            ["perl", "-e"]
        } else {
            ["sh", "-c"]
        };
        // A burner without a sandbox ends with its time; in one it has a second of a processor, which a busy machine gives late.
        let timeout = if sandbox.is_some() {
            DEADLINE
        } else {
            Duration::from_secs(3)
        };
        let command = HostCommand {
            cwd: folder,
            sandbox,
            timeout,
            output_max: 10_000,
            ..self
                .place
                .command(&[argv[0], argv[1], &self.program(escape)])
        };
        let host = ProcessHost::new(self.helper(), self.place.path("locks"));
        let said = match host.run(command).await {
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout);
                said.contains(SECRET) || said.contains(OUT)
            }
            // A burner that nothing but the time of the call ends, and a helper that was killed.
            Err(HostError::TimedOut(_) | HostError::Lost(_)) => true,
            Err(error) => panic!("{}: {error}", escape.name),
        };
        said || self.is_touched()
    }

    /// Tells whether something outside is not as it was.
    fn is_touched(&mut self) -> bool {
        let outside = self.place.path("outside");
        let mut names: Vec<_> = std::fs::read_dir(&outside)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names != ["kept", "pipe", "secret", "socket"]
            || std::fs::read(outside.join("kept")).unwrap() != SECRET.as_bytes()
            || std::fs::read(outside.join("secret")).unwrap() != SECRET.as_bytes()
            || self.victim.try_wait().unwrap().is_some()
            || self.tcp.accept().is_ok()
            || self.udp.recv(&mut [0; 10]).is_ok()
            || self.path_socket.accept().is_ok()
            || self.abstract_socket.accept().is_ok()
            || self.pipe.read(&mut [0; 10]).is_ok_and(|count| count > 0)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.victim.kill().unwrap();
        self.victim.wait().unwrap();
    }
}

/// The limits of the table: so low that they are reached at once.
fn tight() -> Sandbox {
    Sandbox {
        memory_bytes: 128 << 20,
        cpu_s: 1,
        processes: PROCESSES_TRIED / 2,
        file_bytes: 1 << 20,
        ..writing()
    }
}

async fn every_escape_fails_as(user: User) {
    let gaps = try_sandbox(Path::new(HELPER)).unwrap().gaps;
    let is_root = user == User::Same && geteuid().is_root();
    let mut open = 0;
    for escape in TABLE {
        let is_out = Stage::new(user).got_out(escape, Some(tight())).await;
        if is_out && (!gaps.is_empty() || (escape.binds_no_root && is_root)) {
            println!(
                "skipped: {} (the kernel cannot prevent it here)",
                escape.name
            );
            continue;
        }
        assert!(!is_out, "{} got out as {user:?}", escape.name);
        let is_open = Stage::new(user).got_out(escape, None).await;
        match escape.open {
            Open::Anyone => assert!(is_open, "{} shows nothing as {user:?}", escape.name),
            Open::Nobody => assert!(!is_open, "{} got out as {user:?}", escape.name),
            Open::Few if !is_open => {
                println!(
                    "as {user:?}, refused without a sandbox too: {}",
                    escape.name
                );
            }
            Open::Few => {}
        }
        open += usize::from(is_open);
    }
    println!(
        "as {user:?}: {} escapes fail, {open} of them succeed without a sandbox; gaps: {gaps:?}",
        TABLE.len()
    );
}

#[tokio::test]
async fn every_escape_fails() {
    every_escape_fails_as(User::Same).await;
}

#[tokio::test]
async fn every_escape_fails_for_a_user_without_rights() {
    let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
    if geteuid().is_root() && has_setpriv {
        every_escape_fails_as(User::Nobody).await;
    } else {
        println!("skipped: every escape as another user (that takes root and `setpriv`)");
    }
}
