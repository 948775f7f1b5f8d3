//! Scripts that leave tools and models to a program, and rooms in code beside rooms from scripts.

use folkmoot::core::event::{ClockKind, ForkEffects};
use folkmoot::core::ids::principal::{Right, Rights};
use folkmoot::core::model::money::Price;
use folkmoot::core::spec::{DenyRule, Limits, Mode, Policy, RightsPolicy};
use folkmoot::core::world::Activity;
use folkmoot::providers::{ScriptedModel, ScriptedReply};
use folkmoot::{
    Effect, Forking, OpenError, Post, Room, RoomError, Runtime, Store, Tool, ToolOutcome,
};
use folkmoot_tests::{agent_name, person};
use serde_json::json;

const SCRIPT: &str = "
world: desk
clock: simulated
models: { mine: { provider: own, model: big } }
prices: { big: { input: '1', output: '2' } }
agents: [{ name: clerk, model: mine, prompt: You help., tools: [refund] }]
tools: { refund: { use: own } }
policy:
  main_agent: clerk
  deny: [{ tool: refund, where: [{ path: /cents, equals: 13 }] }]
  rights: { default: [read, post], people: { 'script:ada': [read, post, decide, operate] } }
limits: { cost_per_episode: '0.50', hop_budget: 3 }
";

#[derive(serde::Deserialize, folkmoot::schemars::JsonSchema)]
#[schemars(crate = "folkmoot::schemars")]
struct Refund {
    cents: u32,
}

fn refund(name: &str) -> Tool<Refund> {
    Tool::typed::<Refund>(name, Effect::Destructive, "Gives money back.", |refund, _call| async move {
        ToolOutcome::text(format!("{} cents are back", refund.cents))
    })
    .unwrap()
}

fn mine() -> ScriptedModel {
    let replies = json!([
        { "calls": [{ "tool": "refund", "args": { "cents": 250 } }] },
        { "text": "@ada it is done" }
    ]);
    ScriptedModel::new([(agent_name("clerk"), ScriptedReply::list(&replies).unwrap())].into())
}

async fn refused(room: &Room) -> String {
    let store = Store::memory();
    match Runtime::builder(&store).build().open_room(room).await {
        Err(OpenError::Assemble(error)) => error.to_string(),
        other => panic!("it is {other:?}"),
    }
}

