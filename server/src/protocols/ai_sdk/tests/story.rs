//! Feeds at random, as a room could tell them.

use serde_json::{Value, json};

use crate::protocols::recorded::step;
use crate::protocols::run::Step;

/// The episode that the stories are about.
pub(super) const EPISODE: u64 = 1;
const TIME: &str = "2026-11-25T22:11:44.863Z";
const AGENTS: [&str; 2] = ["planner", "worker"];
const WORDS: [&str; 5] = ["ship", "größer", "日本", "👩‍🚀 ", "\n\n"];

/// A story in the making.
#[derive(Debug, Default)]
pub(super) struct Story {
    pub(super) steps: Vec<Step>,
    at: u64,
    agents: [Agent; 2],
    /// The number of calls so far.
    calls: u64,
    /// The requests that wait, by their positions.
    waiting: Vec<Asked>,
    /// The texts that were said, by their messages.
    pub(super) said: Vec<(String, String)>,
    /// The places behind which the room waits for people alone: how many steps were told, and the
    /// place of the newest request that waits.
    pub(super) rests: Vec<(usize, u64)>,
}

#[derive(Debug, Default)]
struct Agent {
    turn: Option<u64>,
    /// The message that is being written, and its text so far.
    draft: Option<(u64, String)>,
    /// The calls that run.
    running: Vec<String>,
}

#[derive(Debug)]
struct Asked {
    request: u64,
    who: usize,
    call: String,
}

impl Story {
    /// A story of these deeds: what, by whom, and with which word.
    pub(super) fn of(deeds: &[(u8, u8)]) -> Self {
        let mut story = Self::default();
        story.push(json!({ "type": "message", "message": EPISODE, "author": { "person": "ada" }, "text": "go" }), None);
        for (deed, chance) in deeds {
            story.tell(*deed, usize::from(*chance));
            story.note_rest();
        }
        for who in 0..AGENTS.len() {
            story.close(who);
        }
        story.push(
            json!({ "type": "activity", "activity": "episode_ended" }),
            None,
        );
        story
    }

    fn tell(&mut self, deed: u8, chance: usize) {
        let who = chance % 2;
        if self.agents[who].turn.is_none() {
            return self.open(who);
        }
        match deed % 12 {
            0..=2 => self.write(who, WORDS[chance % WORDS.len()]),
            3 => self.say(who),
            4 => self.end_draft(who, "aborted"),
            5 => self.start(who),
            6 => self.ask(who),
            7 => self.decide(chance),
            8 => self.finish(who, "done"),
            9 => self.close(who),
            10 => self.elsewhere(who),
            _ => self.refuse(who),
        }
    }

    /// Puts an item of the episode, or one of no agent.
    fn push(&mut self, item: Value, who: Option<usize>) -> u64 {
        self.push_of(EPISODE, item, who)
    }

    fn push_of(&mut self, episode: u64, mut item: Value, who: Option<usize>) -> u64 {
        self.at += 1;
        item["id"] = self.at.to_string().into();
        item["time"] = TIME.into();
        item["episode"] = episode.into();
        if let Some(who) = who {
            item["agent"] = AGENTS[who].into();
            item["turn"] = self.agents[who].turn.unwrap_or(self.at).into();
        }
        self.steps.push(step(item));
        self.at
    }

    fn open(&mut self, who: usize) {
        let at = self.push(
            json!({ "type": "activity", "activity": "turn_opened" }),
            Some(who),
        );
        self.agents[who].turn = Some(at);
    }

    fn write(&mut self, who: usize, word: &str) {
        let (message, text) = self.agents[who].draft.get_or_insert_with(|| {
            self.at += 1;
            (self.at, String::new())
        });
        let line = json!({
            "type": "draft", "agent": AGENTS[who], "message": message, "offset": text.len(), "text": word,
        });
        text.push_str(word);
        self.steps.push(step(line));
    }

    /// The draft is said, with some more words; without a draft, a message comes at once.
    fn say(&mut self, who: usize) {
        let draft = self.agents[who].draft.take();
        let (message, mut text) = draft.clone().unwrap_or((self.at + 1, String::new()));
        if draft.is_some() {
            // A server that was started anew knows no more than the log.
            let ending = ["whole", "unknown"][text.len() % 2];
            let end = json!({ "type": "draft_end", "message": message, "ending": ending });
            self.steps.push(step(end));
        }
        text.push_str("end");
        let item = json!({
            "type": "message", "message": message, "author": { "agent": AGENTS[who] }, "text": text,
        });
        self.push(item, Some(who));
        self.said.push((message.to_string(), text));
    }

