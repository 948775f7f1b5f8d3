//! `folkmoot chat`.

use std::io::IsTerminal as _;
use std::path::Path;

use folkmoot::core::event::ClockKind;
use folkmoot::core::ids::{PersonName, WorldName};
use folkmoot::core::spec::Definition;
use folkmoot::core::world::World;
use folkmoot::script::Script;
use folkmoot::store::OpenMode;
use folkmoot::{FoldError, Opening, Proof, fold_world};

use crate::arguments::{ChatArgs, CommonArgs, Spec};
use crate::commands::resume::definition;
use crate::commands::run::finish;
use crate::desk::entrance::Entrance;
use crate::desk::room::{RoomState, RoomWish};
use crate::exit::{CUT_OFF, CliError, INTERRUPTED, PENDING, USAGE};
use crate::recording::Recording;
use crate::remote::Remote;
use crate::session::Session;
use crate::show::chat::{Chat as Lines, ChatLine};
use crate::show::keyed::KeyedRequest;
use crate::show::stage::{ChatStage, Hints, Prompter, StageNews};
use crate::terminal::Terminal;
use crate::{credentials, show, signing, terminal};

mod dialog;
mod editor;
mod elsewhere;
mod held;
mod input;
mod keys;
mod reach;
mod table;
mod terminal_input;
mod typing;

use input::{Typed, TypedInput};
use reach::{ReachedDesk, RoomReach};
use table::{AfterLine, ChatTable};
use terminal_input::TerminalInput;

/// Opens a room and talks in it.
pub(crate) async fn chat(common: &CommonArgs, arguments: &ChatArgs) -> Result<(), CliError> {
    if common.json {
        return Err(CliError::other(
            USAGE,
            "a chat is for people: --json works with `run` and `log`",
        ));
    }
    let by = arguments.by.clone().or_else(crate::person::login);
    let by = by.ok_or_else(|| CliError::other(USAGE, "say how you are called: --as NAME"))?;
    if let Some(remote) = Remote::of(common)? {
        return Box::pin(elsewhere::talk(common, arguments, remote, by)).await;
    }
    let room = ChatRoom::find(arguments, by.clone())?;
    if let Some(definition) = room.definition() {
        // A variable that is missing is said before a store is made.
        credentials::check_unless_held(definition, &common.store).await?;
    }
    let signer = signing::signer(common)?;
    let recording = Recording::begin(&arguments.recording, room.definition())?;
    let session = Session::open_or_find(
        (&common.store, room.base()),
        room.mode(),
        room.name.clone(),
        &recording,
        signer,
    );
    match session.await? {
        Ok(session) => {
            let result = Box::pin(talk(common, &room, by, &session)).await;
            recording.end(session.end(result).await)
        }
        Err(in_use) => {
            recording.refuse_held(&in_use)?;
            Box::pin(held::talk(common, &room.name, room.entrance, by)).await
        }
    }
}

/// A file is a script, and so is what looks like the name of one; anything else is a world's name.
fn is_script(room: &str) -> bool {
    let path = Path::new(room);
    let looks_like_file = path
        .extension()
        .is_some_and(|extension| extension == "yaml" || extension == "yml");
    path.is_file() || looks_like_file || room.contains('/')
}

/// The room that is opened.
struct ChatRoom {
    name: WorldName,
    entrance: Option<Entrance>,
}

impl ChatRoom {
    fn find(arguments: &ChatArgs, by: PersonName) -> Result<Self, CliError> {
        let path = Path::new(&arguments.room);
        if is_script(&arguments.room) {
            let script = Script::load(path)?;
            let name = arguments
                .world
                .clone()
                .unwrap_or_else(|| script.world.clone());
            let mut entrance = Entrance::of(&script, name.clone())?;
            entrance.by = Some(by);
            entrance.keeps = arguments.room_of.spec == Some(Spec::Keep);
            entrance.revises = arguments.room_of.revise;
            return Ok(Self {
                name,
                entrance: Some(entrance),
            });
        }
        let name = WorldName::new(&arguments.room)
            .map_err(|error| CliError::other(USAGE, error.to_string()))?;
        Ok(Self {
            name,
            entrance: None,
        })
    }

    /// The definition of the script, if there is one.
    fn definition(&self) -> Option<&Definition> {
        self.entrance.as_ref().map(|entrance| &entrance.definition)
    }

    /// The folder of its script, if it has one.
    fn base(&self) -> Option<&Path> {
        self.entrance
            .as_ref()
            .map(|entrance| entrance.base.as_path())
    }

    const fn mode(&self) -> OpenMode {
        if self.entrance.is_some() {
            OpenMode::Create
        } else {
            OpenMode::Existing
        }
    }

    fn opening(&self, before: &World, by: &Proof) -> Result<Opening, CliError> {
        if let Some(entrance) = &self.entrance {
            return entrance.opening(before, by);
        }
        if before.effects() == folkmoot::core::event::ForkEffects::Live {
            credentials::check(&definition(before))?;
        }
        Ok(Opening {
            clock: ClockKind::System,
            ..Opening::recorded(self.name.clone())
        })
    }

    /// Refuses a name that nobody can have in the room, before anything is recorded.
    fn check_name(&self, by: &PersonName, before: &World) -> Result<(), CliError> {
        if let Some(entrance) = &self.entrance {
            return entrance.check_name(by, before);
        }
        let fault = before.name_fault(by);
        fault.map_or(Ok(()), |why| Err(CliError::other(USAGE, why)))
    }
}

