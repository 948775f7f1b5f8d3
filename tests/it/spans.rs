//! Spans of golden logs: the same log always gives the same spans, and a log that is cut gives those that were over by then.
//!
//! The pictures in `tests/golden/spans` are written anew by `FOLKMOOT_WRITE=1`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use folkmoot::core::command::commit::Commit;
use folkmoot::core::ids::{WorldId, WorldName};
use folkmoot::spans::{Attribute, AttributeValue, Capture, Span, SpanId, SpanKind, Spans};

/// The logs of which pictures are kept.
const PICTURES: [(&str, Capture); 11] = [
    ("budget", Capture::Nothing),
    ("compacted", Capture::Nothing),
    ("crash-and-resume", Capture::Nothing),
    ("debate", Capture::Nothing),
    ("denied", Capture::Nothing),
    ("handoff", Capture::Nothing),
    ("orchestrator-worker", Capture::Nothing),
    ("people", Capture::Nothing),
    ("reconciled", Capture::Nothing),
    ("recorded", Capture::Words),
    ("release-room", Capture::Words),
];

fn log(name: &str) -> Vec<Commit> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/v8");
    super::golden::commits(&logs.join(format!("{name}.jsonl")))
}

fn world_of(commits: &[Commit]) -> WorldId {
    commits.last().unwrap().header.world
}

fn spans(commits: &[Commit], capture: Capture) -> Vec<Span> {
    spans_up_to(commits, commits.len(), capture)
}

fn spans_up_to(commits: &[Commit], cut: usize, capture: Capture) -> Vec<Span> {
    let name = WorldName::new("room").unwrap();
    let mut spans = Spans::of(world_of(commits), name, capture);
    let take = |commit| spans.take(commit, &BTreeSet::new());
    commits[..cut].iter().flat_map(take).collect()
}

/// A tree of spans, with times counted from the first one.
fn picture(spans: &[Span]) -> String {
    let start = spans
        .iter()
        .map(|span| span.began)
        .min()
        .unwrap_or_default();
    let ids: BTreeSet<SpanId> = spans.iter().map(|span| span.id).collect();
    let mut below: BTreeMap<Option<SpanId>, Vec<&Span>> = BTreeMap::new();
    for span in spans {
        let parent = span.parent.filter(|parent| ids.contains(parent));
        below.entry(parent).or_default().push(span);
    }
    let mut text = String::new();
    let mut left: Vec<(usize, &Span)> = Vec::new();
    let push = |left: &mut Vec<_>, depth, parent| {
        let mut children = below.get(&parent).cloned().unwrap_or_default();
        children.sort_by_key(|span| (span.began, position(span)));
        left.extend(children.into_iter().rev().map(|span| (depth, span)));
    };
    push(&mut left, 0, None);
    while let Some((depth, span)) = left.pop() {
        let indent = "  ".repeat(depth);
        let kind = match span.kind {
            SpanKind::Internal => "",
            SpanKind::Client => ", client",
        };
        let error = span.error.as_ref().map(|error| format!(" !{error}"));
        writeln!(
            text,
            "{indent}{} [{}..{} ms{kind}]{} {}/{}",
            span.name,
            start.until(span.began).as_millis(),
            start.until(span.ended).as_millis(),
            error.unwrap_or_default(),
            span.trace,
            span.id,
        )
        .unwrap();
        for attribute in &span.attributes {
            writeln!(text, "{indent}    {}", line(attribute)).unwrap();
        }
        for event in &span.events {
            let after = start.until(event.time).as_millis();
            writeln!(text, "{indent}    * {} [{after} ms]", event.name).unwrap();
            for attribute in &event.attributes {
                writeln!(text, "{indent}      {}", line(attribute)).unwrap();
            }
        }
        push(&mut left, depth + 1, Some(span.id));
    }
    text
}

fn line(attribute: &Attribute) -> String {
    let value = match &attribute.value {
        AttributeValue::Text(text) => text.clone(),
        AttributeValue::Texts(texts) => format!("{texts:?}"),
        AttributeValue::Number(number) => number.to_string(),
        AttributeValue::Thousandths(number) => format!("{number}/1000"),
    };
    format!("{}: {value}", attribute.key)
}

fn position(span: &Span) -> u64 {
    let is_it = |attribute: &&Attribute| attribute.key == "folkmoot.position";
    match span.attributes.iter().find(is_it).map(|it| &it.value) {
        Some(AttributeValue::Number(number)) => *number,
        other => panic!("{other:?}"),
    }
}

