//! The tables of the tools.

use super::Shape::{
    Count, Duration, Either, Entries, Flag, Json, JsonMap, List, Pointer, Text, Word,
};
use super::{Field, HOUR, NAMES_OF_AGENTS, Record, Shape, Variants, WHOLE, YEAR, field, required};

pub(crate) static TOOL: Variants = Variants {
    what: "a tool",
    tag: "use",
    records: &[
        ("fs.read", &FS_READ),
        ("fs.write", &FS_WRITE),
        ("fs.append", &FS_APPEND),
        ("shell", &SHELL),
        ("clock.now", &CLOCK_NOW),
        ("calc", &CALC),
        ("ask", &ASK),
        ("handoff", &HANDOFF),
        ("scripted", &SCRIPTED_TOOL),
        ("own", &OWN_TOOL),
    ],
};

const TOOL_SETTINGS: &[Field] = &[
    required("use", Text, "Which tool it is."),
    field("description", Text, "What models are told about it."),
    field(
        "timeout",
        Duration(1, HOUR),
        "How long one run may take.").or("10s"),
    field(
        "model_bytes",
        Count(1, 8 << 20),
        "The most bytes of output that a model sees.",
    ),
    field(
        "output_bytes",
        Count(1, 8 << 20),
        "The most bytes of output that are kept.").or("8388608"),
    field(
        "concurrency",
        Count(1, 1_000),
        "How many runs go on at a time; 8 that read and 1 that writes if left out.",
    ),
    field(
        "calls_per_episode",
        Count(1, 100_000),
        "How often it may be called in an episode.",
    ),
    field(
        "memoise",
        Flag,
        "Whether a result stands for further calls with the same arguments; only of a tool that reads.",
    ).or("false"),
    field(
        "grants",
        Word(&["any"], &[]),
        "Whether people may allow calls with any arguments.",
    ),
    field(
        "view",
        VIEW,
        "What models see of its output.").or("full"),
];

/// The word under `use`, and under `provider`, for a part that a program brings.
pub(crate) const OWN: &str = "own";

static OWN_TOOL: Record = Record::new(
    "a tool of the program",
    &[&[required(
        "use",
        Text,
        "Only a program can run such a script: it binds the tool by `room.tool(NAME, …)`, which says all else.",
    )]],
);

const VIEW: Shape = Either(&[
    Word(&["full", "summary", "none"], &[]),
    Shape::Record(&VIEW_OF_AGGREGATES),
]);

static VIEW_OF_AGGREGATES: Record = Record::new(
    "a view",
    &[&[required(
        "aggregates",
        Shape::Record(&AGGREGATES),
        "Counts, sums and means of a table, and no single value.",
    )]],
);

static AGGREGATES: Record = Record::new(
    "the aggregates",
    &[&[required(
        "rows_min",
        Count(1, 1_000_000),
        "Fewer rows than this give their count alone.",
    )]],
);
const ROOT: &[Field] = &[
    required(
        "root",
        Text,
        "The folder that it may touch, and nothing outside.",
    ),
    field(
        "links",
        Word(&["refuse", "follow"], &[]),
        "What becomes of paths along symbolic links in the folder. With `follow` no constraint says \
         `beneath`.",).or("refuse"),
];

static FS_READ: Record = Record::new("the tool fs.read", &[TOOL_SETTINGS, ROOT]);
const WRITTEN: &[Field] = &[field(
    "max_bytes",
    Count(1, 1 << 30),
    "The most bytes that one call writes.",
)
.or("1048576")];

static FS_WRITE: Record = Record::new("the tool fs.write", &[TOOL_SETTINGS, ROOT, WRITTEN]);
static FS_APPEND: Record = Record::new("the tool fs.append", &[TOOL_SETTINGS, ROOT, WRITTEN]);
static CLOCK_NOW: Record = Record::new("the tool clock.now", &[TOOL_SETTINGS]);
static CALC: Record = Record::new("the tool calc", &[TOOL_SETTINGS]);
const TURNED_TO: &[Field] = &[field(
    "agents",
    List(&NAMES_OF_AGENTS, 1),
    "Whom it may turn to; every other agent if left out.",
)];

