//! The tables of the models.

use super::Shape::{Count, Duration, Either, Entries, Flag, Null, Text, Word};
use super::parameters::OF_EVERY_MODEL;
use super::{Field, HOUR, Record, Shape, Variants, YEAR, field, required};

pub(crate) static MODEL: Variants = Variants {
    what: "a model",
    tag: "provider",
    records: &[
        ("scripted", &SCRIPTED_MODEL),
        ("recorded", &RECORDED_MODEL),
        ("own", &OWN_MODEL),
        ("openai-chat", &CHAT_MODEL),
        ("azure", &CHAT_MODEL),
        ("openrouter", &CHAT_MODEL),
        ("mistral", &CHAT_MODEL),
        ("deepseek", &CHAT_MODEL),
        ("groq", &CHAT_MODEL),
        ("xai", &CHAT_MODEL),
        ("ollama", &CHAT_MODEL),
        ("vllm", &CHAT_MODEL),
        ("llamacpp", &CHAT_MODEL),
        ("lmstudio", &CHAT_MODEL),
        ("openai-responses", &RESPONSES_MODEL),
        ("anthropic-messages", &ANTHROPIC_MODEL),
        ("google-generate-content", &GOOGLE_MODEL),
    ],
};

const PROVIDER: Field = required("provider", Text, "The adapter.");
const ATTEMPT_TIMEOUT: Field =
    field("timeout", Duration(1, HOUR), "As `timeouts.total`.").or("30m");

const CONTEXT: Field = field(
    "context_tokens",
    Count(256, 100_000_000),
    "The most tokens of a request.",
)
.or("100000");

const SCRIPTED_NAME: Field = field("model", Text, "Its name, e.g. in `prices`.").or("scripted");

static SCRIPTED_MODEL: Record = Record::new(
    "a scripted model",
    &[
        &[PROVIDER, SCRIPTED_NAME, ATTEMPT_TIMEOUT, CONTEXT],
        OF_EVERY_MODEL,
    ],
);

static OWN_MODEL: Record = Record::new(
    "a model of the program",
    &[
        &[
            required(
                "provider",
                Text,
                "A program binds the model by `room.model(NAME, …)`.",
            ),
            field("model", Text, "Its name in `prices`; by default `own`."),
            ATTEMPT_TIMEOUT,
            CONTEXT,
        ],
        OF_EVERY_MODEL,
    ],
);

/// What every model behind HTTP has: the same whatever its wire.
const HTTP: &[Field] = &[
    PROVIDER,
    required("model", Text, "The provider's name of the model."),
    field(
        "base_url",
        Text,
        "Its URL, up to the wire's path; by default the provider's.",
    ),
    field(
        "key",
        Either(&[Null, Text]),
        "Its key, as `${NAME}`; by default the provider's; `null` sends none.",
    ),
    field(
        "headers",
        Entries(&Text, &Text),
        "Headers for each request.",
    ),
    field("stream", Flag, "Replies are streamed.").or("true"),
    field(
        "timeouts",
        Shape::Record(&TIMEOUTS),
        "The time limits of an attempt.",
    ),
    field(
        "body_bytes_max",
        Count(1, 1 << 30),
        "The most bytes of a reply.",
    )
    .or("16777216"),
    ATTEMPT_TIMEOUT,
    CONTEXT,
];

/// What the chat wire adds: in what its servers differ, as the provider has it if left out.
const CHAT: &[Field] = &[
    field(
        "output_limit",
        Word(&["max_completion_tokens", "max_tokens"], &[]),
        "The field for the answer's limit.",
    ),
    field(
        "reasoning_echo",
        Word(&["never", "as_received"], &[]),
        "Whether reasoning and signatures go back to the server.",
    ),
    field(
        "reasoning_style",
        Word(&["effort", "object", "thinking", "left_out"], &[]),
        "How to ask for reasoning: `reasoning_effort`, a `reasoning` object, `thinking` and the effort, or not.",
    ),
    field(
        "call_ids",
        Word(&["any", "nine"], &[]),
        "Whether ids of calls must be nine letters and digits.",
    ),
    field(
        "system_role",
        Word(&["system", "developer"], &[]),
        "The role of the message with the prompts.",
    ),
    field(
        "stream_usage",
        Word(&["asked", "unasked"], &[]),
        "Whether a stream must be asked for its usage.",
    ),
    field(
        "output_forms",
        Word(&["schema", "json"], &[]),
        "Whether answers can be held to a schema, or only to JSON.",
    ),
    field(
        "choice_word",
        Word(&["required", "any", "unnamed", "left_out"], &[]),
        "The word for \"at least one tool\"; `unnamed`: no tool by name; `left_out`: no choice at all.",
    ),
    field(
        "parallel_field",
        Word(&["sent", "left_out"], &[]),
        "Whether `parallel_tool_calls` is sent.",
    ),
    field(
        "seed_field",
        Word(&["seed", "random_seed", "left_out"], &[]),
        "The field for the seed.",
    ),
    field(
        "file_parts",
        Word(&["file", "document_url", "images", "left_out"], &[]),
        "Images, and PDF as `file` or `document_url`; images alone; none.",
    ),
    field(
        "cache_hints",
        Word(&["left_out", "cache_control"], &[]),
        "Whether `cache_control` asks the server to keep a request.",
    ),
    field(
        "key_header",
        Word(&["authorization", "api_key"], &[]),
        "The header for the key.",
    ),
];

