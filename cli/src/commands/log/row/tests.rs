use folkmoot::core::ids::Position;
use folkmoot::core::ids::principal::Principal;
use serde_json::json;

use super::*;

fn event(position: u64, time: u64, kind: &str, gist: &str) -> EventView {
    EventView {
        position: Position::new(position),
        time: Time(time),
        kind: kind.to_owned(),
        principal: Principal::World,
        cause: None,
        facts: json!({ "agent": "a-worker-with-a-long-name" }),
        content: None,
        gist: gist.to_owned(),
    }
}

fn plain(line: &str) -> String {
    anstream::adapter::strip_str(line).to_string()
}

/// The columns of a line without its paint.
fn width_of(line: &str) -> usize {
    plain(line).chars().map(columns).sum()
}

#[test]
fn each_event_is_one_line_of_the_terminal_and_times_stand_below_one_another() {
    let gist = "ada: 日本語 ".repeat(20);
    for width in [40, 41, 59, 60, 80, 200] {
        let mut rows = Rows::new(Some(width));
        let mut places = Vec::new();
        for (at, time) in [(7, 1_000), (12_345, 1_001), (99, 3_599_999)] {
            let lines = rows.of(&event(at, time, "ApprovalRequested", &gist));
            let line = lines.last().unwrap();
            assert!(width_of(line) <= usize::from(width), "{width}: {line}");
            places.push(plain(line).find("00:").unwrap());
        }
        assert_eq!(places, [6, 6, 6], "{width}");
    }
}

#[test]
fn day_is_told_where_it_begins() {
    let mut rows = Rows::new(Some(80));
    let mut lines = |time| {
        rows.of(&event(1, time, "Opened", "incarnation 1"))
            .iter()
            .map(|line| plain(line))
            .collect::<Vec<_>>()
    };
    let found: Vec<Vec<String>> = [0, 1, 86_400_000].into_iter().map(&mut lines).collect();
    let first = "    1 00:00:00 Opened            a-worker-… incarnation 1";
    assert_eq!(
        found,
        [
            vec!["      1970-01-01".to_owned(), first.to_owned()],
            vec![first.to_owned()],
            vec!["      1970-01-02".to_owned(), first.to_owned()],
        ]
    );
}

#[test]
fn lines_for_programs_are_whole_and_their_times_are_of_one_length() {
    let gist = "ada: hello ".repeat(10);
    let mut rows = Rows::new(None);
    let line = rows.of(&event(3, 1, "MessagePosted", &gist));
    assert_eq!(
        plain(line.first().unwrap()),
        format!(
            "    3  1970-01-01T00:00:00.001Z  MessagePosted      a-worker-with-a-long-name  {}",
            gist.trim_end()
        )
    );
}

#[test]
fn bookkeeping_is_dim_and_the_kind_of_other_events_stands_out() {
    let mut rows = Rows::new(Some(80));
    rows.of(&event(1, 0, "Opened", ""));
    let mut line = |kind| rows.of(&event(1, 0, kind, "text")).remove(0);
    assert!(line("TurnOpened").starts_with(&DIM.to_string()));
    assert!(line("ToolFinished").contains(&paint(BOLD, "ToolFinished")));
    assert!(line("FutureKind").contains(&paint(BOLD, "FutureKind")));
}

#[test]
fn whoever_speaks_is_named_once_where_names_have_a_column() {
    let said = event(4, 0, "MessagePosted", "a-worker-with-a-long-name: hello");
    let line = |width| plain(Rows::new(Some(width)).of(&said).last().unwrap());
    assert!(line(80).ends_with(" a-worker-… hello"), "{}", line(80));
    assert!(
        line(40).ends_with("MessagePosted a-worker-w…"),
        "{}",
        line(40)
    );
}
