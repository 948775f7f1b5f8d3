//! The person's side of a chat: what a typed line does.

use folkmoot::core::command::Resolution;
use folkmoot::core::ids::{AgentName, GrantId, RequestId, WorldName};
use folkmoot::core::world::Activity;
use folkmoot::run::Waiting;
use tokio::sync::oneshot;

use super::dialog::{Dialog, DialogTurn};
use super::keys::{Meaning, acts_at_once};
use super::reach::RoomReach;
use crate::arguments::CommonArgs;
use crate::commands::place;
use crate::desk::deed::Deed;
use crate::desk::fork::ForkView;
use crate::desk::room::{RoomState, RoomWish};
use crate::desk::ruling::Matter;
use crate::exit::{CliError, PENDING, USAGE};
use crate::show::chat::ChatLine;
use crate::show::foot::TypedText;
use crate::show::keyed::KeyedRequest;
use crate::show::progress::doing_word;
use crate::show::request::DecisionForm;
use crate::show::stage::{Cues, StageNews};
use crate::show::{grant, request};

const HELP: [&str; 12] = [
    "type to talk to the room; @name at the start of a line addresses an agent",
    "/help       this",
    "/agents     who is here, and what they do",
    "/approvals  what waits for you",
    "/grants     which calls are allowed without asking",
    "/revoke N   ends the grant N",
    "/say TEXT   talks, even while a question waits for an answer",
    "/stop       stops what goes on",
    "/fork NAME  branches this room off, to try something else there",
    "/quit       ends the chat; the room is kept",
    "while a request waits, its keys answer it if it was shown last; else it is shown again",
    "Tab completes names and commands, Alt-Enter begins a new line, Esc leaves the keys of a request",
];

/// The step after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterLine {
    /// Another one.
    Line,
    /// The end.
    Quit,
}

/// The person's side of a chat.
pub(super) struct ChatTable<'a> {
    common: &'a CommonArgs,
    room: &'a RoomReach,
    stage: Cues,
    asked: KeyedRequest,
    dialog: Option<Dialog>,
}

impl<'a> ChatTable<'a> {
    pub(super) const fn new(
        common: &'a CommonArgs,
        room: &'a RoomReach,
        stage: Cues,
        asked: KeyedRequest,
    ) -> Self {
        Self {
            common,
            room,
            stage,
            asked,
            dialog: None,
        }
    }

    /// Does what a line asks for.
    pub(super) async fn line(&mut self, line: &str) -> Result<AfterLine, CliError> {
        // A command drops what is half decided.
        if let Some(dialog) = self
            .dialog
            .take()
            .filter(|_| !line.trim_start().starts_with('/'))
        {
            self.go_on(dialog, line).await?;
            return Ok(AfterLine::Line);
        }
        let waiting = self.state().await?.waiting;
        let shown = waiting
            .iter()
            .find(|request| self.asked.is_ready(&request.name));
        // Whoever leaves the keys of a request talks to the room.
        let request = shown
            .or(waiting.first())
            .filter(|request| !self.asked.has_left(&request.name));
        match (Meaning::of(line, request), request) {
            (Meaning::Nothing, _) => {}
            (Meaning::Say(text), _) => self.say(&text).await?,
            (Meaning::Decide(resolution), Some(request)) if shown.is_some() => {
                self.decide(request.request, &request.agent, resolution)
                    .await?
            }
            (Meaning::Ask(dialog), Some(_)) if shown.is_some() => self.ask(dialog).await,
            // Something was printed since: nobody answers what they have not just seen.
            (Meaning::Decide(_) | Meaning::Ask(_) | Meaning::Details, Some(request)) => {
                self.details(request).await;
            }
            (Meaning::Decide(_) | Meaning::Ask(_) | Meaning::Details, None) => {}
            (Meaning::Command(command), _) => return self.command(&command, &waiting).await,
        }
        Ok(AfterLine::Line)
    }

    /// True if the key alone answers the request whose keys were shown last, without the end of a
    /// line.
    pub(super) async fn acts_on(&self, key: char) -> Result<bool, CliError> {
        let asked = self.asked.at_once();
        if let Some(dialog) = &self.dialog {
            return Ok(asked.as_ref() == Some(&dialog.name) && dialog.acts_on(key));
        }
        // The question of what else waits can always be asked: nothing is decided by it.
        if asked.is_none() && key != '?' {
            return Ok(false);
        }
        let waiting = self.state().await?.waiting;
        let is_asked = |request: &&Waiting| asked.as_ref().is_none_or(|name| *name == request.name);
        let request = waiting.iter().find(is_asked);
        let request = request.filter(|request| !self.asked.has_left(&request.name));
        Ok(request.is_some_and(|request| acts_at_once(key, request)))
    }

