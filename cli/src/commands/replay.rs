//! `folkmoot replay`.

use folkmoot::core::ids::Position;
use folkmoot::core::spec::rules::Stage;
use folkmoot::view::prompt::PromptView;
use folkmoot::view::replay::{MemoryView, ReplayView};
use folkmoot::view::state_diff::{StateDiff, StateDiffQuery};
use folkmoot::view::transcript::{PAGE, TranscriptQuery, TranscriptView};
use serde_json::Value;

use crate::arguments::{CommonArgs, ReplayArgs};
use crate::commands::place;
use crate::exit::{CliError, INTEGRITY};
use crate::show::item::told;
use crate::show::style::{BOLD, DIM, paint};
use crate::show::{clip, grant, one_line, prompt, request, state_diff, time, transcript};
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;
use crate::text::gutter::hung;
use crate::view::query::{Query, ReplayQuery};

/// The longest text that is shown in a line, in characters.
const TEXT_MAX: usize = 240;

/// Shows the folded state of a world, an agent's memory, the request of a model call, or a page of
/// the transcript.
pub(crate) async fn replay(common: &CommonArgs, arguments: ReplayArgs) -> Result<(), CliError> {
    let ReplayArgs {
        world,
        at,
        diff,
        agent,
        prompt,
        transcript,
        before,
        limit,
    } = arguments;
    if transcript {
        let query = TranscriptQuery {
            world,
            before: before.map(Position::new),
            limit: limit.unwrap_or(PAGE),
        };
        return page(common, query).await;
    }
    let at = at.map(Position::new);
    if let (Some(before), Some(after)) = (at, diff.map(Position::new)) {
        return compare(
            common,
            StateDiffQuery {
                world,
                before,
                after,
            },
        )
        .await;
    }
    let prompt = prompt
        .map(|call| place::of(&world, &call, "call"))
        .transpose()?;
    let query = ReplayQuery {
        world,
        at,
        agent: agent.clone(),
        prompt,
    };
    let value = ask(common, Query::Replay(query)).await?;
    let mut terminal = Terminal::new();
    if prompt.is_some() {
        return show_prompt(common, &mut terminal, value);
    }
    if common.json {
        return terminal.document(&value);
    }
    let lines = if agent.is_some() {
        memory(value)?
    } else {
        state(value, at)?
    };
    lines.iter().try_for_each(|line| terminal.line(line))
}

/// Shows a request. One that is not what was recorded is shown as well, and is an error.
fn show_prompt(common: &CommonArgs, terminal: &mut Terminal, value: Value) -> Result<(), CliError> {
    let view: PromptView = serde_json::from_value(value).map_err(CliError::json)?;
    if common.json {
        terminal.document(&view)?;
    } else {
        prompt::lines(&view)
            .iter()
            .try_for_each(|line| terminal.line(line))?;
    }
    if view.is_same || !view.erased.is_empty() {
        return Ok(());
    }
    let what = "the request does not have the fingerprint that is recorded: it is not what the model was asked";
    Err(CliError::other(INTEGRITY, what))
}

async fn ask(common: &CommonArgs, query: Query) -> Result<Value, CliError> {
    let source = StoreSource::look(common).await?;
    source.ask(query).await?.first().await
}

async fn page(common: &CommonArgs, query: TranscriptQuery) -> Result<(), CliError> {
    let value = ask(common, Query::Transcript(query)).await?;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.document(&value);
    }
    let view: TranscriptView = serde_json::from_value(value).map_err(CliError::json)?;
    transcript::lines(common, &view)
        .iter()
        .try_for_each(|line| terminal.line(line))
}

/// Shows what became different between two positions.
async fn compare(common: &CommonArgs, query: StateDiffQuery) -> Result<(), CliError> {
    let value = ask(common, Query::StateDiff(query)).await?;
    let mut terminal = Terminal::new();
    if common.json {
        return terminal.document(&value);
    }
    let diff: StateDiff = serde_json::from_value(value).map_err(CliError::json)?;
    state_diff::lines(&diff)
        .iter()
        .try_for_each(|line| terminal.line(line))
}

