//! From a checked tree to steps.

use std::time::Duration;

use folkmoot_core::command::{Reply, Resolution, Settlement};
use folkmoot_core::event::Rights;
use folkmoot_core::ids::{AgentName, Digest, PersonName, Position, StateName, ToolName, WorldName};

use super::{Actor, Amendment, Fork, ForkAt, GrantRef, MessageRef, Post, Selector, Step, Verb};
use crate::script::attach::Attach;
use crate::script::expect::Expect;
use crate::script::fault::Mark;
use crate::script::grammar::VERBS;
use crate::script::node::Node;
use crate::script::spec::SpecDraft;
use crate::script::{include, scalar};

mod judgement;

/// Reads the steps of a world that begins with `spec`. The error is where they do not read.
pub(crate) fn read(steps: Option<&Node>, spec: &Node) -> Result<Vec<Step>, Mark> {
    let mut spec = spec.clone();
    let mut read = Vec::new();
    for step in steps.into_iter().flat_map(Node::items) {
        if let Some(changes) = step.get("revise") {
            spec = include::merged(&spec, changes);
        }
        read.push(read_step(step, &spec).ok_or(step.mark)?);
    }
    Ok(read)
}

fn read_step(step: &Node, spec: &Node) -> Option<Step> {
    let word = VERBS
        .iter()
        .find(|verb| step.get(verb.field.name).is_some())?
        .field
        .name;
    let verb = verb(word, step.get(word)?, spec)?;
    Some(Step {
        by: by(step, &verb)?,
        verb,
        id: step.text_of("id").map(str::to_owned),
        refused: step.text_of("refused").map(str::to_owned),
        wait: step.text_of("wait") != Some("false"),
        within: optional(step.text_of("in"), |name| WorldName::new(name).ok())?,
        digest: Digest::of(&[b"folkmoot step 1", &serde_json::to_vec(&step.json()).ok()?]),
        at: step.mark,
    })
    .map(|read| with_since(read, step))
}

/// Returns who does a step. People join and leave by themselves.
fn by(step: &Node, verb: &Verb) -> Option<Actor> {
    match (step.text_of("as"), verb) {
        (Some(name), _) => actor(name),
        (None, Verb::Join(person) | Verb::Leave(person)) => Some(Actor::Person(person.clone())),
        (None, _) => actor("human"),
    }
}

fn with_since(mut read: Step, step: &Node) -> Step {
    if let Verb::Expect(expect) = &mut read.verb {
        expect.since = step.text_of("since").and_then(crate::script::expect::since);
    }
    read
}

fn verb(word: &str, node: &Node, spec: &Node) -> Option<Verb> {
    Some(match word {
        "say" => Verb::Say(post(node)?),
        "approve" => Verb::Decide(
            selector(node)?,
            Resolution::Judge(judgement::approval(node)?),
        ),
        "deny" => Verb::Decide(selector(node)?, Resolution::Judge(judgement::denial(node))),
        "answer" => Verb::Decide(selector(node)?, Resolution::Answer(reply(node)?)),
        "settle" => Verb::Decide(selector(node)?, Resolution::Settle(settlement(node)?)),
        "revoke" => Verb::Revoke(grant(node)?),
        "stop" => Verb::Stop,
        "retract" => Verb::Amend(message(node)?, Amendment::Retract),
        "edit" => Verb::Amend(
            message(node)?,
            Amendment::Edit(node.text_of("text")?.to_owned()),
        ),
        "regenerate" => Verb::Amend(message(node)?, Amendment::Regenerate),
        "join" => Verb::Join(PersonName::new(node.text()?).ok()?),
        "leave" => Verb::Leave(PersonName::new(node.text()?).ok()?),
        "rights" => Verb::Rights(
            PersonName::new(node.text_of("person")?).ok()?,
            rights(node.get("rights"))?,
        ),
        "observe" => Verb::Observe(
            StateName::new(node.text_of("state")?).ok()?,
            node.get("value")?.json().to_string(),
        ),
        "revise" => Verb::Revise(Box::new(SpecDraft::read(spec).ok()?)),
        "fork" => Verb::Fork(fork(node)?),
        "restart" => Verb::Restart,
        "crash" => Verb::Crash,
        "advance" => Verb::Advance(Duration::from_millis(scalar::duration_ms(node.text()?)?)),
        "idle" => Verb::Idle,
        "expect" => Verb::Expect(Expect::read(node)?),
        "note" => Verb::Note(node.text()?.to_owned()),
        _ => return None,
    })
}