    /// Leaves the keys that were shown; returns whether a decision that was half made is dropped.
    pub(super) async fn leave(&mut self) -> bool {
        let is_dropped = self.asked.leave() && self.dialog.take().is_some();
        if is_dropped {
            self.tell(ChatLine::Quiet("nothing is decided".to_owned()))
                .await;
        }
        is_dropped
    }

    /// Returns the text that a person is asked to change; `None` if they are asked for none.
    pub(super) fn proposal(&self) -> Option<&str> {
        self.dialog.as_ref().and_then(Dialog::proposal)
    }

    /// Returns the words that can be completed: whom a message can address, and the commands.
    pub(super) async fn words(&self) -> Result<Vec<String>, CliError> {
        let RoomState { agents, people, .. } = self.state().await?;
        let agents = agents.into_iter().map(|(agent, _)| agent.to_string());
        let people = people.into_iter().map(|person| person.to_string());
        let names = agents.chain(people).map(|name| format!("@{name}"));
        let commands = HELP
            .iter()
            .filter_map(|line| line.split(' ').next())
            .filter(|word| word.starts_with('/'));
        Ok(names.chain(commands.map(str::to_owned)).collect())
    }

    /// Shows what is being typed.
    pub(super) async fn typed(&self, typed: TypedText) {
        self.stage.tell(StageNews::Typed(typed)).await;
    }

    /// Writes the foot anew, on an empty screen if it `clears` it.
    pub(super) async fn redraw(&self, clears: bool) {
        self.stage.tell(StageNews::Redraw { clears }).await;
    }

    async fn command(&self, command: &str, waiting: &[Waiting]) -> Result<AfterLine, CliError> {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        match word {
            "help" => {
                for line in HELP {
                    self.tell(ChatLine::Plain(line.to_owned())).await;
                }
            }
            "agents" => self.agents().await?,
            "approvals" if waiting.is_empty() => {
                self.tell(ChatLine::Quiet("nothing waits".to_owned())).await;
            }
            "approvals" => {
                for request in waiting {
                    self.details(request).await;
                }
            }
            "say" => self.say(rest).await?,
            "stop" => {
                self.stop().await?;
            }
            "quit" => return Ok(AfterLine::Quit),
            "grants" => self.grants().await?,
            "revoke" => self.revoke(rest).await?,
            "fork" => self.fork(rest).await,
            word => {
                let what = format!("there is no /{word}; /help lists what there is");
                self.tell(ChatLine::Bad(what)).await;
            }
        }
        Ok(AfterLine::Line)
    }

    async fn state(&self) -> Result<RoomState, CliError> {
        self.room.state(RoomWish::State).await
    }

    async fn say(&self, text: &str) -> Result<(), CliError> {
        let said = self.room.act(Deed::Say {
            text: text.to_owned(),
            reply_to: None,
        });
        let said = said.await;
        self.survive(said).await
    }

    async fn decide(
        &self,
        request: RequestId,
        seen: &AgentName,
        resolution: Resolution,
    ) -> Result<(), CliError> {
        let matter = Matter::Request {
            request,
            seen: Some(seen.clone()),
            resolution,
        };
        let taken = self.room.rule(self.common, matter).await;
        self.survive(taken).await
    }

    /// Asks for what is missing of a decision.
    async fn ask(&mut self, dialog: Dialog) {
        let mut asks = dialog.asks();
        let keys = asks.pop().unwrap_or_default();
        self.tell(ChatLine::Keys {
            name: dialog.name.clone(),
            again: Some(asks),
            keys,
        })
        .await;
        self.dialog = Some(dialog);
    }

    async fn go_on(&mut self, dialog: Dialog, line: &str) -> Result<(), CliError> {
        let request = dialog.request;
        let agent = dialog.agent.clone();
        if !self.asked.is_ready(&dialog.name) {
            // Something was printed since: the question is put again.
            self.ask(dialog).await;
            return Ok(());
        }
        match dialog.take(line) {
            DialogTurn::More(dialog) => self.ask(dialog).await,
            DialogTurn::Again(dialog, why) => {
                self.tell(ChatLine::Bad(why.to_owned())).await;
                self.ask(dialog).await;
            }
            DialogTurn::Decided(resolution) => self.decide(request, &agent, resolution).await?,
            DialogTurn::Dropped => {
                self.tell(ChatLine::Quiet("nothing is decided".to_owned()))
                    .await;
            }
        }
        Ok(())
    }