static ASK: Record = Record::new("the tool ask", &[TOOL_SETTINGS, TURNED_TO]);
static HANDOFF: Record = Record::new("the tool handoff", &[TOOL_SETTINGS, TURNED_TO]);
static SHELL: Record = Record::new(
    "the tool shell",
    &[
        TOOL_SETTINGS,
        &[
            required("cwd", Text, "The folder in which commands run."),
            required(
                "allow",
                List(&ALLOWED, 1),
                "The commands that may run: the first that fits says what a call may do.",
            ),
            field(
                "unlisted",
                Word(&["refuse", "ask"], &[]),
                "What becomes of all others.",
            )
            .or("refuse"),
        ],
    ],
);

const ALLOWED: Shape = Either(&[List(&Text, 1), Shape::Record(&ALLOWED_LONG)]);
pub(super) const EFFECT: Shape = Word(&["read", "write", "destructive"], &[]);

static ALLOWED_LONG: Record = Record::new(
    "an allowed command",
    &[&[
        required(
            "argv",
            List(&Text, 1),
            "The program and its first arguments.",
        ),
        required("effect", EFFECT, "What it may do."),
        required(
            "args",
            Word(&["exact", "any"], &[]),
            "Whether further arguments may follow.",
        ),
        field(
            "pin",
            Text,
            "SHA-256 of the program's file: another file does not run.",
        ),
    ]],
);

static SCRIPTED_TOOL: Record = Record::new(
    "a scripted tool",
    &[
        TOOL_SETTINGS,
        &[
            required(
                "effect",
                EFFECT,
                "What it may do: `read`, `write` or `destructive`. Whatever does more than read waits for a person.",
            ),
            field(
                "idempotent",
                Either(&[Flag, Shape::Record(&HORIZON)]),
                "Whether it may run twice under one key.",
            ),
            field(
                "reconciles",
                Flag,
                "Whether a lost run is looked up in its `counts` file.",
            ),
            field(
                "open_world",
                Flag,
                "Whether it counts as one that reaches beyond this machine.",
            ),
            field(
                "schema",
                JsonMap,
                "JSON Schema (2020-12) of its arguments; any object if left out.",
            ),
            field(
                "paths",
                List(&Pointer, 1),
                "Which of its arguments are paths, as JSON pointers, e.g. `/path`.",
            ),
            field(
                "artifacts",
                Entries(&Text, &Shape::Record(&KIND)),
                "The kinds of domain artifacts that it gives, by name, and how people see them.",
            ),
            required(
                "results",
                List(&A_RESULT, 1),
                "What it returns: the first entry that fits.",
            ),
        ],
    ],
);

static A_RESULT: Shape = Shape::Record(&RESULT);

static KIND: Record = Record::new(
    "a kind of artifact",
    &[&[
        required("title", Text, "Its heading."),
        required(
            "schema",
            JsonMap,
            "JSON Schema (2020-12) of its data; what does not fit is not shown.",
        ),
        required(
            "fields",
            List(&Shape::Record(&ARTIFACT_FIELD), 1),
            "What is shown of it, in order.",
        ),
    ]],
);

const PLACE: &[Field] = &[
    required(
        "path",
        Text,
        "Where it stands, as a JSON pointer, e.g. `/cost`; what is not there is not shown.",
    ),
    required("label", Text, "What it is called."),
];
const FORMS: Shape = Word(&["plain", "percent", "bullets"], &[]);

static ARTIFACT_FIELD: Record = Record::new(
    "a field of an artifact",
    &[
        PLACE,
        &[field(
            "as",
            Either(&[FORMS, Shape::Record(&FORM)]),
            "How it is written; as it is if left out.",
        )],
    ],
);

const MEASURES: &[Field] = &[
    field("money", Text, "An amount in this currency, e.g. `USD`."),
    field(
        "money_range",
        Text,
        "An object with `min` and `max`, in this currency.",
    ),
    field("unit", Text, "A number of these, e.g. `years`."),
    field(
        "unit_range",
        Text,
        "An object with `min` and `max`, of these.",
    ),
];

static FORM: Record = Record::new(
    "a form",
    &[
        MEASURES,
        &[field(
            "table",
            List(&Shape::Record(&ARTIFACT_COLUMN), 1),
            "A list of objects, with these columns.",
        )],
    ],
)
.any_of(&["money", "money_range", "unit", "unit_range", "table"])
.clash(&[&["money", "money_range", "unit", "unit_range", "table"]]);

static ARTIFACT_COLUMN: Record = Record::new(
    "a column of an artifact",
    &[
        PLACE,
        &[field(
            "as",
            Either(&[Word(&["plain", "percent"], &[]), Shape::Record(&CELL)]),
            "How its cells are written; as they are if left out.",
        )],
    ],
);

