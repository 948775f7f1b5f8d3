//! One call that fails, and what must hold afterwards.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde_json::Value;

use super::act::Act;
use super::desk::{Desk, Told, told};
use super::shim::{Fault, How, Shim, calls};

/// What can be seen of a store, by name.
type Seen = BTreeMap<&'static str, String>;

/// The exit codes that a command may end with because its disk refused: failed, store, pending, not checked.
const CODES: [i32; 4] = [1, 3, 4, 6];

/// An act, the world's privacy, and the call that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Case {
    pub(crate) act: Act,
    pub(crate) is_sealed: bool,
    pub(crate) fault: Fault,
}

impl Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { at, how, lasts } = self.fault;
        let privacy = if self.is_sealed { "sealed" } else { "open" };
        let extent = if lasts { "lasting" } else { "once" };
        write!(
            f,
            "{}/{privacy}/{at}/{}/{extent}",
            self.act.name(),
            how.name()
        )
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let parts: Vec<&str> = name.split('/').collect();
        let [act, privacy, at, how, extent] = parts[..] else {
            return Err(format!("{name}: not five parts"));
        };
        let act = Act::ALL
            .into_iter()
            .find(|one| one.name() == act)
            .ok_or("no such act")?;
        let how = How::ALL
            .into_iter()
            .find(|one| one.name() == how)
            .ok_or("no such fault")?;
        let at = at.parse().map_err(|error| format!("{at}: {error}"))?;
        Ok(Self {
            act,
            is_sealed: privacy == "sealed",
            fault: Fault {
                at,
                how,
                lasts: extent == "lasting",
            },
        })
    }
}

/// What stands before each act, what each does without faults, and the calls that it makes.
pub(crate) struct Stage {
    shim: Shim,
    before: BTreeMap<(Act, bool), Desk>,
    seen: BTreeMap<(Act, bool), (Option<i32>, Seen)>,
    calls: BTreeMap<(Act, bool), Vec<(String, String)>>,
}

