//! What is written reads back, and nothing else reads.

use std::collections::BTreeSet;

use folkmoot_core::command::commit::{CommandKey, StepKey};
use folkmoot_core::command::{
    Action, ConsentAction, Judgement, Keyed, Reply, Settlement, ShellAction, TalkAction,
    WorldAction,
};
use folkmoot_core::event::refusal::{Decided, Refusal, RefusalReason};
use folkmoot_core::event::{
    Attachment, ClockKind, Holder, Right, Rights, Scope, Span, Verdict, Wider,
};
use folkmoot_core::ids::principal::{Person, Principal, Service};
use folkmoot_core::ids::{
    AgentName, Attempt, CallId, Digest, EpisodeId, GrantId, MessageId, ModelCallId, ModelName,
    NodeId, Position, RequestId, Seed, Stamp, StateName, Time, TurnId, WorldId, WorldName,
};
use folkmoot_core::port::{ANSWER_BYTES_MAX, ASK_BYTES_MAX};
use folkmoot_core::spec::{AgentSpec, Definition, ModelSpec, SpecText, WorldSpec};
use folkmoot_core::tool::ToolOutcome;
use folkmoot_core::world::Accepted;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    KEY_BYTES_MAX, Told, VERSION, WireError, WrittenAsk, WrittenCommand, read_principal,
    write_principal,
};
use crate::error::SeatError;

fn world() -> WorldName {
    WorldName::new("room").unwrap()
}

fn at(position: u64) -> Position {
    Position::new(position)
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 8]>().prop_map(|bytes| Digest::of(&[&bytes]))
}

fn step() -> impl Strategy<Value = StepKey> {
    any::<(u32, u32)>().prop_map(|(run, index)| StepKey { run, index })
}

fn agent() -> impl Strategy<Value = AgentName> {
    "[a-z]{1,8}".prop_map(|name| AgentName::new(name).unwrap())
}

fn definition() -> impl Strategy<Value = Definition> {
    (
        vec(agent(), 0..4),
        any::<String>(),
        option::of("[a-z]{1,8}"),
    )
        .prop_map(|(agents, words, source)| {
            let mut spec = WorldSpec::default();
            let model = ModelName::new("m").unwrap();
            spec.models
                .insert(model.clone(), ModelSpec::new("fake", &words));
            let mut text = SpecText::default();
            for name in agents {
                text.prompts.insert(name.clone(), words.clone());
                spec.agents.push(AgentSpec::new(name, Some(model.clone())));
            }
            Definition {
                spec,
                text: text.into(),
                source,
            }
        })
}

fn attachment() -> impl Strategy<Value = Attachment> {
    ("[a-z]{1,8}", any::<[u8; 4]>())
        .prop_map(|(name, bytes)| Attachment::of(name, "text/plain", &bytes))
}

fn judgement() -> impl Strategy<Value = Judgement> {
    let scope = prop_oneof![
        Just(Scope::Once),
        Just(Scope::Turn),
        Just(Scope::World),
        any::<u32>().prop_map(Scope::Uses)
    ];
    let wider = prop_oneof![Just(Wider::Same), Just(Wider::Any)];
    let texts = (
        option::of(any::<String>()),
        option::of(any::<String>()),
        option::of(any::<String>()),
    );
    (any::<bool>(), scope, wider, texts, any::<bool>()).prop_map(
        |(is_yes, scope, wider, (arguments, shown, reason), shares_reason)| Judgement {
            verdict: if is_yes {
                Verdict::Allow
            } else {
                Verdict::Deny
            },
            scope,
            wider,
            arguments,
            shown,
            world: is_yes.then(|| WorldId::from_stamp(&stamp())),
            reason,
            shares_reason,
        },
    )
}

fn stamp() -> Stamp {
    Stamp {
        time: Time::SIMULATED_START,
        seed: Seed::new([7; 16]),
    }
}

