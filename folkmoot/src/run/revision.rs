//! How a script would change the room of a world that exists, and who may have it so.

use std::path::Path;

use folkmoot_core::ids::WorldName;
use folkmoot_core::spec::{Change, Definition};
use folkmoot_core::world::World;

/// How a definition, and where it comes from, differ from those of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The world.
    pub world: WorldName,
    /// The file that the world's definition was read from, if it is known and is not this one.
    pub other_file: Option<String>,
    /// What would become different.
    pub changes: Vec<Change>,
    /// True if tools would act in other folders: the room has tools with folders, and its own file still stands where it
    /// was.
    pub is_a_copy: bool,
}

impl Revision {
    /// Returns what would become of the world called `name`, as it is recorded, with `definition`, which was read from a file in the
    /// folder `base`.
    #[must_use]
    pub fn of(name: &WorldName, world: &World, definition: &Definition, base: &Path) -> Self {
        let changes = if world.is_in_force(definition) {
            Vec::new()
        } else {
            world.definition().changes_to(definition)
        };
        let folder = world.base().map(Path::new);
        let is_elsewhere = folder.is_some_and(|folder| !is_one(folder, base));
        let is_renamed = world
            .source()
            .zip(definition.source.as_deref())
            .is_some_and(|(then, now)| then != now);
        let file = match (folder, world.source()) {
            (Some(folder), Some(file)) => folder.join(file).display().to_string(),
            (Some(folder), None) => format!("a file in {}", folder.display()),
            (None, file) => file.unwrap_or("another file").to_owned(),
        };
        let stands = |(folder, file): (&Path, &str)| folder.join(file).exists();
        let has_folders = || {
            world
                .rules()
                .spec()
                .tools
                .values()
                .any(|tool| tool.folder.is_some())
        };
        let is_a_copy =
            is_elsewhere && folder.zip(world.source()).is_some_and(stands) && has_folders();
        Self {
            world: name.clone(),
            other_file: (is_elsewhere || is_renamed).then_some(file),
            changes,
            is_a_copy,
        }
    }

    /// Tells whether it has to be asked for in so many words: it comes from another file and says something else, or changes the
    /// room's policy. A file that was only moved says the same; a copy beside the one it was made of does not, as what was
    /// allowed in the folders of that one would be done in others.
    #[must_use]
    pub fn has_to_be_asked_for(&self) -> bool {
        let is_another = self.other_file.is_some() && (self.is_a_copy || !self.changes.is_empty());
        is_another || self.changes.iter().any(Change::is_of_policy)
    }

    /// Returns what would become different, a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let file = self
            .other_file
            .iter()
            .map(|file| format!("the room was made from {file}"));
        file.chain(self.changes.iter().map(ToString::to_string))
            .collect()
    }
}

/// Tells whether both paths lead to one folder.
fn is_one(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().ok();
    one == other || place(one).is_some_and(|known| place(other) == Some(known))
}