async fn talk(
    common: &CommonArgs,
    room: &ChatRoom,
    by: PersonName,
    session: &Session,
) -> Result<(), CliError> {
    let runtime = session.desk.runtime();
    let before = match fold_world(&**runtime.log(), &room.name, None).await {
        Err(FoldError::NoSuchWorld(_)) if room.entrance.is_some() => World::default(),
        folded => folded?,
    };
    let proof = Proof::local(crate::person::uid(), by.clone());
    room.check_name(&by, &before)?;
    let world = runtime.open(room.opening(&before, &proof)?).await?;
    let reach = RoomReach::new(
        ReachedDesk::Own(session.desk.clone()),
        room.name.clone(),
        by.clone(),
    );
    let state = reach.state(RoomWish::State).await?;
    let lines = Lines::new(room.name.as_str(), &before, None);
    let names = names(&state, &by);
    let mut prompter = ChatStage::new(common, runtime, lines, &names, &before).begin();
    prompter.opened(&world).await;
    let end = sit(common, &reach, &state, &mut prompter).await?;
    finish(runtime, &room.name, prompter).await?;
    part(common, &reach, end).await
}

/// The names of those who speak: the agents, and the person.
fn names(state: &RoomState, by: &PersonName) -> Vec<String> {
    let agents = state.agents.iter().map(|(agent, _)| agent.to_string());
    agents.chain([by.to_string()]).collect()
}

/// Takes what is typed, and does it, until that ends or the stage does.
async fn sit(
    common: &CommonArgs,
    reach: &RoomReach,
    state: &RoomState,
    prompter: &mut Prompter,
) -> Result<ChatEnd, CliError> {
    let asked = KeyedRequest::default();
    let keys = Hints::Keys(asked.clone());
    greet(prompter, reach, state).await;
    // Last: the keys of a request act while nothing stands below it.
    prompter.tell(StageNews::Hints(keys)).await;
    let mut table = ChatTable::new(common, reach, prompter.cues(), asked);
    tokio::select! {
        end = Box::pin(take_input(&mut table)) => end,
        error = prompter.ended() => {
            Err(if matches!(error, CliError::Closed) { CliError::Said(CUT_OFF) } else { error })
        }
    }
}

async fn greet(prompter: &Prompter, reach: &RoomReach, state: &RoomState) {
    if std::io::stdin().is_terminal() {
        let agents: Vec<String> = state
            .agents
            .iter()
            .map(|(agent, _)| format!("@{agent}"))
            .collect();
        let text = format!(
            "{} with {}. /help says what you can type.",
            reach.world(),
            agents.join(", ")
        );
        prompter.tell(StageNews::Show(ChatLine::Quiet(text))).await;
    }
}

/// The way in which a chat ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChatEnd {
    /// By `/quit`.
    Quit,
    /// There is no more input.
    NoMore,
    /// By Ctrl-C.
    Interrupted,
}

/// Takes what is typed at a terminal, or comes through a pipe.
async fn take_input(table: &mut ChatTable<'_>) -> Result<ChatEnd, CliError> {
    if terminal::can_be_typed_on() {
        typing::converse(table, TerminalInput::begin()?).await
    } else {
        converse(table, TypedInput::begin()?).await
    }
}

/// Takes lines, until they end.
async fn converse(table: &mut ChatTable<'_>, mut input: TypedInput) -> Result<ChatEnd, CliError> {
    if !input.is_terminal()
        && let Some(end) = settle(table, &mut input).await?
    {
        return Ok(end);
    }
    loop {
        match input.next().await {
            Typed::Line(line) if table.line(&line).await? == AfterLine::Quit => {
                return Ok(ChatEnd::Quit);
            }
            // What comes through a pipe is taken line by line, each when the last one is answered.
            Typed::Line(_) if !input.is_terminal() => {
                if let Some(end) = settle(table, &mut input).await? {
                    return Ok(end);
                }
            }
            Typed::Line(_) => {}
            Typed::NoMore => {
                return Ok(settle(table, &mut input).await?.unwrap_or(ChatEnd::NoMore));
            }
            Typed::Interrupt if table.stop().await? => {}
            Typed::Interrupt => return Ok(ChatEnd::Interrupted),
        }
    }
}

/// Waits until nothing goes on; Ctrl-C stops what does, and ends the chat if nothing does.
async fn settle(
    table: &ChatTable<'_>,
    input: &mut TypedInput,
) -> Result<Option<ChatEnd>, CliError> {
    loop {
        tokio::select! {
            settled = table.settle() => return settled.map(|()| None),
            () = input.interrupted() => {
                if !table.stop().await? {
                    return Ok(Some(ChatEnd::Interrupted));
                }
            }
        }
    }
}

/// Says what still waits, and ends as the chat ended.
async fn part(common: &CommonArgs, reach: &RoomReach, end: ChatEnd) -> Result<(), CliError> {
    let waiting = reach.state(RoomWish::State).await?.waiting;
    if !waiting.is_empty() {
        let by = Some(reach.by());
        show::request::pending_for(by, &mut Terminal::new(), common, reach.world(), &waiting)?;
    }
    match end {
        ChatEnd::Interrupted => Err(CliError::Said(INTERRUPTED)),
        ChatEnd::NoMore if !waiting.is_empty() => Err(CliError::Said(PENDING)),
        ChatEnd::NoMore | ChatEnd::Quit => Ok(()),
    }
}