fn of_world() -> impl Strategy<Value = WorldAction> {
    let labels = btree_map("[a-z]{1,4}", any::<String>(), 0..3);
    let rights = option::of(any::<bool>().prop_map(|all| {
        if all {
            Rights::all()
        } else {
            Rights(BTreeSet::from([Right::Read]))
        }
    }));
    let span = (1..99_u64, 1..99_u64).prop_map(|(from, to)| Span {
        from: at(from),
        to: at(to),
    });
    prop_oneof![
        definition().prop_map(|definition| WorldAction::Revise { definition }),
        (option::of(any::<String>()), labels)
            .prop_map(|(owner, labels)| WorldAction::Label { owner, labels }),
        (any::<bool>(), any::<String>(), any::<String>(), rights).prop_map(
            |(is_person, method, subject, rights)| WorldAction::SetRights {
                holder: if is_person {
                    Holder::Person
                } else {
                    Holder::Service
                },
                method,
                subject,
                rights,
            }
        ),
        (vec(span, 0..3), any::<String>())
            .prop_map(|(events, basis)| WorldAction::Erase { events, basis }),
        any::<u64>().prop_map(|position| WorldAction::ViewWithheld { at: at(position) }),
        (step(), digest()).prop_map(|(step, digest)| WorldAction::RecordStep { step, digest }),
    ]
}

fn of_talk() -> impl Strategy<Value = TalkAction> {
    let message = any::<u64>().prop_map(|position| MessageId(at(position)));
    let episode = any::<u64>().prop_map(|position| EpisodeId(at(position)));
    prop_oneof![
        (
            any::<String>(),
            vec(attachment(), 0..3),
            option::of(message.clone())
        )
            .prop_map(|(text, attachments, reply_to)| TalkAction::PostMessage {
                text,
                attachments,
                reply_to,
            }),
        (message.clone(), any::<String>())
            .prop_map(|(message, text)| TalkAction::Edit { message, text }),
        message
            .clone()
            .prop_map(|message| TalkAction::Retract { message }),
        message.prop_map(|message| TalkAction::Regenerate { message }),
        Just(TalkAction::Join),
        Just(TalkAction::Leave),
        ("[a-z]{1,8}", any::<String>()).prop_map(|(name, state)| TalkAction::Observe {
            name: StateName::new(name).unwrap(),
            state,
        }),
        option::of(episode).prop_map(|episode| TalkAction::Stop { episode }),
    ]
}

fn of_consent() -> impl Strategy<Value = ConsentAction> {
    let request = any::<u64>().prop_map(|position| RequestId(at(position)));
    let reply = prop_oneof![
        vec(any::<u32>(), 0..3).prop_map(Reply::Options),
        any::<String>().prop_map(Reply::Text)
    ];
    let settlement = prop_oneof![
        option::of(any::<String>()).prop_map(Settlement::Ran),
        Just(Settlement::NotRun),
        Just(Settlement::RunAgain)
    ];
    prop_oneof![
        (option::of(agent()), request.clone(), judgement()).prop_map(
            |(agent, request, judgement)| ConsentAction::Decide {
                agent,
                request,
                judgement,
            }
        ),
        any::<u64>().prop_map(|position| ConsentAction::Revoke {
            grant: GrantId(at(position))
        }),
        (request.clone(), reply)
            .prop_map(|(request, reply)| ConsentAction::Answer { request, reply }),
        (request, settlement).prop_map(|(request, settlement)| ConsentAction::Settle {
            request,
            settlement,
        }),
    ]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        of_world().prop_map(Action::World),
        of_talk().prop_map(Action::Talk),
        of_consent().prop_map(Action::Consent),
    ]
}

fn key() -> impl Strategy<Value = Option<Keyed>> {
    let key = prop_oneof![
        any::<String>().prop_map(CommandKey::Client),
        step().prop_map(CommandKey::Step)
    ];
    option::of((key, digest()).prop_map(|(key, digest)| Keyed { key, digest }))
}

fn joins() -> WrittenCommand {
    WrittenCommand {
        world: world(),
        key: None,
        action: TalkAction::Join.into(),
    }
}

