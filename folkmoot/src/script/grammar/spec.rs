//! The tables of the spec: agents, models, tools, policy, limits, replies.

use super::Shape::{Count, Decimal, Duration, Entries, Flag, JsonMap, List, Name, Text, Word};
use super::consent::STATES;
use super::model::{GATEWAY, MODEL};
use super::parameters::{MONEY, PARAMETERS, PRICE};
use super::policy::POLICY;
use super::tool::TOOL;
use super::{
    Field, NAMES_OF_AGENTS, NAMES_OF_TOOLS, Named, Record, SECOND, Shape, YEAR, field, required,
};

/// A world script.
pub(crate) static SCRIPT: Record = Record::new(
    "a world script",
    &[
        &[required(
            "world",
            Name(Named::World),
            "The world's name in the store.",
        )],
        &[field(
            "clock",
            Word(&["simulated", "system"], &[]),
            "The world's clock, for life; by default `system` with a live model, else `simulated`.",
        )],
        INCLUDE,
        SPEC,
        &[field(
            "script",
            List(&Shape::Step, 0),
            "The steps, in order.",
        )],
    ],
);

/// A file that scripts include.
pub(crate) static INCLUDED: Record = Record::new("an included spec", &[INCLUDE, SPEC]);

/// Changes of the spec in the course of a script.
pub(super) static CHANGES: Record = Record::new("a change of the spec", &[SPEC]);

const INCLUDE: &[Field] = &[field(
    "include",
    Text,
    "A file with a shared spec, relative to this one. This file wins, per agent and key, model, tool, agent's replies, and other key.",
)];

const SPEC: &[Field] = &[
    field("description", Text, "The purpose of the room."),
    field("rules", Text, "The rules of the room, for every agent."),
    field("context", Text, "Facts about the subject, for every agent."),
    field(
        "models",
        Entries(&Name(Named::Model), &A_MODEL),
        "The models by name.",
    ),
    field(
        "gateway",
        Shape::Record(&GATEWAY),
        "A server before all models without a `base_url`.",
    ),
    field(
        "prices",
        Entries(&Text, &A_PRICE),
        "Prices, by the providers' names of models.",
    ),
    field("defaults", Shape::Record(&DEFAULTS), "Defaults of agents."),
    field("agents", List(&AN_AGENT, 0), "The agents, in roster order."),
    field(
        "tools",
        Entries(&Name(Named::Tool), &A_TOOL),
        "The tools by name.",
    ),
    field(
        "local",
        Flag,
        "Its `fs.*` and `shell` tools work on a server that other machines reach.",
    )
    .or("false"),
    STATES,
    field(
        "policy",
        Shape::Record(&POLICY),
        "The rules: who answers, and which calls wait for a person.",
    ),
    field("limits", Shape::Record(&LIMITS), "The bounds of the room."),
    field(
        "replies",
        Entries(&NAMES_OF_AGENTS, &REPLIES),
        "The scripted model's replies, per agent, in order.",
    ),
];

static A_MODEL: Shape = Shape::Variant(&MODEL);
static A_PRICE: Shape = Shape::Record(&PRICE);
static A_TOOL: Shape = Shape::Variant(&TOOL);
static AN_AGENT: Shape = Shape::Record(&AGENT);

static DEFAULTS: Record = Record::new(
    "the defaults",
    &[&[field(
        "model",
        Shape::Ref(Named::Model),
        "The model of agents that name none.",
    )]],
);

static AGENT: Record = Record::new(
    "an agent",
    &[&[
        required(
            "name",
            Name(Named::Agent),
            "The name, by which others mention the agent.",
        ),
        field(
            "display",
            Name(Named::Agent),
            "Its name on screens, which also mentions it.",
        ),
        field("prompt", Text, "Its role and domain, as it is told."),
        field("task", Text, "Its work here."),
        field(
            "join",
            Shape::Record(&JOIN),
            "Whom it waits for, to be woken once.",
        ),
        field("model", Shape::Ref(Named::Model), "The model behind it."),
        field(
            "tools",
            List(&NAMES_OF_TOOLS, 0),
            "The tools that it may call.",
        ),
        field(
            "temperature",
            Decimal(0, 2_000),
            "The temperature of its model calls.",
        ),
        field(
            "output_tokens_max",
            Count(1, 10_000_000),
            "The most tokens of one answer.",
        ),
        field(
            "parameters",
            Shape::Record(&PARAMETERS),
            "The parameters of its model calls; they win over the model's.",
        ),
    ]],
)
.clash(&[
    &["temperature", "parameters"],
    &["output_tokens_max", "parameters"],
]);

static JOIN: Record = Record::new(
    "a join",
    &[&[
        required(
            "all_of",
            List(&NAMES_OF_AGENTS, 1),
            "The agents that it waits for, if it addressed them.",
        ),
        field("or_after", Duration(SECOND, YEAR), "The longest wait.").or("60s"),
    ]],
);

