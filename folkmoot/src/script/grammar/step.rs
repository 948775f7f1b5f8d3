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
            "Settles a call whose outcome is unknown.",
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
        field: field("stop", NOTHING, "Stops everything that is going on."),
        modifiers: &[COMMAND, COMMON],
    },
    VerbShape {
        field: field(
            "retract",
            Shape::Record(&RETRACT),
            "Takes a message and the answers to it back.",
        ),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field("edit", Shape::Record(&EDIT), "Changes a message's words."),
        modifiers: &[COMMAND, WAIT, COMMON],
    },
    VerbShape {
        field: field(
            "regenerate",
            Shape::Record(&REGENERATE),
            "Has an agent's reply made anew.",
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
            "Reports the state of a client: the things that its user sees.",
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
            "Drops everything in memory and reopens the world.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field(
            "crash",
            NOTHING,
            "Kills the runtime at the next append, and reopens the world.",
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
            "Waits until no work is open and nothing waits.",
        ),
        modifiers: &[COMMON],
    },
    VerbShape {
        field: field("expect", Shape::Record(&EXPECT), "Checks what happened."),
        modifiers: &[
            &[field(
                "since",
                Word(&["start", "last"], &[]),
                "Looks back to the run's start, or to the last `say`, `answer`, `edit`, `regenerate` or decision.",
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
            "Branches a world off, for steps with `in`.",
        ),
        modifiers: &[WAIT, COMMON],
    },
];

const COMMON: &[Field] = &[
    field("id", Name(Named::Step), "The step's name, for other steps."),
    field(
        "in",
        Name(Named::World),
        "Its world: one that an earlier `fork` made.",
    ),
];

const COMMAND: &[Field] = &[
    field("as", Name(Named::Actor), "The actor.").or("human"),
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
        "The actor; by default that person.",
    ),
    field(
        "refused",
        Word(REFUSALS, &[]),
        "The refusal that is expected.",
    ),
];

const WAIT: &[Field] = &[field("wait", Flag, "Waits until the world is quiet.").or("true")];

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
    "service_for_two",
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
    "nothing_withheld",
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
            "The last common event, or the `id` of a step, for all before it; by default the newest.",
        ),
        field(
            "live",
            Flag,
            "Its effects are performed, or answered from the record.",
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
            "The `id` of the answered message's step.",
        ),
    ]],
)
.any_of(&["text", "attach"]);

/// Which message: by the step that posted it, by its position in the log, or by the agent that
/// replied.
const MESSAGE: Shape = Either(&[Count(1, u64::MAX), Ref(Named::Step), Shape::Record(&REPLY)]);
const WHICH: &str = "The message: its step's `id`, its position, or `{ from: AGENT, nth: N }`.";

static REPLY: Record = Record::new(
    "an agent's message",
    &[&[
        required("from", NAMES_OF_AGENTS, "The agent that said it."),
        field(
            "nth",
            Count(1, 1_000),
            "Which of its standing messages of this run; by default the newest.",
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
