//! The page on the terminal: lines one after another, and drafts of replies while they are being
//! written.

use std::collections::{BTreeMap, VecDeque};

use folkmoot::core::ids::{AgentName, MessageId, Position};

use super::chat::ChatLine;
use super::keyed::KeyedRequest;
use super::news::ShownCommit;
use super::paint::Layout;
use super::progress::ProgressLine;
use super::screen::Screen;
use super::style::{DIM, paint};
use crate::exit::CliError;
use crate::text::gutter::{Flow, columns_of};

#[cfg(test)]
mod tests;

/// The most lines that may wait behind a draft. A draft that holds up more is broken off; the whole
/// reply is shown once it is there.
const HELD_MAX: usize = 1024;
/// The most bytes of text in those lines.
const HELD_BYTES_MAX: usize = 1024 * 1024;
/// The most bytes of a draft that are shown while it is written. The whole reply is shown once it is
/// there.
const DRAFT_BYTES_MAX: usize = 256 * 1024;

/// A page that is being written. Each text is on it once: a draft that was shown is only completed.
#[derive(Debug)]
pub(crate) struct StagePage {
    /// The screen.
    pub(crate) screen: Screen,
    /// The layout of lines.
    layout: Layout,
    /// Replies that may be shown while they are written: their beginning is in the log, their end
    /// is not.
    live: BTreeMap<MessageId, AgentName>,
    /// The text of each draft, as far as it came; of one whose beginning was missed, nothing.
    drafts: BTreeMap<MessageId, String>,
    /// The draft that is being shown; `None` if lines are printed as they come.
    floor: Option<DraftFloor>,
    /// The lines that wait behind that draft, oldest first.
    held: VecDeque<ChatLine>,
    /// The bytes of text in them.
    held_bytes: usize,
    /// The thing that was printed last, for whoever decides by keys.
    pub(crate) asked: KeyedRequest,
}

/// The draft that is being shown, and how much of it is. What happens meanwhile is shown behind it.
#[derive(Debug)]
struct DraftFloor {
    /// The message that the draft becomes.
    message: MessageId,
    /// The agent that writes it.
    agent: AgentName,
    /// The text that is shown already.
    shown: String,
    /// The lines that it is written in.
    flow: Flow,
}

impl StagePage {
    pub(crate) fn new(layout: Layout, progress: ProgressLine) -> Self {
        Self {
            screen: Screen::new(progress),
            layout,
            live: BTreeMap::new(),
            drafts: BTreeMap::new(),
            floor: None,
            held: VecDeque::new(),
            held_bytes: 0,
            asked: KeyedRequest::default(),
        }
    }

    /// Shows the lines of a commit, and notes which replies begin and end in it.
    pub(crate) fn commit(&mut self, commit: ShownCommit) -> Result<(), CliError> {
        let ShownCommit {
            last,
            begun,
            ended,
            lines,
        } = commit;
        self.live.extend(begun);
        for line in lines {
            self.show(line)?;
        }
        for agent in ended {
            self.live.retain(|_, speaker| *speaker != agent);
            if self
                .floor
                .as_ref()
                .is_some_and(|floor| floor.agent == agent)
            {
                self.break_off()?;
            }
        }
        self.drafts
            .retain(|message, _| message.0 > last || self.live.contains_key(message));
        self.take_floor()
    }

    /// Takes a piece of a draft. `seen` is how far the log has been shown.
    pub(crate) fn draft(
        &mut self,
        message: MessageId,
        offset: u64,
        delta: &str,
        seen: Position,
    ) -> Result<(), CliError> {
        if message.0 <= seen && !self.live.contains_key(&message) {
            return Ok(());
        }
        let draft = self.drafts.entry(message).or_default();
        // A piece that does not follow is of a draft whose beginning was missed, or that is too
        // long: the log will have it all.
        let fits = draft.len() + delta.len() <= DRAFT_BYTES_MAX;
        if fits && u64::try_from(draft.len()).is_ok_and(|len| len == offset) {
            draft.push_str(delta);
        }
        self.take_floor()
    }

    /// Shows a line, behind the draft that is being shown, if there is one.
    pub(crate) fn show(&mut self, line: ChatLine) -> Result<(), CliError> {
        match &self.floor {
            Some(floor) if floor.is_ended_by(&line) => self.complete(&line),
            Some(_) if self.has_room_for(&line) => {
                self.held_bytes += line.bytes();
                self.held.push_back(line);
                Ok(())
            }
            Some(_) => {
                self.break_off()?;
                self.print(&line)
            }
            None => self.print(&line),
        }
    }

