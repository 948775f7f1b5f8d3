//! World scripts: rooms and what happens in them, written in YAML.
//!
//! [`Script::parse`] reads and checks a script, or says all that is wrong with it, each fault at its line and column.
//! Nothing is opened, run or resolved here: `${NAME}` stays as it is written, and tools are built by the caller, who
//! then assembles the world's definition with [`SpecDraft::definition`].

use std::path::{Path, PathBuf};

use folkmoot_core::event::ClockKind;
use folkmoot_core::ids::WorldName;

mod attach;
mod check;
mod expect;
mod fault;
mod gateway;
mod grammar;
mod include;
mod names;
mod nearest;
mod node;
mod own;
mod parameters;
mod reference;
mod scalar;
mod schema;
mod secret;
mod spec;
mod step;
#[cfg(test)]
mod tests;
mod validate;

pub use attach::Attach;
pub(crate) use attach::Attached;
pub use expect::{
    ArtifactMatch, Budget, Calls, Claim, Expect, GrantMatch, MessageMatch, Order, Pending, Routing,
    Since, SpecClaim, WithheldMatch,
};
pub use fault::{Fault, Mark, ScriptError, Sources};
pub(crate) use grammar::OWN;
pub use nearest::nearest;
pub use own::OwnParts;
pub use reference::reference;
pub use schema::json_schema;
pub use spec::{AgentDraft, ModelDraft, Places, SpecDraft, ToolDraft};
pub use step::{Actor, Amendment, Fork, ForkAt, GrantRef, MessageRef, Post, Selector, Step, Verb};

use fault::Faults;
use grammar::{INCLUDED, SCRIPT};
use include::Files;
use names::Names;
use node::Node;

use crate::file;
use validate::Validator;

/// A world script, read and checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// The world's name in the store.
    pub world: WorldName,
    /// The folder that the script's relative paths are relative to: its own.
    pub base: PathBuf,
    /// The clock that it says; `None` leaves it to its models: see [`Script::clock_kind`].
    pub clock: Option<ClockKind>,
    /// The spec that the world begins with, included files and all.
    pub spec: SpecDraft,
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// The files that it was read from, for faults that are found later.
    pub sources: Sources,
}

impl Script {
    /// Reads and checks the script `text`, which stands in `file`.
    ///
    /// # Errors
    /// All faults that were found, in the order of the text.
    pub fn parse(text: &str, file: &Path) -> Result<Self, ScriptError> {
        let faults = Faults::default();
        let files = Files::open(text, file, &faults);
        let spec = files.spec();
        if let Some(root) = files.trees.first().filter(|_| files.is_whole) {
            check_files(&files, root, &spec, &faults);
        }
        faults.into_result(&files.sources)?;
        let read = files
            .trees
            .first()
            .ok_or_else(Mark::default)
            .and_then(|root| {
                let steps = root.get("script");
                Ok(Self {
                    world: root
                        .text_of("world")
                        .and_then(|name| WorldName::new(name).ok())
                        .ok_or(root.mark)?,
                    base: include::folder(file),
                    clock: root.text_of("clock").map(clock_kind),
                    spec: SpecDraft::read(&spec)?,
                    steps: step::read(steps, &spec)?,
                    sources: files.sources.clone(),
                })
            });
        read.map_err(|mark| {
            files
                .sources
                .fault(
                    mark,
                    "the script passed its checks and cannot be read: please report this as a bug of Folkmoot",
                    None,
                )
                .into()
        })
    }

    /// Reads and checks the script in `file`.
    ///
    /// # Errors
    /// All faults that were found; a file that cannot be read is one.
    pub fn load(file: &Path) -> Result<Self, ScriptError> {
        let text = node::text(file).map_err(|error| {
            Fault::of_file(
                file,
                format!(
                    "the script cannot be read: {}{}",
                    file::why(&error),
                    nearest_file(file)
                ),
            )
        })?;
        Self::parse(&text, file)
    }

