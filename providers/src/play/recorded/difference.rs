//! The difference between a request that is not recorded and one that is.

use serde_json::Value;

#[cfg(test)]
mod tests;

/// The most differences that are told.
const DIFFERENCES_MAX: usize = 5;
/// The most characters of a value that are told.
const VALUE_CHARS_MAX: usize = 60;
/// The most characters of the common beginning of two long texts that are shown before the place
/// where they part.
const SAME_CHARS_MAX: usize = 20;

/// The first differences between two requests, in the order of their fields, as a sentence. `None`
/// if there are none.
pub(super) fn differences(recorded: &Value, now: &Value) -> Option<String> {
    let mut found = Differences::default();
    found.compare("", recorded, now);
    let more = found
        .count
        .checked_sub(DIFFERENCES_MAX)
        .filter(|more| *more > 0);
    let more = more
        .map(|more| format!("; and {more} more"))
        .unwrap_or_default();
    (found.count > 0).then(|| format!("{}{more}", found.told.join("; ")))
}

/// Differences, as far as they are told.
#[derive(Debug, Default)]
struct Differences {
    told: Vec<String>,
    count: usize,
}

impl Differences {
    fn compare(&mut self, path: &str, recorded: &Value, now: &Value) {
        match (recorded, now) {
            (Value::Object(before), Value::Object(after)) => {
                for (name, value) in before {
                    let path = field(path, name);
                    match after.get(name) {
                        Some(now) => self.compare(&path, value, now),
                        None => self.add(|| format!("{path} is gone, recorded {}", short(value))),
                    }
                }
                for (name, value) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                    self.add(|| format!("{} is new, {}", field(path, name), short(value)));
                }
            }
            (Value::Array(before), Value::Array(after)) => {
                for (at, (recorded, now)) in before.iter().zip(after).enumerate() {
                    self.compare(&format!("{path}[{at}]"), recorded, now);
                }
                for (at, value) in before.iter().enumerate().skip(after.len()) {
                    self.add(|| format!("{path}[{at}] is gone, recorded {}", short(value)));
                }
                for (at, value) in after.iter().enumerate().skip(before.len()) {
                    self.add(|| format!("{path}[{at}] is new, {}", short(value)));
                }
            }
            (Value::String(before), Value::String(after)) if before != after => {
                self.add(|| texts(path, before, after))
            }
            (recorded, now) if recorded != now => {
                self.add(|| format!("{path}: recorded {}, now {}", short(recorded), short(now)));
            }
            (_, _) => {}
        }
    }

    fn add(&mut self, difference: impl FnOnce() -> String) {
        self.count += 1;
        if self.told.len() < DIFFERENCES_MAX {
            self.told.push(difference());
        }
    }
}

fn field(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Two texts from shortly before the place where they part.
fn texts(path: &str, recorded: &str, now: &str) -> String {
    let same = recorded
        .chars()
        .zip(now.chars())
        .take_while(|(one, other)| one == other)
        .count();
    let skipped = same.saturating_sub(SAME_CHARS_MAX);
    let at = if skipped > 0 {
        format!(" (behind {skipped} equal characters)")
    } else {
        String::new()
    };
    let part = |text: &str| short(&Value::String(text.chars().skip(skipped).collect()));
    format!("{path}{at}: recorded {}, now {}", part(recorded), part(now))
}

/// A value as JSON, cut.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut cut: String = text.chars().take(VALUE_CHARS_MAX).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
