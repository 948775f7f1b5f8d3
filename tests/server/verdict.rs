//! The verdict on what clients recorded: it is held against the whole feed, read anew, and against the runs that were
//! counted outside of the log.

use std::collections::{BTreeMap, BTreeSet};

use folkmoot_client::Verdict;
use serde_json::Value;

use crate::record::{Received, RoomRecord, Shown};

/// The number of things that were checked.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) posts: usize,
    pub(crate) taken_back: usize,
    pub(crate) items: usize,
    pub(crate) drafts_said: usize,
    pub(crate) drafts_lost: usize,
    pub(crate) runs: usize,
    pub(crate) denied: usize,
}

impl Checked {
    /// Checks all that the people of one room recorded.
    pub(crate) fn room(&mut self, record: &RoomRecord, whole: &[Received]) {
        let items: Vec<Value> = whole
            .iter()
            .map(|item| serde_json::from_str(&item.json).unwrap())
            .collect();
        self.feeds(record, whole);
        self.posts(record, &items);
        self.drafts(record, &items);
        for decided in &record.decided {
            let told = items
                .iter()
                .filter(|item| item["type"] == "decision" && item["request"] == decided.request);
            let how: Vec<&Value> = told.map(|item| &item["how"]).collect();
            let verdict = serde_json::to_value(decided.verdict).unwrap();
            assert_eq!(how, [&verdict], "{}: {decided:?}", record.world);
        }
    }

    /// No feed has a gap or a repeat: each gave what the log has, byte for byte, but for words that were taken back since.
    fn feeds(&mut self, record: &RoomRecord, whole: &[Received]) {
        for feed in &record.feeds {
            for (seen, is) in feed.items.iter().zip(whole) {
                let (seen, is) = if is_gone(is) {
                    (without_words(seen), without_words(is))
                } else {
                    (seen.clone(), is.clone())
                };
                assert_eq!(seen, is, "{}: a feed has a gap or a repeat", record.world);
            }
            let (seen, is) = (feed.items.len(), whole.len());
            assert!(seen <= is, "{}: {seen} items of {is}", record.world);
            self.items += seen;
        }
    }

    /// Each message that was acknowledged is there once, and no other one of a person is.
    fn posts(&mut self, record: &RoomRecord, items: &[Value]) {
        let said = items
            .iter()
            .filter(|item| item["type"] == "message" && item["author"]["person"].is_string());
        let mut there: Vec<(&str, Option<&str>, u64)> = said
            .map(|item| {
                let by = item["author"]["person"].as_str().unwrap();
                (by, item["text"].as_str(), item["message"].as_u64().unwrap())
            })
            .collect();
        if let Some(post) = record.posts.iter().find(|post| !post.is_answered) {
            panic!("{}: nobody saw the end of {post:?}", record.world);
        }
        let posts = record.posts.iter();
        self.taken_back += posts.clone().filter(|post| post.is_gone).count();
        let mut sent: Vec<(&str, Option<&str>, u64)> = posts
            .map(|post| {
                let text = Some(post.text.as_str()).filter(|_| !post.is_gone);
                (post.by.as_str(), text, post.message)
            })
            .collect();
        there.sort_unstable();
        sent.sort_unstable();
        self.posts += sent.len();
        assert_eq!(there, sent, "{}: messages there and sent", record.world);
    }

    /// All that was shown of a message is the beginning of what was said, or nothing was said.
    fn drafts(&mut self, record: &RoomRecord, items: &[Value]) {
        let said: BTreeMap<u64, Option<&str>> = items
            .iter()
            .filter_map(|item| Some((message_of(item)?, item["text"].as_str())))
            .collect();
        for feed in &record.feeds {
            let known: BTreeSet<u64> = items[..feed.items.len()]
                .iter()
                .filter_map(message_of)
                .collect();
            let tells_ends = feed.drafts.values().any(|shown| shown.ending.is_some());
            for (
                message,
                Shown {
                    text: shown,
                    ending,
                },
            ) in &feed.drafts
            {
                let about = format!("{}: the draft of message {message}", record.world);
                let ending = ending.as_deref();
                if let Some(text) = said.get(message) {
                    let is_part = text.is_none_or(|text| text.starts_with(shown));
                    assert!(is_part, "{about}: {shown:?} of {text:?}");
                    // A client that tells ends tells all of them.
                    let is_over = ending.is_some() || !tells_ends || !known.contains(message);
                    assert!(is_over, "{about} does not end");
                    self.drafts_said += 1;
                } else {
                    assert_ne!(ending, Some("whole"), "{about} was whole, and is not said");
                    self.drafts_lost += 1;
                }
            }
        }
    }

    /// Each call that was allowed ran once, and no other one ran. `ledger` has a line `KEY LINE` for each run.
    pub(crate) fn runs(&mut self, records: &[RoomRecord], ledger: &str) {
        let runs = ledger.lines().map(|line| line.split_once(' ').unwrap());
        let mut ran: Vec<&str> = runs.map(|(_, line)| line).collect();
        let decided = records.iter().flat_map(|record| &record.decided);
        let mut allowed: Vec<&str> = decided
            .clone()
            .filter(|decided| decided.verdict == Verdict::Allow)
            .map(|decided| decided.line.as_str())
            .collect();
        ran.sort_unstable();
        allowed.sort_unstable();
        self.runs += ran.len();
        self.denied += decided.clone().count() - allowed.len();
        let asked: BTreeSet<&str> = decided
            .clone()
            .map(|decided| decided.line.as_str())
            .collect();
        assert_eq!(asked.len(), decided.count(), "a call was asked about twice");
        assert_eq!(ran, allowed, "calls that ran, and calls that were allowed");
    }

    /// A check that found nothing to check would say nothing.
    pub(crate) fn has_substance(&self) {
        let Self {
            posts,
            taken_back,
            items,
            drafts_said,
            runs,
            denied,
            ..
        } = self;
        for (count, what) in [
            (posts, "posts"),
            (taken_back, "retractions"),
            (items, "items"),
            (drafts_said, "drafts"),
            (runs, "runs"),
            (denied, "denials"),
        ] {
            assert!(*count > 0, "no {what} were checked");
        }
    }
}

/// The id of a message; `None` of what is no message.
fn message_of(item: &Value) -> Option<u64> {
    let is_message = item["type"] == "message";
    item["message"].as_u64().filter(|_| is_message)
}

/// Tells whether the words of an item were taken back.
fn is_gone(item: &Received) -> bool {
    let item: Value = serde_json::from_str(&item.json).unwrap();
    item["gone"] == true
}

/// A message as it stands once its words were taken back.
fn without_words(item: &Received) -> Received {
    let mut json: serde_json::Map<String, Value> = serde_json::from_str(&item.json).unwrap();
    json.insert("text".to_owned(), Value::Null);
    json.insert("gone".to_owned(), true.into());
    Received {
        id: item.id.clone(),
        json: serde_json::to_string(&json).unwrap(),
    }
}
