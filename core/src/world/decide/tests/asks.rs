use crate::command::{Action, Command};
use crate::event::reaction::Reaction;
use crate::event::*;
use crate::ids::{AgentName, CallId, MessageId, Position, Time, TurnId};
use crate::model::response::{LLMResponse, ModelErrorKind, Reply};
use crate::prompt::Item;
use crate::prompt::border::Fence;
use crate::spec::{AgentSpec, MemoryPolicy, Mode, WhileWaiting, WorldSpec};
use crate::testing::*;
use crate::tool::{ToolKind, ToolOutcome};
use crate::world::effect::{Due, Effect};
use crate::world::{Activity, Doing};

mod handoff;
mod random;
mod refused;
mod unanswered;

/// The arguments that turn to `to`.
fn words(to: &str, text: &str) -> String {
    format!("{{\"agent\":\"{to}\",\"text\":\"{text}\"}}")
}

/// An answer that turns to each of `to` in turn, with the tool `tool`.
fn turns_to(tool: &str, to: &[&str]) -> LLMResponse {
    let words: Vec<String> = to.iter().map(|to| words(to, "Why?")).collect();
    calls(
        &words
            .iter()
            .map(|words| (tool, words.as_str()))
            .collect::<Vec<_>>(),
    )
}

fn asks(to: &[&str]) -> LLMResponse {
    turns_to("ask", to)
}

/// The room of the tests with `more` agents, all with a model.
fn larger_room(more: &[&str]) -> WorldSpec {
    let mut spec = room_that_asks();
    let tools = spec.agents[0].tools.clone();
    let member = |name: &&str| AgentSpec {
        tools: tools.clone(),
        ..AgentSpec::new(agent(name), Some(model()))
    };
    spec.agents.extend(more.iter().map(member));
    spec
}

/// Bob was told to do something and asked eve.
fn bob_asked_eve() -> Past {
    asked_in(room_that_asks())
}

fn asked_in(room: WorldSpec) -> Past {
    Past::with(room)
        .said("@bob do it")
        .woke("bob")
        .answered("bob", asks(&["eve"]))
}

/// The ends of calls in the last commit.
fn statuses(past: &Past) -> Vec<CallStatus> {
    let status = |event: &Event| {
        if let Event::Call(CallEvent::ToolFinished(done)) = event {
            Some(done.status.clone())
        } else {
            None
        }
    };
    past.last().iter().filter_map(status).collect()
}

/// What the agent reads of its calls, and whether it says that they failed.
fn results(past: &Past, name: &str) -> Vec<(String, bool)> {
    let result = |item: &Item| {
        if let Item::Result { text, failed, .. } = item {
            Some((Fence::ToolOutput.inside(text).to_owned(), *failed))
        } else {
            None
        }
    };
    past.memory(name)
        .items
        .iter()
        .filter_map(|kept| result(&kept.item))
        .collect()
}

/// What the agent has heard.
fn heard(past: &Past, name: &str) -> Vec<String> {
    let text = |item: &Item| {
        if let Item::Heard { text, .. } = item {
            Some(text.to_string())
        } else {
            None
        }
    };
    past.memory(name)
        .items
        .iter()
        .filter_map(|kept| text(&kept.item))
        .collect()
}

fn wakes(past: &Past) -> Vec<AgentName> {
    let agent = |effect: Effect| {
        if let Effect::Wake { agent, .. } = effect {
            Some(agent)
        } else {
            None
        }
    };
    past.owed().into_iter().filter_map(agent).collect()
}

/// What is owed but the expiries of requests and questions.
fn work(past: &Past) -> Vec<Effect> {
    past.owed()
        .into_iter()
        .filter(|effect| !matches!(effect, Effect::TickAt { .. }))
        .collect()
}

fn goes_on(past: &Past, name: &str) -> bool {
    past.owed().iter().any(
        |effect| matches!(effect, Effect::Continue { agent: other, .. } if *other == agent(name)),
    )
}

fn kinds(past: &Past) -> Vec<EventKind> {
    past.last().iter().map(Event::kind).collect()
}

fn ended_for(name: &str, call: CallId, status: CallStatus) -> Event {
    Event::Call(CallEvent::ToolFinished(ToolFinished::new(
        call,
        agent(name),
        None,
        status,
        None,
    )))
}