#[test]
fn spans_of_golden_logs_are_as_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/spans");
    for (name, capture) in PICTURES {
        let file = folder.join(format!("{name}.txt"));
        let drawn = picture(&spans(&log(name), capture));
        if std::env::var_os("FOLKMOOT_WRITE").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(drawn, kept, "{name}: FOLKMOOT_WRITE=1 writes it anew");
    }
}

#[test]
fn a_cut_log_gives_the_spans_that_were_over() {
    for (name, capture) in PICTURES {
        let commits = log(name);
        let all = spans(&commits, capture);
        assert_eq!(all, spans(&commits, capture), "{name}");
        let mut given = 0;
        for cut in 1..=commits.len() {
            let over = spans_up_to(&commits, cut, capture);
            assert_eq!(over, all[..over.len()], "{name} at {cut}");
            assert!(over.len() >= given, "a span does not go");
            given = over.len();
        }
        assert_eq!(given, all.len(), "{name}");
    }
}

#[test]
fn spans_hang_together() {
    for (file, commits) in super::golden::all() {
        let all = spans(&commits, Capture::Nothing);
        let mut ids = BTreeMap::new();
        for span in &all {
            let other = ids.insert(span.id, span.trace);
            assert_eq!(other, None, "{}: {} twice", file.display(), span.name);
            assert!(span.began <= span.ended, "{span:?}");
        }
        for span in &all {
            // What hangs from a turn that is still open hangs from nothing yet.
            let above = span.parent.and_then(|parent| ids.get(&parent));
            assert!(above.is_none_or(|trace| *trace == span.trace), "{span:?}");
        }
    }
}

#[test]
fn each_turn_model_call_and_call_of_a_whole_log_has_one_span() {
    use folkmoot::core::event::{CallEvent, Event, TurnEvent};
    for name in ["debate", "release-room", "orchestrator-worker", "denied"] {
        let commits = log(name);
        let all = spans(&commits, Capture::Nothing);
        let named = |begin: &str| {
            all.iter()
                .filter(|span| span.name.starts_with(begin))
                .count()
        };
        let events = || commits.iter().flat_map(|commit| &commit.events);
        let count = |is_one: fn(&Event) -> bool| events().filter(|event| is_one(event)).count();
        let turns = count(|event| matches!(event, Event::Turn(TurnEvent::TurnClosed(_))));
        let answers = count(|event| matches!(event, Event::Turn(TurnEvent::ModelAnswered(_))));
        let calls = count(|event| matches!(event, Event::Call(CallEvent::ToolFinished(_))));
        let seen = (
            named("invoke_agent "),
            named("chat "),
            named("execute_tool"),
        );
        assert_eq!(seen, (turns, answers, calls), "{name}");
        assert!(turns > 0, "{name}");
    }
}

/// All texts of spans, but for those that are names of the room.
fn texts(spans: &[Span]) -> String {
    format!("{spans:?}")
}

#[test]
fn words_leave_only_if_they_are_asked_for() {
    let commits = log("release-room");
    let bare = texts(&spans(&commits, Capture::Nothing));
    let told = texts(&spans(&commits, Capture::Words));
    let said = folkmoot::core::event::MessagePosted::of_event;
    let bodies: Vec<String> = commits
        .iter()
        .flat_map(|commit| &commit.events)
        .filter_map(said)
        .filter_map(|posted| posted.body.present())
        .map(|body| body.text.clone())
        .filter(|text| !text.is_empty())
        .collect();
    assert!(!bodies.is_empty());
    for body in &bodies {
        // Quotes stand escaped in JSON in Rust.
        let words = body.split(['"', '\n']).max_by_key(|part| part.len());
        let words = words.unwrap();
        assert!(!bare.contains(words), "{words}");
        assert!(told.contains(words), "{words} is not in {told}");
    }
    for key in [
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "tool.call.arguments",
        "tool.call.result",
    ] {
        assert!(!bare.contains(key) && told.contains(key), "{key}");
    }
}

#[test]
fn messages_that_are_gone_leave_no_words() {
    let commits = log("release-room");
    let all = || commits.iter().flat_map(Commit::numbered);
    let gone: BTreeSet<_> = all().map(|(at, _)| at).collect();
    let mut spans = Spans::of(
        world_of(&commits),
        WorldName::new("room").unwrap(),
        Capture::Words,
    );
    let take = |commit| spans.take(commit, &gone);
    let told = texts(&commits.iter().flat_map(take).collect::<Vec<_>>());
    for key in ["gen_ai.input.messages", "gen_ai.output.messages"] {
        assert!(!told.contains(key), "{key}");
    }
}
