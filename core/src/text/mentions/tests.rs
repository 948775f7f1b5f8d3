use std::sync::{Arc, OnceLock};

use super::*;
use crate::ids::Position;
use crate::spec::AgentSpec;
use crate::spec::rules::Rules;
use crate::testing::*;

mod laws;
mod names;

const AGENTS: &[&str] = &[
    "Alice",
    "bob",
    "build",
    "plan",
    "Release Planner",
    "Release",
    "Zoë",
    "李",
    "राज़",
    "Straußberg",
    "ışık",
    "İpek",
    "office",
    "🦊",
    "👩‍💻",
    "Rex 🦖",
    "Ann",
    "Ann Lee",
    "a",
];

/// A roster of agents called `names`, of whom the first is also shown as `Bob Lee`, and the people `ada` and `Ann May`.
fn roster_of(names: &[&str]) -> Roster {
    let spec = room_with(|spec| {
        let member = spec.agents[0].clone();
        spec.agents = names
            .iter()
            .map(|name| AgentSpec {
                name: agent(name),
                ..member.clone()
            })
            .collect();
        if let Some(bob) = spec
            .agents
            .iter_mut()
            .find(|agent| agent.name.as_str() == "bob")
        {
            bob.display = Some(agent("Bob Lee"));
        }
    });
    let mut people = Names::default();
    for (at, name) in [(3, "ada"), (9, "Ann May")] {
        people.insert(
            name,
            Joined {
                person: person(name).display,
                at: Position::new(at),
            },
        );
    }
    let rules = Rules::check(spec).unwrap();
    Roster::new(Arc::clone(rules.names()), Arc::new(people))
}

/// The roster of [`AGENTS`], made once.
fn room_of_all() -> Roster {
    static ROSTER: OnceLock<Roster> = OnceLock::new();
    ROSTER.get_or_init(|| roster_of(AGENTS)).clone()
}

fn shown(addressee: Addressee) -> String {
    match addressee {
        Addressee::Agent(agent) => agent.to_string(),
        Addressee::Person(person) => format!("person {person}"),
        Addressee::Unknown(name) => format!("? {name}"),
    }
}

