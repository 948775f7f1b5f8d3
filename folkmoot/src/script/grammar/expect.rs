//! The table of expectations.

use super::Shape::{Either, Entries, Flag, Json, List, Pattern, Ref, Scope, Text, Word};
use super::parameters::MONEY;
use super::{Field, NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, Shape, WHOLE, field, step};

/// What a step can expect.
pub(super) static EXPECT: Record = Record::new(
    "an expectation",
    &[&[
        field(
            "message",
            Shape::Record(&MESSAGE),
            "A message that fits was posted.",
        ),
        field(
            "no_message",
            Shape::Record(&MESSAGE),
            "No message that fits was posted; `{}` is none at all.",
        ),
        field(
            "routing",
            Either(&[List(&Shape::Record(&ROUTING), 1), Shape::Record(&ROUTING)]),
            "The last message went this way; or, as a list, these and no others, in this order.",
        ),
        field(
            "routing_unordered",
            List(&Shape::Record(&ROUTING), 1),
            "The messages went these ways, and no others, in any order.",
        ),
        field(
            "approval",
            Either(&[NONE, Shape::Record(&REQUEST)]),
            "Such an approval waits, or none does.",
        ),
        field(
            "question",
            Either(&[NONE, Shape::Record(&QUESTION)]),
            "Such a question waits, or none does.",
        ),
        field(
            "outcome",
            Either(&[NONE, Shape::Record(&REQUEST)]),
            "Such a call's outcome is unknown, or none's is.",
        ),
        field(
            "grants",
            Either(&[NONE, List(&Shape::Record(&GRANT), 1)]),
            "These grants stand and no others, oldest first; or none does.",
        ),
        field("requests", WHOLE, "So many requests wait for people."),
        field(
            "notices",
            Either(&[NONE, List(&Word(NOTICES, &[]), 1)]),
            "The world told people this, in this order.",
        ),
        field(
            "tool_runs",
            Entries(&NAMES_OF_TOOLS, &WHOLE),
            "So many calls were started.",
        ),
        field(
            "model_calls",
            CALLS,
            "So many model calls were made: by all agents, or by each of these.",
        ),
        field(
            "model_calls_max",
            CALLS,
            "At most so many model calls were made: by all agents, or by each of these.",
        ),
        field(
            "turns",
            Entries(
                &NAMES_OF_AGENTS,
                &Either(&[Word(ENDS, &[]), List(&Word(ENDS, &[]), 0)]),
            ),
            "Each of these agents' turns that are over ended like this, in this order.",
        ),
        field(
            "budget",
            Shape::Record(&BUDGET),
            "So many model calls are left in the last episode, and so much money.",
        ),
        field(
            "people",
            List(&Ref(Named::Speaker), 0),
            "The people of the roster, in any order.",
        ),
        field(
            "refusals",
            Either(&[NONE, List(&Word(step::REFUSALS, &[]), 1)]),
            "This was refused, in this order.",
        ),
        field("spec", Shape::Record(&SPEC), "The room has exactly these."),
        field(
            "episode_end",
            Word(ENDS, &[]),
            "How the last turn of the last episode ended.",
        ),
        field("idle", Flag, "Whether nothing is owed and nothing waits."),
        field(
            "activity",
            Word(ACTIVITIES, &[]),
            "What the world is doing; `parked` waits for a person.",
        ),
        field("exhausted", NONE, "No agent ran out of scripted replies."),
        field(
            "replay",
            Word(&["identical"], &[]),
            "Folding the log anew gives the same state.",
        ),
        field(
            "artifact",
            Either(&[NONE, Shape::Record(&ARTIFACT)]),
            "Such an artifact was shown, or none was.",
        ),
        field(
            "withheld",
            Either(&[NONE, Shape::Record(&WITHHELD)]),
            "This was kept from people, or nothing was.",
        ),
    ]],
)
.any_of(&[
    "message",
    "no_message",
    "routing",
    "routing_unordered",
    "approval",
    "question",
    "outcome",
    "grants",
    "requests",
    "notices",
    "tool_runs",
    "model_calls",
    "model_calls_max",
    "turns",
    "budget",
    "people",
    "refusals",
    "spec",
    "episode_end",
    "idle",
    "activity",
    "exhausted",
    "replay",
    "artifact",
    "withheld",
]);

static ARTIFACT: Record = Record::new(
    "an expected artifact",
    &[&[
        field("kind", Text, "Its kind."),
        field("agent", NAMES_OF_AGENTS, "The agent whose call gave it."),
        field("tool", NAMES_OF_TOOLS, "The tool that gave it."),
        field("data", Json, "Its data has this."),
        field("contains", Text, "What people see of it has this in it."),
    ]],
)
.any_of(&["kind", "agent", "tool", "data", "contains"]);

