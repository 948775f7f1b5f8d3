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

/// The steps of a picture, in words.
fn steps(picture: &str) -> Vec<&str> {
    picture
        .split("<title>#")
        .skip(1)
        .map(|rest| rest.split_once("</title>").unwrap().0)
        .collect()
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
        "bob asks to run <b>wipe</b>",
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
    let picture = between(&page, "<figure>", "</figure>");
    for life in ["ada (person)", "bob (agent)", "wipe (tool)"] {
        assert!(
            picture.contains(&format!("<title>{life}</title>")),
            "{picture}"
        );
    }
    let steps = steps(picture);
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
    for (kind, is_there) in [("message", true), ("yes", true), ("refused", false)] {
        let key = picture.contains(&format!("<li><i class=\"{kind}\"></i>"));
        assert_eq!(key, is_there, "{kind}");
    }
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
    let picture = between(&page, "<figure>", "</figure>");
    assert_eq!(picture.matches("<title>#").count(), PICTURE_STEPS_MAX);
    assert_eq!(
        picture.matches("class=\"life\"").count(),
        PICTURE_LIFELINES_MAX + 1
    );
    let all = 2 * (PICTURE_STEPS_MAX + 5);
    assert!(
        page.contains(&format!(
            "The picture shows the first {PICTURE_STEPS_MAX} of {all} steps."
        )),
        "{picture}"
    );
    assert!(page.contains(&format!(
        "The first {PICTURE_LIFELINES_MAX} who take part have a line each; all others share one."
    )));
    assert!(
        picture.contains("<title>4 more (others)</title>"),
        "{picture}"
    );
    for width in picture.split(" width=\"").skip(1) {
        let width: usize = width.split_once('"').unwrap().0.parse().unwrap();
        assert!(width <= 1_140, "a window of 1,200 pixels cuts {width}");
    }
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

#[test]
fn a_message_to_several_is_one_arrow_with_a_point_for_each() {
    let past = Past::began()
        .said("ann", "hello")
        .said("ben", "hello")
        .said("cat", "@ann @ben @bob look");
    let page = page(&past);
    let picture = between(&page, "<figure>", "</figure>");
    let last = *steps(picture).last().unwrap();
    assert!(
        last.ends_with("cat → ann, bob, ben: @ann @ben @bob look"),
        "{last}"
    );
    let drawn = picture.rsplit_once("<g class=\"message\">").unwrap().1;
    assert_eq!(drawn.matches("<polygon").count(), 3, "{drawn}");
    assert_eq!(drawn.matches("<path").count(), 1, "{drawn}");
}

#[test]
fn every_link_of_the_picture_and_of_the_tables_leads_to_an_entry() {
    let page = page(&Past::full_of("words", "ada"));
    let links: Vec<&str> = page
        .split("href=\"#e")
        .skip(1)
        .map(|rest| rest.split_once('"').unwrap().0)
        .collect();
    assert!(links.len() > 10, "{links:?}");
    for link in links {
        assert!(page.contains(&format!("id=\"e{link}\"")), "no entry {link}");
    }
}

#[test]
fn those_who_share_an_initial_have_other_letters_and_other_forms() {
    let past = Past::began()
        .said("ben", "@bob hello")
        .woke()
        .answered(LLMResponse::text("@ben hello"));
    let page = page(&past);
    assert!(
        page.contains("<span class=\"face\" aria-hidden=\"true\">Be</span>"),
        "{page}"
    );
    assert!(
        page.contains("<span class=\"face\" aria-hidden=\"true\">Bo</span>"),
        "{page}"
    );
    assert!(page.contains(".agent .face { border-radius: 28%; }"));
}

#[test]
fn a_refused_command_is_named_with_who_gave_it_and_why() {
    let past = Past::began().said("ada", "@bob go").woke().calls("{}");
    let (request, asked) = past.world.consent().pending().iter().next().unwrap();
    let (request, agent) = (*request, Some(asked.agent.clone()));
    let judgement = Judgement::new(Verdict::Allow);
    let decide = Command::of(
        Principal::Agent(bob()),
        Action::Consent(ConsentAction::Decide {
            agent,
            request,
            judgement,
        }),
    );
    let past = past.refused(&decide);
    let page = page(&past);
    let why = "only a person or a service may do this, and nobody may use an agent&#x27;s name";
    let told = format!(
        "<b>agent:bob</b> tries to decide an approval (#{request}), and the room refuses: {why}"
    );
    assert!(page.contains(&told), "{page}");
    assert!(
        page.contains("<li>refused as not_a_person, command "),
        "{page}"
    );
    assert!(page.contains("<dt>Refused</dt><dd>1</dd>"), "{page}");
    let picture = between(&page, "<figure>", "</figure>");
    let last = *steps(picture).last().unwrap();
    assert!(
        last.ends_with(&format!(
            "bob → bob: tries to decide an approval (#{request}): refused"
        )),
        "{last}"
    );
    let text = past.export(ExportFormat::Markdown);
    assert!(
        text.contains("**agent:bob** tries to decide an approval (#"),
        "{text}"
    );
}

#[test]
fn whatever_a_tool_shows_is_drawn() {
    let page = page(&Past::full_of("words", "ada"));
    let shown = between(&page, "<div class=\"view\">", "<details>");
    let drawn = [
        "<p class=\"words\">words</p>",
        "<p class=\"title\">words</p>",
        "<th scope=\"col\">words</th><th scope=\"col\" class=\"number\">Number</th>",
        "<tr><td>words</td><td class=\"number\">12</td></tr>",
        "<pre tabindex=\"0\">{\n  &quot;words&quot;: &quot;words&quot;\n}</pre>",
        "<span class=\"alt\">words</span><small>picture: image&#x2f;png, 7 bytes, e3b0c442</small>",
        "<h3>Estimate</h3>",
        "<dt>Cost</dt><dd>$1,200 – $3,400</dd>",
        "<dt>Notes</dt><dd>words</dd>",
    ];
    for part in drawn {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    assert!(
        page.contains("<summary>the result in words</summary><pre tabindex=\"0\">words</pre>"),
        "{page}"
    );
}

#[test]
fn a_long_table_shows_its_first_rows_and_says_so() {
    let table = Table {
        title: None,
        columns: vec!["n".to_owned()],
        rows: (0..300).map(|n| vec![format!("row {n}.").into()]).collect(),
    };
    let past = Past::began().said("ada", "@bob go").woke().calls("{}");
    let past = past
        .allowed("ada", "")
        .ran(ToolOutput::text("many").with(View::Table(table)));
    let page = page(&past);
    assert!(page.contains("row 199.") && !page.contains("row 200."));
    assert!(
        page.contains("and 100 rows more, which the log has"),
        "{page}"
    );
}
