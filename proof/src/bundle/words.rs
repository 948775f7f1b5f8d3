//! A report in words.

use super::event::{ReportedContent, ReportedEvent};
use super::report::{BundleVerdict, Check, Checked, Report};
use super::{CallStory, ShownRequest, StoryEntry};

/// The most characters of facts or content on a line.
const GIST_MAX: usize = 160;

/// Characters that turn the direction of text, so that it reads as something else.
const TURNS: [char; 12] = [
    '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

impl BundleVerdict {
    /// The verdict in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Intact => "intact",
            Self::NotChecked => "not checked",
            Self::Damaged => "DAMAGED",
        }
    }
}

impl Checked {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Commits => "commits",
            Self::Signature => "signature",
            Self::Digests => "digests",
            Self::Against => "against",
        }
    }
}

impl Report {
    /// The whole report, a line each: the checks, the events, and the calls; of one event only the
    /// calls that it is about. Text of the bundle is made harmless for terminals.
    #[must_use]
    pub fn lines(&self, at: Option<u64>) -> Vec<String> {
        let part = if self.is_whole {
            "all of its"
        } else {
            "chosen"
        };
        let mut lines = vec![
            format!(
                "World {}: {part} commits, of a log of {}.",
                self.world, self.size
            ),
            String::new(),
        ];
        lines.extend(self.checks.iter().flat_map(check));
        lines.push(String::new());
        let calls = self.calls_told(at);
        match at {
            None => lines.extend(self.events.iter().map(|event| self.event(event))),
            Some(at) => {
                let told = self
                    .events
                    .iter()
                    .find(|event| event.position == at)
                    .map(|event| self.event(event));
                lines.push(
                    told.unwrap_or_else(|| {
                        format!("Event {at} is not in the bundle, or not proven.")
                    }),
                );
            }
        }
        for call in calls {
            lines.push(String::new());
            lines.extend(story(call));
            lines.push(self.changed(call));
        }
        lines.push(String::new());
        lines.push(format!("Verdict: {}.", self.verdict().as_str()));
        lines.iter().map(|line| harmless(line)).collect()
    }

    /// All calls; those that an event is about, and the ones that they took the place of: a person
    /// decided those.
    fn calls_told(&self, at: Option<u64>) -> Vec<&CallStory> {
        let Some(at) = at else {
            return self.calls.iter().collect();
        };
        let mut told: Vec<&CallStory> = self.calls_at(at).collect();
        let mut next = 0;
        while let Some(call) = told.get(next) {
            let replaced = call
                .requested
                .as_ref()
                .and_then(|requested| requested.replaces.as_deref());
            let before = self
                .calls
                .iter()
                .find(|call| Some(call.call.as_str()) == replaced);
            let is_new = |before: &&CallStory| told.iter().all(|known| known.call != before.call);
            let before = before.filter(is_new);
            told.extend(before);
            next += 1;
        }
        told
    }

    fn event(&self, event: &ReportedEvent) -> String {
        let ReportedEvent {
            position,
            time,
            name,
            by,
            facts,
            is_signed,
            ..
        } = event;
        let mark = if *is_signed { ' ' } else { '?' };
        let content = match &event.content {
            ReportedContent::None => String::new(),
            ReportedContent::Shown(content) => format!(" · {}", gist(&content.to_string())),
            ReportedContent::Withheld => " · content withheld".to_owned(),
            ReportedContent::Erased => " · content erased".to_owned(),
        };
        let inherited = if event.world == self.world {
            ""
        } else {
            " · of the world that this one was forked from"
        };
        format!(
            "{position:>6}{mark} {time}  {name} · {by} · {}{content}{inherited}",
            gist(&facts.to_string())
        )
    }

    /// Says whether anything about a call was changed since it was recorded.
    fn changed(&self, call: &CallStory) -> String {
        let told = match (self.verdict(), call.is_signed) {
            (BundleVerdict::Damaged, _) => "parts of the bundle are damaged: do not rely on this",
            (_, false) => "not known: no given key has signed a head that covers all of it",
            (_, true) if self.is_whole => {
                "nothing: all of it is under a head that a given key signed"
            }
            (_, true) => {
                "nothing of what stands here; events about it that are not in the bundle, or came after its head, are not told"
            }
        };
        format!("  changed    {told}")
    }
}

