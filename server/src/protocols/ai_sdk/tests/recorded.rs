//! The parts of recorded answers, kept beside this file. `FOLKMOOT_WRITE=1` writes them anew.

use std::fs;
use std::path::Path;

use folkmoot::{FeedActivity, FeedBody, ItemId, Position};

use super::{Part, Reader, Rest, Step, Telling, answer, cursor_of, place, told};
use crate::protocols::ai_sdk::frames::ends;
use crate::protocols::recorded::{recorded, step};

/// The recorded feed up to the end of an episode.
fn until_over(episode: u64) -> Vec<Step> {
    let mut steps = recorded();
    let ends = |step: &Step| {
        let Step::Item(item) = step else { return false };
        let activity = FeedActivity::EpisodeEnded;
        item.body == FeedBody::Activity { activity }
            && item.episode.is_some_and(|of| of.0.get() == episode)
    };
    let last = steps.iter().position(ends).unwrap();
    steps.truncate(last + 1);
    steps
}

fn kept(name: &str, parts: &[Part]) {
    let mut text = String::new();
    for part in parts {
        text.push_str(&serde_json::to_string(part).unwrap());
        text.push('\n');
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/protocols/ai_sdk/tests/answers");
    let file = folder.join(format!("{name}.jsonl"));
    if std::env::var_os("FOLKMOOT_WRITE").is_some() {
        fs::write(&file, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "{name}");
}

#[test]
fn behind_the_end_of_an_answer_stands_only_what_became_of_it() {
    for episode in [6, 15, 52] {
        let cursor = cursor_of(episode, Reader::Decides);
        let is_end = |step: &Step| matches!(step, Step::Item(item) if ends(&cursor, item));
        let steps = recorded();
        let end = steps.iter().position(is_end).unwrap();
        assert_eq!(steps[..=end], until_over(episode));
        let mut whole = answer(&steps, episode, Reader::Decides);
        whole.retain(|part| !matches!(part, Part::DataRevised { .. }));
        let mut told = answer(&steps[..=end], episode, Reader::Decides);
        told.retain(|part| !matches!(part, Part::DataRevised { .. }));
        assert_eq!(told, whole);
    }
}

#[test]
fn a_text_that_streamed() {
    kept("text", &answer(&until_over(6), 6, Reader::Decides));
}

#[test]
fn a_text_that_stands_in_the_log() {
    let steps: Vec<Step> = until_over(6)
        .into_iter()
        .filter(|step| place(step).is_some())
        .collect();
    kept("text_of_the_log", &answer(&steps, 6, Reader::Decides));
}

#[test]
fn two_agents_two_requests_and_a_stop() {
    kept("requests", &answer(&until_over(15), 15, Reader::Decides));
}

#[test]
fn the_same_for_somebody_who_is_not_asked() {
    kept(
        "requests_watched",
        &answer(&until_over(15), 15, Reader::Watches),
    );
}

#[test]
fn an_answer_that_waits_and_goes_on() {
    let steps = until_over(15);
    let is_asked = |step: &Step| place(step).is_some_and(|id| id.at.get() == 38);
    let asked = steps.iter().position(is_asked).unwrap();
    let cursor = cursor_of(15, Reader::Decides);
    let whole = Telling::Whole(Vec::new());
    let waits = told(&steps[..=asked], cursor, whole, Rest::Waits);
    kept("waits", &waits);
    let at = ItemId {
        at: Position::new(38),
        number: 0,
    };
    let telling = Telling::from_step_of(at, Vec::new());
    let cursor = cursor_of(15, Reader::Decides);
    kept("goes_on", &told(&steps, cursor, telling, Rest::Over));
}

#[test]
fn an_edit_is_answered_in_an_episode_of_its_own() {
    kept("edited", &answer(&until_over(52), 52, Reader::Decides));
}

#[test]
fn all_that_has_no_place_in_the_protocol() {
    let lines = include_str!("answers/feed_beside.jsonl").lines();
    let steps: Vec<Step> = lines
        .map(|line| step(serde_json::from_str(line).unwrap()))
        .collect();
    kept("beside", &answer(&steps, 1, Reader::Decides));
}