#[tokio::test]
async fn a_script_and_the_parts_of_a_program_make_one_room() {
    let room = Room::from_yaml(SCRIPT)
        .unwrap()
        .tool("refund", refund("refund"))
        .unwrap();
    let room = room.model("mine", mine()).unwrap();
    let store = Store::memory();
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&room).await.unwrap();
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("My money, please."))
        .await
        .unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Parked));
    let asked = ada.waiting().await.unwrap().remove(0);
    assert_eq!(
        asked.to_string(),
        "clerk asks to run refund (destructive) with {\"cents\":250}"
    );
    ada.allow(&asked).await.unwrap();
    assert_eq!(world.quiet().await, Ok(Activity::Idle));
    let said = ada.read(|world| world.transcript().clone()).await.unwrap();
    let last = said.iter().last().unwrap().text.present().cloned();
    assert_eq!(last.as_deref(), Some("@ada it is done"));

    // Its branch has the same parts, as long as the room is open.
    let branch = "branch".to_owned().try_into().unwrap();
    let forking = Forking {
        effects: ForkEffects::Live,
        ..Forking::of(world.name().clone(), branch)
    };
    runtime.fork(forking).await.unwrap();

    // What is recorded says that the program brings them: another program cannot open it.
    runtime.shutdown().await;
    let other = Runtime::builder(&store)
        .assembler(folkmoot::Shipped::default())
        .build();
    let recorded = folkmoot::Opening::recorded(world.name().clone());
    let error = other.open(recorded).await.unwrap_err();
    assert!(
        matches!(&error, OpenError::Assemble(fault) if fault.part == "model mine"),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_is_not_bound_is_refused_at_open_by_name_with_the_nearest_name() {
    let room = Room::from_yaml(SCRIPT).unwrap();
    assert_eq!(
        refused(&room).await,
        "model mine: only a program can run this room: it binds the part with `room.model(\"mine\", …)`"
    );
    let room = room.model("mime", mine()).unwrap();
    assert_eq!(
        refused(&room).await,
        "model mine: only a program can run this room: it binds the part with `room.model(\"mine\", …)`; did you mean `mime`, \
         which it binds?"
    );
    let room = room
        .model("mine", mine())
        .unwrap()
        .tool("refunds", refund("refunds"))
        .unwrap();
    assert_eq!(
        refused(&room).await,
        "tool refund: only a program can run this room: it binds the part with `room.tool(\"refund\", …)`; did you mean \
         `refunds`, which it binds?"
    );
    let room = room.tool("refund", refund("refund")).unwrap();
    let runtime = Runtime::builder(&Store::memory()).build();
    runtime.open_room(&room).await.unwrap();
}

#[test]
fn only_what_the_script_leaves_to_the_program_can_be_bound() {
    let script = SCRIPT.replace("use: own", "use: calc").replace(
        "provider: own, model: big",
        "provider: scripted, model: big",
    );
    let room = || Room::from_yaml(&script).unwrap();
    let error = room().tool("refund", refund("refund")).unwrap_err();
    assert!(
        matches!(&error, RoomError::NotOwn(what) if what == "the tool refund"),
        "{error:?}"
    );
    let error = room().model("mine", mine()).unwrap_err();
    assert!(
        matches!(&error, RoomError::NotOwn(what) if what == "the model mine"),
        "{error:?}"
    );
    let error = room().tool("pay", refund("refund")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool calls itself refund: bind it under that name, not as pay"
    );
}

#[test]
fn a_room_in_code_has_all_that_a_script_has() {
    let right = |rights: &[Right]| Rights(rights.iter().copied().collect());
    let rights = RightsPolicy {
        default: right(&[Right::Read, Right::Post]),
        people: [("script:ada".to_owned(), Rights::all())].into(),
    };
    let deny = DenyRule {
        when: vec![r#"{"path": "/cents", "equals": 13}"#.parse().unwrap()],
        tool: "refund".to_owned().try_into().unwrap(),
    };
    let policy = Policy {
        deny: vec![deny],
        ..Policy::default()
    };
    let limits = Limits {
        cost_per_episode: Some("0.50".parse().unwrap()),
        hop_budget: 3,
        ..Limits::default()
    };
    let price = Price {
        input: "1".parse().unwrap(),
        cached: None,
        cache_written: None,
        output: "2".parse().unwrap(),
    };
    let in_code = Room::new("desk")
        .unwrap()
        .clock(ClockKind::Simulated)
        .model("mine", mine())
        .unwrap()
        .price("mine", price)
        .unwrap()
        .agent("clerk", "mine", "You help.")
        .unwrap()
        .tool("refund", refund("refund"))
        .unwrap()
        .give_tool("clerk", "refund")
        .unwrap()
        .policy(policy)
        .main_agent("clerk")
        .unwrap()
        .rights(rights)
        .limits(limits)
        .change(|spec| {
            spec.models
                .values_mut()
                .for_each(|model| model.model = "big".to_owned())
        })
        .change_text(|text| {
            text.models
                .values_mut()
                .for_each(|model| model["model"] = json!("big"))
        });
    let from_script = Room::from_yaml(SCRIPT)
        .unwrap()
        .model("mine", mine())
        .unwrap()
        .tool("refund", refund("refund"))
        .unwrap();
    let (code, script) = (in_code.opening(), from_script.opening());
    let mut expected = script.definition.unwrap();
    expected.source = None;
    assert_eq!(code.definition.unwrap(), expected);
    assert_eq!((code.name, code.clock), (script.name, script.clock));
    assert_eq!(expected.spec.policy.mode, Mode::Ask);
}

#[test]
fn what_a_room_does_not_have_is_named() {
    let room = || Room::new("desk").unwrap();
    let errors = [
        room().main_agent("clerk").unwrap_err().to_string(),
        room().give_tool("clerk", "refund").unwrap_err().to_string(),
        room()
            .tool("refund", refund("refund"))
            .unwrap()
            .give_tool("clerk", "refund")
            .unwrap_err()
            .to_string(),
    ];
    assert_eq!(
        errors,
        [
            "the room has no agent called clerk: add it first",
            "the room has no tool called refund: add it first",
            "the room has no agent called clerk: add it first",
        ]
    );
}
