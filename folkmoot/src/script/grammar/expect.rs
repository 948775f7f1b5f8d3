//! The table of expectations.

use super::Shape::{Either, Entries, Flag, Json, List, Pattern, Ref, Text, Word};
use super::{Field, NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, Shape, WHOLE, field, later, step};

/// What a step can expect.
pub(super) static EXPECT: Record = Record::new(
    "an expectation",
    &[&[
        field("message", Shape::Record(&MESSAGE), "A message that fits was posted."),
        field("no_message", Shape::Record(&MESSAGE), "No message that fits was posted; `{}` is none at all."),
        field("routing", Shape::Record(&ROUTING), "The last message of a person or agent went this way."),
        field("approval", Either(&[NONE, Shape::Record(&REQUEST)]), "Such an approval waits, or none does."),
        field("question", Either(&[NONE, Shape::Record(&QUESTION)]), "Such a question waits, or none does."),
        field("outcome", Either(&[NONE, Shape::Record(&REQUEST)]), "Such a call's outcome is unknown, or none's is."),
        field("requests", WHOLE, "So many requests wait for people."),
        field("notices", Either(&[NONE, List(&Word(NOTICES, &[]), 1)]), "The world told people this, in this order."),
        field("tool_runs", Entries(&NAMES_OF_TOOLS, &WHOLE), "So many calls were started."),
        field("model_calls", Entries(&NAMES_OF_AGENTS, &WHOLE), "So many model calls were made."),
        field("refusals", Either(&[NONE, List(&Word(step::REFUSALS, &[]), 1)]), "This was refused, in this order."),
        field("spec", Shape::Record(&SPEC), "The room has exactly these."),
        field("episode_end", Word(ENDS, &[]), "How the last turn of the last episode ended."),
        field("idle", Flag, "Whether nothing is owed and nothing waits."),
        field("exhausted", NONE, "No agent ran out of scripted replies."),
        field("replay", Word(&["identical"], &[]), "Folding the log anew gives the same state."),
        later("budget", Json, "What is left of a budget."),
        later("withheld", Json, "What was kept from people."),
    ]],
)
.any_of(&[
    "message",
    "no_message",
    "routing",
    "approval",
    "question",
    "outcome",
    "requests",
    "notices",
    "tool_runs",
    "model_calls",
    "refusals",
    "spec",
    "episode_end",
    "idle",
    "exhausted",
    "replay",
]);

const NONE: Shape = Word(&["none"], &[]);
const ENDS: &[&str] = &["answered", "passed", "failed", "limit", "stopped", "superseded"];

const NOTICES: &[&str] = &[
    "undeliverable",
    "nobody_answers",
    "agent_waits",
    "inbox_full",
    "limit_reached",
    "turn_failed",
    "request_expired",
    "outcome_unknown",
];

static MESSAGE: Record = Record::new(
    "an expected message",
    &[&[
        field("from", Ref(Named::Speaker), "Who said it."),
        field("to", NAMES_OF_AGENTS, "An agent that was to answer it."),
        field("contains", Text, "It has this in it."),
        field("equals", Text, "It is this."),
        field("matches", Pattern, "It fits this regular expression."),
    ]],
);

const CALL: &[Field] = &[
    field("agent", NAMES_OF_AGENTS, "The agent whose call it is."),
    field("tool", NAMES_OF_TOOLS, "The tool that is called."),
    field("match", Shape::JsonMap, "Arguments that the call has."),
];

static REQUEST: Record = Record::new("an expected request", &[CALL]);

static QUESTION: Record =
    Record::new("an expected question", &[CALL, &[field("contains", Text, "The question has this in it.")]]);

static ROUTING: Record = Record::new(
    "an expected routing",
    &[&[
        field("rule", Word(RULES, &[]), "The rule that decided."),
        field("respond", Entries(&NAMES_OF_AGENTS, &Word(REASONS, &[])), "Exactly these are to answer, and why."),
        field("undeliverable", WHOLE, "How many names were nobody's."),
    ]],
)
.any_of(&["rule", "respond", "undeliverable"]);

const RULES: &[&str] = &["addressed", "main_agent", "everyone", "too_many", "unaddressed", "undeliverable"];
const REASONS: &[&str] = &["mentioned", "main_agent", "everyone"];

static SPEC: Record = Record::new(
    "an expected spec",
    &[&[
        field("agents", List(&NAMES_OF_AGENTS, 0), "The agents, in roster order."),
        field("tools", List(&NAMES_OF_TOOLS, 0), "The tools, in any order."),
        field("main_agent", NAMES_OF_AGENTS, "The main agent."),
    ]],
)
.any_of(&["agents", "tools", "main_agent"]);