static WITHHELD: Record = Record::new(
    "expected as withheld",
    &[&[
        field(
            "from",
            NAMES_OF_AGENTS,
            "Who said it; all agents if left out.",
        ),
        field("count", WHOLE, "So many pieces."),
        field(
            "families",
            List(&Word(FAMILIES, &[]), 1),
            "What they are, in this order.",
        ),
    ]],
)
.any_of(&["count", "families"])
.clash(&[&["count", "families"]]);

const FAMILIES: &[&str] = &[
    "react_json",
    "react_text",
    "openai_call",
    "anthropic_call",
    "llama_call",
    "gemini_call",
    "call_tag",
    "tool_result",
    "approval",
    "domain_artifact",
];

const NONE: Shape = Word(&["none"], &[]);
const ENDS: &[&str] = &[
    "answered",
    "passed",
    "failed",
    "limit",
    "stopped",
    "superseded",
    "handed_off",
];
const ACTIVITIES: &[&str] = &["idle", "parked", "running"];
const CALLS: Shape = Either(&[WHOLE, Entries(&NAMES_OF_AGENTS, &WHOLE)]);

static BUDGET: Record = Record::new(
    "an expected budget",
    &[&[
        field(
            "agents",
            Entries(&NAMES_OF_AGENTS, &WHOLE),
            "So many are left to each of these agents.",
        ),
        field(
            "episode",
            WHOLE,
            "So many are left to all of them together.",
        ),
        field("cost", MONEY, "So much money is left of `limits.cost`."),
        field(
            "spent",
            MONEY,
            "So much the models cost in this run, as far as their tokens were counted.",
        ),
    ]],
)
.any_of(&["agents", "episode", "cost", "spent"]);

const NOTICES: &[&str] = &[
    "undeliverable",
    "nobody_answers",
    "only_named",
    "hop_budget_spent",
    "pair_damped",
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

static QUESTION: Record = Record::new(
    "an expected question",
    &[
        CALL,
        &[field("contains", Text, "The question has this in it.")],
    ],
);

static GRANT: Record = Record::new(
    "an expected grant",
    &[&[
        field("agent", NAMES_OF_AGENTS, "The agent whose calls it allows."),
        field("tool", NAMES_OF_TOOLS, "The tool."),
        field("scope", Scope, "How far it reaches."),
        field("left", WHOLE, "How many more calls it allows."),
        field("by", Ref(Named::Speaker), "Who gave it."),
    ]],
)
.any_of(&["agent", "tool", "scope", "left", "by"]);

static ROUTING: Record = Record::new(
    "an expected routing",
    &[&[
        field("from", Ref(Named::Speaker), "Who said it."),
        field("rule", Word(RULES, &[]), "The rule that decided."),
        field("to", ANSWERS, "Exactly these are to answer, and why."),
        field("respond", ANSWERS, "The same as `to`."),
        field(
            "people",
            List(&Ref(Named::Speaker), 0),
            "Exactly these people are addressed, in any order.",
        ),
        field(
            "tag",
            Word(TAGS, &[]),
            "The agent's routing tag; `none` is that it has none.",
        ),
        field(
            "damped",
            Entries(&NAMES_OF_AGENTS, &Word(DAMPS, &[])),
            "Exactly these are addressed and not to answer, and why.",
        ),
        field(
            "undeliverable",
            WHOLE,
            "To how many of those who are addressed it could not be delivered.",
        ),
        field(
            "unknown",
            List(&Text, 0),
            "Exactly these names are nobody's, as they are written.",
        ),
        field(
            "nearest",
            List(&NAMES_OF_AGENTS, 0),
            "These agents are suggested instead, best first.",
        ),
    ]],
)
.any_of(&[
    "from",
    "rule",
    "to",
    "respond",
    "people",
    "tag",
    "damped",
    "undeliverable",
    "unknown",
    "nearest",
])
.clash(&[&["to", "respond"]]);

const ANSWERS: Shape = Entries(&NAMES_OF_AGENTS, &Word(REASONS, &[]));
const RULES: &[&str] = &[
    "addressed",
    "named",
    "tag",
    "reply",
    "asked",
    "handed_off",
    "main_agent",
    "everyone",
    "too_many",
    "unaddressed",
    "undeliverable",
    "beside_calls",
    "joined",
];
const REASONS: &[&str] = &[
    "mentioned",
    "named",
    "tag",
    "reply",
    "asked",
    "handed_off",
    "main_agent",
    "everyone",
    "joined",
];
const TAGS: &[&str] = &["none", "stop", "done", "pass", "to"];
const DAMPS: &[&str] = &["hop_budget", "pair", "beside_calls"];

static SPEC: Record = Record::new(
    "an expected spec",
    &[&[
        field(
            "agents",
            List(&NAMES_OF_AGENTS, 0),
            "The agents, in roster order.",
        ),
        field(
            "tools",
            List(&NAMES_OF_TOOLS, 0),
            "The tools, in any order.",
        ),
        field("main_agent", NAMES_OF_AGENTS, "The main agent."),
    ]],
)
.any_of(&["agents", "tools", "main_agent"]);
