//! Views that tools show people: tables, data and domain artifacts.

use serde_json::Value;

use crate::desk::{Desk, example};

const SHOP: &str = r#"
world: shop
models: { scripted: { provider: scripted } }
defaults: { model: scripted }
agents:
  - { name: clerk, prompt: You sell., tools: [offer, stock] }
tools:
  offer:
    use: scripted
    description: Makes an offer.
    effect: read
    artifacts:
      offer:
        title: Our offer
        schema: { type: object, properties: { price: { type: number } }, required: [price] }
        fields: [{ path: /price, label: Price, as: { money: EUR } }]
    results:
      - { when: { bad: true }, text: words, artifact: { kind: offer, data: { price: a lot } } }
      - { text: words for the model, artifact: { kind: offer, data: { price: 1234.5 } } }
  stock:
    use: scripted
    description: Lists the stock.
    effect: read
    results:
      - { text: plenty, table: { title: Stock, columns: [item, pieces], rows: [ROWS] } }
policy: { main_agent: clerk }
replies:
  clerk:
    - calls: [{ tool: offer }, { tool: stock }, { tool: offer, args: { bad: true } }]
    - text: That is all.
script:
  - say: What do you have?
    as: ada
  - expect: { artifact: { kind: offer, data: { price: 1234.5 }, contains: "Price: €1,234.50" }, withheld: none }
"#;

fn shop() -> Desk {
    let desk = Desk::new();
    let rows: Vec<String> = (0..30)
        .map(|row| format!("[\"item \\e[2J{row}\", {row}]"))
        .collect();
    desk.write("shop.yaml", &SHOP.replace("ROWS", &rows.join(", ")));
    desk
}

#[test]
fn a_run_shows_artifacts_whole_and_clips_tables_and_says_how_to_see_the_rest() {
    let out = shop().run(&["run", "shop.yaml"]).expect(0).out;
    assert!(out.contains("┊ Our offer\n"), "{out}");
    assert!(
        out.contains("┊ Price  €1,234.50\n") && !out.contains("words for the model"),
        "{out}"
    );
    assert!(
        out.contains("item \\u{1b}[2J19")
            && !out.contains("item \\u{1b}[2J20")
            && !out.contains('\u{1b}'),
        "{out}"
    );
    assert!(out.contains("… 10 more rows"), "{out}");
    let hint = out
        .lines()
        .find(|line| line.contains("all of it: folkmoot log shop --from"))
        .unwrap();
    assert!(hint.ends_with("--json"), "{hint}");
    assert!(
        out.contains("it is not shown") && !out.contains("a lot"),
        "{out}"
    );
}

#[test]
fn nothing_of_a_call_that_is_only_written_is_shown() {
    let out = Desk::new()
        .run(&["run", &example("home-advisor.yaml")])
        .expect(0)
        .out;
    let marks = [
        "action_input",
        "Action",
        "tool_calls",
        "\"name\"",
        "functionCall",
        "tool_code",
        "TOOL_CALLS",
        "approval_response",
    ];
    for mark in marks {
        assert!(!out.contains(mark), "{mark} in {out}");
    }
    assert!(
        out.contains("\"thermostat\"") && out.contains("I note it.\n"),
        "{out}"
    );
}

#[test]
fn the_transcript_and_the_log_hold_what_was_shown() {
    let desk = shop();
    desk.run(&["run", "shop.yaml"]).expect(0);
    let page = desk.run(&["replay", "shop", "--transcript"]).expect(0).out;
    assert!(
        page.contains("a tool of clerk") && page.contains("┊ Price  €1,234.50"),
        "{page}"
    );
    let document: Value = serde_json::from_str(
        &desk
            .run(&["replay", "shop", "--transcript", "--json"])
            .expect(0)
            .out,
    )
    .unwrap();
    let shown: Vec<&Value> = document["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry.get("shown"))
        .collect();
    assert_eq!(shown.len(), 2, "{document}");
    let prices: Vec<&Value> = shown
        .iter()
        .map(|shown| &shown["views"][0]["artifact"]["data"]["price"])
        .collect();
    assert!(prices.contains(&&serde_json::json!(1234.5)), "{document}");
    assert_eq!(document["kinds"]["offer"]["title"], "Our offer");
    let finished = desk
        .run(&["log", "shop", "--json", "--kind", "ToolFinished"])
        .expect(0)
        .values();
    // The calls run together: which of them ends first is open.
    let dropped = finished
        .iter()
        .find(|one| !one["facts"]["dropped"].is_null())
        .unwrap();
    assert_eq!(dropped["facts"]["dropped"], serde_json::json!([0]));
    assert_eq!(
        dropped["content"]["done"]["views"][0]["artifact"]["data"]["price"],
        "a lot"
    );
}