    fn end_draft(&mut self, who: usize, ending: &str) {
        if let Some((message, _)) = self.agents[who].draft.take() {
            let end = json!({ "type": "draft_end", "message": message, "ending": ending });
            self.steps.push(step(end));
        }
    }

    fn new_call(&mut self) -> String {
        self.calls += 1;
        format!("{:032x}", self.calls)
    }

    fn start(&mut self, who: usize) {
        let call = self.new_call();
        self.run(who, call, "{}");
    }

    fn run(&mut self, who: usize, call: String, arguments: &str) {
        let item = json!({
            "type": "call_started", "call": call, "tool": "file", "arguments": arguments, "attempt": 1, "effect": "write",
        });
        self.push(item, Some(who));
        self.agents[who].running.push(call);
    }

    fn ask(&mut self, who: usize) {
        let call = self.new_call();
        let at = self.at + 1;
        let request = json!({
            "name": format!("desk#{at}"), "request": at, "agent": AGENTS[who], "tool": "file",
            "arguments": "{\"line\":1}",
            "asks": {
                "kind": "approval", "text": "may it?", "shown": "ab".repeat(32), "expires_at": TIME,
                "offers": { "any_args": false, "lasts_ms": 0 },
            },
        });
        let item = json!({ "type": "request", "call": call, "request": request });
        let request = self.push(item, Some(who));
        self.waiting.push(Asked { request, who, call });
    }

    /// The oldest request is allowed, allowed with other arguments, denied, or out of time.
    fn decide(&mut self, chance: usize) {
        if self.waiting.is_empty() {
            return;
        }
        let Asked { request, who, call } = self.waiting.remove(0);
        let how = ["allow", "allow", "deny", "expired"][chance % 4];
        let item = json!({ "type": "decision", "request": request, "call": call, "how": how });
        self.push(item, Some(who));
        match chance % 4 {
            0 => self.run(who, call, "{\"line\":1}"),
            1 => {
                let by = self.new_call();
                let item = json!({ "type": "call_replaced", "call": call, "by": by });
                self.push(item, Some(who));
                self.run(who, by, "{\"line\":2}");
            }
            2 => self.end_call(who, &call, "denied"),
            _ => self.end_call(who, &call, "expired"),
        }
    }

    fn finish(&mut self, who: usize, status: &str) {
        if let Some(call) = self.agents[who].running.pop() {
            self.end_call(who, &call, status);
        }
    }

    /// A call that never ran.
    fn refuse(&mut self, who: usize) {
        let call = self.new_call();
        self.end_call(who, &call, "missing");
    }

    fn end_call(&mut self, who: usize, call: &str, status: &str) {
        let item =
            json!({ "type": "call_finished", "call": call, "tool": "file", "status": status });
        self.push(item, Some(who));
    }

    fn close(&mut self, who: usize) {
        if self.agents[who].turn.is_none() {
            return;
        }
        self.end_draft(who, "aborted");
        while !self.agents[who].running.is_empty() {
            self.finish(who, "cancelled");
        }
        let theirs = self.waiting.iter().position(|asked| asked.who == who);
        if let Some(at) = theirs {
            let asked = self.waiting.remove(at);
            let closed = json!({
                "type": "decision", "request": asked.request, "call": asked.call, "how": "closed",
            });
            self.push(closed, Some(who));
            self.end_call(who, &asked.call, "cancelled");
            return self.close(who);
        }
        let activity = json!({ "turn_closed": "answered" });
        self.push(
            json!({ "type": "activity", "activity": activity }),
            Some(who),
        );
        self.agents[who].turn = None;
    }

    /// Something in another episode.
    fn elsewhere(&mut self, who: usize) {
        let message = self.at + 1;
        let item = json!({
            "type": "message", "message": message, "author": { "agent": AGENTS[who] }, "text": "elsewhere",
        });
        self.push_of(message, item, Some(who));
    }

    fn note_rest(&mut self) {
        let works = |agent: &Agent| agent.draft.is_some() || !agent.running.is_empty();
        if self.agents.iter().any(works) {
            return;
        }
        if let Some(newest) = self.waiting.iter().map(|asked| asked.request).max() {
            self.rests.push((self.steps.len(), newest));
        }
    }
}
