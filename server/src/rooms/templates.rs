//! Templates: world scripts in a folder, whose definitions rooms are opened from.

use std::path::{Path, PathBuf};

use folkmoot::core::ids::Digest;

use folkmoot::core::event::Rights;
use folkmoot::file::absolute_folder;
use folkmoot::script::Script;
use folkmoot::{Definition, definition_of};

mod digests;

pub use digests::{TemplateDigests, TemplatesError};

/// The folder of a server's templates. It is read anew for each room, so that an edited template
/// counts from then on.
#[derive(Debug, Clone, Default)]
pub struct Templates {
    folder: Option<PathBuf>,
}

/// A template that rooms can be opened from.
#[derive(Debug, Clone)]
pub struct Template {
    /// The name: that of its file, without the ending.
    pub name: String,
    /// The definition of its rooms.
    pub definition: Definition,
    /// The folder that relative paths of the definition are relative to.
    pub base: PathBuf,
}

/// The reason that there is no template.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// No file of the folder has that name.
    #[error("there is no template called {0:?}; GET /v1/templates lists them")]
    Unknown(String),
    /// The script cannot be used.
    #[error("the template {name} cannot be used: {why}")]
    Broken {
        /// The template.
        name: String,
        /// The faults.
        why: String,
    },
    /// The folder cannot be read.
    #[error("the folder of the templates cannot be read")]
    Folder(#[source] std::io::Error),
}

impl Templates {
    /// The templates of the folder `folder`: its files `NAME.yaml`.
    #[must_use]
    pub fn of(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: Some(folder.into()),
        }
    }

    /// The names of all templates, in order.
    ///
    /// # Errors
    /// [`TemplateError::Folder`].
    pub fn names(&self) -> Result<Vec<String>, TemplateError> {
        let Some(folder) = &self.folder else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for file in std::fs::read_dir(folder).map_err(TemplateError::Folder)? {
            let path = file.map_err(TemplateError::Folder)?.path();
            names.extend(name_of(&path));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The digests of all templates as they are now, each with the files that it includes, and their folder. Files are read for it: call it
    /// where that may block.
    ///
    /// # Errors
    /// [`TemplateError::Folder`].
    pub fn digests(&self) -> Result<TemplateDigests, TemplateError> {
        let Some(folder) = &self.folder else {
            return Ok(TemplateDigests::default());
        };
        let absolute = absolute_folder(folder).map_err(TemplateError::Folder)?;
        let mut digests = TemplateDigests::of(&absolute);
        for name in self.names()? {
            let file = folder.join(format!("{name}.yaml"));
            let digest = match Script::load(&file) {
                Ok(script) => {
                    let texts: Vec<_> = script.sources.texts().map(str::as_bytes).collect();
                    Digest::of(&texts)
                }
                // It makes no rooms before somebody mends it.
                Err(_) => Digest::of(&[&std::fs::read(&file).map_err(TemplateError::Folder)?]),
            };
            digests.add(name, digest);
        }
        Ok(digests)
    }

    /// Reads the template called `name`. Files are read for it: call it where that may block.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn load(&self, name: &str) -> Result<Template, TemplateError> {
        let unknown = || TemplateError::Unknown(name.chars().take(64).collect());
        // A name is looked for among those that are there, so that none leads out of the folder.
        let known = self.names()?.into_iter().find(|known| known == name);
        let folder = self.folder.as_ref().ok_or_else(unknown)?;
        let name = known.ok_or_else(unknown)?;
        let broken = |why: String| TemplateError::Broken {
            name: name.clone(),
            why,
        };
        let script = Script::load(&folder.join(format!("{name}.yaml")))
            .map_err(|error| broken(error.to_string()))?;
        let mut definition =
            definition_of(&script, &script.spec).map_err(|error| broken(error.to_string()))?;
        if !script.spec.says_rights {
            // Whoever opens a room owns it; others get nothing unasked.
            definition.spec.policy.rights.default = Rights([].into());
        }
        Ok(Template {
            name: name.clone(),
            definition,
            base: script.base,
        })
    }
}

fn name_of(path: &Path) -> Option<String> {
    let is_script = path.extension().is_some_and(|ending| ending == "yaml") && path.is_file();
    let name = path.file_stem().filter(|_| is_script)?;
    name.to_str().map(str::to_owned)
}
