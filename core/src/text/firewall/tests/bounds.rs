use super::*;

/// The most bytes of prose that are held back.
const PROSE_HELD_MAX: usize = 64;

/// How many bytes are held back after each delta, at most.
fn held_max<'d>(deltas: impl IntoIterator<Item = &'d str>) -> usize {
    let (mut firewall, mut said, mut max) = (Firewall::new(known()), 0_usize, 0);
    let mut given = 0;
    for delta in deltas {
        said += delta.len();
        firewall.push(delta, &mut |span: SpokenSpan<'_>| {
            given = match span {
                SpokenSpan::Pass { from, text } => from as usize + text.len(),
                SpokenSpan::Withheld(withheld) => withheld.to as usize,
            }
        });
        max = max.max(said - given);
    }
    max
}

#[test]
fn little_of_prose_is_held_back() {
    let words = [
        "Action",
        " and ",
        "action input",
        "\n",
        "\n\n",
        "1. ",
        "- ",
        "> > > ",
        "**bold** ",
        "\"quoted\"",
        "A ",
        "é",
        "it's (so), ",
    ];
    let prose: String = (0..2_000)
        .map(|n| words[(n * n + n / 7) % words.len()])
        .collect();
    assert!(held_max(prose.split_inclusive(|_| true)) <= PROSE_HELD_MAX);
    let lead = format!("{}\nActivity: none", " ".repeat(500)).repeat(3);
    assert!(held_max(lead.split_inclusive(|_| true)) <= PROSE_HELD_MAX);
    assert!(
        held_max(
            "Action                                                                 "
                .repeat(3)
                .split_inclusive(|_| true)
        ) <= PROSE_HELD_MAX
    );
}

#[test]
fn code_is_held_back_no_longer_than_its_brackets_could_be_json() {
    let code = "fn f(a: [u8; 4]) -> Vec<String> { if a[0] < 3 { return vec![]; } a.iter().map(|x| { x }).collect() }\n";
    assert!(held_max(code.repeat(20).split_inclusive(|_| true)) <= PROSE_HELD_MAX);
}

/// A length at which other scanners give up.
const LONG: usize = 64 * 1024;

#[test]
fn a_long_value_is_held_to_its_end_and_then_judged_whole() {
    let items = (0..5_000)
        .map(|n| json!({"n": n, "text": "é and more"}))
        .collect::<Vec<_>>();
    let said = format!("See {} there", Value::from(items));
    assert!(said.len() > 2 * LONG);
    assert_eq!(scanned([said.as_str()]).kept, said);
    let call = r#"{"name": "search", "arguments": {}}"#;
    let leaking = format!("{}, {call}]", said.trim_end_matches("] there"));
    let found = scanned([leaking.as_str()]);
    assert_eq!(
        (found.kept, found.withheld.len()),
        (leaking.replace(call, ""), 1)
    );
}

#[test]
fn padding_hides_no_call() {
    let (blanks, words) = (" ".repeat(LONG + 1_000), "x".repeat(LONG + 1_000));
    for form in [
        format!("{{{blanks}\"name\": \"search\", \"arguments\": {{}}}}"),
        format!("{{\"note\": \"{words}\", \"name\": \"search\", \"arguments\": {{}}}}"),
        format!("{{/*{words}*/\"name\": \"search\", \"arguments\": {{}}}}"),
        format!("{{\"arguments\": {{\"query\": \"{words}\"}}, \"name\": \"search\"}}"),
        format!("<tool_call>{blanks}{{\"name\": \"search\", \"arguments\": {{}}}}</tool_call>"),
        format!("<function_calls>{blanks}<invoke name=\"search\"></invoke></function_calls>"),
        format!("[{blanks}search(query=\"x\")]"),
        format!("get_weather(city=\"{words}\")"),
        format!("[search(query=\"{words}\"){blanks}, get_weather(city=\"x\")]"),
    ] {
        let said = format!("Before {form} behind");
        let whole = scanned([said.as_str()]);
        assert_eq!(
            (whole.kept.as_str(), whole.withheld.len()),
            ("Before  behind", 1),
            "{}",
            &said[..32]
        );
    }
}

#[test]
fn names_and_white_space_are_not_held_back() {
    let blanks = " ".repeat(2_000);
    for said in [
        format!("get_weather{blanks}search{blanks}functions.search{blanks}"),
        format!("search\n{blanks}\nget_weather{blanks}"),
    ] {
        assert!(held_max(said.split_inclusive(|_| true)) <= PROSE_HELD_MAX);
    }
}

#[test]
fn a_call_that_is_too_long_is_withheld_to_its_end() {
    let content = "line {é} and \\\"quoted\\\"\\n".repeat(10_000);
    for form in [
        format!("{{\"name\": \"delete_file\", \"arguments\": {{\"path\": \"{content}\"}}}}"),
        format!(
            "<tool_call>{{\"name\": \"x\", \"arguments\": {{\"path\": \"{content}\"}}}}</tool_call>"
        ),
        format!(
            "<function_calls><invoke name=\"x\"><parameter name=\"a\">{content}</parameter></invoke></function_calls>"
        ),
    ] {
        let said = format!("Before {form} behind");
        let whole = scanned([said.as_str()]);
        assert_eq!(
            (whole.kept.as_str(), whole.withheld.len()),
            ("Before  behind", 1)
        );
        assert_eq!(scanned(said.split_inclusive(|_| true)), whole);
        let thousands = said
            .as_bytes()
            .chunks(1_000)
            .map(<[u8]>::len)
            .scan(0, |at, len| {
                let from = said.floor_char_boundary(*at);
                *at += len;
                Some(&said[from..said.floor_char_boundary(*at)])
            });
        assert_eq!(scanned(thousands), whole);
    }
}

#[test]
fn deep_nesting_is_read_in_good_time() {
    for said in [
        "[".repeat(20_000),
        "{\"a\":".repeat(10_000),
        "[1,".repeat(10_000),
        "<search><query>".repeat(10_000),
    ] {
        drop(scanned([said.as_str()]));
    }
    let deep = format!(
        "{}{}{}",
        "[".repeat(100),
        r#"{"name":"search","arguments":{}}"#,
        "]".repeat(100)
    );
    assert!(!scanned([deep.as_str()]).kept.contains("search"));
}

#[test]
fn a_tag_has_attributes_up_to_a_bound() {
    let found = |bytes: usize| {
        let attributes = format!(" a=\"{}\"", "x".repeat(bytes - 5));
        scan(
            &format!("<tool_call{attributes}>{{\"name\": \"x\", \"arguments\": {{}}}}</tool_call>"),
            &known(),
        )
        .len()
    };
    assert_eq!((found(256), found(257)), (1, 0));
}