static CELL: Record = Record::new("a form", &[MEASURES])
    .any_of(&["money", "money_range", "unit", "unit_range"])
    .clash(&[&["money", "money_range", "unit", "unit_range"]]);

static ARTIFACT: Record = Record::new(
    "an artifact",
    &[&[
        required(
            "kind",
            Text,
            "Its kind, by its name in the tool's `artifacts`.",
        ),
        required("data", Json, "Its data."),
    ]],
);

const ROW: Shape = List(&Json, 0);

static TABLE: Record = Record::new(
    "a table",
    &[&[
        field("title", Text, "What it shows."),
        required(
            "columns",
            List(&Text, 1),
            "The names of its columns, in order.",
        ),
        required("rows", List(&ROW, 0), "Its rows: a value for each column."),
    ]],
);

static HORIZON: Record = Record::new(
    "a horizon",
    &[&[required(
        "for",
        Duration(1, YEAR),
        "How long the tool remembers a key, from the start of the first run.",
    )]],
);

static RESULT: Record = Record::new(
    "a scripted result",
    &[&[
        field(
            "when",
            Either(&[Text, JsonMap]),
            "Arguments with these words or values; any if left out.",
        ),
        field(
            "text",
            Text,
            "Returns this text to the model; `{input}` in it is a person's answer.",
        ),
        field(
            "summary",
            Text,
            "The same in few words, for models that may read no more.",
        ),
        field(
            "json",
            Json,
            "Returns this value; without a `text`, the model reads it too.",
        ),
        field(
            "table",
            Shape::Record(&TABLE),
            "Shows people this table; without a `text`, the model reads it too.",
        ),
        field(
            "artifact",
            Shape::Record(&ARTIFACT),
            "Shows people this artifact; likewise.",
        ),
        field(
            "artifacts",
            List(&Shape::Record(&ARTIFACT), 1),
            "Shows people these artifacts; likewise.",
        ),
        field(
            "error",
            Either(&[Text, Shape::Record(&FAILURE)]),
            "Fails like this.",
        ),
        field(
            "needs_input",
            Either(&[Text, Shape::Record(&QUESTION)]),
            "Asks a person first.",
        ),
        field(
            "takes",
            Duration(0, YEAR),
            "How long the run takes, in simulated time.",
        ),
        field("counts", Text, "A file that gets one line per run."),
        field(
            "progress",
            List(&Text, 1),
            "What the run reports before it takes its time, in order.",
        ),
    ]],
)
.any_of(&[
    "text",
    "json",
    "table",
    "artifact",
    "artifacts",
    "error",
    "needs_input",
])
.clash(&[
    &["error", "needs_input"],
    &["artifact", "artifacts"],
    &["text", "error"],
    &["summary", "error"],
    &["json", "error"],
    &["table", "error"],
    &["artifact", "error"],
    &["artifacts", "error"],
    &["text", "needs_input"],
    &["summary", "needs_input"],
    &["json", "needs_input"],
    &["table", "needs_input"],
    &["artifact", "needs_input"],
    &["artifacts", "needs_input"],
]);

static FAILURE: Record = Record::new(
    "a scripted failure",
    &[&[
        required("code", Word(ERROR_CODES, &[]), "What the model is told."),
        required("detail", Text, "What operators are told."),
    ]],
);

const ERROR_CODES: &[&str] = &[
    "not_found",
    "not_allowed",
    "bad_arguments",
    "too_large",
    "timed_out",
    "exited_with_failure",
    "failed",
];

static QUESTION: Record = Record::new(
    "a question",
    &[&[
        required("question", Text, "The question."),
        field(
            "options",
            List(&Text, 0),
            "The answers to choose from; free text if left out.",
        ),
        field(
            "choose",
            Shape::Record(&CHOOSE),
            "How many options may be chosen; exactly one if left out.",
        ),
        field(
            "schema",
            JsonMap,
            "JSON Schema (2020-12) of a free answer; any text if left out.",
        ),
    ]],
)
.clash(&[&["options", "schema"]])
.needs(&[("choose", "options")]);

static CHOOSE: Record = Record::new(
    "a number of options",
    &[&[
        required("min", WHOLE, "The fewest."),
        required("max", WHOLE, "The most."),
    ]],
);