fn state(value: Value, asked: Option<Position>) -> Result<Vec<String>, CliError> {
    let state: ReplayView = serde_json::from_value(value).map_err(CliError::json)?;
    let name = state
        .world
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let activity = format!("{:?}", state.activity).to_lowercase();
    let mut lines = vec![format!(
        "{} after event {}, {}, {activity}",
        paint(BOLD, &name),
        state.at,
        time(state.time)
    )];
    if let Some(asked) = asked.filter(|asked| *asked != state.at) {
        lines.push(paint(
            DIM,
            &format!(
                "event {asked} belongs to the commit that ends with event {}",
                state.at
            ),
        ));
    }
    lines.push(head("roster"));
    lines.extend(state.agents.iter().map(|agent| {
        let tools: Vec<String> = agent.tools.iter().map(ToString::to_string).collect();
        let tools = if tools.is_empty() {
            String::new()
        } else {
            format!(", tools {}", tools.join(" "))
        };
        let model = agent
            .model
            .as_ref()
            .map_or_else(|| "in code".to_owned(), |model| format!("model {model}"));
        format!(
            "  @{}  {model}{tools}  {}",
            agent.name,
            paint(DIM, &word(&agent.doing))
        )
    }));
    lines.extend(
        state
            .people
            .iter()
            .map(|person| format!("  {}  {} {}", person.display, person.method, person.subject)),
    );
    lines.push(head("transcript"));
    lines.extend(state.transcript.iter().map(|message| {
        let text = message
            .text
            .as_deref()
            .map_or_else(|| "[erased]".to_owned(), one_line);
        format!(
            "  {:>5}  {}: {}",
            message.at.get(),
            message.from,
            clip(&text, TEXT_MAX)
        )
    }));
    lines.push(head("waiting for people"));
    for one in &state.pending {
        lines.extend(
            request::block(&one.name, &request::asked(one))
                .into_iter()
                .map(|line| format!("  {line}")),
        );
    }
    lines.push(head("grants"));
    for one in &state.grants {
        lines.extend(
            request::block(&one.name, &grant::lines(one))
                .into_iter()
                .map(|line| format!("  {line}")),
        );
    }
    lines.push(head("budgets of open episodes"));
    lines.extend(state.episodes.iter().map(|episode| {
        let spent = episode.model_calls_total;
        let most = state.limits.model_calls_per_episode;
        format!(
            "  episode {}: {spent} of {}",
            episode.episode,
            counted(most, "model call")
        )
    }));
    lines.push(format!("{} {}", head("pipeline"), state.pipeline.digest));
    lines.extend(state.pipeline.stages.iter().map(stage));
    Ok(lines)
}

/// A stage of the pipeline. Stages with the same digest have the same settings.
fn stage(stage: &Stage) -> String {
    format!(
        "  {:<16}  {}  {}",
        stage.name,
        paint(DIM, &stage.digest.short()),
        stage.summary
    )
}

fn memory(value: Value) -> Result<Vec<String>, CliError> {
    let memory: MemoryView = serde_json::from_value(value).map_err(CliError::json)?;
    let mut lines = vec![format!(
        "{} after event {}, {}",
        paint(BOLD, memory.agent.as_str()),
        memory.at,
        word(&memory.doing)
    )];
    lines.push(head("memory"));
    lines.extend(
        memory
            .items
            .iter()
            .map(|item| format!("  {}", clip(&one_line(&told(item)), TEXT_MAX))),
    );
    lines.push(head("open calls"));
    lines.extend(memory.open_calls.iter().map(|call| {
        let tool = call
            .tool
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        format!(
            "  {tool} {}",
            hung(call.arguments.as_deref().unwrap_or("[erased]"), 4)
        )
    }));
    let inbox: Vec<String> = memory.inbox.iter().map(ToString::to_string).collect();
    lines.push(format!("{} {}", head("inbox"), inbox.join(", ")));
    lines.extend(
        memory
            .note
            .map(|note| format!("{} {}", head("note"), hung(&note, 2))),
    );
    Ok(lines)
}

fn head(text: &str) -> String {
    paint(BOLD, &format!("{text}:"))
}

fn word(value: &impl serde::Serialize) -> String {
    let word = serde_json::to_value(value)
        .ok()
        .and_then(|value| value.as_str().map(str::to_owned));
    word.unwrap_or_default().replace('_', " ")
}