/// What a call says to another agent, at `position`.
fn said_by_call(position: u64, name: &str, turn: TurnId, call: CallId) -> Event {
    Event::Talk(TalkEvent::MessagePosted(MessagePosted {
        message: MessageId(at(position)),
        author: Author::Agent(agent(name)),
        reply_to: None,
        turn: Some(turn),
        call: Some(call),
        answer: None,
        body: MessageBody::text("Why?").into(),
    }))
}

fn sent(position: u64, of: u64, rule: RoutingRule, to: &str, reason: RoutingReason) -> Event {
    Event::Talk(TalkEvent::MessageRouted(MessageRouted {
        episode: episode(of),
        ..route(position, rule, &[(to, reason)])
    }))
}

#[test]
fn who_writes_to_an_agent_is_told_what_the_one_waits_for_that_it_asked() {
    let past = asked_in(room_that_asks())
        .woke("eve")
        .answered("eve", calls(&[("write", "{}")]));
    let (request, head) = (past.request(), past.world.head().get());
    let past = past.said("@bob well?");
    let told = notice_to_ada(
        Notice::AgentWaits {
            agent: agent("bob"),
            request,
        },
        head + 1,
    );
    assert_eq!(past.last().last(), Some(&told));
}

#[test]
fn question_is_posted_and_wakes_whom_it_asks_while_the_call_waits() {
    let past = bob_asked_eve();
    let (turn, call) = (past.turn("bob"), past.call("bob", 0));
    let asked = Event::Call(CallEvent::AgentAsked(AgentAsked {
        call,
        agent: agent("bob"),
        asked: agent("eve"),
        message: at(10),
        depth: 1,
        expires_at: Time(past.now.0 + 15 * 60_000),
    }));
    let routed = sent(10, 4, RoutingRule::Asked, "eve", RoutingReason::Asked);
    assert_eq!(
        past.last()[2..],
        [said_by_call(10, "bob", turn, call), routed, asked]
    );
    let tick = Effect::TickAt {
        due: Due::Expiry,
        time: Time(past.now.0 + 15 * 60_000),
    };
    assert_eq!(
        past.owed(),
        [
            Effect::Wake {
                agent: agent("eve"),
                not_before: None
            },
            tick
        ]
    );
    assert_eq!(past.world.doing(&agent("bob")), Doing::WaitingForAgent);
    assert_eq!(past.world.activity(), Activity::Running);
}

#[test]
fn answer_closes_the_call_in_its_own_commit_and_is_not_stored_again() {
    let past = bob_asked_eve().woke("eve");
    let (call, eve) = (past.call("bob", 0), past.turn("eve"));
    let past = past.answered("eve", text("Because."));
    let said = past.world.transcript().back().unwrap().at;
    use EventKind::{MessagePosted, MessageRouted, ModelAnswered, ToolFinished, TurnClosed};
    assert_eq!(
        kinds(&past),
        [
            ModelAnswered,
            MessagePosted,
            MessageRouted,
            ToolFinished,
            TurnClosed
        ]
    );
    assert_eq!(
        past.last()[3],
        ended_for("bob", call, CallStatus::Answered(said))
    );
    assert_eq!(past.last()[4], closed("eve", eve, CloseReason::Answered));
    assert_eq!(results(&past, "bob"), [("Because.".to_owned(), false)]);
    assert!(goes_on(&past, "bob") && wakes(&past).is_empty());
    let result = &past.world.tool_results(&agent("bob"))[0];
    assert_eq!(
        (result.tool(), result.text(), result.has_failed()),
        ("ask", "Because.", false)
    );
}

#[test]
fn answer_that_begins_with_the_askers_name_does_not_wake_it_besides() {
    let room = larger_room(&["mia"]);
    let past = asked_in(room)
        .woke("eve")
        .answered("eve", text("@bob Because.\n@mia you too"));
    assert_eq!(wakes(&past), [agent("mia")]);
    assert_eq!(
        statuses(&past),
        [CallStatus::Answered(
            past.world.transcript().back().unwrap().at
        )]
    );
    let past = past.carried_on("bob").answered("bob", text("Done."));
    let past = past.said("@bob and?").woke("bob");
    assert_eq!(
        heard(&past, "bob"),
        ["@bob do it", "@bob and?"],
        "it read the answer as a result"
    );
}

