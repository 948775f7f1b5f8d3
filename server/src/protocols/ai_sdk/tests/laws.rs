//! Laws that hold for each feed, however it is cut and resumed.

use std::collections::BTreeMap;

use folkmoot::{ItemId, Position};
use proptest::prelude::*;

use super::client::{Client, Kept, Resumes};
use super::story::{EPISODE, Story};
use super::{Part, Reader, Rest, Step, Telling, add, answer, cursor_of, told};
use crate::protocols::run::DraftNews;

/// The feed as somebody reads it who comes when `now` steps were told: what is in the log, the drafts
/// that are open, and then what comes.
fn from(steps: &[Step], now: usize) -> Vec<Step> {
    let (past, live) = steps.split_at(now);
    let mut items = Vec::new();
    let mut open = BTreeMap::new();
    for step in past {
        match step {
            Step::Draft(DraftNews::Piece { message, .. }) => {
                let pieces: &mut Vec<Step> = open.entry(*message).or_default();
                pieces.push(step.clone());
            }
            Step::Draft(DraftNews::End { message, .. }) => drop(open.remove(message)),
            Step::Item(_) | Step::Rest(_) | Step::Bye => items.push(step.clone()),
        }
    }
    items.extend(open.into_values().flatten());
    items.extend_from_slice(live);
    items
}

fn whole(story: &Story) -> Client {
    let mut client = Client::default();
    let parts = answer(&story.steps, EPISODE, Reader::Decides);
    client.connect(&parts, Resumes::Behind);
    client
}

/// The texts that were said, in the order in which they stand.
fn sorted(mut texts: Vec<(String, String)>) -> Vec<(String, String)> {
    texts.sort();
    texts
}

fn deeds() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0_u8..48, 0_u8..40), 1..60)
}

proptest! {
    #[test]
    fn an_answer_keeps_the_order_and_each_character(deeds in deeds()) {
        let story = Story::of(&deeds);
        let client = whole(&story);
        prop_assert!(client.is_over());
        prop_assert_eq!(sorted(client.texts()), sorted(story.said.clone()));
        // Whoever is not asked sees the same words.
        let mut watcher = Client::default();
        watcher.connect(&answer(&story.steps, EPISODE, Reader::Watches), Resumes::Behind);
        prop_assert_eq!(watcher.texts(), client.texts());
    }

    #[test]
    fn a_lost_connection_loses_and_doubles_nothing(deeds in deeds(), cut in any::<prop::sample::Index>(), bytes in any::<prop::sample::Index>()) {
        let story = Story::of(&deeds);
        let now = cut.index(story.steps.len());
        let mut client = Client::default();
        // As much as came over, in the middle of anything.
        let mut cursor = cursor_of(EPISODE, Reader::Decides);
        let mut parts = vec![cursor.start()];
        parts.extend(story.steps[..now].iter().flat_map(|step| add(&mut cursor, step)));
        parts.truncate(1 + bytes.index(parts.len()));
        client.connect(&parts, Resumes::Behind);
        let again = answer(&from(&story.steps, now), EPISODE, Reader::Decides);
        client.connect(&again, Resumes::Anew);
        prop_assert_eq!(client.texts().len(), story.said.len());
        prop_assert_eq!(sorted(client.texts()), sorted(story.said.clone()));
        prop_assert!(client.is_over());
    }

    #[test]
    fn an_answer_goes_on_behind_a_decision_as_if_it_had_never_rested(deeds in deeds(), which in any::<prop::sample::Index>()) {
        let story = Story::of(&deeds);
        prop_assume!(!story.rests.is_empty());
        let (now, newest) = story.rests[which.index(story.rests.len())];
        let mut client = Client::default();
        let cursor = cursor_of(EPISODE, Reader::Decides);
        let first = told(&story.steps[..now], cursor, Telling::Whole(Vec::new()), Rest::Waits);
        client.connect(&first, Resumes::Behind);
        prop_assert!(client.is_over());
        let place = ItemId { at: Position::new(newest), number: 0 };
        let telling = Telling::from_step_of(place, Vec::new());
        let cursor = cursor_of(EPISODE, Reader::Decides);
        let rest = told(&from(&story.steps, now), cursor, telling, Rest::Over);
        prop_assert!(matches!(rest[1], Part::ResetStep));
        client.connect(&rest, Resumes::Behind);
        // A text that streamed stands where it began, and one of the log where it was said.
        let mut late = Client::default();
        late.connect(&answer(&from(&story.steps, now), EPISODE, Reader::Decides), Resumes::Behind);
        prop_assert_eq!(sorted(client.texts()), sorted(story.said.clone()));
        let told = 1 + rest.iter().filter(|part| **part == Part::StartStep).count();
        prop_assert_eq!(client.last_steps(told), late.last_steps(told));
    }
}

#[test]
fn calls_that_wait_stand_in_the_last_step() {
    let rests = (0..200_u8).flat_map(|seed| {
        let deeds: Vec<(u8, u8)> = (0..40)
            .map(|at: u8| (at.wrapping_mul(seed) % 48, at ^ seed))
            .collect();
        let story = Story::of(&deeds);
        let rests: Vec<_> = story.rests.clone();
        rests
            .into_iter()
            .map(move |(now, newest)| (story.steps[..now].to_vec(), newest))
            .collect::<Vec<_>>()
    });
    let mut seen = 0;
    for (steps, _) in rests {
        let cursor = cursor_of(EPISODE, Reader::Decides);
        let parts = told(&steps, cursor, Telling::Whole(Vec::new()), Rest::Waits);
        let mut client = Client::default();
        client.connect(&parts, Resumes::Behind);
        let step = client
            .kept
            .iter()
            .rposition(|kept| *kept == Kept::Step)
            .unwrap();
        let asked = client.kept.iter().position(|kept| {
            matches!(
                kept,
                Kept::Call {
                    state: super::client::State::Asked,
                    ..
                }
            )
        });
        assert!(asked.unwrap() > step);
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}