impl Stage {
    /// Plays the script without faults, in both privacies.
    pub(crate) fn set(program: &Path, shim: Shim) -> Self {
        let mut stage = Self {
            shim,
            before: BTreeMap::new(),
            seen: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        for is_sealed in [false, true] {
            let desk = Desk::new(program, is_sealed);
            for act in Act::ALL {
                stage.rehearse(act, is_sealed, &desk);
                if act == Act::Finish {
                    desk.end();
                } else if act.is_underway() {
                    desk.told(act.arguments());
                }
                if act == Act::Resume {
                    desk.decide();
                }
            }
        }
        stage
    }

    /// Does an act on a copy, and keeps what came of it.
    fn rehearse(&mut self, act: Act, is_sealed: bool, desk: &Desk) {
        let (before, place) = (desk.copied(), desk.copied());
        let mut command = place.command(act.arguments());
        let trace = self.shim.listen(&mut command, &place.disk());
        let done = told(command);
        self.calls.insert((act, is_sealed), calls(&trace));
        let (seen, _) = seen(act, &place);
        self.seen.insert((act, is_sealed), (done.code(), seen));
        self.before.insert((act, is_sealed), before);
    }

    /// The calls that an act makes: function and file.
    pub(crate) fn calls(&self, act: Act, is_sealed: bool) -> &[(String, String)] {
        &self.calls[&(act, is_sealed)]
    }

    /// Lets one call fail; says how the act ended.
    pub(crate) fn play(&self, case: &Case) -> Result<String, String> {
        let place = self.before[&(case.act, case.is_sealed)].copied();
        let done = self.broken(&place, case.act, case.fault);
        let is_done = done.code() == self.seen[&(case.act, case.is_sealed)].0;
        let check = || {
            if !is_done {
                says_why(&done)?;
            } else if must_be_said(case.fault, &place) {
                return Err(
                    "a sync of the log failed, and the command says that it is done".to_owned(),
                );
            }
            self.check(case, &place, std::slice::from_ref(&done), is_done)
        };
        check().map_err(|why| format!("{why}; {}", self.about(case, &done)))?;
        Ok(format!(
            "{} {}",
            case.act.name(),
            done.code()
                .map_or("killed".to_owned(), |code| code.to_string())
        ))
    }

    /// Kills the act at a call, and then whoever opens the store again at calls of its own; says how many were killed.
    pub(crate) fn kill(&self, case: &Case, recoveries: &[Fault]) -> Result<usize, String> {
        let place = self.before[&(case.act, case.is_sealed)].copied();
        let mut all = vec![self.broken(&place, case.act, case.fault)];
        all.extend(
            recoveries
                .iter()
                .map(|fault| self.broken(&place, case.act.recovery(), *fault)),
        );
        let is_done = all[0].code().is_some();
        let killed = all.iter().filter(|done| done.code().is_none()).count();
        let checked = self.check(case, &place, &all, is_done);
        checked.map_err(|why| format!("{why}; {}", self.about(case, &all[0])))?;
        Ok(killed)
    }

    fn broken(&self, place: &Desk, act: Act, fault: Fault) -> Told {
        let mut command = place.command(act.arguments());
        self.shim.stand_before(&mut command, &place.disk(), fault);
        command.env("FAULTS_TRACE", trace_of(place));
        told(command)
    }

    /// Whether the script goes on to its end, and everything is as without faults.
    fn check(
        &self,
        case: &Case,
        place: &Desk,
        shown: &[Told],
        is_done: bool,
    ) -> Result<(), String> {
        if !is_done {
            again(case.act, place)?;
        }
        let (seen, log) = seen(case.act, place);
        if case.act != Act::Delete {
            shown.iter().try_for_each(|done| kept(done, &log))?;
        }
        differ(&seen, &self.seen[&(case.act, case.is_sealed)].1)
    }

    fn about(&self, case: &Case, done: &Told) -> String {
        let call = usize::try_from(case.fault.at - 1)
            .ok()
            .and_then(|at| self.calls(case.act, case.is_sealed).get(at));
        format!(
            "at {call:?}: exit {:?}, said {:?}",
            done.code(),
            done.stderr.lines().collect::<Vec<_>>()
        )
    }
}

/// Where the calls of the last command that was broken are listed.
fn trace_of(place: &Desk) -> PathBuf {
    place.path().join("broken.trace")
}

/// Whether the call that failed was one that everything acknowledged depends on.
fn must_be_said(fault: Fault, place: &Desk) -> bool {
    let (calls, failed) = (
        calls(&trace_of(place)),
        usize::try_from(fault.at - 1).unwrap(),
    );
    let is_barrier = calls
        .get(failed)
        .is_some_and(|(call, file)| call == "fdatasync" && file.ends_with("/db"));
    // What was interrupted is tried again.
    is_barrier && fault.how != How::Interrupted
}

/// Whether everything that can be seen is as without faults.
fn differ(seen: &Seen, expected: &Seen) -> Result<(), String> {
    let names = seen
        .keys()
        .chain(expected.keys())
        .filter(|name| seen.get(*name) != expected.get(*name));
    let differ =
        names.map(|name| format!("{name}: {:?}, not {:?}", seen.get(name), expected.get(name)));
    let differ: Vec<String> = differ.collect();
    if differ.is_empty() {
        Ok(())
    } else {
        Err(differ.join("; "))
    }
}

/// Whether a command that failed says why, and has a documented exit code.
fn says_why(done: &Told) -> Result<(), String> {
    if !done.code().is_some_and(|code| CODES.contains(&code)) {
        return Err("no such end".to_owned());
    }
    // What a verification could not read, its report says.
    let is_reported = || {
        checks(done)
            .iter()
            .any(|check| check["is_missed"] == true && is_of_a_disk(&check["detail"]))
    };
    if done.stderr.contains("panicked") || !(done.stderr.contains("error") || is_reported()) {
        return Err("not said why".to_owned());
    }
    Ok(())
}

fn is_of_a_disk(detail: &Value) -> bool {
    detail
        .as_str()
        .is_some_and(|detail| detail.contains("cannot read: ") && detail.contains("os error"))
}

/// Does the act again, as somebody would who read what it said.
fn again(act: Act, place: &Desk) -> Result<(), String> {
    if act.is_underway() {
        return Ok(());
    }
    if act == Act::Backup {
        drop(fs::remove_dir_all(place.disk().join("backup")));
    }
    let done = place.told(act.arguments());
    let is_done = act
        .was_done()
        .is_some_and(|said| done.stderr.contains(said));
    if done.status.success() || is_done {
        Ok(())
    } else {
        Err(format!(
            "again: exit {:?}, said {:?}",
            done.code(),
            done.stderr
        ))
    }
}

/// Whether all events that a process showed are in the log.
fn kept(done: &Told, log: &[Value]) -> Result<(), String> {
    let shown = done
        .values()
        .into_iter()
        .filter(|line| line.get("kind").is_some());
    match shown.into_iter().find(|event| !log.contains(event)) {
        Some(lost) => Err(format!("an event that was shown is lost: {lost}")),
        None => Ok(()),
    }
}

/// What can be seen after an act, once the script is at its end; and the log.
fn seen(act: Act, place: &Desk) -> (Seen, Vec<Value>) {
    let mut seen = Seen::new();
    if act.is_underway() {
        place.end();
    }
    let printed = place.told(&["log", "refused"]);
    let log = printed.values();
    seen.insert("said", said(&log));
    seen.insert("runs", format!("{:?}", place.all_runs()));
    seen.insert("verified", verified(&place.told(&["verify", "--all"])));
    if matches!(act, Act::Erase | Act::Delete) {
        seen.insert("canaries", format!("{:?}", place.canaries()));
    } else if !act.is_underway() {
        seen.insert("log", printed.stdout);
    }
    if act == Act::Backup {
        seen.insert(
            "backup",
            told(place.command_on(&place.disk().join("backup"), &["log", "refused"])).stdout,
        );
    }
    for (name, file) in [("export", "refused.jsonl"), ("anchors", "anchors")] {
        seen.extend(
            fs::read_to_string(place.disk().join(file))
                .ok()
                .map(|text| (name, text)),
        );
    }
    (seen, log)
}

/// Who said what, and what was erased of it.
fn said(log: &[Value]) -> String {
    let messages = log.iter().filter(|event| event["kind"] == "MessagePosted");
    messages
        .map(|event| format!("{}: {}\n", event["principal"], event["content"]["body"]))
        .collect()
}

/// The verdicts of all checks.
fn verified(told: &Told) -> String {
    let verdicts: Vec<String> = checks(told)
        .iter()
        .map(|check| format!("{}: {}", check["name"], check["verdict"]))
        .collect();
    format!("exit {:?}: {verdicts:?}", told.code())
}

/// All checks of the reports that a command printed.
fn checks(told: &Told) -> Vec<Value> {
    let checks = |report: &Value| {
        report["checks"]
            .as_array()
            .into_iter()
            .flatten()
            .cloned()
            .collect::<Vec<_>>()
    };
    told.values().iter().flat_map(checks).collect()
}
