//! A recorded feed, and feeds that are drawn: the tests of all protocols read them.

use std::collections::BTreeSet;

use folkmoot::core::ids::{Attempt, CallId, EpisodeId, Time, TurnId, WorldId};
use folkmoot::core::tool::EffectClass;
use folkmoot::{
    AgentName, Author, CallStatus, CloseReason, DraftEnding, FeedActivity, FeedBody, FeedItem,
    ItemId, MessageId, PersonName, Position,
};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::Value;

use super::run::{DraftNews, Step};

/// A feed of two agents: drafts, an approval with other arguments, a denial, a stop, an edit and a message taken back.
pub(crate) fn recorded() -> Vec<Step> {
    let lines = include_str!("recorded.jsonl").lines();
    lines
        .map(|line| step(serde_json::from_str(line).unwrap()))
        .collect()
}

/// The episodes of the items.
pub(crate) fn episodes(steps: &[Step]) -> BTreeSet<EpisodeId> {
    let items = steps.iter().filter_map(|step| match step {
        Step::Item(item) => item.episode,
        Step::Draft(_) | Step::Rest(_) | Step::Bye => None,
    });
    items.collect()
}

/// A frame of a feed as a server sends it.
pub(crate) fn step(mut frame: Value) -> Step {
    let text = |frame: &Value, name: &str| frame[name].as_str().unwrap().to_owned();
    let message = || MessageId(Position::new(frame["message"].as_u64().unwrap()));
    match frame["type"].as_str().unwrap() {
        "draft" => Step::Draft(DraftNews::Piece {
            agent: named(&text(&frame, "agent")),
            message: message(),
            offset: frame["offset"].as_u64().unwrap(),
            text: text(&frame, "text"),
        }),
        "draft_end" => Step::Draft(DraftNews::End {
            message: message(),
            ending: serde_json::from_value(frame["ending"].clone()).unwrap(),
        }),
        _ => {
            for place in ["/time", "/request/asks/expires_at"] {
                if let Some(time) = frame.pointer_mut(place) {
                    let stamp: Timestamp = time.as_str().unwrap().parse().unwrap();
                    *time = stamp.as_millisecond().into();
                }
            }
            Step::Item(serde_json::from_value(frame).unwrap())
        }
    }
}

fn named(agent: &str) -> AgentName {
    AgentName::new(agent).unwrap()
}

/// A deed of one of two agents, in a feed that is drawn.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Says(String, Vec<usize>, DraftEnding),
    Calls(CallStatus),
    Ends(CloseReason),
    Person(String),
}

prop_compose! {
    /// A text of some words, and places to cut it.
    fn text()(words in prop::collection::vec(prop::sample::select(vec!["a", "größer ", "日本", "👩‍🚀", "\n\n", ""]), 1..6),
        cuts in prop::collection::vec(0..40_usize, 0..4)) -> (String, Vec<usize>) {
        (words.concat(), cuts)
    }
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => (text(), prop::sample::select(vec![DraftEnding::Whole, DraftEnding::Aborted, DraftEnding::Unknown]))
            .prop_map(|((text, cuts), ending)| Deed::Says(text, cuts, ending)),
        2 => prop::sample::select(vec![CallStatus::Done, CallStatus::Denied, CallStatus::Forbidden]).prop_map(Deed::Calls),
        1 => prop::sample::select(vec![CloseReason::Answered, CloseReason::Stopped, CloseReason::Failed]).prop_map(Deed::Ends),
        1 => text().prop_map(|(text, _)| Deed::Person(text)),
    ]
}

/// A feed of two agents that work at the same time.
pub(crate) fn feed() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..2_usize, deed()), 1..24).prop_map(|deeds| {
        let mut drawn = Drawn::default();
        for (agent, deed) in deeds {
            drawn.act(["ann", "bea"][agent], deed);
        }
        drawn.steps
    })
}

/// A feed while it is drawn.
#[derive(Default)]
struct Drawn {
    steps: Vec<Step>,
    at: u64,
    open: BTreeSet<&'static str>,
}

impl Drawn {
    fn act(&mut self, agent: &'static str, deed: Deed) {
        if !matches!(deed, Deed::Person(_)) && self.open.insert(agent) {
            let activity = FeedActivity::TurnOpened;
            self.item(Some(agent), FeedBody::Activity { activity });
        }
        match deed {
            Deed::Says(text, cuts, ending) => self.say(agent, &text, &cuts, ending),
            Deed::Calls(status) => self.call(agent, status),
            Deed::Ends(reason) => {
                self.open.remove(agent);
                let activity = FeedActivity::TurnClosed(reason);
                self.item(Some(agent), FeedBody::Activity { activity });
            }
            Deed::Person(text) => {
                let author = Author::Person(PersonName::new("ada").unwrap());
                let message = MessageId(Position::new(self.at + 1));
                self.message(None, message, author, text);
            }
        }
    }

    fn say(&mut self, agent: &'static str, text: &str, cuts: &[usize], ending: DraftEnding) {
        self.at += 1;
        let message = MessageId(Position::new(self.at));
        let mut cuts: Vec<usize> = cuts
            .iter()
            .map(|cut| text.floor_char_boundary(*cut))
            .collect();
        cuts.sort_unstable();
        for pair in cuts.windows(2) {
            let piece = DraftNews::Piece {
                agent: named(agent),
                message,
                offset: pair[0] as u64,
                text: text[pair[0]..pair[1]].to_owned(),
            };
            self.steps.push(Step::Draft(piece));
        }
        if cuts.len() > 1 {
            self.steps
                .push(Step::Draft(DraftNews::End { message, ending }));
        }
        if ending != DraftEnding::Aborted {
            let author = Author::Agent(named(agent));
            self.message(Some(agent), message, author, text.to_owned());
        }
    }

    fn message(
        &mut self,
        agent: Option<&'static str>,
        message: MessageId,
        author: Author,
        text: String,
    ) {
        let body = FeedBody::Message {
            message,
            author,
            by: None,
            reply_to: None,
            text: Some(text),
            attachments: Vec::new(),
            edited: false,
            gone: false,
        };
        self.item(agent, body);
    }

    fn call(&mut self, agent: &'static str, status: CallStatus) {
        let call = CallId::of(WorldId::from_hash([7; 16]), Position::new(self.at), 0);
        let tool = "look".to_owned();
        if status == CallStatus::Done {
            let body = FeedBody::CallStarted {
                call,
                tool: tool.clone(),
                arguments: Some("{}".to_owned()),
                attempt: Attempt(1),
                effect: EffectClass::Read,
            };
            self.item(Some(agent), body);
        }
        let body = FeedBody::CallFinished {
            call,
            tool,
            status,
            same_as: None,
            text: None,
            views: Vec::new(),
        };
        self.item(Some(agent), body);
    }

    fn item(&mut self, agent: Option<&'static str>, body: FeedBody) {
        self.at += 1;
        self.steps.push(Step::Item(FeedItem {
            id: ItemId {
                at: Position::new(self.at),
                number: 0,
            },
            time: Time(self.at),
            episode: Some(EpisodeId(Position::new(1))),
            agent: agent.map(named),
            turn: Some(TurnId(Position::new(1))),
            body,
        }));
    }
}
