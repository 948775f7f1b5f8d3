//! Who answers a message, and why, in words.

use folkmoot_core::audit::why::{Silence, Verdicts};
use folkmoot_core::event::{DampReason, Others, RoutingReason, RoutingRule};
use folkmoot_core::text::reply::RoutingTag;

/// The rule that decided who answers.
#[must_use]
pub const fn routing_rule(rule: RoutingRule) -> &'static str {
    match rule {
        RoutingRule::Addressed => "a line begins with a mention",
        RoutingRule::Named => "no line begins with a mention, and the text names agents",
        RoutingRule::Tag => "the reply carries a routing tag",
        RoutingRule::Reply => {
            "the reply addresses nobody, so it answers the agent that it replies to"
        }
        RoutingRule::Asked => "an agent asks another with the tool for it",
        RoutingRule::HandedOff => "an agent hands the episode over with the tool for it",
        RoutingRule::MainAgent => "nobody is addressed, and the room has a main agent",
        RoutingRule::Everyone => "nobody is addressed, and the room is small enough for everyone",
        RoutingRule::TooMany => "nobody is addressed, and the room is too large for everyone",
        RoutingRule::Unaddressed => "the agent's message addresses nobody",
        RoutingRule::Undeliverable => "it addresses somebody whom nobody here is",
        RoutingRule::BesideCalls => "an agent says it beside tool calls, which wakes nobody",
        RoutingRule::Joined => "an agent waited for others, and not all of them gave it an answer",
    }
}

/// The reason that an agent answers.
#[must_use]
pub const fn answering(why: RoutingReason) -> &'static str {
    match why {
        RoutingReason::Mentioned => "a line begins with its name",
        RoutingReason::Named => "the text names it",
        RoutingReason::Tag => "the routing tag names it",
        RoutingReason::Reply => "the message replies to it",
        RoutingReason::Asked => "it is asked, and the asker waits",
        RoutingReason::HandedOff => "the episode is handed to it",
        RoutingReason::MainAgent => "it is the main agent",
        RoutingReason::Everyone => "everyone answers",
        RoutingReason::Joined => "it waited for them",
    }
}

const fn silence(why: Silence) -> &'static str {
    match why {
        Silence::Own => "it said this",
        Silence::Damped(DampReason::HopBudget) => {
            "addressed, but the episode has used up its messages from agent to agent (hop_budget)"
        }
        Silence::Damped(DampReason::Pair) => {
            "addressed, but the two have only answered each other (pair_messages_max)"
        }
        Silence::Damped(DampReason::ServiceEpisodes) => {
            "addressed, but services have begun as many episodes within the hour as they may (service_episodes_per_hour)"
        }
        Silence::Damped(DampReason::BesideCalls) => {
            "addressed, but beside tool calls, and their author is not done"
        }
        Silence::InboxFull => "addressed, but its inbox is full (inbox_max)",
        Silence::OnlyNamed => {
            "only named: the names at the start of a line count, or else the first ones in the text"
        }
        Silence::NotAddressed => "the message is for others",
        Silence::OnlyPeople => "the message is for people alone",
        Silence::Tag(RoutingTag::Stop) => "the tag STOP ends it here",
        Silence::Tag(RoutingTag::Done) => "the tag DONE ends it here",
        Silence::Tag(RoutingTag::Pass) => "the tag PASS ends it here",
        Silence::Tag(RoutingTag::To) => "the tag TO names others",
        Silence::Undeliverable => "the name that is addressed is nobody's",
        Silence::TooMany => {
            "the room has more agents than answer together (broadcast_max), and no main agent"
        }
        Silence::Unaddressed => "no line addresses it",
    }
}

/// Says why an agent is silent, and whether it hears the message. Of its own message it has nothing
/// to hear.
#[must_use]
pub fn silent_because(verdicts: &Verdicts, why: Silence) -> String {
    let hears = match verdicts.others {
        Others::Store => "it remembers it",
        Others::Ignore => "it never sees it",
    };
    match (why, verdicts.rule) {
        (Silence::Own, _) => silence(why).to_owned(),
        (Silence::NotAddressed, RoutingRule::MainAgent) => {
            format!("the main agent answers; {hears}")
        }
        (Silence::NotAddressed, _) if ends_a_call(verdicts) => {
            format!("this is the result of the call that asked for it; {hears}")
        }
        _ => format!("{}; {hears}", silence(why)),
    }
}

/// True if the message addresses only agents that wait for it in a call: they need not be woken,
/// and nobody answers.
fn ends_a_call(verdicts: &Verdicts) -> bool {
    let is_lost = |why: &Silence| matches!(why, Silence::Damped(_) | Silence::InboxFull);
    matches!(verdicts.rule, RoutingRule::Reply | RoutingRule::Addressed)
        && verdicts.answers.is_empty()
        && verdicts.people.is_empty()
        && verdicts.unknown.is_empty()
        && !verdicts.silent.iter().any(|one| is_lost(&one.reason))
}
