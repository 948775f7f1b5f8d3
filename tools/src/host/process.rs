//! The runtime's side: one helper per run.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::port::{HostCommand, HostError, HostOutput, HostedProgram, Sandbox, ToolHost};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdout, Command};

use super::helper::{HELPER_ARGUMENT, TOOL_VARIABLE};
use super::wire::{ORDER_MAX, REPORT_MAX, RunOrder, RunReport, Variables, error_of};

/// The time beyond its limits that a helper may take before it is given up.
const GRACE: Duration = Duration::from_secs(10);
/// The most bytes kept of what a failing helper complains about.
const COMPLAINT_MAX: u64 = 4096;
/// The variables that programs get where nobody says otherwise. Keys and tokens are not among them.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR"];

/// The names of the variables that programs get where nobody says otherwise.
pub(crate) fn usual_variables() -> Vec<String> {
    VARIABLES.map(str::to_owned).into()
}

/// Runs programs under a helper process.
///
/// The helper is a program that calls [`helper_main`](super::helper_main) when its first argument is
/// [`HELPER_ARGUMENT`]: the `folkmoot` command, an embedder's own binary ([`own_program`](super::own_program) names it so
/// that no other file is ever taken for it), or `folkmoot-tool-helper`. No program may write to that file. Programs get a
/// fresh environment, no input but their command's, no file that the runtime has opened and no terminal, and cannot gain
/// rights (no `sudo`).
#[derive(Debug, Clone)]
pub struct ProcessHost {
    /// The path of the program that serves as the helper.
    helper: PathBuf,
    /// The folder of the locks, one file for each call that runs.
    locks: PathBuf,
    /// True if a sandbox has to be whole unless its command says something else.
    requires_sandboxes: bool,
}

impl ProcessHost {
    /// A host that starts `helper` and keeps its locks in the folder `locks`.
    ///
    /// All runtimes that may repeat each other's runs must name the same folder; the store's is a good place.
    #[must_use]
    pub fn new(helper: impl Into<PathBuf>, locks: impl Into<PathBuf>) -> Self {
        Self {
            helper: helper.into(),
            locks: locks.into(),
            requires_sandboxes: false,
        }
    }

    /// Runs nothing in a sandbox that the system cannot apply whole, unless the command says so: for a server that other
    /// machines reach.
    #[must_use]
    pub fn requiring_sandboxes(self) -> Self {
        Self {
            requires_sandboxes: true,
            ..self
        }
    }

    fn helper(&self) -> Result<Child, HostError> {
        Command::new(&self.helper)
            .arg(HELPER_ARGUMENT)
            // Keys of models stand in the environment of the runtime. Those that a program gets are not for the helper
            // either: its loader would run what `LD_PRELOAD` names, before there is a sandbox.
            .env_clear()
            .env(TOOL_VARIABLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Killing the helper would set free what it has to kill: its closing pipe is what ends it.
            .kill_on_drop(false)
            .spawn()
            .map_err(|error| {
                HostError::Helper(format!("cannot start {}: {error}", self.helper.display()))
            })
    }

    fn lock(&self, name: &str) -> Result<PathBuf, HostError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || name.len() > 128 || !name.chars().all(fits) {
            return Err(HostError::Helper(format!(
                "{name:?} cannot name a lock: use letters, digits, `_` and `-`"
            )));
        }
        std::fs::create_dir_all(&self.locks)
            .and_then(|()| self.locks.canonicalize())
            .map(|locks| locks.join(format!("{name}.lock")))
            .map_err(|error| {
                HostError::Helper(format!(
                    "cannot use the folder {}: {error}",
                    self.locks.display()
                ))
            })
    }
}

impl ProcessHost {
    fn order(&self, command: HostCommand, stays: bool) -> Result<RunOrder, HostError> {
        Ok(RunOrder {
            lock: self.lock(&command.lock)?,
            timeout_ms: u64::try_from(command.timeout.as_millis()).unwrap_or(u64::MAX),
            stays,
            input: command.input,
            output_max: command.output_max,
            argv: command.argv,
            variables: environment(&command.variables),
            cwd: command.cwd,
            folder: command.folder,
            pins: command.pins,
            sandbox: command.sandbox.map(|sandbox| Sandbox {
                is_required: Some(sandbox.is_required.unwrap_or(self.requires_sandboxes)),
                ..sandbox
            }),
        })
    }
}