    async fn grants(&self) -> Result<(), CliError> {
        let all = match self.room.grants().await {
            Ok(all) => all,
            Err(error) => return self.survive(Err(error)).await,
        };
        if all.is_empty() {
            self.tell(ChatLine::Quiet("no call is allowed in advance".to_owned()))
                .await;
        }
        for one in all {
            self.tell(ChatLine::Asks(one.name.clone(), grant::lines(&one)))
                .await;
            let how = format!("/revoke {} ends it", one.grant);
            self.tell(ChatLine::Quiet(how)).await;
        }
        Ok(())
    }

    async fn revoke(&self, name: &str) -> Result<(), CliError> {
        match place::of(self.room.world(), name.trim(), "grant") {
            Ok(at) => {
                let matter = Matter::Grant(GrantId(at));
                let revoked = self.room.rule(self.common, matter).await;
                self.survive(revoked).await
            }
            Err(error) => {
                self.tell(ChatLine::Bad(error.to_string())).await;
                Ok(())
            }
        }
    }

    /// Branches the room off as it stands; the chat goes on in this one.
    async fn fork(&self, name: &str) {
        let Ok(name) = WorldName::new(name.trim()) else {
            let how = "/fork NAME branches this room off under that name";
            return self.tell(ChatLine::Bad(how.to_owned())).await;
        };
        match self.room.fork(name).await {
            Ok(view) => {
                let program = self.common.program();
                let ForkView { world, at, .. } = view;
                let done = format!("{world} is branched off behind event {at}");
                self.tell(ChatLine::Quiet(done)).await;
                let next = format!("go on there with: {program} chat {world}");
                self.tell(ChatLine::Quiet(next)).await;
            }
            Err(error) => self.tell(ChatLine::Bad(error.to_string())).await,
        }
    }

    async fn agents(&self) -> Result<(), CliError> {
        for (agent, doing) in self.state().await?.agents {
            let line = if self.room.knows_doings() {
                format!("@{agent}  {}", doing_word(doing))
            } else {
                format!("@{agent}")
            };
            self.tell(ChatLine::Plain(line)).await;
        }
        Ok(())
    }

    /// Stops what goes on; says whether anything did.
    pub(super) async fn stop(&self) -> Result<bool, CliError> {
        if self.state().await?.activity == Activity::Idle {
            self.tell(ChatLine::Quiet("nothing goes on".to_owned()))
                .await;
            return Ok(false);
        }
        let stopped = self.room.act(Deed::Stop).await;
        self.survive(stopped).await?;
        Ok(true)
    }

    /// Waits until nothing goes on any more.
    pub(super) async fn settle(&self) -> Result<(), CliError> {
        let RoomState { waiting, head, .. } = self.room.state(RoomWish::Rest).await?;
        // A question that is half answered is the last thing that was shown, and stays it.
        let waiting = if self.dialog.is_some() {
            Vec::new()
        } else {
            waiting
        };
        self.stage.tell(StageNews::Waits(waiting)).await;
        let (done, shown) = oneshot::channel();
        self.stage.tell(StageNews::Sync(head, done)).await;
        // A stage that has ended shows nothing any more, and ends the chat elsewhere.
        let _ended = shown.await;
        Ok(())
    }

    async fn details(&self, request: &Waiting) {
        let reaches = request::reaches(request, DecisionForm::Keys);
        let commands = request::commands(self.common, request, Some(self.room.by()));
        for line in reaches {
            self.tell(ChatLine::Plain(line)).await;
        }
        for command in commands {
            self.tell(ChatLine::ToType(command)).await;
        }
        self.tell(ChatLine::Keys {
            name: request.name.clone(),
            again: Some(request::asked(request)),
            keys: request::keys(request).to_owned(),
        })
        .await;
    }

    /// A refusal is told, and the chat goes on. A world that has ended ends it.
    async fn survive(&self, result: Result<(), CliError>) -> Result<(), CliError> {
        match result {
            Err(CliError::Other {
                code: PENDING | USAGE,
                message,
            }) => {
                self.tell(ChatLine::Bad(message)).await;
                Ok(())
            }
            result => result,
        }
    }

    async fn tell(&self, line: ChatLine) {
        self.stage.tell(StageNews::Show(line)).await;
    }
}
