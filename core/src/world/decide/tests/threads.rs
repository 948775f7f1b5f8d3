use crate::command::{Action, Command, TalkAction};
use crate::event::*;
use crate::ids::MessageId;
use crate::prompt::Item;
use crate::testing::*;
use crate::world::memory::Message;

fn reply(said: &str, to: MessageId) -> Command {
    let (text, reply_to) = (said.to_owned(), Some(to));
    Command::of(
        ada(),
        Action::Talk(TalkAction::PostMessage {
            text,
            attachments: Vec::new(),
            reply_to,
        }),
    )
}

fn last(past: &Past) -> &Message {
    past.world.transcript().back().unwrap()
}

#[test]
fn agents_message_names_its_turn_and_answers_the_newest_of_its_news() {
    let past = Past::began().said("@bob one").said("@bob two").woke("bob");
    let turn = past.turn("bob");
    let past = past.answered("bob", text("fine"));
    let [_, Event::Talk(TalkEvent::MessagePosted(posted)), ..] = past.last() else {
        panic!()
    };
    assert_eq!(
        (posted.turn, posted.reply_to),
        (Some(turn), Some(MessageId(at(6))))
    );
    assert_eq!(last(&past).because[..], [at(4), at(6)]);
    assert_eq!(last(&past).turn, Some(turn));
}

#[test]
fn message_of_an_agent_in_code_does_so_too_in_the_commit_that_opens_its_turn() {
    let past = Past::began().said("@cody one").said("@cody two");
    let past = past.clone().then(past.wake("cody", answer(text("fine"))));
    let [
        Event::Turn(TurnEvent::TurnOpened(_)),
        _,
        Event::Talk(TalkEvent::MessagePosted(posted)),
        ..,
    ] = past.last()
    else {
        panic!()
    };
    assert_eq!(
        (posted.turn.unwrap().0, posted.reply_to),
        (at(8), Some(MessageId(at(6))))
    );
    assert_eq!(last(&past).because[..], [at(4), at(6)]);
}

#[test]
fn chain_of_replies_grows_by_one_with_each() {
    let past = Past::began()
        .said("@bob hi")
        .woke("bob")
        .answered("bob", text("@eve go on"));
    let past = past.woke("eve").answered("eve", text("done"));
    let id = last(&past).id;
    let past = past.then(reply("thanks", id));
    let depths: Vec<u32> = past
        .world
        .transcript()
        .iter()
        .map(|message| message.depth)
        .collect();
    assert_eq!(depths, [0, 1, 2, 3]);
}

#[test]
fn reply_to_a_streamed_message_is_found_under_its_id() {
    let past = Past::began().said("@bob hi").woke("bob");
    let past = past
        .clone()
        .then(past.stream("bob"))
        .answered("bob", text("fine"));
    let streamed = last(&past);
    assert_ne!(streamed.id.0, streamed.at);
    assert_eq!(
        past.world.transcript.message(streamed.id).unwrap().at,
        streamed.at
    );
    let id = streamed.id;
    assert_eq!(last(&past.then(reply("thanks", id))).depth, 2);
}

#[test]
fn what_an_agent_heard_is_there_for_itself_and_what_it_did_for_the_news_of_its_turn() {
    let past = Past::began()
        .said("@eve hi")
        .said("@bob hi")
        .woke("bob")
        .answered("bob", calls(&[("look", "{}")]));
    let past =
        past.started("bob", 0, 1)
            .finished("bob", 0, 1, crate::tool::ToolOutcome::text("seen"));
    let of = |kept: &crate::world::memory::Remembered| {
        (
            matches!(*kept.item, Item::Heard { .. }),
            kept.because.to_vec(),
        )
    };
    let because: Vec<_> = past.memory("bob").items.iter().map(of).collect();
    assert_eq!(
        because,
        [
            (true, vec![at(4)]),
            (true, vec![at(6)]),
            (false, vec![at(6)]),
            (false, vec![at(6)])
        ]
    );
}