    /// The clock of a world that begins with it: the one that it says, else the machine's if any of its agents may ask a
    /// live model, whose answers and waits take real time.
    #[must_use]
    pub fn clock_kind(&self) -> ClockKind {
        let mut specs = std::iter::once(&self.spec)
            .chain(self.steps.iter().filter_map(|step| step.verb.revised()));
        let is_live = specs.any(SpecDraft::has_live_model);
        self.clock.unwrap_or(if is_live {
            ClockKind::System
        } else {
            ClockKind::Simulated
        })
    }

    /// The spec in force before the step with the number `index`, from 0: that of the last `revise` before it.
    #[must_use]
    pub fn spec_before(&self, index: usize) -> &SpecDraft {
        let revised = self
            .steps
            .iter()
            .take(index)
            .rev()
            .find_map(|step| step.verb.revised());
        revised.unwrap_or(&self.spec)
    }
}

/// Names the file beside `file` that was probably meant, as the end of a sentence; empty if `file` is there, or none is like it.
fn nearest_file(file: &Path) -> String {
    if file.exists() {
        return String::new();
    }
    let name = file.file_name().and_then(|name| name.to_str());
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // A folder that cannot be read has no name to propose.
    let others = std::fs::read_dir(folder.unwrap_or_else(|| Path::new(".")));
    let others: Vec<String> = others
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let near = name.and_then(|name| nearest_name(name, &others));
    near.map_or_else(String::new, |near| {
        format!("; did you mean `{}`?", file.with_file_name(near).display())
    })
}

/// The one of `others` whose name before the ending is near that of `name`: the ending that they
/// share makes no two names alike. One with the same ending comes first.
fn nearest_name<'a>(name: &str, others: &'a [String]) -> Option<&'a str> {
    let parts = |name: &'a str| name.rsplit_once('.').unwrap_or((name, ""));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let all: Vec<&str> = others.iter().map(String::as_str).collect();
    let near = nearest(stem, all.iter().map(|other| parts(other).0))?;
    let mut called = all.iter().filter(|other| parts(other).0 == near);
    let same = called.clone().find(|other| parts(other).1 == ending);
    same.or_else(|| called.next()).copied()
}

fn clock_kind(word: &str) -> ClockKind {
    if word == "system" {
        ClockKind::System
    } else {
        ClockKind::Simulated
    }
}

/// Checks every file against the grammar, the spec as a whole, and the steps in order.
fn check_files(files: &Files, root: &Node, spec: &Node, faults: &Faults) {
    let names = Names::of(spec, root.get("script"));
    for (number, tree) in files.trees.iter().enumerate() {
        let record = if number == 0 { &SCRIPT } else { &INCLUDED };
        Validator {
            names: &names,
            faults,
        }
        .file(tree, record);
        check::check_texts(tree, faults);
    }
    check::check_spec(
        spec,
        root.key("agents")
            .or_else(|| root.key("world"))
            .map_or(root.mark, |key| key.mark),
        faults,
    );
    check_steps(root, spec, names, faults);
}

/// Checks the steps, each against the names that are known when it comes.
fn check_steps(root: &Node, spec: &Node, mut names: Names, faults: &Faults) {
    let mut spec = spec.clone();
    let mut is_live = false;
    for step in root.get("script").into_iter().flat_map(Node::items) {
        if let Some(changes) = step.get("revise") {
            spec = include::merged(&spec, changes);
            names.respec(&spec);
            check::check_spec(&spec, changes.mark, faults);
            check::check_texts(changes, faults);
        }
        Validator {
            names: &names,
            faults,
        }
        .step(step);
        is_live |= check::has_live_model(&spec);
        check::check_step(
            step,
            root.text_of("clock")
                .or(is_live.then_some(check::OF_LIVE_MODELS)),
            faults,
        );
        check::check_people(step, &names, faults);
        if let Some(id) = step.get("id") {
            if names.has(grammar::Named::Step, id.text().unwrap_or("")) {
                faults.add(
                    id.mark,
                    format!("another step has the id `{}`", id.text().unwrap_or("")),
                );
            }
            names.step(id.text().unwrap_or(""));
        }
    }
}
