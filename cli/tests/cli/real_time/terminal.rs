//! A chat at a terminal: keys go in one by one, and the screen comes out.

use std::fs::File;
use std::io::{Read as _, Write as _};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::{Child, Stdio, deadline, mpsc};
use crate::desk::Desk;

/// A terminal of so many columns at which a process runs.
struct Screen {
    child: Child,
    terminal: File,
    /// The path of its other end.
    name: String,
    seen: String,
    bytes: Vec<u8>,
    _deadline: mpsc::Sender<()>,
}

impl Screen {
    fn run(desk: &Desk, columns: u16, arguments: &[&str]) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new())
            .unwrap()
            .into_string()
            .unwrap();
        let open = || File::options().read(true).write(true).open(&name).unwrap();
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).unwrap();
        let mut command = desk.command(arguments);
        command.env("TERM", "xterm").env("NO_COLOR", "1");
        command
            .stdin(open())
            .stdout(open())
            .stderr(Stdio::inherit());
        let child = command.spawn().unwrap();
        let _deadline = deadline(&child);
        Self {
            child,
            terminal: File::from(terminal),
            name,
            seen: String::new(),
            bytes: Vec::new(),
            _deadline,
        }
    }

    fn press(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads on until `part` was written since the last part that was waited for.
    fn until(&mut self, part: &str) {
        let mut piece = [0; 4096];
        loop {
            let text = String::from_utf8_lossy(&self.bytes).into_owned();
            if let Some(at) = text.find(part) {
                let end = at + part.len();
                self.seen.push_str(&text[..end]);
                self.bytes = text.as_bytes()[end..].to_vec();
                return;
            }
            let read = self.terminal.read(&mut piece).unwrap_or_default();
            assert!(
                read > 0,
                "the screen ended before {part:?}:\n{}{text}",
                self.seen
            );
            self.bytes.extend_from_slice(&piece[..read]);
        }
    }

    /// Waits for the end; gives the exit code and all that was written.
    fn end(mut self) -> (Option<i32>, String) {
        let code = self.child.wait().unwrap().code();
        let modes = tcgetattr(File::open(&self.name).unwrap())
            .unwrap()
            .local_modes;
        assert!(
            modes.contains(LocalModes::ICANON | LocalModes::ECHO),
            "the terminal has its old mode"
        );
        let mut piece = [0; 4096];
        // Nobody has the other end open any more, so that the rest has an end.
        while let Ok(read @ 1..) = self.terminal.read(&mut piece) {
            self.bytes.extend_from_slice(&piece[..read]);
        }
        (
            code,
            self.seen.clone() + &String::from_utf8_lossy(&self.bytes),
        )
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

#[test]
fn a_typed_message_is_shown_once_and_a_key_alone_decides() {
    let desk = Desk::with_gate();
    let mut screen = Screen::run(&desk, 80, &["chat", "gate.yaml", "--as", "ada"]);
    screen.until("> ");
    screen.press("please pusx\u{7f}h\r");
    screen.until("(Esc to talk instead)");
    screen.press("o");
    screen.until("✓ ada allows gate#");
    screen.until("worker  ┊ @ada it is done");
    screen.press("\u{4}");
    let (code, seen) = screen.end();
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(seen.matches("┊ please push").count(), 1, "{seen}");
    assert_eq!(desk.runs(), 1);
}

#[test]
fn keys_that_are_left_are_words() {
    let desk = Desk::with_gate();
    let mut screen = Screen::run(&desk, 40, &["chat", "gate.yaml", "--as", "ada"]);
    screen.until("> ");
    screen.press("please push\r");
    screen.until("(Esc to talk instead)");
    screen.press("\u{1b}");
    screen.until("\u{1b}[J> ");
    screen.press("or shall we wait?\r");
    screen.until("ada  ┊ or shall we wait?");
    screen.press("/quit\r");
    let (code, seen) = screen.end();
    assert_eq!(code, Some(0), "{seen}");
    assert_eq!(desk.runs(), 0);
}

#[test]
fn arguments_are_changed_where_they_stand() {
    let desk = Desk::with_gate();
    let mut screen = Screen::run(&desk, 80, &["chat", "gate.yaml", "--as", "ada"]);
    screen.until("> ");
    screen.press("please push\r");
    screen.until("(Esc to talk instead)");
    screen.press("e");
    screen.until("> {\"branch\":\"main\"}");
    screen.press("\u{7f}\u{7f}\u{17}{\"branch\":\"dev\"}\r");
    screen.until("→ push {\"branch\":\"dev\"}");
    screen.until("worker  ┊ @ada it is done");
    screen.press("\u{4}");
    assert_eq!(screen.end().0, Some(0));
    assert_eq!(desk.runs(), 1);
}

#[test]
fn a_paste_of_many_lines_is_one_message() {
    let desk = Desk::with_gate();
    let mut screen = Screen::run(&desk, 80, &["chat", "gate.yaml", "--as", "ada"]);
    screen.until("> ");
    screen.press("\u{1b}[200~please push\ro\r\u{1b}[31mred\u{1b}[201~\r");
    screen.until("ada  ┊ please push");
    screen.until("        ┊ o\r\n");
    screen.until("(Esc to talk instead)");
    screen.press("/quit\r");
    let (code, seen) = screen.end();
    assert_eq!(code, Some(0), "{seen}");
    assert!(seen.contains("\\u{1b}[31mred"), "{seen:?}");
    let kinds = desk.kinds("gate");
    assert_eq!(
        kinds.iter().filter(|kind| *kind == "MessagePosted").count(),
        1
    );
    assert_eq!(desk.runs(), 0);
}

#[test]
fn a_server_at_a_terminal_says_how_its_user_signs_in() {
    let desk = Desk::new();
    let mut screen = Screen::run(&desk, 60, &["serve", "--listen", "127.0.0.1:0"]);
    screen.until("listening at http://127.0.0.1:");
    let (_, link) = screen
        .seen
        .split_once("sign in: http://127.0.0.1:")
        .unwrap();
    // However narrow the terminal is, the link stands in one line.
    let line = link.lines().next().unwrap();
    assert!(line.contains("/login#fmc_") && line.len() > 60, "{link}");
}