#[test]
fn channel_of_results_has_the_answer_too() {
    let past = bob_asked_eve();
    let mut channel =
        crate::world::projection::ToolResultProjection::of(&past.world, &agent("bob"));
    let past = past.woke("eve").answered("eve", text("Because."));
    let shown = channel.take(past.commits.last().unwrap());
    assert_eq!(shown, past.world.tool_results(&agent("bob")));
}

#[test]
fn erased_answer_leaves_a_result_that_says_so() {
    let past = bob_asked_eve()
        .woke("eve")
        .answered("eve", text("Because."));
    let mut erased = crate::world::World::default();
    for commit in &past.commits {
        let events = commit.events.iter().map(|event| {
            let mut record = event.to_record().unwrap();
            if record.content != StoredContent::None {
                record.content = StoredContent::Erased { by: None };
            }
            Event::from_record(record).unwrap()
        });
        erased.apply(&crate::command::commit::Commit {
            header: commit.header.clone(),
            events: events.collect(),
        });
    }
    let result = &erased.tool_results(&agent("bob"))[0];
    assert_eq!((result.text(), result.has_failed()), ("[erased]", false));
}

#[test]
fn several_asks_run_side_by_side_and_their_results_stand_in_admission_order() {
    let begun = || {
        Past::with(room_that_asks())
            .said("@bob do it")
            .woke("bob")
            .answered("bob", asks(&["eve", "cody"]))
    };
    assert_eq!(wakes(&begun()), [agent("cody"), agent("eve")]);
    let cody = |past: Past| {
        let command = past.wake("cody", answer(text("From cody.")));
        past.then(command)
    };
    let eve = |past: Past| past.woke("eve").answered("eve", text("From eve."));
    let first = eve(begun());
    assert!(!goes_on(&first, "bob"));
    for past in [cody(first), eve(cody(begun()))] {
        let expected = ["From eve.", "From cody."].map(|text| (text.to_owned(), false));
        assert_eq!(results(&past, "bob"), expected);
        assert!(goes_on(&past, "bob"));
    }
}

#[test]
fn ask_beside_a_tool_waits_for_both() {
    let words = words("eve", "Why?");
    let past =
        Past::with(room_that_asks()).bob_calls(&[("ask", &words), ("look", "{}"), ("write", "{}")]);
    let run = Effect::RunTool {
        agent: agent("bob"),
        call: past.call("bob", 1),
        attempt: crate::ids::Attempt(1),
    };
    assert_eq!(
        work(&past),
        [
            run,
            Effect::Wake {
                agent: agent("eve"),
                not_before: None
            }
        ]
    );
    assert_eq!(past.world.doing(&agent("bob")), Doing::UsingTools);
    let past = past
        .started("bob", 1, 1)
        .finished("bob", 1, 1, ToolOutcome::text("seen"));
    assert_eq!(past.world.doing(&agent("bob")), Doing::WaitingForPerson);
    let request = past.request();
    let past = past.then(deny(request));
    assert_eq!(past.world.doing(&agent("bob")), Doing::WaitingForAgent);
    let past = past.woke("eve").answered("eve", text("Because."));
    assert_eq!(
        results(&past, "bob")
            .iter()
            .map(|(text, _)| text.as_str())
            .next(),
        Some("Because.")
    );
    assert!(goes_on(&past, "bob"));
}

#[test]
fn one_turn_answers_all_the_questions_that_it_took() {
    let past = Past::with(room_that_asks())
        .said("@bob @cody go")
        .woke("bob")
        .answered("bob", asks(&["eve", "eve"]));
    let command = past.wake("cody", answer(asks(&["eve"])));
    let past = past
        .then(command)
        .woke("eve")
        .answered("eve", text("Because."));
    let said = past.world.transcript().back().unwrap().at;
    assert_eq!(statuses(&past), vec![CallStatus::Answered(said); 3]);
    assert!(goes_on(&past, "bob") && goes_on(&past, "cody"));
}

#[test]
fn question_that_comes_while_the_other_works_is_its_next_turns() {
    let past = Past::with(room_that_asks())
        .said("@eve @bob go")
        .woke("eve")
        .woke("bob");
    let past = past
        .answered("bob", asks(&["eve"]))
        .answered("eve", text("My own work is done."));
    assert_eq!(statuses(&past), []);
    let past = past.woke("eve").answered("eve", text("Because."));
    assert_eq!(results(&past, "bob"), [("Because.".to_owned(), false)]);
}