static CHAT_MODEL: Record = Record::new(
    "a model of the chat wire",
    &[HTTP, TRANSPORT, CHAT, OF_EVERY_MODEL],
);

/// What the Responses wire adds.
const RESPONSES: &[Field] = &[
    field(
        "store",
        Word(&["never", "always", "unsaid"], &[]),
        "If the provider stores answers.",
    ),
    field(
        "encrypted_reasoning",
        Word(&["with_reasoning", "always", "never"], &[]),
        "When encrypted reasoning is asked for, to go back later.",
    ),
    field(
        "strict_tools",
        Word(&["never", "always", "unsaid"], &[]),
        "Whether tools are strict where `parameters` do not say.",
    ),
    field(
        "item_echo",
        Word(&["as_received", "never"], &[]),
        "If items of earlier answers go back as they came.",
    ),
];

static RESPONSES_MODEL: Record = Record::new(
    "an openai-responses model",
    &[HTTP, TRANSPORT, RESPONSES, OF_EVERY_MODEL],
);

/// What the wire of Anthropic adds.
const ANTHROPIC: &[Field] = &[
    field(
        "api_version",
        Word(&["2023-06-01", "2026-10-21"], &[]),
        "The version of the API.",
    ),
    field(
        "output_tokens_default",
        Count(1, 1_000_000),
        "The most tokens of an answer, unless the agent says.",
    ),
];

static ANTHROPIC_MODEL: Record = Record::new(
    "an anthropic-messages model",
    &[HTTP, TRANSPORT, ANTHROPIC, OF_EVERY_MODEL],
);

/// What the wire of Google adds.
const GOOGLE: &[Field] = &[field("prefix", Text, "The version in the path.").or("v1beta")];

static GOOGLE_MODEL: Record = Record::new(
    "a google-generate-content model",
    &[HTTP, TRANSPORT, GOOGLE, OF_EVERY_MODEL],
);

/// What every model behind HTTP takes.
const TRANSPORT: &[Field] = &[
    field(
        "proxy",
        Text,
        "The URL of its proxy, or `none`; by default the system's.",
    ),
    field(
        "ca_file",
        Text,
        "A PEM file with further root certificates, relative to the script.",
    ),
    field(
        "rate_limit",
        Shape::Record(&RATE_LIMIT),
        "A limit of calls, for all rooms of the process.",
    ),
    field(
        "response_cache",
        Shape::Record(&RESPONSE_CACHE),
        "Answers an equal request again; by default off.",
    ),
];

static RATE_LIMIT: Record = Record::new(
    "the rate limit",
    &[&[
        required(
            "requests",
            Count(1, 1_000_000),
            "The number of calls in each period; so many may also begin at once.",
        ),
        required("per", Duration(1, 24 * HOUR), "The period."),
    ]],
);

static RESPONSE_CACHE: Record = Record::new(
    "the response cache",
    &[&[
        required(
            "entries",
            Count(1, 1_000_000),
            "The most answers in the cache.",
        ),
        required(
            "for",
            Duration(1, YEAR),
            "The time for which an answer stays in it.",
        ),
    ]],
);

/// What goes between all models behind HTTP and their providers.
pub(super) static GATEWAY: Record = Record::new(
    "the gateway",
    &[&[
        required(
            "base_url",
            Text,
            "Its URL; `{provider}` stands for a model's provider.",
        ),
        field(
            "key",
            Either(&[Null, Text]),
            "The key, as `${NAME}`, for models that name none; `null` sends no key.",
        ),
        field(
            "headers",
            Entries(&Text, &Text),
            "Headers for each request; a model's own win.",
        ),
    ]],
);

static TIMEOUTS: Record = Record::new(
    "the timeouts",
    &[&[
        field(
            "connect",
            Duration(1, HOUR),
            "The limit for the connection.",
        )
        .or("10s"),
        field(
            "first_byte",
            Duration(1, HOUR),
            "The limit for the first event or ping of a streamed reply.",
        )
        .or("2m"),
        field(
            "idle",
            Duration(1, HOUR),
            "The limit between two events or pings of a streamed reply.",
        )
        .or("60s"),
        field(
            "total",
            Duration(1, HOUR),
            "The limit for the whole attempt, streamed or not.",
        )
        .or("30m"),
    ]],
);

/// The wires that may have been recorded.
const WIRES: &[&str] = &[
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "google-generate-content",
];

static RECORDED_MODEL: Record = Record::new(
    "a recorded model",
    &[
        &[
            PROVIDER,
            required("wire", Word(WIRES, &[]), "The wire that was recorded."),
            required("from", Text, "The recording: one JSON object a line."),
            field(
                "model",
                Text,
                "The provider's name of the model, if requests carry it.",
            ),
            ATTEMPT_TIMEOUT,
            CONTEXT,
        ],
        CHAT,
        RESPONSES,
        ANTHROPIC,
        GOOGLE,
        OF_EVERY_MODEL,
    ],
);