#[async_trait]
impl ToolHost for ProcessHost {
    async fn run(&self, command: HostCommand) -> Result<HostOutput, HostError> {
        let timeout = command.timeout;
        let mut helper = self.helper()?;
        let order = self.order(command, false)?;
        // The helper may wait as long for the lock as for the program.
        let backstop = Backstop::after(timeout.saturating_mul(2).saturating_add(GRACE));
        let reply = tokio::select! {
            reply = talk(&mut helper, &order) => reply?,
            () = backstop.passed() => return Err(HostError::Lost("it does not answer; its pipe was closed".into())),
        };
        understand(reply, &order)
    }

    async fn start(&self, command: HostCommand) -> Result<HostedProgram, HostError> {
        let backstop = Backstop::after(command.timeout.saturating_add(GRACE));
        let helper = self.helper()?;
        let order = self.order(command, true)?;
        tokio::select! {
            begun = begin(helper, &order) => begun,
            () = backstop.passed() => Err(HostError::Helper("it does not answer; its pipe was closed".into())),
        }
    }
}

fn environment(names: &[String]) -> Variables {
    let given = names
        .iter()
        .filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    Variables(given.chain([(TOOL_VARIABLE.into(), "1".into())]).collect())
}

struct HelperReply {
    report: RunReport,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

/// Sends the order and waits for the report and the helper's end, with its standard input open throughout. Dropped, it
/// closes that.
async fn talk(helper: &mut Child, order: &RunOrder) -> Result<HelperReply, HostError> {
    let (Some(mut input), Some(output), Some(complaints)) = (
        helper.stdin.take(),
        helper.stdout.take(),
        helper.stderr.take(),
    ) else {
        return Err(HostError::Helper("it has no pipes".into()));
    };
    let line = order_line(order)?;
    // A helper that ended already cannot take the order; what it complained about says why.
    let sent = input.write_all(&line).await;
    let mut complaint = String::new();
    let mut complaints = complaints.take(COMPLAINT_MAX);
    // Both at once: a helper that fills one pipe while nobody reads it would wait for ever.
    let (reply, _) = tokio::join!(listen(output), complaints.read_to_string(&mut complaint));
    let status = helper
        .wait()
        .await
        .map_err(|error| HostError::Lost(error.to_string()))?;
    reply.map_err(|error| {
        let why = format!(
            "no report ({error}); it ended with {status}: {}",
            complaint.trim()
        );
        match sent {
            Ok(()) => HostError::Lost(why),
            Err(error) => HostError::Helper(format!("the order was not sent ({error}): {why}")),
        }
    })
}

fn order_line(order: &RunOrder) -> Result<Vec<u8>, HostError> {
    let mut line = serde_json::to_vec(order)
        .map_err(|error| HostError::Helper(format!("bad order: {error}")))?;
    line.push(b'\n');
    // The helper reads no further than this, and would take a cut order for a broken one.
    if line.len() as u64 > ORDER_MAX {
        return Err(HostError::Helper(format!(
            "the command has more than {ORDER_MAX} bytes"
        )));
    }
    Ok(line)
}

/// Reads what stands behind a report, for tests.
#[cfg(feature = "testing")]
pub(crate) async fn read_report(bytes: &[u8]) -> io::Result<(Vec<u8>, Vec<u8>)> {
    listen(bytes)
        .await
        .map(|reply| (reply.stdout, reply.stderr))
}

async fn listen(output: impl AsyncRead + Unpin) -> io::Result<HelperReply> {
    let mut output = BufReader::new(output);
    let mut line = String::new();
    // A limit, since a helper that is another program than was meant may write anything.
    (&mut output).take(REPORT_MAX).read_line(&mut line).await?;
    let report: RunReport = serde_json::from_str(&line)?;
    let mut reply = HelperReply {
        report,
        stdout: Vec::new(),
        stderr: Vec::new(),
    };
    if let RunReport::Ended { stdout, stderr, .. } = &reply.report {
        let stdout = *stdout as u64;
        let stderr = *stderr as u64;
        (&mut output)
            .take(stdout)
            .read_to_end(&mut reply.stdout)
            .await?;
        (&mut output)
            .take(stderr)
            .read_to_end(&mut reply.stderr)
            .await?;
        if (reply.stdout.len() as u64, reply.stderr.len() as u64) != (stdout, stderr) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(reply)
}

/// Sends the order and waits until the program has begun.
async fn begin(mut helper: Child, order: &RunOrder) -> Result<HostedProgram, HostError> {
    let (Some(mut input), Some(mut output), Some(errors)) = (
        helper.stdin.take(),
        helper.stdout.take(),
        helper.stderr.take(),
    ) else {
        return Err(HostError::Helper("it has no pipes".into()));
    };
    let sent = input.write_all(&order_line(order)?).await;
    let report = match (sent, report(&mut output).await) {
        (Ok(()), Ok(report)) => report,
        (Err(error), _) | (Ok(()), Err(error)) => return Err(complaint(&error, errors).await),
    };
    let RunReport::Started { gaps } = report else {
        let reply = HelperReply {
            report,
            stdout: Vec::new(),
            stderr: Vec::new(),
        };
        let why = "the program ended before it began";
        return Err(
            understand(reply, order).map_or_else(|error| error, |_| HostError::Helper(why.into()))
        );
    };
    let no_pipe = |error: io::Error| HostError::Helper(format!("its pipes are of no use: {error}"));
    Ok(HostedProgram {
        input: input.into_owned_fd().map_err(no_pipe)?.into(),
        output: output.into_owned_fd().map_err(no_pipe)?.into(),
        errors: errors.into_owned_fd().map_err(no_pipe)?.into(),
        gaps,
    })
}

/// Reads the report byte by byte: what stands behind it is the program's.
async fn report(output: &mut ChildStdout) -> io::Result<RunReport> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") && (line.len() as u64) < REPORT_MAX {
        line.push(output.read_u8().await?);
    }
    Ok(serde_json::from_slice(&line)?)
}