#[test]
fn other_agent_acts_with_its_own_tools_and_permissions_only() {
    let room = || {
        let mut spec = room_that_asks();
        spec.agents[1].tools = vec![tool("write")];
        spec
    };
    let past = asked_in(room())
        .woke("eve")
        .answered("eve", calls(&[("look", "{}"), ("write", "{}")]));
    assert_eq!(statuses(&past), [CallStatus::Missing]);
    assert_eq!(
        (
            past.world.consent().pending()[&past.request()]
                .agent
                .clone(),
            past.world.activity()
        ),
        (agent("eve"), Activity::Parked)
    );
    assert_eq!(past.world.doing(&agent("bob")), Doing::WaitingForAgent);
}

#[test]
fn calls_of_the_asked_agents_model_count_in_the_same_episode() {
    let past = bob_asked_eve()
        .woke("eve")
        .answered("eve", text("Because."));
    let spent = &past.world.episodes()[&episode(4)];
    assert_eq!(
        (
            spent.calls[&agent("bob")],
            spent.calls[&agent("eve")],
            spent.calls_total
        ),
        (1, 1, 2)
    );
}

#[test]
fn closing_answer_asks_nobody() {
    let mut room = room_that_asks();
    room.limits.model_calls_per_agent = 1;
    let past = asked_in(room);
    assert_eq!(
        (statuses(&past), wakes(&past)),
        (vec![CallStatus::ToolsDisabled], Vec::new())
    );
}

#[test]
fn mode_of_the_room_is_about_tools_and_not_about_questions() {
    let mut room = room_that_asks();
    room.policy.mode = Mode::Read;
    assert_eq!(wakes(&asked_in(room)), [agent("eve")]);
}

#[test]
fn question_is_not_remembered_by_others_where_memory_is_addressed() {
    let mut room = larger_room(&["mia"]);
    room.policy.memory = MemoryPolicy::Addressed;
    let past = asked_in(room)
        .woke("eve")
        .answered("eve", text("Because."))
        .said("@mia hello")
        .woke("mia");
    assert_eq!(heard(&past, "mia"), ["@bob do it", "@mia hello"]);
}

#[test]
fn agents_in_code_ask_and_answer_like_others() {
    let past = Past::with(room_that_asks()).said("@cody go");
    let command = past.wake("cody", answer(asks(&["eve"])));
    let past = past
        .then(command)
        .woke("eve")
        .answered("eve", asks(&["bob"]))
        .woke("bob")
        .answered("bob", text("42"));
    let past = past.carried_on("eve").answered("eve", text("It is 42."));
    assert_eq!(results(&past, "cody"), [("It is 42.".to_owned(), false)]);
    let again = past.carry_on("cody", answer(asks(&["bob"])));
    let past = past
        .then(again)
        .woke("bob")
        .answered("bob", text("Still 42."));
    let over = past.carry_on("cody", answer(text("done")));
    assert_eq!(past.then(over).owed(), []);
}

#[test]
fn crash_at_any_commit_leaves_the_question_open_and_doubles_nothing() {
    for cut in 0..8 {
        let crash = |past: Past, n: usize| if n == cut { past.crashed() } else { past };
        let model = |past: Past, name: &str| {
            let is_lost = past
                .memory(name)
                .turn
                .as_ref()
                .unwrap()
                .model
                .as_ref()
                .unwrap()
                .incarnation
                != past.world.incarnation();
            let retry = past.retry(name);
            if is_lost { past.then(retry) } else { past }
        };
        let mut past = crash(Past::with(room_that_asks()), 0);
        past = crash(past.said("@bob do it"), 1);
        past = crash(past.woke("bob"), 2);
        past = crash(model(past, "bob").answered("bob", asks(&["eve"])), 3);
        past = crash(past.woke("eve"), 4);
        past = crash(model(past, "eve").answered("eve", text("Because.")), 5);
        past = crash(past.carried_on("bob"), 6);
        past = crash(model(past, "bob").answered("bob", text("Done.")), 7);
        assert_eq!(
            (past.owed(), past.world.activity()),
            (Vec::new(), Activity::Idle)
        );
        assert_eq!(results(&past, "bob"), [("Because.".to_owned(), false)]);
        let of = |kind: EventKind| past.events().filter(|event| event.kind() == kind).count();
        assert_eq!(
            (
                of(EventKind::AgentAsked),
                of(EventKind::ToolFinished),
                of(EventKind::TurnClosed)
            ),
            (1, 1, 2)
        );
    }
}
