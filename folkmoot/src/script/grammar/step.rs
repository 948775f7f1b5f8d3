//! The table of steps.

use crate::script::expect::EXPECT;

use super::Shape::{Count, Duration, Either, Flag, List, Name, Ref, Text, Word};
use super::consent::{OBSERVATION, RIGHTS_OF_ONE};
use super::{
    Field, NAMES_OF_AGENTS, Named, Record, Shape, VerbShape, decision, field, required, spec,
};

const DAYS_3650: u64 = 3_650 * 86_400_000;

/// What steps can do.
pub(crate) static VERBS: &[VerbShape] = &[
    VerbShape {
        field: field(
            "say",
            Either(&[Text, Shape::Record(&SAY)]),
            "Says something.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "approve",
            Shape::Record(&decision::APPROVE),
            "Allows the oldest pending call that fits.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "deny",
            Shape::Record(&decision::DENY),
            "Denies the oldest pending call that fits.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "answer",
            Shape::Record(&decision::ANSWER),
            "Answers a tool's question.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "settle",
            Shape::Record(&decision::SETTLE),
            "Says what became of a call whose outcome is unknown.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "revoke",
            Shape::Record(&decision::REVOKE),
            "Ends the oldest grant that fits, before its time.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field("stop", NOTHING, "Stops all that is going on."),
        modifiers: &[COMMAND, COMMON],
    },
    VerbShape {
        field: field(
            "retract",
            Shape::Record(&RETRACT),
            "Takes a message back, and what was said in answer to it.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "edit",
            Shape::Record(&EDIT),
            "Puts other words in the place of a message.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "regenerate",
            Shape::Record(&REGENERATE),
            "Takes an agent's reply back and has it made anew.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "join",
            Name(Named::Speaker),
            "This person joins the roster.",
        ),
        modifiers: &[HOUSE, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "leave",
            Name(Named::Speaker),
            "This person leaves the roster.",
        ),
        modifiers: &[HOUSE, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "rights",
            Shape::Record(&RIGHTS_OF_ONE),
            "Gives a person other rights.",
        ),
        modifiers: &[COMMAND, COMMON],
    },
    VerbShape {
        field: field(
            "observe",
            Shape::Record(&OBSERVATION),
            "Tells what a client's user sees.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "revise",
            Shape::Record(&spec::CHANGES),
            "Changes the spec, from the next turn on.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "restart",
            NOTHING,
            "Drops everything in memory and reopens the world from its log.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "crash",
            NOTHING,
            "Kills the runtime at the next append, and reopens the world from its log.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "advance",
            Duration(1, DAYS_3650),
            "Moves the simulated clock on.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "idle",
            NOTHING,
            "Waits until nothing is owed and nothing waits.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field("expect", Shape::Record(&EXPECT), "Checks what happened."),
        modifiers: &[
            &[field(
                "since",
                Word(&["start", "last"], &[]),
                "Looks at what happened since the run began, or since the last `say`, `answer`, `edit`, `regenerate` or decision.",
            )],
            COMMON,
        ],
    },
    VerbShape {
        field: field("note", Text, "Says something to the reader of the script."),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "fork",
            Shape::Record(&FORK),
            "Branches a world off this one. `in` goes on there.",
        ),
        modifiers: &[WAIT, COMMON],
    },
];

const COMMON: &[Field] = &[
    field("id", Name(Named::Step), "The step's name, for other steps."),
    field(
        "in",
        Name(Named::World),
        "The world that the step is about: one that a `fork` before it made.",
    ),
];

const COMMAND: &[Field] = &[
    field(
        "as",
        Name(Named::Actor),
        "Who does it: a person, `agent:NAME` or `tool:NAME`.",
    )
    .or("human"),
    field(
        "refused",
        Word(REFUSALS, &[]),
        "The refusal that is expected.",
    ),
];

/// People join and leave by themselves; others may only try.
const HOUSE: &[Field] = &[
    field(
        "as",
        Name(Named::Actor),
        "Who does it: the person itself if left out; `agent:NAME` or `tool:NAME`.",
    ),
    field(
        "refused",
        Word(REFUSALS, &[]),
        "The refusal that is expected.",
    ),
];

const WAIT: &[Field] = &[field(
    "wait",
    Flag,
    "Whether to wait until the world is idle or waits for people.",
)
.or("true")];

/// The words for refusals.
pub(crate) const REFUSALS: &[&str] = &[
    "not_a_person",
    "not_the_runtime",
    "unknown_request",
    "other_agent",
    "other_kind",
    "already_decided",
    "expired",
    "closed",
    "shown_differs",
    "other_world",
    "of_parent",
    "arguments_differ",
    "tool_changed",
    "same_person",
    "no_right",
    "bad_arguments",
    "forbidden",
    "bad_constraint",
    "path_by_letters",
    "path_not_plain",
    "no_path",
    "follows_links",
    "no_free_arguments",
    "any_not_offered",
    "bad_scope",
    "no_such_option",
    "bad_answer",
    "unknown_grant",
    "unknown_call",
    "key_reused",
    "bad_state",
    "not_yours",
    "no_reply",
    "nothing_to_stop",
    "stale",
    "bad_rights",
    "bad_message",
    "no_such_message",
    "bad_definition",
];

const NOTHING: Shape = Shape::Record(&EMPTY);
static EMPTY: Record = Record::new("this step", &[]);

static FORK: Record = Record::new(
    "a fork",
    &[&[
        required("as", Name(Named::World), "The new world's name."),
        field(
            "at",
            Either(&[Count(1, u64::MAX), Ref(Named::Step)]),
            "The last event that both have, or the `id` of a step: all before it. As it stands if left out.",
        ),
        field(
            "live",
            Flag,
            "Whether its effects are performed; else they are answered from the record, or do not happen.",
        ),
    ]],
);

static SAY: Record = Record::new(
    "a message",
    &[&[
        field("text", Text, "The text."),
        field(
            "attach",
            List(&Text, 1),
            "Files to attach, relative to the script's folder.",
        ),
        field(
            "reply_to",
            Ref(Named::Step),
            "The `id` of the step whose message it answers.",
        ),
    ]],
)
.any_of(&["text", "attach"]);

/// Which message: by the step that posted it, by its position in the log, or by the agent that replied.
const MESSAGE: Shape = Either(&[Count(1, u64::MAX), Ref(Named::Step), Shape::Record(&REPLY)]);
const WHICH: &str =
    "The message: the `id` of the step that posted it, its position, or `{ from: AGENT, nth: N }`.";

static REPLY: Record = Record::new(
    "an agent's message",
    &[&[
        required("from", NAMES_OF_AGENTS, "The agent that said it."),
        field(
            "nth",
            Count(1, 1_000),
            "Which of its messages of this run that stand, from 1; the newest if left out.",
        ),
    ]],
);

static RETRACT: Record = Record::new("a retraction", &[&[required("message", MESSAGE, WHICH)]]);

static REGENERATE: Record = Record::new(
    "a reply to make anew",
    &[&[required("message", MESSAGE, WHICH)]],
);

static EDIT: Record = Record::new(
    "an edit",
    &[&[
        required("message", MESSAGE, WHICH),
        required("text", Text, "The new words."),
    ]],
);