fn check(check: &Check) -> Vec<String> {
    let Check { what, verdict, why } = check;
    let mut lines: Vec<String> = why
        .iter()
        .map(|why| format!("{:11}             {why}", ""))
        .collect();
    if let Some(first) = why.first() {
        lines.splice(
            ..1,
            [format!(
                "{:11} {:11} {first}",
                what.as_str(),
                verdict.as_str()
            )],
        );
    }
    lines
}

fn story(call: &CallStory) -> Vec<String> {
    let tool = call.tool.as_deref().unwrap_or("a tool that does not exist");
    let mut lines = vec![format!(
        "Call {} of {tool} by the agent {}",
        call.call, call.agent
    )];
    let mut say = |label: &str, text: String| lines.push(format!("  {label:10} {text}"));
    if let Some(requested) = &call.requested {
        let news = if requested.taken_up.is_empty() {
            String::new()
        } else {
            format!(", which took up {}", requested.taken_up.join(", "))
        };
        let replaces = requested
            .replaces
            .as_ref()
            .map(|call| format!("; it takes the place of call {call}"));
        let at = requested.at;
        let time = &requested.time;
        let turn = requested.turn;
        say(
            "asked",
            format!(
                "event {at}, {time}: by {}, in the turn at {turn}{news}{}",
                call.agent,
                replaces.unwrap_or_default()
            ),
        );
    }
    if let Some(shown) = &call.shown {
        shown_told(shown)
            .into_iter()
            .for_each(|text| say("shown", text));
    }
    let none = "nobody, by what is in the bundle".to_owned();
    let decided = call.approvals.iter().map(happened);
    let nobody = (call.approvals.is_empty() && call.shown.is_some()).then_some(none);
    decided.chain(nobody).for_each(|text| say("decided", text));
    let arguments = match (&call.arguments, call.arguments_are_recorded) {
        (None, _) => "arguments that are not in the bundle".to_owned(),
        (Some(arguments), Some(false)) => format!("{arguments}, WHICH ARE NOT the recorded ones"),
        (Some(arguments), _) => format!("{arguments}, which have the recorded digest"),
    };
    if call.runs.is_empty() {
        say(
            "ran",
            format!("not, by what is in the bundle; it was to run with {arguments}"),
        );
    }
    for run in &call.runs {
        let super::CallRun {
            at,
            time,
            attempt,
            effect,
            ..
        } = run;
        say(
            "ran",
            format!("event {at}, {time}: {tool} ({effect}), attempt {attempt}, with {arguments}"),
        );
    }
    call.outcomes
        .iter()
        .map(happened)
        .for_each(|text| say("result", text));
    lines
}

fn shown_told(shown: &ShownRequest) -> Vec<String> {
    let ShownRequest {
        at,
        time,
        digest,
        text,
        is_recorded,
        expires,
    } = shown;
    let request = format!("event {at}, {time}, until {expires}, digest {digest}");
    match (text, is_recorded) {
        (None, _) => vec![
            request,
            "the arguments are not in the bundle, so the text cannot be made again".to_owned(),
        ],
        (Some(text), Some(true)) => vec![request, format!("exactly this: {text}")],
        (Some(text), _) => vec![
            request,
            format!("NOT this, which has another digest: {text}"),
        ],
    }
}

fn happened(approval: &StoryEntry) -> String {
    let StoryEntry { at, time, what } = approval;
    format!("event {at}, {time}: {what}")
}

fn gist(text: &str) -> String {
    match text.char_indices().nth(GIST_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Without characters that move a cursor, or that turn text around.
fn harmless(text: &str) -> String {
    let mut harmless = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => harmless.push_str("\n             "),
            c if c.is_control() || TURNS.contains(&c) => harmless.extend(c.escape_unicode()),
            c => harmless.push(c),
        }
    }
    harmless
}