async fn complaint(error: &io::Error, errors: ChildStderr) -> HostError {
    let mut complaint = String::new();
    // What it did say is enough.
    errors
        .take(COMPLAINT_MAX)
        .read_to_string(&mut complaint)
        .await
        .ok();
    HostError::Helper(format!("no report ({error}): {}", complaint.trim()))
}

fn understand(reply: HelperReply, order: &RunOrder) -> Result<HostOutput, HostError> {
    match reply.report {
        RunReport::Ended {
            code,
            signal,
            is_cut,
            gaps,
            ..
        } => Ok(HostOutput {
            code,
            signal,
            stdout: reply.stdout,
            stderr: reply.stderr,
            is_cut,
            gaps,
        }),
        RunReport::Started { .. } => {
            let why = "it says that the program stays, which was not ordered";
            Err(HostError::Helper(why.into()))
        }
        RunReport::TimedOut => Err(HostError::TimedOut(Duration::from_millis(order.timeout_ms))),
        RunReport::NotStarted { os_error, why } => {
            let source = error_of(os_error, why);
            let program = order.argv.first().cloned().unwrap_or_default();
            Err(HostError::NotStarted { program, source })
        }
        RunReport::Changed { why } => Err(HostError::Changed(why)),
        RunReport::Unconfined { why } => Err(HostError::Unconfined(why)),
        RunReport::Unusable { why } => Err(HostError::Helper(why)),
    }
}

/// A limit by the machine's clock. Tokio's own timers follow a clock that tests may stop or wind on; real processes do
/// not.
struct Backstop {
    passed: tokio::sync::oneshot::Receiver<()>,
    _cancel: std::sync::mpsc::Sender<()>,
}

impl Backstop {
    fn after(wait: Duration) -> Self {
        let (to_passed, passed) = tokio::sync::oneshot::channel();
        let (cancel, cancelled) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            if cancelled.recv_timeout(wait) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                to_passed.send(()).ok();
            }
        });
        Self {
            passed,
            _cancel: cancel,
        }
    }

    async fn passed(self) {
        let Self { passed, _cancel } = self;
        if passed.await.is_err() {
            // The thread is gone without a word: there is no limit then, but no false alarm either.
            std::future::pending().await
        }
    }
}
