//! The tables of how models answer and what they cost.

use super::Shape::{Amount, Count, Decimal, Either, Flag, JsonMap, List, Ref, Text, Word};
use super::{Field, NAMES_OF_TOOLS, Named, Record, Shape, field, required};

/// What every model may have, whoever speaks to it.
pub(super) const OF_EVERY_MODEL: &[Field] = &[
    field(
        "parameters",
        Shape::Record(&PARAMETERS),
        "How it answers, where an agent says nothing else.",
    ),
    field(
        "price",
        Shape::Record(&PRICE),
        "What it costs; that of `prices` under its `model` if left out.",
    ),
    field(
        "fallback",
        List(&Ref(Named::Model), 1),
        "The models that are asked in its place, in order, once the attempts on it are over; theirs are not followed.",
    ),
];

/// What a million tokens cost, with so many digits that each token costs a whole number of the least amount.
const RATE: Shape = Amount(6);
/// An amount of money.
pub(crate) const MONEY: Shape = Amount(12);

pub(super) static PRICE: Record = Record::new(
    "a price",
    &[&[
        required("input", RATE, "Per million tokens of requests."),
        required(
            "output",
            RATE,
            "Per million tokens of answers, reasoning included.",
        ),
        field(
            "cached",
            RATE,
            "Per million tokens out of the provider's cache; as `input` if left out.",
        ),
        field(
            "cache_written",
            RATE,
            "Per million tokens into the provider's cache; as `input` if left out.",
        ),
    ]],
);

pub(super) static PARAMETERS: Record = Record::new(
    "the parameters",
    &[&[
        field(
            "temperature",
            Decimal(0, 2_000),
            "The temperature, from 0 to 2.",
        ),
        field(
            "output_tokens_max",
            Count(1, 10_000_000),
            "The most tokens of one answer.",
        ),
        field("top_p", Decimal(0, 1_000), "Nucleus sampling, from 0 to 1."),
        field("stop", List(&Text, 1), "Texts at which the answer ends."),
        field(
            "seed",
            Count(0, u32::MAX as u64),
            "The same seed asks for the same answer, as far as the provider can.",
        ),
        field(
            "tool_choice",
            Either(&[
                Word(&["auto", "none", "required"], &[]),
                Shape::Record(&TOOL_CHOICE),
            ]),
            "Which tools may be called. It holds for each call with tools: an agent that must call one goes on until its closing call, which has none.",
        ),
        field(
            "parallel_calls",
            Flag,
            "Whether one answer may ask for several calls.",
        ),
        field(
            "strict_tools",
            Flag,
            "Whether the provider is to hold calls to their tools' schemas.",
        ),
        field(
            "output",
            Either(&[Word(&["json"], &[]), Shape::Record(&OUTPUT)]),
            "The form of the answer.",
        ),
        field(
            "reasoning",
            Either(&[EFFORT, Shape::Record(&REASONING)]),
            "How much it is to reason.",
        ),
        field(
            "cache",
            Shape::Record(&CACHE),
            "Where the provider is asked to keep the request so far.",
        ),
        field(
            "provider_tools",
            List(&JsonMap, 1),
            "Tools that the provider itself runs, such as a search of the web, as it wants them written; they stand beside the room's own.",
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
        "The one that is to be called; the agent must have it.",
    )]],
);

static OUTPUT: Record = Record::new(
    "a form of answers",
    &[&[
        required(
            "name",
            Text,
            "What the schema is called; most wires want a name.",
        ),
        required(
            "schema",
            JsonMap,
            "JSON Schema (2020-12) of the answer, given to the provider as it is.",
        ),
        field(
            "strict",
            Flag,
            "Whether the provider is to hold the answer to it.",
        ),
    ]],
);

static REASONING: Record = Record::new(
    "the reasoning",
    &[&[
        field("effort", EFFORT, "In words."),
        field("tokens_max", Count(0, 10_000_000), "The most tokens of it."),
        field(
            "show",
            Flag,
            "Whether the provider is to show it, or a summary of it.",
        ),
    ]],
)
.any_of(&["effort", "tokens_max", "show"]);

static CACHE: Record = Record::new(
    "the cache",
    &[&[
        field(
            "auto",
            TTL,
            "Up to wherever the provider thinks best, for how long.",
        ),
        field("tools", TTL, "Up to the tools, for how long."),
        field("system", TTL, "Up to the system layers, for how long."),
        field(
            "conversation",
            TTL,
            "Up to the end of the conversation, for how long.",
        ),
    ]],
);
