//! The tables of how models answer and what they cost.

use super::Shape::{Amount, Count, Decimal, Either, Flag, JsonMap, List, Ref, Text, Word};
use super::{Field, NAMES_OF_TOOLS, Named, Record, Shape, field, required};

/// What every model may have, whoever speaks to it.
pub(super) const OF_EVERY_MODEL: &[Field] = &[
    field(
        "parameters",
        Shape::Record(&PARAMETERS),
        "How it answers, unless an agent says.",
    ),
    field(
        "price",
        Shape::Record(&PRICE),
        "Its price; by default that of `prices` under its `model`.",
    ),
    field(
        "fallback",
        List(&Ref(Named::Model), 1),
        "The models that are asked after its attempts, in order; their own fallbacks do not count.",
    ),
];

/// What a million tokens cost, with so many digits that each token costs a whole number of the
/// least amount.
const RATE: Shape = Amount(6);
/// An amount of money.
pub(crate) const MONEY: Shape = Amount(12);

pub(super) static PRICE: Record = Record::new(
    "a price",
    &[&[
        required("input", RATE, "The price of a million tokens of requests."),
        required(
            "output",
            RATE,
            "The price of a million tokens of answers, reasoning included.",
        ),
        field(
            "cached",
            RATE,
            "Per million tokens read from the cache; by default as `input`.",
        ),
        field(
            "cache_written",
            RATE,
            "Per million tokens written to the cache; by default as `input`.",
        ),
    ]],
);

pub(super) static PARAMETERS: Record = Record::new(
    "the parameters",
    &[&[
        field("temperature", Decimal(0, 2_000), "The temperature."),
        field(
            "output_tokens_max",
            Count(1, 10_000_000),
            "The most tokens of one answer.",
        ),
        field("top_p", Decimal(0, 1_000), "Nucleus sampling."),
        field("stop", List(&Text, 1), "Texts at which the answer ends."),
        field(
            "seed",
            Count(0, u32::MAX as u64),
            "Equal seeds ask for equal answers.",
        ),
        field(
            "tool_choice",
            Either(&[
                Word(&["auto", "none", "required"], &[]),
                Shape::Record(&TOOL_CHOICE),
            ]),
            "Which tools may be called. An agent that must call one goes on until its closing call.",
        ),
        field(
            "parallel_calls",
            Flag,
            "One answer may ask for several calls.",
        ),
        field(
            "strict_tools",
            Flag,
            "The provider holds calls to their schemas.",
        ),
        field(
            "output",
            Either(&[Word(&["json"], &[]), Shape::Record(&OUTPUT)]),
            "The form of the answer.",
        ),
        field(
            "reasoning",
            Either(&[EFFORT, Shape::Record(&REASONING)]),
            "The amount of reasoning.",
        ),
        field(
            "cache",
            Shape::Record(&CACHE),
            "Where the provider is to cache the request.",
        ),
        field(
            "provider_tools",
            List(&JsonMap, 1),
            "Tools that the provider runs, in its own form; the room cannot see or stop their calls.",
        ),
        field(
            "extra",
            JsonMap,
            "Further fields of the request, by the provider's own names.",
        ),
    ]],
);

const EFFORT: Shape = Word(
    &["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    &[],
);
const TTL: Shape = Word(&["default", "5m", "1h"], &[]);

static TOOL_CHOICE: Record = Record::new(
    "a tool choice",
    &[&[required(
        "tool",
        NAMES_OF_TOOLS,
        "The tool; the agent must have it.",
    )]],
);

static OUTPUT: Record = Record::new(
    "a form of answers",
    &[&[
        required("name", Text, "The schema's name; most wires need one."),
        required("schema", JsonMap, "JSON Schema (2020-12) of the answer."),
        field("strict", Flag, "The provider holds the answer to it."),
    ]],
);

static REASONING: Record = Record::new(
    "the reasoning",
    &[&[
        field("effort", EFFORT, "In words."),
        field("tokens_max", Count(0, 10_000_000), "The most tokens of it."),
        field("show", Flag, "It, or a summary, is shown."),
    ]],
)
.any_of(&["effort", "tokens_max", "show"]);

static CACHE: Record = Record::new(
    "the cache",
    &[&[
        field("auto", TTL, "Up to the provider's choice."),
        field("tools", TTL, "Up to the tools."),
        field("system", TTL, "Up to the system layers."),
        field("conversation", TTL, "Up to the conversation's end."),
    ]],
);
