use super::*;

#[test]
fn own_mention_is_cut_from_the_start_of_a_line() {
    check_texts(&[
        ("@bob hello", "hello"),
        ("@bob, hello", "hello"),
        ("@bob: hello", "hello"),
        ("@BOB LEE hello", "hello"),
        ("@bob", ""),
        ("  @bob\nhello", "hello"),
        ("hello\n@bob\nthere", "hello\nthere"),
        ("hello\n@bob", "hello"),
        ("hello\n@bob there", "hello\nthere"),
        ("- @bob do it", "- do it"),
        ("hey @bob, do it", "hey do it"),
        ("@bob @bob hello", "hello"),
        ("@bob - @bob hello", "- hello"),
        ("@bob hey @bob hello", "hey hello"),
        ("@bob!", "!"),
    ]);
}

#[test]
fn own_mention_goes_with_what_separates_it_from_the_others() {
    check_texts(&[
        ("@eve @bob hello", "@eve hello"),
        ("@eve, @bob: hello", "@eve: hello"),
        ("@eve and @bob please", "@eve please"),
        ("@eve and @bob", "@eve"),
        ("@bob, @eve hello", "@eve hello"),
        ("@bob and @eve hello", "@eve hello"),
        ("@eve, @bob and @tim hello", "@eve, @tim hello"),
        ("@eve @bob @bob, hello", "@eve, hello"),
        ("@tim @bob hello", "@tim hello"),
        ("@eve\n@bob and @eve", "@eve\n@eve"),
    ]);
}

#[test]
fn own_mention_goes_with_the_emphasis_around_it() {
    check_texts(&[
        ("**@bob** hello", "hello"),
        ("[@bob]: hello", "hello"),
        ("- _@bob_ do it", "- do it"),
        ("hey **@bob**, do it", "hey do it"),
        ("**@bob please** do it", "**please** do it"),
        ("**@bob**, **@eve** hello", "**@eve** hello"),
        ("[@bob], @eve hello", "@eve hello"),
        ("**@bob, @eve** hello", "**@eve** hello"),
        ("**@eve**, **@bob** hello", "**@eve** hello"),
        ("@eve/@bob hello", "@eve hello"),
        ("@eve & @bob; @tim hello", "@eve & @tim hello"),
        ("**@bob's** plan", "**bob's** plan"),
        ("<!-- x -->@bob hello", "<!-- x -->hello"),
        ("** @bob hello", "** @bob hello"),
        ("* @bob hello", "* hello"),
        ("@bob_ @bob hello", "hello"),
        ("@bob** @eve hello", "@eve hello"),
        ("@bob_ @bob@<world>PASS</world>", "@"),
    ]);
}

#[test]
fn everything_else_stays() {
    let texts = [
        "ask @bob",
        "@Bob Two hello",
        "@Bob May hello",
        "@bobby hello",
        "@bob.smith hello",
        "@bob\u{301} hello",
        "@eve: @bob is late",
        "> @bob hello",
        "```\n@bob\n```",
        "`@bob`",
        "@eve hello",
        "@",
        "hey",
        "- ",
        "1. one\n2. two",
        "a < b && c > d",
    ];
    for text in texts {
        assert_eq!(
            finalise(text),
            FinalReply {
                text: UserText::new(text.to_owned()),
                ..FinalReply::default()
            }
        );
    }
}

#[test]
fn of_an_own_possessive_only_the_at_sign_is_cut() {
    check_texts(&[
        ("@bob's plan", "bob's plan"),
        ("@eve and @bob’s plan", "@eve and bob’s plan"),
    ]);
}

#[test]
fn line_is_read_as_it_is_without_its_tags_and_own_mentions() {
    check_texts(&[
        ("<world>DONE</world>@bob hello", "hello"),
        ("@b<world>DONE</world>ob hello", "hello"),
        ("@bob > quoted\n@bob hello", "> quoted\nhello"),
        ("@bob ```\n@bob\n```\n@bob", "```\n@bob\n```"),
        (
            "``` <world>DONE</world>\n@bob\n```\n@bob hi",
            "```\n@bob\n```\nhi",
        ),
    ]);
}
