//! What a report shows.

use super::*;
use folkmoot_core::command::TalkAction;

fn page(past: &Past) -> String {
    past.export(ExportFormat::Html)
}

/// The text between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    text.split_once(from).unwrap().1.split_once(to).unwrap().0
}

#[test]
fn a_report_has_its_parts_in_order_with_headings() {
    let page = page(&Past::full_of("words", "ada"));
    let places: Vec<usize> = [
        "<h1>home</h1>",
        "id=\"picture\"",
        "id=\"transcript\"",
        "id=\"approvals\"",
        "id=\"runs\"",
        "id=\"spending\"",
        "id=\"integrity\"",
    ]
    .map(|part| page.find(part).unwrap())
    .into();
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        page.contains("<p class=\"lead\">A room for &lt;tests&gt;</p>"),
        "{page}"
    );
    for (table, heads) in [("approvals", 4), ("runs", 6), ("spending", 9)] {
        let part = between(&page, &format!("<h2 id=\"{table}\">"), "</section>");
        assert_eq!(part.matches("<th scope=\"col\"").count(), heads, "{part}");
    }
}

#[test]
fn approvals_say_who_asked_what_was_shown_and_who_decided_how_and_when() {
    let past = Past::full_of("words", "ada");
    let shown = past
        .commits
        .iter()
        .flat_map(|commit| &commit.events)
        .find_map(shown)
        .unwrap();
    let told = page(&past);
    let row = between(&told, "<h2 id=\"approvals\">", "</section>");
    let digest = format!("<code title=\"{shown}\">{}</code>", shown.short());
    for part in [
        "bob wants to run <b>wipe</b>",
        &digest,
        "allowed</span> by <b>ada</b>",
        "confirmed what was shown",
        "because: words",
    ] {
        assert!(row.contains(part), "no {part:?} in {row}");
    }
    assert_eq!(
        row.matches("<time datetime=\"2030-01-01T00:00:0").count(),
        2,
        "{row}"
    );
    let waits = Past::began().said("ada", "@bob go").woke().calls("{}");
    assert!(page(&waits).contains("<span class=\"badge open\">waits</span>"));
}

#[test]
fn the_picture_has_a_lifeline_for_each_and_an_arrow_for_each_step() {
    let page = page(&Past::full_of("words", "ada"));
    let picture = between(&page, "<svg", "</svg>");
    for life in ["ada (person)", "bob (agent)", "wipe (tool)"] {
        assert!(
            picture.contains(&format!("<title>{life}</title>")),
            "{picture}"
        );
    }
    let steps: Vec<&str> = picture
        .split("<title>#")
        .skip(1)
        .map(|rest| rest.split_once("</title>").unwrap().0)
        .collect();
    let without_place: Vec<&str> = steps
        .iter()
        .map(|step| step.split_once(' ').unwrap().1)
        .collect();
    let wanted = [
        "ada → bob: words",
        "ada → bob: @bob words",
        "bob → ada: may I run wipe?",
        "ada → bob: allows #12",
        "bob → wipe: {&quot;what&quot;:&quot;words&quot;}",
        "wipe → bob: done",
        "bob → ada: words",
        "ada → bob: words again",
    ];
    assert_eq!(without_place, wanted);
    assert!(picture.contains(
        "<desc id=\"picture-words\">8 steps between ada (person), bob (agent), wipe (tool)."
    ));
}

#[test]
fn a_long_log_shows_the_first_steps_and_lifelines_and_says_so() {
    let people = [
        "ann", "ben", "cat", "dan", "eva", "fay", "gus", "hal", "ivy", "jon", "kim", "leo", "mia",
        "nan",
    ];
    let past = (0..PICTURE_STEPS_MAX + 5).fold(Past::began(), |past, number| {
        past.said(people[number % people.len()], "nobody in particular")
            .then(&Command::of(
                principal("ada"),
                Action::Talk(TalkAction::Stop { episode: None }),
            ))
    });
    let page = page(&past);
    let picture = between(&page, "<svg", "</svg>");
    assert_eq!(picture.matches("<title>#").count(), PICTURE_STEPS_MAX);
    assert_eq!(
        picture.matches("class=\"life\"").count(),
        PICTURE_LIFELINES_MAX + 1
    );
    let all = 2 * (PICTURE_STEPS_MAX + 5);
    assert!(
        page.contains(&format!(
            "These are the first {PICTURE_STEPS_MAX} of {all} steps."
        )),
        "{picture}"
    );
    assert!(page.contains(&format!(
        "the first {PICTURE_LIFELINES_MAX} have a line each"
    )));
}

#[test]
fn integrity_is_told_as_the_caller_found_it() {
    let past = Past::began();
    assert!(
        past.export(ExportFormat::Html)
            .contains("class=\"badge open\">integrity not checked</a>")
    );
    let line = |what: &str, verdict| (what.to_owned(), verdict);
    let all = vec![line("links", CheckVerdict::Intact)];
    let page = past.export_with(
        ExportFormat::Html,
        &Integrity::Checked { lines: all.clone() },
    );
    assert!(
        page.contains("class=\"badge yes\">intact</a>")
            && page.contains("<th scope=\"row\">links</th>"),
        "{page}"
    );
    let some = [
        all,
        vec![line(
            "heads",
            CheckVerdict::NotChecked("no anchor".to_owned()),
        )],
    ]
    .concat();
    let page = past.export_with(
        ExportFormat::Html,
        &Integrity::Checked {
            lines: some.clone(),
        },
    );
    assert!(
        page.contains("class=\"badge open\">nothing wrong found, not all was checked</a>")
            && page.contains("<small>no anchor</small>")
    );
    let bad = [
        some,
        vec![line("rules", CheckVerdict::Broken("at 7".to_owned()))],
    ]
    .concat();
    let page = past.export_with(ExportFormat::Html, &Integrity::Checked { lines: bad });
    assert!(
        page.contains("class=\"badge no\">not as it was written</a>")
            && page.contains("<small>at 7</small>")
    );
}

#[test]
fn money_that_nobody_knows_is_not_shown_as_nothing() {
    let page = page(&Past::full_of("words", "ada"));
    let spending = between(&page, "<h2 id=\"spending\">", "</section>");
    assert!(
        spending.contains("unknown") && spending.contains("no price is given for the model"),
        "{spending}"
    );
}
