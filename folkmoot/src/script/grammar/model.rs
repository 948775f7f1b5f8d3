//! The tables of the models.

use super::Shape::{Count, Duration, Either, Entries, Flag, Null, Text, Word};
use super::{Field, HOUR, Record, Shape, Variants, field, required};

pub(crate) static MODEL: Variants = Variants {
    what: "a model",
    tag: "provider",
    records: &[("scripted", &SCRIPTED_MODEL), ("openai-chat", &OPENAI_CHAT_MODEL), ("recorded", &RECORDED_MODEL)],
};

const PROVIDER: Field = required("provider", Text, "Which adapter speaks to it.");
const ATTEMPT_TIMEOUT: Field = field("timeout", Duration(1, HOUR), "The time limit of one attempt; 60s if left out.");

const CONTEXT: Field =
    field("context_tokens", Count(256, 100_000_000), "The most tokens of a request; 100,000 if left out.");

static SCRIPTED_MODEL: Record = Record::new("a scripted model", &[&[PROVIDER, ATTEMPT_TIMEOUT, CONTEXT]]);

static OPENAI_CHAT_MODEL: Record = Record::new(
    "an openai-chat model",
    &[&[
        PROVIDER,
        required("model", Text, "The provider's name of the model."),
        field("base_url", Text, "Where it is, `/v1` included; `${OPENAI_BASE_URL}` if left out."),
        field(
            "key",
            Either(&[Null, Text]),
            "Its key, as `${NAME}`; `${OPENAI_API_KEY}` if left out; `null` sends none.",
        ),
        field("headers", Entries(&Text, &Text), "Headers to send with each request."),
        field("stream", Flag, "Whether replies are streamed; `true` if left out."),
        field("timeouts", Shape::Record(&TIMEOUTS), "How long an attempt waits for what."),
        field("output_limit", Word(&["max_completion_tokens", "max_tokens"], &[]), "The field for the answer's limit."),
        field("reasoning_echo", Word(&["as_received", "never"], &[]), "Whether reasoning is given back to the server."),
        field("body_bytes_max", Count(1, 1 << 30), "The most bytes of a reply; 16 MiB if left out."),
        ATTEMPT_TIMEOUT,
        CONTEXT,
    ]],
);

static TIMEOUTS: Record = Record::new(
    "the timeouts",
    &[&[
        field("connect", Duration(1, HOUR), "For the connection."),
        field("first_byte", Duration(1, HOUR), "For the first byte of the reply."),
        field("idle", Duration(1, HOUR), "Between two pieces of the reply."),
        field("total", Duration(1, HOUR), "For the whole attempt."),
    ]],
);

static RECORDED_MODEL: Record = Record::new(
    "a recorded model",
    &[&[
        PROVIDER,
        required("wire", Word(&["openai-chat"], &[]), "The wire that was recorded."),
        required("from", Text, "The recording: one JSON object a line."),
        field("model", Text, "The provider's name of the model, as far as requests carry it."),
        ATTEMPT_TIMEOUT,
        CONTEXT,
    ]],
);
