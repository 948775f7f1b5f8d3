//! The tables of the policy: who answers, what is asked, and what nobody can allow.

use super::Shape::{Flag, List, Word};
use super::consent::RIGHTS_OF_ALL;
use super::constraint::CONSTRAINTS;
use super::tool::EFFECT;
use super::{NAMES_OF_AGENTS, Named, Record, Shape, field, required};

pub(super) static POLICY: Record = Record::new(
    "the policy",
    &[&[
        field(
            "mode",
            Word(&["ask", "read", "auto"], &[]),
            "Which calls wait for a person.",
        )
        .or("ask"),
        field(
            "main_agent",
            NAMES_OF_AGENTS,
            "Who answers a person's unaddressed message.",
        ),
        field(
            "mentions",
            Word(&["anywhere", "line_start"], &[]),
            "Where a mention of an agent counts in a person's message.",
        )
        .or("anywhere"),
        field(
            "memory",
            Word(&["shared", "addressed"], &[]),
            "Which messages an agent remembers.",
        )
        .or("shared"),
        field(
            "history",
            Word(&["all", "since_join"], &[]),
            "What an agent that joins learns of what was said before.",
        )
        .or("all"),
        field(
            "privacy",
            Word(&["open", "sealed"], &[]),
            "How what is written is stored, for the life of the world.",
        )
        .or("open"),
        field(
            "while_waiting",
            Word(&["queue", "supersede"], &[]),
            "What becomes of a message to an agent that waits.",
        )
        .or("queue"),
        field(
            "retry_shown",
            Flag,
            "Whether a reply that broke off after part of it was shown is asked for again.",
        )
        .or("false"),
        field(
            "deny",
            List(&A_DENY_RULE, 0),
            "Calls that nobody can allow.",
        ),
        field(
            "four_eyes",
            List(&EFFECT, 0),
            "Effects that only somebody else than who began the episode can allow.",
        ),
        field(
            "rights",
            Shape::Record(&RIGHTS_OF_ALL),
            "Who may do what; everyone everything if left out.",
        ),
        field(
            "redact",
            List(&REDACTED, 0),
            "What is taken out of what models read of people, tools and clients.",
        ),
    ]],
);

const A_DENY_RULE: Shape = Shape::Record(&DENY_RULE);
const REDACTED: Shape = Word(&["key", "email", "iban", "card", "phone"], &[]);

static DENY_RULE: Record = Record::new(
    "a deny rule",
    &[&[
        required("tool", Shape::Ref(Named::Tool), "The tool."),
        field(
            "where",
            CONSTRAINTS,
            "What the arguments must fit, all of it; any if left out.",
        ),
    ]],
);