fn fork(node: &Node) -> Option<Fork> {
    let at = match node.get("at") {
        None => ForkAt::Here,
        Some(at) if scalar::json(at.scalar()?).is_number() => {
            ForkAt::Event(Position::new(at.text()?.parse().ok()?))
        }
        Some(at) => ForkAt::Step(at.text()?.to_owned()),
    };
    Some(Fork {
        name: WorldName::new(node.text_of("as")?).ok()?,
        at,
        is_live: node.text_of("live") == Some("true"),
    })
}

fn rights(node: Option<&Node>) -> Option<Option<Rights>> {
    node.map_or(Some(None), |node| {
        serde_json::from_value(node.json()).ok().map(Some)
    })
}

fn post(node: &Node) -> Option<Post> {
    let attach = node.get("attach").into_iter().flat_map(Node::items);
    Some(Post {
        text: node
            .text()
            .or_else(|| node.text_of("text"))
            .unwrap_or_default()
            .to_owned(),
        attach: attach.map(Attach::read).collect::<Option<_>>()?,
        reply_to: node.text_of("reply_to").map(str::to_owned),
    })
}

/// Reads which message is meant. A number that YAML reads as one is a position.
fn message(node: &Node) -> Option<MessageRef> {
    let node = node.get("message")?;
    let Some(scalar) = node.scalar() else {
        let agent = AgentName::new(node.text_of("from")?).ok()?;
        return Some(MessageRef::From {
            agent,
            nth: optional(node.text_of("nth"), |number| number.parse().ok())?,
        });
    };
    if scalar::json(scalar).is_number() {
        return scalar
            .text
            .parse()
            .ok()
            .map(Position::new)
            .map(MessageRef::At);
    }
    Some(MessageRef::Step(scalar.text.clone()))
}

fn actor(text: &str) -> Option<Actor> {
    Some(match text.split_once(':') {
        Some(("agent", agent)) => Actor::Agent(AgentName::new(agent).ok()?),
        Some(("tool", tool)) => Actor::Tool(ToolName::new(tool).ok()?),
        Some(_) | None => Actor::Person(PersonName::new(text).ok()?),
    })
}

/// Reads which request a step is about; `None` if a part of it does not read.
fn selector(node: &Node) -> Option<Selector> {
    Some(Selector {
        agent: optional(node.text_of("agent"), |name| AgentName::new(name).ok())?,
        tool: optional(node.text_of("tool"), |name| ToolName::new(name).ok())?,
        arguments: node.get("match").map(Node::json),
        nth: optional(node.text_of("nth"), |number| number.parse().ok())?,
        request: optional(node.text_of("request"), request_position)?,
    })
}

/// The position in `WORLD#POSITION` or `POSITION`.
pub(crate) fn request_position(text: &str) -> Option<Position> {
    let number = text.rsplit('#').next().unwrap_or(text);
    number
        .parse()
        .ok()
        .filter(|number| *number > 0)
        .map(Position::new)
}

/// Returns what `read` makes of `text`, if there is one: `None` only if it makes nothing of it.
fn optional<T>(text: Option<&str>, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    text.map_or(Some(None), |text| read(text).map(Some))
}

fn reply(node: &Node) -> Option<Reply> {
    if let Some(text) = node.text_of("text") {
        return Some(Reply::Text(text.to_owned()));
    }
    let one = node.get("option").into_iter();
    let numbers = one.chain(node.get("options").into_iter().flat_map(Node::items));
    numbers
        .map(|number| number.text()?.parse().ok())
        .collect::<Option<_>>()
        .map(Reply::Options)
}

fn grant(node: &Node) -> Option<GrantRef> {
    if let Some(step) = node.text_of("grant") {
        return Some(GrantRef::Step(step.to_owned()));
    }
    Some(GrantRef::Fitting {
        agent: optional(node.text_of("agent"), |name| AgentName::new(name).ok())?,
        tool: optional(node.text_of("tool"), |name| ToolName::new(name).ok())?,
    })
}

fn settlement(node: &Node) -> Option<Settlement> {
    if let Some(ran) = node.get("ran") {
        let scalar = ran.scalar()?;
        let is_text = !scalar.is_plain || scalar.text != "true";
        return Some(Settlement::Ran(is_text.then(|| scalar.text.clone())));
    }
    match (node.get("not_run"), node.get("run_again")) {
        (Some(_), _) => Some(Settlement::NotRun),
        (None, Some(_)) => Some(Settlement::RunAgain),
        (None, None) => None,
    }
}
