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
            "The calls that wait for a person.",
        )
        .or("ask"),
        field(
            "main_agent",
            NAMES_OF_AGENTS,
            "The agent that answers a person's unaddressed message.",
        ),
        field(
            "mentions",
            Word(&["anywhere", "line_start"], &[]),
            "Where a person's mention of an agent counts.",
        )
        .or("anywhere"),
        field(
            "memory",
            Word(&["shared", "addressed"], &[]),
            "The messages that an agent remembers.",
        )
        .or("shared"),
        field(
            "history",
            Word(&["all", "since_join"], &[]),
            "How much a new agent learns of earlier messages.",
        )
        .or("all"),
        field(
            "privacy",
            Word(&["open", "sealed"], &[]),
            "How texts are stored, for the world's life.",
        )
        .or("open"),
        field(
            "while_waiting",
            Word(&["queue", "supersede"], &[]),
            "Whether a message to a waiting agent is queued, or ends the waiting.",
        )
        .or("queue"),
        field(
            "retry_shown",
            Flag,
            "A partly shown reply that broke off is asked for again.",
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
            "Effects that whoever began the episode cannot allow.",
        ),
        field(
            "rights",
            Shape::Record(&RIGHTS_OF_ALL),
            "Who may do what; by default everyone everything.",
        ),
        field(
            "redact",
            List(&REDACTED, 0),
            "Data that models do not read in texts of people, tools and clients.",
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
            "Constraints on the arguments; by default any fit.",
        ),
    ]],
);
