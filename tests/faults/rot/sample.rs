//! The store that rots: worlds in runs and in shared frames, a sealed one, one that was erased in, a branch, a deleted one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::served::{Found, Served};
use crate::io::desk::{Desk, told};
use crate::io::shim::{Fault, How, Shim};

/// The sample, what it serves, and what its backup serves.
pub(super) struct Sample {
    desk: Desk,
    other: Desk,
    served: Served,
    backed_up: Served,
}

impl Sample {
    /// Makes it with the command.
    pub(super) fn make(program: &Path) -> Self {
        let desk = Desk::new(program, false);
        furnish(&desk);
        desk.fine(&["backup", "disk/backup"]);
        desk.fine(&[
            "export",
            "refused",
            "--format",
            "jsonl",
            "--output",
            "disk/refused.jsonl",
        ]);
        leave_frames(&desk);
        let other = Desk::new(program, false);
        other.end();
        let mut sample = Self {
            served: Served::default(),
            backed_up: Served::default(),
            desk,
            other,
        };
        sample.served = sample.looked_at(&sample.store());
        sample.backed_up = sample.looked_at(&sample.backup());
        assert!(
            sample.served.worlds() == 6 && sample.backed_up.worlds() == 4,
            "the sample is another"
        );
        sample
    }

    pub(super) fn store(&self) -> PathBuf {
        self.desk.disk().join("store")
    }

    pub(super) fn backup(&self) -> PathBuf {
        self.desk.disk().join("backup")
    }

    /// What a copy of a store serves.
    fn looked_at(&self, store: &Path) -> Served {
        let copy = self.desk.copied();
        let place = copy
            .path()
            .join(store.strip_prefix(self.desk.path()).unwrap());
        Served::look(&place).unwrap()
    }

    /// The file of another store that has the same place there.
    pub(super) fn of_another(&self, file: &Path) -> Option<Vec<u8>> {
        fs::read(self.other.disk().join("store").join(file)).ok()
    }

    /// Whether a store serves what this one does; what it says if not. With a key lost it may say of content that it is
    /// erased.
    pub(super) fn compare(&self, store: &Path, has_lost_key: bool) -> Result<Found, String> {
        match Served::look(store) {
            Ok(served) if has_lost_key => self.served.compare_erased(&served),
            served => self.served.compare(served),
        }
    }

    /// The same, where the store is only read.
    pub(super) fn compare_read(&self, store: &Path, has_lost_key: bool) -> Result<Found, String> {
        match Served::read(store) {
            Ok(served) if has_lost_key => self.served.compare_erased(&served),
            served => self.served.compare(served),
        }
    }

    /// Whether a store serves what the backup does.
    pub(super) fn compare_backup(&self, store: &Path) -> Result<(), String> {
        match self.backed_up.compare(Served::look(store))? {
            Found::Nothing => Ok(()),
            Found::Error(error) => Err(format!("the backup that was put in its place: {error}")),
        }
    }

    /// The command, on a store.
    pub(super) fn command(&self, store: &Path, arguments: &[&str]) -> Command {
        self.desk.command_on(store, arguments)
    }
}

/// Worlds in runs: an open one with an erasure and a branch, one with a checkpoint, a sealed one; and what is left of one
/// that was deleted.
fn furnish(desk: &Desk) {
    desk.end();
    let script = fs::read_to_string(desk.path().join("refused.yaml")).unwrap();
    let sealed = script
        .replace("privacy: open", "privacy: sealed")
        .replace("world: refused", "world: sealed");
    fs::write(
        desk.path().join("sealed.yaml"),
        sealed.replace(".count", ".other"),
    )
    .unwrap();
    for world in ["sealed", "gone"] {
        assert_eq!(
            desk.told(&["run", "sealed.yaml", "--world", world]).code(),
            Some(4)
        );
    }
    desk.fine(&["delete", "gone", "--yes", "--as", "ada"]);
    desk.fine(&["fork", "refused", "--as", "branch"]);
    desk.fine(&[
        "erase",
        "refused",
        "4",
        "--basis",
        "it was asked for",
        "--as",
        "ada",
    ]);
    // Nothing was saved of worlds that are sealed or were erased in.
    assert_eq!(
        desk.told(&["run", "refused.yaml", "--world", "saved"])
            .code(),
        Some(4)
    );
    assert!(desk.disk().join("store/checkpoints").exists());
}

/// Worlds in shared frames: the processes that wrote them were killed.
fn leave_frames(desk: &Desk) {
    let shim = Shim::build();
    for (script, world) in [("refused.yaml", "late"), ("sealed.yaml", "later")] {
        let whole = desk.copied();
        let mut command = whole.command(&["run", script, "--world", world]);
        let trace = shim.listen(&mut command, &whole.disk());
        told(command);
        // Each commit is noted in the head record, and so is the end when the store is closed.
        let calls = (1..).zip(crate::io::shim::calls(&trace));
        let notes = calls.filter(|(_, (call, file))| call == "write" && file == "store/head");
        let notes: Vec<u64> = notes.map(|(at, _)| at).collect();
        let last = notes[notes.len() - 2];
        let mut command = desk.command(&["run", script, "--world", world]);
        shim.stand_before(
            &mut command,
            &desk.disk(),
            Fault {
                at: last + 1,
                how: How::Kill,
                lasts: false,
            },
        );
        assert_eq!(told(command).code(), None, "{world} was not killed");
    }
}