/// The same command with other JSON in the place of its action.
fn with_action(action: &Value) -> Vec<u8> {
    json!({"version": VERSION, "world": "room", "action": action})
        .to_string()
        .into_bytes()
}

fn fault(bytes: &[u8]) -> String {
    WrittenCommand::read(bytes).unwrap_err().to_string()
}

proptest! {
    #[test]
    fn a_command_reads_back_as_it_was_written(action in action(), key in key()) {
        let command = WrittenCommand { world: world(), key, action };
        let written = command.clone().write(0).unwrap();
        prop_assert_eq!(WrittenCommand::read(&written).unwrap(), command);
    }

    #[test]
    fn a_command_with_one_more_field_anywhere_is_refused(action in action(), place in any::<prop::sample::Index>()) {
        let mut value = serde_json::to_value(&action).unwrap();
        let mut objects = Vec::new();
        places(&value, "", &mut objects);
        prop_assume!(!objects.is_empty());
        let place = place.get(&objects);
        let object = value.pointer_mut(place).and_then(Value::as_object_mut).unwrap();
        object.insert("added_later".to_owned(), json!(1));
        prop_assert!(WrittenCommand::read(&with_action(&value)).is_err());
    }

    #[test]
    fn whatever_bytes_come_nothing_panics(bytes in vec(any::<u8>(), 0..200)) {
        prop_assert!(WrittenCommand::read(&bytes).is_err());
        prop_assert!(read_principal(&bytes).is_err() && Told::read(&bytes).is_err());
    }

    #[test]
    fn a_cut_command_is_refused(action in action(), cut in any::<prop::sample::Index>()) {
        let written = WrittenCommand { action, ..joins() }.write(0).unwrap();
        prop_assert!(WrittenCommand::read(&written[..cut.index(written.len())]).is_err());
    }
}

/// The places of all objects whose fields have names of ours: those of a map are people's.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    const MAPS: [&str; 9] = [
        "labels", "models", "prompts", "tasks", "replies", "extra", "cache", "states", "tools",
    ];
    if let Value::Object(members) = value {
        if !MAPS.iter().any(|map| place.ends_with(map)) {
            found.push(place.to_owned());
        }
        for (key, value) in members {
            places(value, &format!("{place}/{key}"), found);
        }
    }
}

#[test]
fn a_written_command_looks_like_this() {
    let post = TalkAction::PostMessage {
        text: "hi".to_owned(),
        attachments: Vec::new(),
        reply_to: Some(MessageId(at(4))),
    };
    let command = WrittenCommand {
        action: post.into(),
        ..joins()
    };
    let written = String::from_utf8(command.write(0).unwrap()).unwrap();
    assert_eq!(
        written,
        r#"{"version":1,"world":"room","action":{"post_message":{"text":"hi","attachments":[],"reply_to":4}}}"#
    );
}

#[test]
fn nothing_that_the_shell_brings_is_written_or_read() {
    let agent = AgentName::new("bob").unwrap();
    let shell = [
        ShellAction::Tick,
        ShellAction::RetryModel {
            agent: agent.clone(),
            call: ModelCallId(at(3)),
        },
        ShellAction::StartTool {
            agent: agent.clone(),
            call: CallId::new([3; 16]),
            attempt: Attempt(1),
        },
        ShellAction::FinishTool {
            agent: agent.clone(),
            call: CallId::new([3; 16]),
            attempt: Attempt(1),
            outcome: ToolOutcome::text("ran"),
            progress: None,
        },
        ShellAction::FailAgent {
            agent,
            turn: Some(TurnId(at(2))),
            code: "code".to_owned(),
            detail: String::new(),
        },
        ShellAction::RecordErased {
            request: at(3),
            events: 1,
            files: 0,
        },
    ];
    let node = NodeId::from_stamp(&stamp());
    let world = [
        WorldAction::Open {
            node,
            base: None,
            revise: None,
            signer: None,
            copy: None,
        },
        WorldAction::Create {
            world: WorldId::from_stamp(&stamp()),
            name: world(),
            clock: ClockKind::System,
            base: None,
            definition: Definition::default(),
            node,
            signer: None,
            copy: None,
            labelled: Default::default(),
        },
    ];
    let shell = shell.into_iter().map(Action::Shell);
    for action in shell.chain(world.into_iter().map(Action::World)) {
        let value = serde_json::to_value(&action).unwrap();
        let why = fault(&with_action(&value));
        assert!(why.contains("unknown variant"), "{why}");
        let kind = action.kind();
        let unwritten = WrittenCommand { action, ..joins() }.write(0);
        assert!(matches!(unwritten, Err(WireError::NotAsked(named)) if named == kind));
    }
}

