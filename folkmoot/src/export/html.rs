//! A report for people: one page in one file, without scripts, and without anything from outside.
//!
//! Every text goes through the template, which escapes it.

use folkmoot_core::command::commit::Commit;
use folkmoot_core::ids::WorldName;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;

use super::survey::{Role, Survey};
use super::talk::{Entry, Talk};
use super::{ExportError, Integrity};
use crate::text::one_line;

mod blocks;
mod faces;
mod picture;
mod tables;
mod views;

use faces::Faces;
use tables::TablesView;
use views::{EntryView, FrontView};

/// The most steps of the sequence picture. It shows the first ones of a longer log, and says so.
pub const PICTURE_STEPS_MAX: usize = 200;
/// The most lifelines of the sequence picture. Whoever comes later is one of the others.
pub const PICTURE_LIFELINES_MAX: usize = 12;

const FRONT: &str = "front.html";
const ENTRIES: &str = "entries.html";
const TABLES: &str = "tables.html";

/// Writes a report.
#[derive(Debug)]
pub(super) struct Report {
    pages: Environment<'static>,
    front: FrontView,
    tables: TablesView,
    faces: Faces,
    talk: Talk,
}

impl Report {
    pub(super) fn new(
        name: &WorldName,
        survey: Survey,
        integrity: &Integrity,
    ) -> Result<Self, ExportError> {
        let mut pages = Environment::new();
        pages.set_undefined_behavior(UndefinedBehavior::Strict);
        pages.set_syntax(
            SyntaxConfig::builder()
                .trim_blocks(true)
                .lstrip_blocks(true)
                .build()?,
        );
        pages.add_template(FRONT, include_str!("html/front.html"))?;
        pages.add_template(ENTRIES, include_str!("html/entries.html"))?;
        pages.add_template(TABLES, include_str!("html/tables.html"))?;
        let front = FrontView::of(name, &survey, integrity);
        let tables = TablesView::of(&survey, integrity);
        let spec = survey.world.rules().spec();
        let agents = spec.agents.iter().map(|agent| agent.name.as_str());
        let people = survey.people.iter().map(String::as_str);
        let worlds = survey.steps.lifelines.iter();
        let worlds = worlds.filter(|line| line.role == Role::World);
        let worlds = worlds.map(|line| line.name.as_str());
        let faces = Faces::of(agents.chain(people).chain(worlds).map(one_line));
        let kinds = spec.kinds();
        let talk = Talk::new(survey.revisions, kinds);
        Ok(Self {
            pages,
            front,
            tables,
            faces,
            talk,
        })
    }

    pub(super) fn begin(&self) -> Result<String, ExportError> {
        self.page(FRONT, &self.front)
    }

    pub(super) fn take(&mut self, commit: &Commit) -> Result<String, ExportError> {
        #[derive(Serialize)]
        struct Entries {
            entries: Vec<EntryView>,
        }
        let entries: Vec<EntryView> = self
            .talk
            .take(commit)
            .iter()
            .map(|entry: &Entry| EntryView::of(entry, &self.faces))
            .collect();
        if entries.is_empty() {
            return Ok(String::new());
        }
        self.page(ENTRIES, &Entries { entries })
    }

    pub(super) fn end(&self) -> Result<String, ExportError> {
        self.page(TABLES, &self.tables)
    }

    fn page(&self, name: &str, view: &impl Serialize) -> Result<String, ExportError> {
        Ok(self.pages.get_template(name)?.render(Serde(view))?)
    }
}
