use super::*;

/// What is given for each of `deltas`, and at the end.
fn released(deltas: &[&str]) -> Vec<String> {
    let mut cutter = cutter();
    let mut given: Vec<String> = deltas
        .iter()
        .map(|delta| cutter.push(delta).to_string())
        .collect();
    given.push(cutter.finish().to_string());
    given
}

#[test]
fn words_are_given_as_soon_as_they_will_stay() {
    assert_eq!(
        released(&["Hello", ", ", "world", "!"]),
        ["Hello", ",", " world", "!", ""]
    );
    assert_eq!(released(&["a <", " b x"]), ["a", " < b x", ""]);
    // `call:look{}` may come, and `brief(path="x")`: a word that may begin a call is no word yet.
    assert_eq!(released(&["a <", " b c", "at"]), ["a", " < b", " cat", ""]);
    assert_eq!(released(&["hey b", "ut no"]), ["hey", " but no", ""]);
    assert_eq!(released(&["a <wor", "k>"]), ["a", " <work>", ""]);
    assert_eq!(
        released(&["a <world>PA", "SS</world> x", " y"]),
        ["a", " x", " y", ""]
    );
    assert_eq!(
        released(&["@eve", " hi", " there"]),
        ["", "@eve hi", " there", ""]
    );
    assert_eq!(released(&["@b", "ob", " hi"]), ["", "", "hi", ""]);
    assert_eq!(
        released(&["@eve,", " @bob", " hi"]),
        ["", "", "@eve hi", ""]
    );
    assert_eq!(released(&["hey", " @bob", " hi"]), ["hey", "", " hi", ""]);
    assert_eq!(released(&["all is well", "\n"]), ["all is well", "", "\n"]);
}

#[test]
fn what_is_held_back_is_bounded() {
    let tails = [
        "<world>",
        "<world>\n",
        "<wor<wor<wor",
        "@",
        "@bob @eve ",
        "\n",
        " ",
        "@eve, ",
        "x\n@",
        "\u{200b}",
        "@\u{200b}",
    ];
    for tail in tails {
        let mut cutter = cutter();
        let (mut spoken, mut given) = ("hello".to_owned(), cutter.push("hello").len());
        for _ in 0..10_000 / tail.len() {
            spoken.push_str(tail);
            given += cutter.push(tail).len();
            let text = finalise_quickly(&spoken, given);
            assert!(
                text <= given + 8 * 1024,
                "{tail:?}: {} of {}",
                given,
                spoken.len()
            );
        }
    }
}

/// The length of the final text, looked at only where it could be too long.
fn finalise_quickly(spoken: &str, given: usize) -> usize {
    if spoken.len() <= given + 8 * 1024 {
        spoken.len().min(given)
    } else {
        cutter().whole(spoken).text.len()
    }
}
