//! What the templates are given: texts and numbers, nothing else.

use folkmoot_core::ids::{Time, WorldName};
use serde::Serialize;

use super::blocks::BlockView;
use super::faces::Faces;
use super::picture::Picture;
use crate::export::survey::Survey;
use crate::export::talk::{Body, Entry};
use crate::export::{CheckVerdict, Integrity};
use crate::text::{clean, counted, one_line, time};

/// A moment: for machines, and for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct When {
    exact: String,
    words: String,
}

impl When {
    pub(super) fn of(when: Time) -> Self {
        let exact = time(when);
        let words = exact.replace('T', " ");
        let words = words
            .split(['.', 'Z'])
            .next()
            .unwrap_or_default()
            .to_owned();
        Self { exact, words }
    }
}

/// The page's beginning, up to the transcript.
#[derive(Debug, Serialize)]
pub(super) struct FrontView {
    name: String,
    description: String,
    began: Option<When>,
    ended: When,
    /// Who takes part, and with which tools.
    rosters: Vec<(&'static str, Vec<String>)>,
    facts: Vec<(&'static str, String)>,
    /// How the log's integrity stands, in a word and a class.
    verdict: &'static str,
    standing: &'static str,
    picture: Picture,
}

impl FrontView {
    pub(super) fn of(name: &WorldName, survey: &Survey, integrity: &Integrity) -> Self {
        let spec = survey.world.rules().spec();
        let (standing, verdict) = standing(integrity);
        let people: Vec<String> = survey.people.iter().map(|name| one_line(name)).collect();
        let agents: Vec<String> = spec
            .agents
            .iter()
            .map(|agent| one_line(agent.name.as_str()))
            .collect();
        let tools: Vec<String> = spec
            .tools
            .keys()
            .map(|tool| one_line(tool.as_str()))
            .collect();
        let mut facts = vec![
            ("Events", survey.events.to_string()),
            ("Commits", survey.commits.to_string()),
            ("Messages", survey.messages.to_string()),
            ("Model calls", survey.model_calls.to_string()),
        ];
        if survey.refused > 0 {
            facts.push(("Refused", survey.refused.to_string()));
        }
        let content = |events: usize| format!("the content of {}", counted(events, "event"));
        if survey.erased > 0 {
            facts.push(("Erased", content(survey.erased)));
        }
        if survey.lost > 0 {
            facts.push(("Lost", content(survey.lost)));
        }
        Self {
            name: one_line(name.as_str()),
            description: survey
                .description
                .as_deref()
                .map(one_line)
                .unwrap_or_default(),
            began: survey.began.map(When::of),
            ended: When::of(survey.world.time()),
            rosters: vec![
                ("People", listed(&people)),
                ("Agents", listed(&agents)),
                ("Tools", listed(&tools)),
            ],
            facts,
            verdict,
            standing,
            picture: Picture::of(&survey.steps, &survey.revisions),
        }
    }
}

/// Each name with a comma behind it, but the last.
fn listed(names: &[String]) -> Vec<String> {
    let last = names.len();
    let comma = |(number, name): (usize, &String)| {
        if number == last {
            name.clone()
        } else {
            format!("{name},")
        }
    };
    (1..).zip(names).map(comma).collect()
}

fn standing(integrity: &Integrity) -> (&'static str, &'static str) {
    let Integrity::Checked { lines } = integrity else {
        return ("open", "integrity not checked");
    };
    let is = |wanted: fn(&CheckVerdict) -> bool| lines.iter().any(|(_, verdict)| wanted(verdict));
    if is(|verdict| matches!(verdict, CheckVerdict::Broken(_))) {
        ("no", "not as it was written")
    } else if is(|verdict| matches!(verdict, CheckVerdict::NotChecked(_))) {
        ("open", "nothing wrong found, not all was checked")
    } else {
        ("yes", "intact")
    }
}

/// One entry of the transcript.
#[derive(Debug, Serialize)]
pub(super) struct EntryView {
    at: u64,
    time: When,
    kind: &'static str,
    is_talk: bool,
    who: String,
    /// The letters of whoever speaks.
    face: String,
    /// True if they are more than two.
    is_long_face: bool,
    deed: String,
    prose: Option<String>,
    code: Option<String>,
    /// What a tool shows people.
    views: Vec<Vec<BlockView>>,
    in_words: Option<String>,
    /// Stands in the place of words that are not there.
    instead: Option<&'static str>,
    notes: Vec<String>,
    gone: Option<String>,
}

impl EntryView {
    pub(super) fn of(entry: &Entry, faces: &Faces) -> Self {
        let who = one_line(&entry.who);
        let face = faces.of_one(&who);
        let (prose, code) = match &entry.body {
            Body::Prose(text) => (Some(clean(text)), None),
            Body::Code(text) => (None, Some(clean(text))),
            Body::None | Body::Erased | Body::Lost => (None, None),
        };
        Self {
            at: entry.at.get(),
            time: When::of(entry.time),
            kind: entry.kind.name(),
            is_talk: entry.kind.is_talk(),
            is_long_face: face.chars().count() > 2,
            face,
            who,
            deed: one_line(&entry.deed),
            prose,
            code,
            views: entry
                .views
                .iter()
                .map(|view| BlockView::all(view))
                .collect(),
            in_words: entry.in_words.as_deref().map(clean),
            instead: entry.body.instead().filter(|_| entry.gone.is_none()),
            notes: entry.notes.iter().map(|note| one_line(note)).collect(),
            gone: entry.gone.clone(),
        }
    }
}
