use crate::event::*;
use crate::model::response::LLMResponse;
use crate::spec::Limits;
use crate::testing::*;
use crate::tool::ToolOutcome;

fn models(past: &Past) -> Vec<Purpose> {
    let purpose = |event: &Event| {
        if let Event::Turn(TurnEvent::ModelCalled(called)) = event {
            Some(called.purpose)
        } else {
            None
        }
    };
    past.events().filter_map(purpose).collect()
}

fn notices(past: &Past) -> Vec<Notice> {
    let notice = |event: &Event| {
        if let Event::Talk(TalkEvent::NoticePosted(posted)) = event {
            Some(posted.notice.clone())
        } else {
            None
        }
    };
    past.events().filter_map(notice).collect()
}

#[test]
fn model_that_always_calls_tools_is_asked_five_times_the_last_without_tools() {
    let mut past = Past::began().said("@bob go").woke("bob");
    for _ in 0..4 {
        past = past
            .answered("bob", calls(&[("look", "{}")]))
            .started("bob", 0, 1);
        past = past
            .finished("bob", 0, 1, ToolOutcome::text("seen"))
            .carried_on("bob");
    }
    assert_eq!(
        past.world.model_ask(&agent("bob")).unwrap().request.tools,
        []
    );
    let turn = past.turn("bob");
    let past = past.answered("bob", calls(&[("look", "{}")]));
    let over = closed("bob", turn, CloseReason::Limit);
    assert_eq!(
        past.last()[3..],
        [
            notice(
                Notice::LimitReached {
                    agent: agent("bob"),
                    limit: SpentLimit::ModelCalls
                },
                4
            ),
            over
        ]
    );
    use Purpose::{Closing, Turn};
    assert_eq!(models(&past), [Turn, Turn, Turn, Turn, Closing]);
    assert_eq!((past.owed(), notices(&past).len()), (Vec::new(), 1));
}

#[test]
fn limit_of_one_makes_every_call_a_closing_call() {
    let room = room_with(|spec| spec.limits.model_calls_per_agent = 1);
    let past = Past::with(room).said("@bob go").woke("bob");
    assert_eq!(models(&past), [Purpose::Closing]);
}

#[test]
fn turn_that_cannot_afford_a_call_is_declined_with_one_notice_in_the_episode() {
    let room = room_with(|spec| {
        spec.limits = Limits {
            model_calls_per_episode: 1,
            ..Limits::default()
        }
    });
    let past = Past::with(room).said("@bob @eve go").woke("bob");
    let declined = Event::Turn(TurnEvent::TurnDeclined(TurnDeclined {
        agent: agent("eve"),
        episode: episode(4),
        horizon: past.world.head(),
        news: vec![at(4)],
        reason: CloseReason::Limit,
        parameters: Default::default(),
    }));
    let told = notice(
        Notice::LimitReached {
            agent: agent("eve"),
            limit: SpentLimit::ModelCalls,
        },
        4,
    );
    check(&past, &past.wake("eve", ask()), &accepted([declined, told]));
}

#[test]
fn declined_turn_leaves_the_message_that_belongs_to_another_episode() {
    let room = room_with(|spec| {
        spec.limits = Limits {
            model_calls_per_episode: 1,
            ..Limits::default()
        }
    });
    let past = Past::with(room)
        .said("@bob @eve go")
        .woke("bob")
        .answered("bob", text("ok"))
        .said("@eve and you?");
    let past = past.woke("eve");
    let declined = |event: &Event| {
        if let Event::Turn(TurnEvent::TurnDeclined(over)) = event {
            over.news.clone()
        } else {
            Vec::new()
        }
    };
    assert_eq!(
        past.last().iter().flat_map(declined).collect::<Vec<_>>(),
        [at(4)]
    );
    let past = past.woke("eve").answered("eve", text("here"));
    assert_eq!(
        (past.owed(), past.memory("eve").items.len()),
        (Vec::new(), 4)
    );
}

#[test]
fn answer_that_an_agent_in_code_cannot_afford_leaves_the_message_of_another_episode() {
    let room = room_with(|spec| {
        spec.limits = Limits {
            model_calls_per_episode: 1,
            ..Limits::default()
        }
    });
    let past = Past::with(room)
        .said("@bob @cody go")
        .woke("bob")
        .answered("bob", text("ok"))
        .said("@cody and you?");
    let command = past.wake("cody", answer(text("here")));
    let past = past.then(command);
    let command = past.wake("cody", answer(text("here")));
    let past = past.then(command);
    let last = past.world.transcript().back().map(|said| said.text.clone());
    assert_eq!(
        last,
        Some(crate::content::Content::Present("here".to_owned()))
    );
}

#[test]
fn next_message_of_a_person_begins_a_new_budget() {
    let room = room_with(|spec| spec.limits.model_calls_per_agent = 1);
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", text("done"))
        .said("@bob again")
        .woke("bob");
    assert_eq!(models(&past).len(), 2);
}

#[test]
fn open_turn_keeps_the_limits_that_it_began_under() {
    let past = Past::began()
        .bob_calls(&[("look", "{}")])
        .started("bob", 0, 1);
    let smaller = definition(room_with(|spec| spec.limits.model_calls_per_agent = 1));
    let past = past.then(runtime(crate::command::Action::World(
        crate::command::WorldAction::Revise {
            definition: smaller,
        },
    )));
    let past = past
        .finished("bob", 0, 1, ToolOutcome::text("seen"))
        .carried_on("bob");
    assert_eq!(models(&past), [Purpose::Turn, Purpose::Turn]);
}

#[test]
fn call_with_tools_is_made_only_if_all_open_turns_can_still_close() {
    let room = room_with(|spec| spec.limits.model_calls_per_episode = 3);
    let past = Past::with(room)
        .said("@bob @eve go")
        .woke("bob")
        .woke("eve");
    assert_eq!(models(&past), [Purpose::Turn, Purpose::Closing]);
}

#[test]
fn answer_that_an_agent_in_code_cannot_afford_is_neither_said_nor_charged() {
    let room = room_with(|spec| spec.limits.model_calls_per_agent = 0);
    let past = Past::with(room).said("@cody go");
    let command = past.wake("cody", answer(text("hello")));
    let past = past.then(command);
    let kinds: Vec<EventKind> = past.last().iter().map(Event::kind).collect();
    use EventKind::{AgentReacted, NoticePosted, TurnClosed, TurnOpened};
    assert_eq!(kinds, [TurnOpened, AgentReacted, NoticePosted, TurnClosed]);
    assert_eq!(
        (
            past.memory("cody").items.len(),
            past.world.transcript().len()
        ),
        (1, 1)
    );
}

#[test]
fn closing_answer_in_words_tells_nobody_of_the_limit() {
    let room = room_with(|spec| spec.limits.model_calls_per_agent = 1);
    let past = Past::with(room)
        .said("@bob go")
        .woke("bob")
        .answered("bob", LLMResponse::text("done"));
    assert_eq!(notices(&past), []);
}
