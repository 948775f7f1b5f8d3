//! Ten thousand random rooms whose models do their worst: they mention everyone, call tools for ever, ask one another and
//! hand over. Whatever they do, every episode ends within its bounds, and every verdict can be computed again.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use folkmoot::core::command::{
    Action, Command, ConsentAction, Judgement, Reply, Settlement, TalkAction,
};
use folkmoot::core::event::{
    Author, Event, EventKind, Purpose, RoutingRule, TalkEvent, TurnEvent, Verdict,
};
use folkmoot::core::ids::{AgentName, EpisodeId, TurnId};
use folkmoot::core::spec::{Definition, Limits, SpecText};
use folkmoot::core::world::{Activity, RequestKind};
use folkmoot_tests::{Dice, PureRoom};

mod worst;

use worst::{Worst, person, spec, speech};

/// How many rooms the test plays, unless `FOLKMOOT_ROOMS` says otherwise.
const ROOMS: u64 = 300;

/// More work than any episode of these rooms can owe.
const STEPS_MAX: usize = 5_000;

#[test]
fn no_room_exceeds_its_bounds_and_every_verdict_can_be_computed_again() {
    let rooms = std::env::var("FOLKMOOT_ROOMS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(ROOMS);
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let seen = Mutex::new(BTreeMap::<EventKind, u64>::new());
    std::thread::scope(|scope| {
        for first in 0..threads {
            let seen = &seen;
            scope.spawn(move || {
                for seed in (first..rooms).step_by(threads as usize) {
                    let room = play(seed);
                    let mut seen = seen.lock().unwrap();
                    for event in room.commits.iter().flat_map(|commit| &commit.events) {
                        *seen.entry(event.kind()).or_default() += 1;
                    }
                }
            });
        }
    });
    let seen = seen.into_inner().unwrap();
    println!(
        "{rooms} rooms, {} events: {seen:?}",
        seen.values().sum::<u64>()
    );
    let talk = [
        EventKind::MessageEdited,
        EventKind::MessageRetracted,
        EventKind::ReplyRegenerated,
        EventKind::TurnDeclined,
        EventKind::PrefixBroken,
        EventKind::Stopped,
        EventKind::JoinElapsed,
        EventKind::HandedOff,
        EventKind::MemoryCompacted,
        EventKind::AgentAsked,
    ];
    let missing: Vec<_> = talk
        .iter()
        .filter(|kind| rooms >= 1_000 && !seen.contains_key(kind))
        .collect();
    assert!(missing.is_empty(), "no room had any {missing:?}");
}

fn play(seed: u64) -> PureRoom {
    let mut dice = Dice::new(seed);
    let spec = spec(&mut dice);
    let bounds = spec.limits.clone();
    let mut room = PureRoom::open(
        Definition {
            spec,
            text: SpecText::default().into(),
            source: None,
        },
        dice.clone(),
    );
    let mut worst = Worst {
        names: room
            .world
            .rules()
            .spec()
            .agents
            .iter()
            .map(|agent| agent.name.clone())
            .collect(),
    };
    for _ in 0..1 + dice.below(6) {
        deed(&mut room, &mut dice);
        assert!(
            room.rest(&mut worst, STEPS_MAX).is_some(),
            "room {seed}: there is no end"
        );
    }
    settle(&mut room, &mut worst, &mut dice, seed);
    assert_eq!(
        room.decide_again(),
        Ok(()),
        "room {seed}: decided again, it comes out otherwise"
    );
    check_bounds(&room, &bounds, seed);
    check_broadcasts(&room, seed);
    room
}

/// One thing that a person does.
fn deed(room: &mut PureRoom, dice: &mut Dice) {
    let newest = room.world.transcript().back().map(|message| message.id);
    let action = match dice.below(14) {
        0 => Some(Action::Talk(TalkAction::Stop { episode: None })),
        1 => newest.map(|message| Action::Talk(TalkAction::Retract { message })),
        2 => newest.map(|message| {
            Action::Talk(TalkAction::Edit {
                message,
                text: speech(dice),
            })
        }),
        3 => newest.map(|message| Action::Talk(TalkAction::Regenerate { message })),
        4 | 5 => decision(room, dice),
        6 => return room.crash(),
        7 => return room.advance(Duration::from_secs(60 * 20)),
        _ => Some(Action::Talk(TalkAction::PostMessage {
            text: speech(dice),
            attachments: Vec::new(),
            reply_to: None,
        })),
    };
    if let Some(action) = action {
        // What the room refuses is an answer as well.
        let _answer = room.give(&Command::of(person(), action));
    }
}

/// Decides the oldest request, as it comes.
fn decision(room: &PureRoom, dice: &mut Dice) -> Option<Action> {
    let (request, asked) = room.world.consent().pending().iter().next()?;
    let request = *request;
    Some(match &asked.kind {
        RequestKind::Approval { .. } => {
            let verdict = if dice.happens(60) {
                Verdict::Allow
            } else {
                Verdict::Deny
            };
            let agent = Some(asked.agent.clone());
            Action::Consent(ConsentAction::Decide {
                agent,
                request,
                judgement: Judgement::new(verdict),
            })
        }
        RequestKind::Question { .. } => Action::Consent(ConsentAction::Answer {
            request,
            reply: Reply::Options(vec![0]),
        }),
        RequestKind::Outcome { .. } => Action::Consent(ConsentAction::Settle {
            request,
            settlement: Settlement::Ran(None),
        }),
    })
}

/// Decides all that waits, so that the room comes to its end. What was lost in mid-run is found out by a reopening.
fn settle(room: &mut PureRoom, worst: &mut Worst, dice: &mut Dice, seed: u64) {
    for _ in 0..1_000 {
        room.crash();
        assert!(
            room.rest(worst, STEPS_MAX).is_some(),
            "room {seed}: there is no end"
        );
        let Some(action) = decision(room, dice) else {
            // A run was left in the middle: the next opening finds that out.
            if room.world.activity() == Activity::Running {
                continue;
            } else {
                break;
            }
        };
        room.give(&Command::of(person(), action))
            .unwrap_or_else(|refusal| panic!("room {seed}: {refusal:?}"));
    }
    let left: Vec<_> = room.world.owed().collect();
    assert_eq!(
        (room.world.activity(), left),
        (Activity::Idle, Vec::new()),
        "room {seed}"
    );
    assert!(
        room.world.episodes().is_empty(),
        "room {seed}: an episode never ends"
    );
}

/// What an episode was charged: model calls per agent, model calls of all, messages that woke agents.
#[derive(Default)]
struct Charged {
    own: BTreeMap<AgentName, u32>,
    all: u32,
    hops: u32,
}

fn charged(room: &PureRoom) -> BTreeMap<EpisodeId, Charged> {
    let (mut turns, mut authors, mut charged) = (
        BTreeMap::new(),
        BTreeMap::new(),
        BTreeMap::<_, Charged>::new(),
    );
    for (at, event) in room.commits.iter().flat_map(|commit| commit.numbered()) {
        match event {
            Event::Turn(TurnEvent::TurnOpened(opened)) => {
                turns.insert(TurnId(at), opened.episode);
            }
            Event::Turn(TurnEvent::ModelCalled(called)) if called.call.0 == at => {
                let charged = charged.entry(turns[&called.turn]).or_default();
                charged.all += 1;
                if called.purpose != Purpose::Compaction {
                    *charged.own.entry(called.agent.clone()).or_default() += 1;
                }
            }
            Event::Talk(TalkEvent::MessagePosted(posted)) => {
                authors.insert(at, posted.author.clone());
            }
            Event::Talk(TalkEvent::MessageRouted(routed)) => {
                let is_hop = matches!(authors.get(&routed.message), Some(Author::Agent(_)))
                    && !routed.respond.is_empty();
                charged.entry(routed.episode).or_default().hops += u32::from(is_hop);
            }
            _ => {}
        }
    }
    charged
}

fn check_bounds(room: &PureRoom, limits: &Limits, seed: u64) {
    for (episode, charged) in charged(room) {
        for (agent, calls) in charged.own {
            assert!(
                calls <= limits.model_calls_per_agent,
                "room {seed}, episode {episode}: {agent} made {calls} calls"
            );
        }
        let Charged { all, hops, .. } = charged;
        assert!(
            all <= limits.model_calls_per_episode,
            "room {seed}, episode {episode}: {all} calls"
        );
        assert!(
            hops <= limits.hop_budget,
            "room {seed}, episode {episode}: {hops} hops"
        );
    }
}

/// A line of a person that starts with `@` never becomes a broadcast.
fn check_broadcasts(room: &PureRoom, seed: u64) {
    let mut starts_with_at = BTreeMap::new();
    for (at, event) in room.commits.iter().flat_map(|commit| commit.numbered()) {
        let said = match event {
            Event::Talk(TalkEvent::MessagePosted(posted)) => posted.body.present(),
            Event::Talk(TalkEvent::MessageEdited(edited)) => edited.body.present(),
            _ => None,
        };
        if let Some(body) = said {
            let is_code = body.text.starts_with("```");
            starts_with_at.insert(
                at,
                !is_code
                    && body
                        .text
                        .lines()
                        .any(|line| line.trim_start().starts_with('@')),
            );
        }
        if let Event::Talk(TalkEvent::MessageRouted(routed)) = event {
            let is_broadcast =
                matches!(routed.rule, RoutingRule::Everyone | RoutingRule::MainAgent);
            let addresses = starts_with_at.get(&routed.message) == Some(&true);
            assert!(
                !(is_broadcast && addresses),
                "room {seed}: message {} went to everyone",
                routed.message
            );
        }
    }
}