    /// Shows what is being typed and what goes on, where it disturbs nothing.
    pub(crate) fn refresh(&mut self) -> Result<(), CliError> {
        let request = self.asked.at_once();
        self.screen
            .refresh(request.as_deref(), self.floor.is_some())
    }

    /// True if a draft is being shown: everything else waits behind it.
    pub(crate) const fn is_drafting(&self) -> bool {
        self.floor.is_some()
    }

    /// Ends the page.
    pub(crate) fn finish(&mut self) -> Result<(), CliError> {
        self.live.clear();
        self.break_off()?;
        self.screen.finish()
    }

    fn print(&mut self, line: &ChatLine) -> Result<(), CliError> {
        self.asked.printed(line);
        let text = self.layout.line(line);
        if matches!(line, ChatLine::ToType(_)) {
            self.screen.whole(&text)
        } else {
            self.screen.line(&text)
        }
    }

    /// Gives the floor to the oldest draft, and shows what is new of the one that has it.
    fn take_floor(&mut self) -> Result<(), CliError> {
        if self.floor.is_none() {
            let is_begun = |message: &MessageId| {
                self.drafts
                    .get(message)
                    .is_some_and(|draft| !draft.is_empty())
            };
            let Some((message, agent)) = self.live.iter().find(|(message, _)| is_begun(message))
            else {
                return Ok(());
            };
            let flow = self.layout.flow();
            let floor = DraftFloor {
                message: *message,
                agent: agent.clone(),
                shown: String::new(),
                flow,
            };
            self.asked.disturb();
            self.screen
                .piece(&self.layout.name(floor.agent.as_str(), false))?;
            self.floor = Some(floor);
        }
        let Some(floor) = &mut self.floor else {
            return Ok(());
        };
        let draft = self.drafts.get(&floor.message).map_or("", String::as_str);
        // Blanks at the end may be cut off in the message.
        let new = draft
            .get(floor.shown.len()..)
            .unwrap_or_default()
            .trim_end();
        floor.shown.push_str(new);
        self.screen.piece(&floor.flow.push(new))
    }

    /// The draft has become what `line` says: shows what was not shown of it.
    fn complete(&mut self, line: &ChatLine) -> Result<(), CliError> {
        let Some(mut floor) = self.floor.take() else {
            return Ok(());
        };
        self.live.remove(&floor.message);
        let ChatLine::Said { text, .. } = line else {
            return Ok(());
        };
        match text.trim_end().strip_prefix(floor.shown.as_str()) {
            Some(rest) => {
                let rest = floor.flow.push(rest) + &floor.flow.finish();
                self.screen.whole(&rest)?;
            }
            None => {
                self.leave(floor.flow, "replaced")?;
                self.print(line)?;
            }
        }
        self.release()
    }

    /// The draft comes to nothing.
    fn break_off(&mut self) -> Result<(), CliError> {
        if let Some(floor) = self.floor.take() {
            self.live.remove(&floor.message);
            self.leave(floor.flow, "broken off")?;
        }
        self.release()
    }

    /// Ends the line of a draft that became nothing, and says so: beside it, or below if it is full.
    fn leave(&mut self, mut flow: Flow, why: &str) -> Result<(), CliError> {
        let rest = flow.finish();
        let beside = format!(" … ({why})");
        if flow.has_room(columns_of(&beside)) {
            let line = format!("{rest}{}", paint(DIM, &beside));
            return self.screen.whole(&line);
        }
        self.screen.whole(&rest)?;
        let below = ChatLine::Quiet(why.to_owned());
        self.screen.line(&self.layout.line(&below))
    }

    fn has_room_for(&self, line: &ChatLine) -> bool {
        self.held.len() < HELD_MAX && self.held_bytes + line.bytes() <= HELD_BYTES_MAX
    }

    fn release(&mut self) -> Result<(), CliError> {
        self.held_bytes = 0;
        while let Some(line) = self.held.pop_front() {
            self.print(&line)?;
        }
        Ok(())
    }
}

impl DraftFloor {
    fn is_ended_by(&self, line: &ChatLine) -> bool {
        match line {
            ChatLine::Said { message, .. } => *message == self.message,
            ChatLine::Does { .. }
            | ChatLine::Shows { .. }
            | ChatLine::Quiet(_)
            | ChatLine::Good(_)
            | ChatLine::Bad(_)
            | ChatLine::Asks(..)
            | ChatLine::Keys { .. }
            | ChatLine::Note(_)
            | ChatLine::Plain(_)
            | ChatLine::ToType(_) => false,
        }
    }
}