#[test]
fn a_fault_is_named_with_its_place() {
    let post = json!({"post_message": {"text": "hi", "attachments": [], "reply_to": null, "colour": "red"}});
    let why = fault(&with_action(&post));
    assert!(
        why.contains("unknown field `colour`") && why.contains("line 1 column"),
        "{why}"
    );
    let mut judged = serde_json::to_value(ConsentAction::Decide {
        agent: None,
        request: RequestId(at(9)),
        judgement: Judgement::new(Verdict::Allow),
    })
    .unwrap();
    judged["decide"]["judgement"]["as_operator"] = json!(true);
    assert_eq!(
        fault(&with_action(&judged)),
        "the field `/action/decide/judgement/as_operator` is unknown to this build; use the same build on all nodes"
    );
    let label = json!({"label": {"owner": null, "labels": {"a": "1", "b": "2"}}});
    let twice = String::from_utf8(with_action(&label)).unwrap();
    let twice = twice.replace("\"b\"", "\"a\"");
    let why = fault(twice.as_bytes());
    assert!(why.contains("\"a\" occurs twice"), "{why}");
    let why = fault(&with_action(&json!({"label": {"owner": null}})));
    assert!(why.contains("missing field `labels`"), "{why}");
    // A field that may be left out in Rust's form is not filled in.
    let file = json!({"post_message": {"text": "hi", "attachments": []}});
    assert_eq!(
        fault(&with_action(&file)),
        "the field `/action/post_message/reply_to` is missing; use the same build on all nodes"
    );
}

#[test]
fn another_version_is_refused_before_anything_is_read_of_it() {
    for (version, why) in [
        (
            json!(2),
            "it has version 2, and this build reads version 1 alone; use the same build on all nodes",
        ),
        (
            json!(0),
            "it has version 0, and this build reads version 1 alone; use the same build on all nodes",
        ),
        (json!("1"), "it has no number in the field `version`"),
    ] {
        let bytes = json!({"version": version, "whatever": []}).to_string();
        assert_eq!(fault(bytes.as_bytes()), why);
        assert_eq!(Told::read(bytes.as_bytes()).unwrap_err().to_string(), why);
        assert_eq!(
            read_principal(bytes.as_bytes()).unwrap_err().to_string(),
            why
        );
    }
}

#[test]
fn the_largest_command_is_sent_and_one_byte_more_is_not() {
    let of = |length: usize| WrittenCommand {
        action: TalkAction::Edit {
            message: MessageId(at(1)),
            text: "x".repeat(length),
        }
        .into(),
        ..joins()
    };
    let frame = of(0).write(0).unwrap().len();
    let largest = of(ASK_BYTES_MAX - frame).write(0).unwrap();
    assert_eq!(largest.len(), ASK_BYTES_MAX);
    assert!(WrittenCommand::read(&largest).is_ok());
    let larger = of(ASK_BYTES_MAX - frame + 1).write(0);
    assert!(
        matches!(larger, Err(WireError::TooLarge { bytes, max }) if bytes == max + 1 && max == ASK_BYTES_MAX)
    );
    // Whoever gives it is sent with it.
    assert!(of(ASK_BYTES_MAX - frame - 1).write(1).is_ok());
    assert!(of(ASK_BYTES_MAX - frame).write(1).is_err());
    let mut padded = largest;
    padded.push(b' ');
    assert!(matches!(
        WrittenCommand::read(&padded),
        Err(WireError::TooLarge { .. })
    ));
}