/// Holds each text of a table against whom its lines address.
#[track_caller]
fn check_addressed(table: &[(&str, &[&str])]) {
    let roster = room_of_all();
    for (text, expected) in table {
        let found: Vec<String> = addressed(text, &roster).into_iter().map(shown).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

#[test]
fn each_sign_before_an_at_names_who_stands_behind_it_or_belongs_to_a_word() {
    let names_bob = |text: &str| mentioned(text, &room_of_all()) == [agent("bob")];
    for sign in "!\"#$%&'()*+,-./:;<=>?[]^_{|}~→—…！、，👋".chars() {
        assert!(names_bob(&format!("please {sign}@bob go")), "{sign}");
        let is_in_a_word = "%+-/_".contains(sign);
        assert_eq!(
            names_bob(&format!("please{sign}@bob go")),
            !is_in_a_word,
            "{sign}"
        );
    }
    for text in [
        "please@bob go",
        "mail first.last@bob.org",
        "mail a+b-@bob",
        "see https://example.org/@bob",
        "a sign: \\@bob",
        "`@bob` is code",
    ] {
        assert!(!names_bob(text), "{text}");
    }
}

#[test]
fn line_addresses_the_mentions_that_it_begins_with() {
    check_addressed(&[
        ("@bob look", &["bob"]),
        ("  @bob look", &["bob"]),
        ("\u{feff}@bob look", &["bob"]),
        ("look @bob", &[]),
        ("(@bob) look", &["bob"]),
        ("look\n@bob now\n\n@Alice too", &["bob", "Alice"]),
        ("@bob look\nand ask @Zoë", &["bob"]),
        (
            "one\r\n@bob two\r@Alice three\u{2028}@Zoë four",
            &["bob", "Alice", "Zoë"],
        ),
        ("@bob and @bob\n@bob", &["bob"]),
        ("@ada hi", &["person ada"]),
        ("@Ann May, hi", &["person Ann May"]),
        ("", &[]),
    ]);
}

#[test]
fn mentions_are_separated_by_blanks_commas_or_and() {
    check_addressed(&[
        ("@bob @Alice go", &["bob", "Alice"]),
        ("@bob,@Alice go", &["bob", "Alice"]),
        (
            "@bob, @Zoë and @Release Planner: go",
            &["bob", "Zoë", "Release Planner"],
        ),
        ("@bob, and @Alice go", &["bob", "Alice"]),
        ("@bob AND\u{a0}@Alice go", &["bob", "Alice"]),
        ("@bob，@Alice go", &["bob", "Alice"]),
        ("@bob and Alice", &["bob"]),
        ("@bob andy @Alice", &["bob"]),
        ("@bob: @Alice is late", &["bob"]),
        ("@bob and and @Alice", &["bob"]),
        ("@bob/@Alice go", &["bob", "Alice"]),
        ("@bob / @Alice go", &["bob", "Alice"]),
        ("@bob; @Alice go", &["bob", "Alice"]),
        ("@bob;@Alice go", &["bob", "Alice"]),
        ("@bob & @Alice go", &["bob", "Alice"]),
        ("@bob&@Alice go", &["bob", "Alice"]),
        ("@bob or @Alice go", &["bob", "Alice"]),
        ("@bob, or @Alice go", &["bob", "Alice"]),
        ("@bob OR @Alice go", &["bob", "Alice"]),
        (
            "@bob/@Alice; @Zoë & @plan or @build go",
            &["bob", "Alice", "Zoë", "plan", "build"],
        ),
        ("@bob、@Alice", &["bob", "Alice"]),
        (
            "@bob ／ @Alice； @Zoë ＆ @plan",
            &["bob", "Alice", "Zoë", "plan"],
        ),
        ("@bob orange @Alice", &["bob"]),
        ("@bob o @Alice", &["bob"]),
        ("@bob - @Alice", &["bob"]),
        ("@bob + @Alice", &["bob"]),
        ("@bob | @Alice", &["bob"]),
        ("@bob/Alice go", &["? bob/Alice"]),
        ("@bob/ go", &["bob"]),
        ("@tim/@Alice go", &["? tim", "Alice"]),
        ("@tim; @Alice go", &["? tim", "Alice"]),
        ("@tim & @Alice go", &["? tim", "Alice"]),
        ("@types/node is missing", &["? types/node"]),
        ("@bob@Alice hi", &["? bob@Alice"]),
    ]);
}

#[test]
fn bullets_and_greetings_may_stand_before_a_mention() {
    check_addressed(&[
        ("- @bob go", &["bob"]),
        ("  * @bob go\n+ @Alice go", &["bob", "Alice"]),
        ("1. @bob go\n12) @Alice go", &["bob", "Alice"]),
        ("-@bob go", &[]),
        ("1.@bob go", &[]),
        ("1234567890. @bob go", &[]),
        ("- - @bob go", &[]),
        ("hey @bob", &["bob"]),
        ("Hi, @bob", &["bob"]),
        ("HELLO @bob and @Alice", &["bob", "Alice"]),
        ("to @bob: go", &["bob"]),
        ("hello,@bob", &["bob"]),
        ("- hey @bob", &["bob"]),
        ("hey - @bob", &[]),
        ("hey, , @bob", &[]),
        ("hey you @bob", &[]),
        ("heya @bob", &[]),
        ("hey@bob", &[]),
        ("howdy @bob", &[]),
        ("hey @tim", &["? tim"]),
    ]);
}

#[test]
fn emphasis_and_brackets_may_stand_around_a_mention() {
    check_addressed(&[
        ("**@bob** look", &["bob"]),
        ("*@bob* look", &["bob"]),
        ("_@bob_ look", &["bob"]),
        ("__@bob__ look", &["bob"]),
        ("***@bob***: look", &["bob"]),
        ("[@bob] look", &["bob"]),
        ("[@bob](https://example.org/bob) look", &["bob"]),
        ("[**@bob**] look", &["bob"]),
        ("（@bob） look", &["bob"]),
        ("「@bob」 look", &["bob"]),
        ("¿@bob?", &["bob"]),
        ("- **@bob** look", &["bob"]),
        ("* @bob look", &["bob"]),
        ("* *@bob* look", &["bob"]),
        ("1. [@bob] look", &["bob"]),
        ("hey **@bob** look", &["bob"]),
        ("hi, [@bob], look", &["bob"]),
        ("**hey @bob** look", &["bob"]),
        ("**Hello, @bob and @Alice**", &["bob", "Alice"]),
        ("**@bob, @Alice** look", &["bob", "Alice"]),
        (
            "**@bob**, **@Alice** and _@Zoë_: look",
            &["bob", "Alice", "Zoë"],
        ),
        ("**@bob**/**@Alice** look", &["bob", "Alice"]),
        ("[@bob][@Alice] look", &["bob", "Alice"]),
        ("@bob (@Alice) look", &["bob", "Alice"]),
        ("**@bob** is and **@Alice** is not", &["bob"]),
        ("**@Release Planner**'s plan", &["Release Planner"]),
        ("**@bob's** turn", &["bob"]),
        ("**@tim**, @bob look", &["? tim", "bob"]),
        ("**@bobby** look", &["? bobby"]),
        ("** @bob look", &[]),
        ("( @bob) look", &[]),
        ("**ask @bob**", &[]),
        ("**bold** @bob", &[]),
        ("\"@bob\" is a name", &[]),
        ("“@bob” is a name", &[]),
        ("„@bob“ is a name", &[]),
        ("~~@bob~~ look", &[]),
        ("**`@bob`**", &[]),
        ("_@bob_2 look", &["? bob_2"]),
    ]);
}

#[test]
fn comments_on_one_line_hide_what_is_in_them() {
    check_addressed(&[
        ("<!-- @bob -->", &[]),
        ("<!--@bob-->\n@Alice look", &["Alice"]),
        ("<!-- note --> @bob look", &["bob"]),
        ("  <!-- a --><!-- b -->@bob look", &["bob"]),
        ("- <!-- x --> @bob look", &["bob"]),
        ("<!-- x -- y -> z --> @bob look", &["bob"]),
        ("<!---> @bob --> @Alice", &["Alice"]),
        ("<!-- @bob look", &[]),
        ("<!-- begins\n@bob goes on\n-->", &["bob"]),
        ("<!- @bob", &[]),
        ("@bob <!-- , @Alice --> look", &["bob"]),
    ]);
}

#[test]
fn longest_name_decides_and_must_end_where_it_ends() {
    check_addressed(&[
        ("@Alice Please look", &["Alice"]),
        ("@release planner's turn", &["Release Planner"]),
        ("@Release Planners", &["? Release"]),
        ("@Ann Leech", &["? Ann"]),
        ("@Ann Lee", &["Ann Lee"]),
        ("@Ann Le", &["Ann"]),
        ("@bob lee hi", &["bob"]),
        ("@bob's turn", &["bob"]),
        ("@bob’s turn", &["bob"]),
        ("@BOB'S turn", &["bob"]),
        ("@bob'silly", &["? bob'silly"]),
        ("@bob'll go", &["? bob'll"]),
        ("@bob. @bob! @Alice", &["bob"]),
        ("@bob", &["bob"]),
        ("@bob... well", &["bob"]),
        ("@bob_ is emphasised", &["bob"]),
        ("@bob👍 fine", &["bob"]),
        ("@bob.smith hi", &["? bob.smith"]),
        ("@bob.\u{200b}smith hi", &["? bob.\u{200b}smith"]),
        ("@bob,smith hi", &["? bob,smith"]),
        ("@build-bot2 go", &["? build-bot2"]),
        ("@build-2", &["? build-2"]),
        ("@bobby hi", &["? bobby"]),
        ("@bob_2 hi", &["? bob_2"]),
        ("@bob2", &["? bob2"]),
    ]);
}

#[test]
fn names_that_nobody_has_are_told_as_they_were_written() {
    check_addressed(&[
        ("@tim hi", &["? tim"]),
        ("@Tim, @bob and @Tom: hi", &["? Tim", "bob", "? Tom"]),
        ("@tim: @bob hi", &["? tim"]),
        ("@tim!", &["? tim"]),
        ("@", &["? "]),
        ("@ bob", &["? "]),
        ("@@bob", &["? @bob"]),
        ("@Override", &["? Override"]),
        ("@bob @Override is missing", &["bob", "? Override"]),
        ("@bob@example.org", &["? bob@example.org"]),
    ]);
}

#[test]
fn names_are_compared_as_unicode_says() {
    check_addressed(&[
        ("@ZOË hi", &["Zoë"]),
        ("@zoe\u{308} hi", &["Zoë"]),
        ("@zoe hi", &["? zoe"]),
        ("@ｂｏｂ hi", &["bob"]),
        ("＠bob hi", &["bob"]),
        ("@oﬃce hi", &["office"]),
        ("@STRAUSSBERG hi", &["Straußberg"]),
        ("@strauẞberg hi", &["Straußberg"]),
        ("@bo\u{ad}b hi", &["bob"]),
        ("@b\u{200b}o\u{200d}b\u{2060} hi", &["bob"]),
        ("@Release \t\u{3000} Planner hi", &["Release Planner"]),
        ("@Release\nPlanner hi", &["Release"]),
        ("@李 hi", &["李"]),
        ("@李，@bob hi", &["李", "bob"]),
        ("@李さん hi", &["? 李さん"]),
        ("@राज\u{93c} hi", &["राज़"]),
        ("@राज hi", &["? राज"]),
        ("@ışık hi", &["ışık"]),
        ("@işık hi", &["? işık"]),
        ("@IŞIK hi", &["? IŞIK"]),
        ("@i\u{307}pek hi", &["İpek"]),
        ("@ipek hi", &["? ipek"]),
        ("@plan\u{301} hi", &["? plan\u{301}"]),
        ("@bob\u{301} hi", &["? bob\u{301}"]),
        ("@bob\u{20e3} hi", &["? bob\u{20e3}"]),
        ("@pla\u{301}n hi", &["? pla\u{301}n"]),
    ]);
}

#[test]
fn emoji_can_be_names() {
    check_addressed(&[
        ("@🦊 go", &["🦊"]),
        ("@🦊\u{fe0f}, go", &["🦊"]),
        ("@👩‍💻 go", &["👩‍💻"]),
        ("@👩💻 go", &["? 👩💻"]),
        ("@🦊‍🦊 go", &["? 🦊‍🦊"]),
        ("@👩🏽‍💻 go", &["? 👩🏽‍💻"]),
        ("@rex 🦖 go", &["Rex 🦖"]),
        ("@rex go", &["? rex"]),
        ("@🦊🏽 go", &["? 🦊🏽"]),
    ]);
}

#[test]
fn quotes_and_code_mention_nobody() {
    check_addressed(&[
        ("> @bob said", &[]),
        ("  > @bob said\n@Alice no", &["Alice"]),
        ("> quoted\n@bob is not", &["bob"]),
        (">> @bob", &[]),
        ("`@bob` is a name", &[]),
        ("```\n@bob\n```\n@Alice", &["Alice"]),
        ("~~~ java\n@Override\n~~~\n@Alice", &["Alice"]),
        ("```\n~~~\n@bob\n```\n@Alice", &["Alice"]),
        ("````\n```\n@bob\n````\n@Alice", &["Alice"]),
        ("```\n`````  \n@Alice", &["Alice"]),
        ("```\n``` java\n@bob\n```\n@Alice", &["Alice"]),
        ("```\n@bob", &[]),
        ("``` code ```\n@bob", &["bob"]),
        ("``\n@bob", &["bob"]),
        ("> ```\n@bob", &["bob"]),
        ("    @bob is indented", &["bob"]),
        ("<pre>\n@bob", &["bob"]),
    ]);
}

#[test]
fn known_agents_are_found_in_mid_text() {
    let roster = room_of_all();
    let table: &[(&str, &[&str])] = &[
        ("ask @bob, then @Alice", &["bob", "Alice"]),
        ("(@bob) [@Alice] “@Zoë”", &["bob", "Alice", "Zoë"]),
        ("say \"@bob\" or '@Alice'", &["bob", "Alice"]),
        ("@bob at the start", &["bob"]),
        ("@bob @bob @BOB @Alice", &["bob", "Alice"]),
        ("@bob @Alice @Zoë @build", &["bob", "Alice", "Zoë"]),
        ("mail bob@example.org or a@bob", &[]),
        ("5@2 and 5 @2", &[]),
        ("use @Override here", &[]),
        ("it's\"@bob", &["bob"]),
        ("see /@bob and x:@Alice", &["bob", "Alice"]),
        ("ask @tim or @ada", &[]),
        ("ask `@bob` or ``a ` @Alice`` or @Zoë", &["Zoë"]),
        ("an ` alone @bob", &["bob"]),
        ("ask\n> @bob\n```\n@Alice\n```\nbut @Zoë", &["Zoë"]),
        ("ask @bob.smith or @Ann Leech", &[]),
        ("ask @Ann Lee", &["Ann Lee"]),
        (
            "ask **@bob** or _@Alice_ or [@Zoë]",
            &["bob", "Alice", "Zoë"],
        ),
        ("ask @bob/@Alice", &["bob", "Alice"]),
        ("ask @bob;@Alice & @Zoë", &["bob", "Alice", "Zoë"]),
        ("ask <!-- @bob --> @Alice", &["Alice"]),
        ("ask `<!--` @bob `-->`", &["bob"]),
        ("ask <!-- ` --> @bob `x`", &["bob"]),
        ("ask <!-- @bob", &["bob"]),
        ("a*@bob or 2_@Alice", &["bob"]),
        ("> @bob\nask @Alice", &["Alice"]),
    ];
    for (text, expected) in table {
        let found: Vec<String> = mentioned(text, &roster)
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(found, *expected, "{text:?}");
    }
}

#[test]
fn everybody_who_is_named_is_found_once() {
    let table: &[(&str, &[&str])] = &[
        (
            "@bob, ask @Alice, @ada or @tim",
            &["bob", "Alice", "person ada", "? tim"],
        ),
        (
            "@bob @Alice @Zoë @build @plan",
            &["bob", "Alice", "Zoë", "build", "plan"],
        ),
        ("ask @bbo/@bob and @bob", &["? bbo", "bob"]),
        ("mail ada@example.org, 5@2, @ 7, `@bob`", &[]),
        ("use @Override here", &["? Override"]),
    ];
    for (text, expected) in table {
        let found: Vec<String> = named(text, &room_of_all()).into_iter().map(shown).collect();
        assert_eq!(found, *expected, "{text:?}");
    }
    let many: String = (0..100).map(|n| format!("and @nobody{n} ")).collect();
    assert_eq!(named(&many, &room_of_all()).len(), NAMED_MAX);
}

#[test]
fn only_names_near_to_a_known_one_are_mistyped() {
    let unknown = ["Override", "bbo", "adda", "xavier"].map(str::to_owned);
    assert_eq!(room_of_all().mistyped(&unknown), ["bbo", "adda"]);
}

#[test]
fn people_who_joined_later_are_not_known_before() {
    let whom = |until| addressed("@ada, @Ann May hi", &room_of_all().at(Position::new(until)));
    let (ada, ann) = (
        Addressee::Person(person("ada").display),
        Addressee::Person(person("Ann May").display),
    );
    assert_eq!(whom(9), [ada.clone(), ann]);
    assert_eq!(whom(8), [ada, Addressee::Agent(agent("Ann"))]);
}

#[test]
fn agent_is_meant_before_a_person_of_the_same_name() {
    check_addressed(&[("@ada", &["person ada"])]);
    assert_eq!(
        addressed("@ada", &roster_of(&["ADA"])),
        [Addressee::Agent(agent("ADA"))]
    );
}