static LIMITS: Record = Record::new(
    "the limits",
    &[&[
        field(
            "model_calls_per_agent",
            Count(1, 10_000),
            "Model calls per agent and episode.",
        )
        .or("5"),
        field(
            "model_calls_per_episode",
            Count(1, 100_000),
            "Model calls per episode.",
        )
        .or("25"),
        field(
            "tool_calls_per_answer",
            Count(1, 1_000),
            "Tool calls per answer.",
        )
        .or("5"),
        field("attempts", Count(1, 20), "Attempts per model call.").or("3"),
        field(
            "broadcast_max",
            Count(0, 1_000),
            "The most agents that an unaddressed message reaches.",
        )
        .or("8"),
        field(
            "hop_budget",
            Count(0, 100_000),
            "Messages between agents that wake somebody, per episode.",
        )
        .or("12"),
        field(
            "pair_messages_max",
            Count(1, 100_000),
            "Messages in a row between two agents.",
        )
        .or("8"),
        field(
            "service_episodes_per_hour",
            Count(0, 100_000),
            "Episodes that messages of services begin within an hour.",
        )
        .or("30"),
        field(
            "ask_ttl",
            Duration(SECOND, YEAR),
            "The time that an agent waits for another one that it asked.",
        )
        .or("15m"),
        field(
            "grant_ttl",
            Duration(SECOND, YEAR),
            "The longest life of a grant.",
        )
        .or("24h"),
        field(
            "ask_depth_max",
            Count(1, 100),
            "The most agents that may wait for one another.",
        )
        .or("4"),
        field(
            "inbox_max",
            Count(1, 100_000),
            "Messages that may wait for one agent.",
        )
        .or("100"),
        field(
            "news_max",
            Count(1, 10_000),
            "Messages that one turn takes.",
        )
        .or("50"),
        field(
            "transcript_max",
            Count(1, 1_000_000),
            "Messages kept for agents that have not seen them.",
        )
        .or("1000"),
        field(
            "items_max",
            Count(2, 1_000_000),
            "Items that an agent's memory keeps.",
        )
        .or("2000"),
        field(
            "message_bytes_max",
            Count(1, 56 * 1024),
            "The most bytes of one message.",
        )
        .or("57344"),
        field(
            "attachments_max",
            Count(0, 1_000),
            "Files that may be attached to one message.",
        )
        .or("8"),
        field(
            "attachment_bytes_max",
            Count(0, u32::MAX as u64),
            "The most bytes of one attached file.",
        )
        .or("8388608"),
        field(
            "approval_ttl",
            Shape::Record(&APPROVAL_TTL),
            "The time that approvals wait.",
        ),
        field(
            "cost",
            MONEY,
            "The most that models may cost in all; each needs a price.",
        ),
        field("cost_per_episode", MONEY, "The same for one episode."),
    ]],
);

static APPROVAL_TTL: Record = Record::new(
    "the limits of approvals",
    &[&[
        field(
            "destructive",
            Duration(SECOND, YEAR),
            "The time for destructive calls.",
        )
        .or("15m"),
        field(
            "write",
            Duration(SECOND, YEAR),
            "The time for writing calls.",
        )
        .or("24h"),
    ]],
);

const REPLIES: Shape = List(&Shape::Record(&REPLY), 0);

static REPLY: Record = Record::new(
    "a scripted reply",
    &[&[
        field("text", Text, "Says this."),
        field(
            "chunks",
            List(&Text, 1),
            "Says this, streamed piece by piece.",
        ),
        field(
            "calls",
            List(&Shape::Record(&CALL), 1),
            "Calls these tools.",
        ),
        field("refuse", Text, "Declines to answer, in these words."),
        field("fail", Shape::Record(&FAIL), "Fails this attempt."),
        field(
            "summary",
            Text,
            "A summary of its memory, whenever it is asked for one.",
        ),
        field("pause", Duration(1, YEAR), "Waits first."),
        field(
            "when",
            Shape::Record(&WHEN),
            "Plays only if the last message or result fits.",
        ),
        field("once", Flag, "A reply with `when` plays once."),
        field(
            "usage",
            Shape::Record(&USAGE),
            "The tokens that the provider counts.",
        ),
    ]],
)
.any_of(&["text", "chunks", "calls", "refuse", "fail", "summary"])
.clash(&[
    &["text", "chunks", "refuse", "fail", "summary"],
    &["calls", "refuse", "fail", "summary"],
    &["usage", "fail"],
])
.needs(&[("once", "when")]);

static USAGE: Record = Record::new(
    "the usage",
    &[&[
        field(
            "input",
            TOKENS,
            "Tokens of the request, those of the cache included.",
        ),
        field(
            "output",
            TOKENS,
            "Tokens of the answer, reasoning included.",
        ),
        field(
            "cached",
            TOKENS,
            "Tokens of the request that came out of the cache.",
        ),
        field(
            "cache_written",
            TOKENS,
            "Tokens of the request that went into the cache.",
        ),
        field(
            "reasoning",
            TOKENS,
            "Tokens of the answer that were reasoning.",
        ),
    ]],
);

const TOKENS: Shape = Count(0, 1_000_000_000_000);

static CALL: Record = Record::new(
    "a scripted call",
    &[&[
        required("tool", NAMES_OF_TOOLS, "The tool."),
        field("args", JsonMap, "The arguments."),
        field(
            "raw_args",
            Text,
            "The arguments as raw text, malformed or not.",
        ),
        field("label", Text, "The provider's id of the call."),
    ]],
)
.clash(&[&["args", "raw_args"]]);

static FAIL: Record = Record::new(
    "a scripted failure",
    &[&[
        required("kind", Word(FAIL_KINDS, &[]), "The kind of failure."),
        field(
            "retry_after",
            Duration(1, YEAR),
            "The time that the provider asks to wait.",
        ),
    ]],
);

const FAIL_KINDS: &[&str] = &[
    "rate_limit",
    "rate",
    "overload",
    "outage",
    "timeout",
    "bad_reply",
    "refuses_request",
    "refuses_account",
    "context_too_long",
    "content_filter",
    "not_recorded",
];

static WHEN: Record = Record::new(
    "a condition",
    &[&[
        field("contains", Text, "The message contains this."),
        field("equals", Text, "The message is exactly this."),
    ]],
)
.any_of(&["contains", "equals"]);