#[test]
fn the_longest_key_is_sent_and_read_and_one_byte_more_is_neither() {
    let of = |length: usize| WrittenCommand {
        key: Some(Keyed {
            key: CommandKey::Client("k".repeat(length)),
            digest: Digest::of(&[b"k"]),
        }),
        ..joins()
    };
    let longest = of(KEY_BYTES_MAX).write(0).unwrap();
    assert_eq!(WrittenCommand::read(&longest).unwrap(), of(KEY_BYTES_MAX));
    let why = "its key has 129 bytes, and a key has at most 128; use a shorter one";
    let unwritten = of(KEY_BYTES_MAX + 1).write(0).unwrap_err();
    assert_eq!(unwritten.to_string(), why);
    // Whoever writes it has another build, or none.
    let longer = String::from_utf8(longest).unwrap().replace("kk\"", "kkk\"");
    let unread = WrittenCommand::read(longer.as_bytes()).unwrap_err();
    assert_eq!(unread.to_string(), why);
}

#[test]
fn nobody_is_the_runtime_by_the_word_of_a_node() {
    let display = "ada".to_owned().try_into().unwrap();
    let person = Person {
        method: "token".to_owned(),
        subject: "7".to_owned(),
        display,
    };
    let service = Service {
        method: "token".to_owned(),
        subject: "8".to_owned(),
        display: person.display.clone(),
    };
    for principal in [
        Principal::Person(person),
        Principal::Service(service),
        Principal::World,
    ] {
        let written = write_principal(principal.clone()).unwrap();
        assert_eq!(read_principal(&written).unwrap().principal(), &principal);
    }
    assert!(matches!(
        write_principal(Principal::Runtime),
        Err(WireError::OfRuntime)
    ));
    let runtime = json!({"version": VERSION, "principal": "runtime"}).to_string();
    assert!(matches!(
        read_principal(runtime.as_bytes()),
        Err(WireError::OfRuntime)
    ));
}

#[test]
fn a_wish_that_a_world_be_let_go_of_reads_back_and_is_no_command() {
    let written = WrittenAsk::LetGo(world()).write(0).unwrap();
    let form = json!({"version": VERSION, "let_go": "room"});
    assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), form);
    assert_eq!(
        WrittenAsk::read(&written).unwrap(),
        WrittenAsk::LetGo(world())
    );
    assert!(WrittenCommand::read(&written).is_err());
    let both =
        json!({"version": VERSION, "let_go": "room", "world": "room", "action": {"talk": "join"}});
    assert!(matches!(
        WrittenAsk::read(both.to_string().as_bytes()),
        Err(WireError::Form(_))
    ));
}

#[test]
fn answers_read_back_and_one_that_is_too_long_says_so() {
    let decided = Decided {
        by: None,
        how: "expired".to_owned(),
    };
    let answers: [Result<Accepted, SeatError>; 8] = [
        Ok(Accepted {
            message: Some(MessageId(at(4))),
            last: Some(at(6)),
        }),
        Ok(Accepted {
            message: None,
            last: None,
        }),
        Err(SeatError::Refused(Refusal::Right {
            reason: RefusalReason::AlreadyDecided,
            decided: Some(decided),
        })),
        Err(SeatError::Refused(Refusal::Stale)),
        Err(SeatError::KeyReused("k".to_owned())),
        Err(SeatError::Stopped("why".to_owned())),
        Err(SeatError::Full),
        Err(SeatError::Elsewhere("why".to_owned())),
    ];
    for answer in answers {
        let told = Told::read(&Told::from(answer.clone()).write()).unwrap();
        assert_eq!(Result::from(told), answer);
    }
    let long = Told::Stopped("x".repeat(ANSWER_BYTES_MAX)).write();
    let told = Told::read(&long).unwrap();
    assert!(
        matches!(&told, Told::Elsewhere(why) if why.starts_with("its answer cannot be sent: it has ")),
        "{told:?}"
    );
}
