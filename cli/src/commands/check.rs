//! `folkmoot check`.

use folkmoot::core::ids::WorldName;
use folkmoot::core::spec::rules::Rules;
use folkmoot::definition_but_own;
use folkmoot::script::{Script, Verb};
use folkmoot::view::definition::RevisionView;
use serde_json::{Map, json};

use crate::arguments::{CheckArgs, CommonArgs};
use crate::exit::{CliError, STORE, USAGE};
use crate::parts;
use crate::show::clean;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;
use crate::view::query::{Query, RevisionQuery};

/// Checks a script, its tools included, and says how it would change a world.
pub(crate) async fn check(common: &CommonArgs, arguments: &CheckArgs) -> Result<(), CliError> {
    let script = Script::load(&arguments.script)?;
    let own = script.own_parts();
    let unfit = |error| {
        CliError::other(
            USAGE,
            format!("the world's definition cannot be used: {error}"),
        )
    };
    let revised = script.steps.iter().filter_map(|step| {
        if let Verb::Revise(spec) = &step.verb {
            Some(&**spec)
        } else {
            None
        }
    });
    for spec in std::iter::once(&script.spec).chain(revised) {
        let definition = definition_but_own(&script, spec)?;
        // Parts of a program are made by that program.
        if own.is_empty() {
            parts::check(&definition, &script.base, None)?;
        }
        Rules::check(definition.spec).map_err(unfit)?;
    }
    script.check_files(0)?;
    let revision = match &arguments.against {
        Some(world) => Some(against(common, arguments, world).await?),
        None => None,
    };
    let mut terminal = Terminal::new();
    let agents = script.spec.agents.len();
    let steps = script.steps.len();
    if common.json {
        let mut document = Map::new();
        document.insert("world".to_owned(), json!(script.world));
        document.insert("agents".to_owned(), json!(agents));
        document.insert("steps".to_owned(), json!(steps));
        if !own.is_empty() {
            document.insert("needs".to_owned(), json!(own.to_string()));
        }
        if let Some(revision) = revision {
            document.insert(
                "against".to_owned(),
                serde_json::to_value(revision).map_err(CliError::json)?,
            );
        }
        return terminal.document(&document);
    }
    let file = arguments.script.display();
    terminal.line(&format!(
        "{file} is fine: the world {}, {}, {}",
        script.world,
        counted(agents, "agent"),
        counted(steps, "step")
    ))?;
    if !own.is_empty() {
        terminal.line(&format!("note: {own}"))?;
    }
    revision.map_or(Ok(()), |revision| tell(&mut terminal, &revision))
}

async fn against(
    common: &CommonArgs,
    arguments: &CheckArgs,
    world: &WorldName,
) -> Result<RevisionView, CliError> {
    let script = std::path::absolute(&arguments.script).map_err(|error| {
        CliError::other(STORE, format!("{}: {error}", arguments.script.display()))
    })?;
    let query = RevisionQuery {
        world: world.clone(),
        script,
    };
    let source = StoreSource::look(common).await?;
    source.ask(Query::Revision(query)).await?.first().await
}

fn tell(terminal: &mut Terminal, revision: &RevisionView) -> Result<(), CliError> {
    let RevisionView {
        world,
        changes,
        has_to_be_asked_for,
        edited_step,
    } = revision;
    if let Some(step) = edited_step {
        terminal.line(&format!(
            "It cannot go on with {world}: step {step} was edited after it ran."
        ))?;
    }
    if changes.is_empty() {
        return terminal.line(&format!("The room of {world} would stay as it is."));
    }
    let how = if *has_to_be_asked_for {
        ", and only with --revise"
    } else {
        ""
    };
    terminal.line(&format!("It would change the room of {world}{how}:"))?;
    changes
        .iter()
        .try_for_each(|change| terminal.line(&format!("  {}", clean(change))))
}
