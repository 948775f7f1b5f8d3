//! The tables of what people decide.

use super::Shape::{Count, Either, Flag, JsonMap, List, Ref, Scope, Text, True};
use super::constraint::CONSTRAINTS;
use super::{Field, NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, Shape, WHOLE, field};

const REQUEST: &[Field] = &[
    field(
        "agent",
        NAMES_OF_AGENTS,
        "The agent whose call it is; with `refused`, as claimed.",
    ),
    field("tool", NAMES_OF_TOOLS, "The tool that is called."),
    field("match", JsonMap, "Arguments that the call has."),
    field(
        "nth",
        Count(1, 1_000),
        "Which of those that fit; by default the oldest.",
    ),
    field(
        "request",
        REQUEST_NAME,
        "The request itself: `WORLD#POSITION` or the position.",
    ),
];
const REQUEST_NAME: Shape = Either(&[Count(1, u64::MAX), Text]);

pub(super) static APPROVE: Record = Record::new(
    "an approval",
    &[
        REQUEST,
        &[
            field("scope", Scope, "How far it reaches.").or("once"),
            field("args", JsonMap, "Other arguments to run it with."),
            field(
                "where",
                CONSTRAINTS,
                "How arguments of later calls may differ.",
            ),
            field(
                "any_args",
                True,
                "Later calls may have any arguments, if the tool offers it.",
            ),
        ],
    ],
)
.clash(&[&["where", "any_args"]])
.needs(&[("where", "scope"), ("any_args", "scope")]);

pub(super) static DENY: Record = Record::new(
    "a denial",
    &[
        REQUEST,
        &[
            field("reason", Text, "Why."),
            field("share", Flag, "The agent is told the reason."),
        ],
    ],
)
.needs(&[("share", "reason")]);

pub(super) static ANSWER: Record = Record::new(
    "an answer",
    &[
        REQUEST,
        &[
            field("text", Text, "The answer in words, or as JSON."),
            field("option", WHOLE, "The option's number, from 0."),
            field(
                "options",
                List(&WHOLE, 0),
                "The numbers of several options, from 0.",
            ),
        ],
    ],
)
.any_of(&["text", "option", "options"])
.clash(&[&["text", "option", "options"]]);

pub(super) static SETTLE: Record = Record::new(
    "a settlement",
    &[
        REQUEST,
        &[
            field(
                "ran",
                Either(&[True, Text]),
                "The call took effect; its result, if that is known.",
            ),
            field("not_run", True, "The call did not take effect."),
            field("run_again", True, "The call runs again."),
        ],
    ],
)
.any_of(&["ran", "not_run", "run_again"])
.clash(&[&["ran", "not_run", "run_again"]]);

pub(super) static REVOKE: Record = Record::new(
    "a revocation",
    &[&[
        field("grant", Ref(Named::Step), "The `id` of its `approve` step."),
        field("agent", NAMES_OF_AGENTS, "The agent."),
        field("tool", NAMES_OF_TOOLS, "The tool."),
    ]],
)
.any_of(&["grant", "agent", "tool"])
.clash(&[&["grant", "agent"], &["grant", "tool"]]);
