//! Makes a story that breaks a law shorter.

use std::ops::Range;

use serde_json::Value;

use crate::batch::unheard;
use crate::law::Law;
use crate::simulate::simulate;
use crate::story::Story;

/// How many shorter stories are tried.
const TRIES_MAX: usize = 4_000;

/// Tells whether `story` breaks `law`.
#[must_use]
pub fn breaks(story: &Story, law: Law) -> bool {
    unheard(|| simulate(story))
        .is_ok_and(|lived| lived.result.is_err_and(|violation| violation.law == law))
}

/// Takes out of `story` whatever can be left out, as long as `fails` holds of the rest: deeds,
/// faults, rooms, and all that stands in their scripts; and makes it as short as it can be. What it
/// gives still fails, if `story` did.
pub fn shrink(story: Story, fails: &mut dyn FnMut(&Story) -> bool) -> Story {
    let mut search = Shrinking {
        story,
        fails,
        left: TRIES_MAX,
    };
    while search.pass() {}
    search.story
}

/// The shortest story so far.
struct Shrinking<'a> {
    story: Story,
    fails: &'a mut dyn FnMut(&Story) -> bool,
    /// How many more may be tried.
    left: usize,
}

impl Shrinking<'_> {
    /// Tries everything once. Whether anything could be left out.
    fn pass(&mut self) -> bool {
        let mut shorter = self.thin(|story| story.faults.len(), without_faults);
        shorter |= self.thin(|story| story.deeds.len(), without_deeds);
        shorter |= self.thin(|story| story.rooms.len(), without_rooms);
        shorter |= self.shorten();
        for room in 0..self.story.rooms.len() {
            shorter |= self.simplify(room);
        }
        shorter
    }

    fn attempt(&mut self, candidate: Story) -> bool {
        if self.left == 0 || candidate == self.story {
            return false;
        }
        self.left = self.left.saturating_sub(1);
        let fails = (self.fails)(&candidate);
        if fails {
            self.story = candidate;
        }
        fails
    }

    /// Leaves out stretches of a list, long ones first.
    fn thin(
        &mut self,
        count: fn(&Story) -> usize,
        without: fn(&Story, Range<usize>) -> Story,
    ) -> bool {
        let mut shorter = false;
        let mut chunk = count(&self.story);
        while chunk > 0 {
            let mut end = count(&self.story);
            while end > 0 {
                let start = end.saturating_sub(chunk);
                shorter |= self.attempt(without(&self.story, start..end));
                end = start;
            }
            chunk = chunk.checked_div(2).unwrap_or_default();
        }
        shorter
    }

    /// Ends the story right after its last deed and fault.
    fn shorten(&mut self) -> bool {
        let last = self.story.deeds.iter().map(|deed| deed.at_us);
        let last = last
            .chain(self.story.faults.iter().map(|fault| fault.at_us))
            .max()
            .unwrap_or_default();
        let seconds = last.div_euclid(1_000_000).saturating_add(1);
        self.attempt(Story {
            seconds: seconds.min(self.story.seconds),
            ..self.story.clone()
        })
    }

    /// Leaves out what stands in a room's script, the large parts first.
    fn simplify(&mut self, room: usize) -> bool {
        let mut shorter = false;
        let paths = self
            .story
            .rooms
            .get(room)
            .map(|room| paths(&room.script))
            .unwrap_or_default();
        for path in paths {
            let mut candidate = self.story.clone();
            let is_there = candidate
                .rooms
                .get_mut(room)
                .is_some_and(|room| remove(&mut room.script, &path));
            shorter |= is_there && self.attempt(candidate);
        }
        shorter
    }
}

fn without_faults(story: &Story, range: Range<usize>) -> Story {
    let mut story = story.clone();
    story.faults.drain(range);
    story
}

fn without_deeds(story: &Story, range: Range<usize>) -> Story {
    let mut story = story.clone();
    story.deeds.drain(range);
    story
}

fn without_rooms(story: &Story, range: Range<usize>) -> Story {
    let mut story = story.clone();
    story.rooms.drain(range.clone());
    story.deeds.retain(|deed| !range.contains(&deed.room));
    for deed in &mut story.deeds {
        if deed.room >= range.end {
            deed.room = deed.room.saturating_sub(range.len());
        }
    }
    story
}

/// The way to a part of a script.
type Path = Vec<String>;

/// The ways to all parts of a value: outer ones first, and of a list its last first.
fn paths(value: &Value) -> Vec<Path> {
    let mut found: Vec<Path> = Vec::new();
    let mut level = vec![(Path::new(), value)];
    while !level.is_empty() {
        let mut next = Vec::new();
        for (path, value) in level {
            for (step, inner) in inner(value) {
                let path: Path = path.iter().cloned().chain([step]).collect();
                found.push(path.clone());
                next.push((path, inner));
            }
        }
        level = next;
    }
    found
}

fn inner(value: &Value) -> Vec<(String, &Value)> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), value))
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .rev()
            .map(|(at, value)| (at.to_string(), value))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// Removes the part at `path`; `false` if it is not there any more.
fn remove(value: &mut Value, path: &[String]) -> bool {
    let Some((last, way)) = path.split_last() else {
        return false;
    };
    let mut parent = value;
    for step in way {
        let next = match parent {
            Value::Object(fields) => fields.get_mut(step),
            Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get_mut(at)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        };
        let Some(next) = next else { return false };
        parent = next;
    }
    match parent {
        Value::Object(fields) => fields.remove(last).is_some(),
        Value::Array(items) => match last.parse::<usize>() {
            Ok(at) if at < items.len() => {
                items.remove(at);
                true
            }
            Ok(_) | Err(_) => false,
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
