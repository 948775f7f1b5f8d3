//! The tables of the tools.

use super::Shape::{
    Count, Duration, Either, Entries, Flag, Json, JsonMap, List, Name, Pointer, Size, Text, Word,
};
use super::{
    Field, HOUR, NAMES_OF_AGENTS, Named, Record, SECOND, Shape, Variants, WHOLE, YEAR, field,
    required,
};
use super::{data, web};

pub(crate) static TOOL: Variants = Variants {
    what: "a tool",
    tag: "use",
    records: &[
        ("fs.list", &FS_LIST),
        ("fs.read", &FS_READ),
        ("fs.search", &FS_SEARCH),
        ("fs.write", &FS_WRITE),
        ("fs.append", &FS_APPEND),
        ("fs.edit", &FS_EDIT),
        ("fs.move", &FS_MOVE),
        ("fs.delete", &FS_DELETE),
        ("shell", &SHELL),
        ("http.get", &web::HTTP_GET),
        ("http.request", &web::HTTP_REQUEST),
        ("clock.now", &CLOCK_NOW),
        ("calc", &CALC),
        ("ask", &ASK),
        ("handoff", &HANDOFF),
        ("sql", &SQL),
        ("data.list", &data::LIST),
        ("data.describe", &data::DESCRIBE),
        ("data.preview", &data::PREVIEW),
        ("data.query", &data::QUERY),
        ("data.search", &data::SEARCH),
        ("data.chart", &data::CHART),
        ("data.status", &data::STATUS),
        ("data.import", &data::IMPORT),
        ("data.delete", &data::DELETE),
        ("scripted", &SCRIPTED_TOOL),
        ("mcp", &MCP),
        ("own", &OWN_TOOL),
    ],
};

pub(super) const TOOL_SETTINGS: &[Field] = &[
    required("use", Text, "Which tool it is."),
    field("description", Text, "Its description for models."),
    field(
        "timeout",
        Duration(1, HOUR),
        "How long one run may take; by default 10s, of `sql` 5s.",
    ),
    field(
        "model_bytes",
        Count(1, 8 << 20),
        "The most bytes that a model sees.",
    ),
    field(
        "output_bytes",
        Count(1, 8 << 20),
        "The most bytes that are kept.",
    )
    .or("8388608"),
    field(
        "concurrency",
        Count(1, 1_000),
        "Runs at a time; by default 8 that read and 1 that writes.",
    ),
    field(
        "calls_per_episode",
        Count(1, 100_000),
        "Its most calls in an episode.",
    ),
    field(
        "memoise",
        Flag,
        "A result serves equal calls; for tools that only read.",
    )
    .or("false"),
    field(
        "grants",
        Word(&["any"], &[]),
        "People may allow calls with any arguments.",
    ),
    field(
        "view",
        VIEW,
        "The part of its output that models see; of `sql` the summary, else by default all.",
    ),
];

/// The word under `use`, and under `provider`, for a part that a program brings.
pub(crate) const OWN: &str = "own";

static OWN_TOOL: Record = Record::new(
    "a tool of the program",
    &[&[required(
        "use",
        Text,
        "A program binds the tool by `room.tool(NAME, …)`.",
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
pub(super) const ROOT: &[Field] = &[
    required(
        "root",
        Text,
        "The folder that the tool may touch; nothing outside of it.",
    ),
    field(
        "links",
        Word(&["refuse", "follow"], &[]),
        "Whether paths may follow symbolic links. With `follow`, no constraint says `beneath`.",
    )
    .or("refuse"),
];

const LISTED: &[Field] = &[field(
    "max_entries",
    Count(1, 10_000),
    "The most entries that one call lists.",
)
.or("1000")];

static FS_LIST: Record = Record::new("the tool fs.list", &[TOOL_SETTINGS, ROOT, LISTED]);
const SEARCHED: &[Field] = &[
    field(
        "max_matches",
        Count(1, 10_000),
        "The most lines that one call finds.",
    )
    .or("100"),
    field(
        "max_bytes",
        Count(1, 1 << 30),
        "The most bytes of a file; larger ones are left out.",
    )
    .or("4194304"),
];

static FS_SEARCH: Record = Record::new("the tool fs.search", &[TOOL_SETTINGS, ROOT, SEARCHED]);
static FS_READ: Record = Record::new("the tool fs.read", &[TOOL_SETTINGS, ROOT]);
const WRITTEN: &[Field] = &[field(
    "max_bytes",
    Count(1, 1 << 30),
    "The most bytes that one call writes.",
)
.or("1048576")];

static FS_WRITE: Record = Record::new("the tool fs.write", &[TOOL_SETTINGS, ROOT, WRITTEN]);
static FS_APPEND: Record = Record::new("the tool fs.append", &[TOOL_SETTINGS, ROOT, WRITTEN]);
const EDITED: &[Field] = &[field(
    "max_bytes",
    Count(1, 1 << 30),
    "The most bytes of a file, before and after.",
)
.or("1048576")];

static FS_EDIT: Record = Record::new("the tool fs.edit", &[TOOL_SETTINGS, ROOT, EDITED]);
static FS_MOVE: Record = Record::new("the tool fs.move", &[TOOL_SETTINGS, ROOT]);
static FS_DELETE: Record = Record::new("the tool fs.delete", &[TOOL_SETTINGS, ROOT]);
static CLOCK_NOW: Record = Record::new("the tool clock.now", &[TOOL_SETTINGS]);
static CALC: Record = Record::new("the tool calc", &[TOOL_SETTINGS]);
const TURNED_TO: &[Field] = &[field(
    "agents",
    List(&NAMES_OF_AGENTS, 1),
    "Whom it may turn to; by default every other agent.",
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
                "The commands that may run; the first that fits counts.",
            ),
            field(
                "unlisted",
                Word(&["refuse", "ask"], &[]),
                "Whether other commands are refused, or ask a person.",
            )
            .or("refuse"),
            field(
                "env",
                List(&Text, 0),
                "The variables of the environment that commands get, by name; by default PATH, HOME, LANG, LC_ALL and TMPDIR.",
            ),
            field(
                "sandbox",
                SANDBOX,
                "The reach of its programs; by default a sandbox that keeps to the folder. `none`: the rights of the user.",
            ),
        ],
    ],
);

static MCP: Record = Record::new(
    "an MCP server",
    &[
        TOOL_SETTINGS,
        &[
            field(
                "command",
                List(&Text, 1),
                "The program that is the server, and its arguments.",
            ),
            field("cwd", Text, "The folder in which the program runs."),
            field(
                "env",
                List(&Text, 0),
                "The variables of the environment that the program gets, by name; by default PATH, HOME, LANG, LC_ALL and TMPDIR.",
            ),
            field(
                "sandbox",
                SANDBOX,
                "The reach of the program; by default it reads its folder, has no network, and an hour of a processor. `none`: the rights of the user.",
            ),
            field("url", Text, "The address of a server elsewhere."),
            field("token", Text, "The token that it takes, as `${NAME}`."),
            field(
                "tools",
                Entries(&Text, &Shape::Record(&MCP_TOOL)),
                "The tools of the server that agents may get, by its names. `folkmoot mcp tools` prints them.",
            ),
        ],
    ],
)
.any_of(&["command", "url"])
.clash(&[&["command", "url"]])
.needs(&[
    ("command", "cwd"),
    ("cwd", "command"),
    ("env", "command"),
    ("sandbox", "command"),
    ("token", "url"),
]);

pub(crate) static MCP_TOOL: Record = Record::new(
    "a tool of a server",
    &[
        TOOL_SETTINGS,
        &[
            field(
                "as",
                Name(Named::Tool),
                "The name by which agents call it; by default those of the server and the tool with `_` between.",
            ),
            field(
                "effect",
                EFFECT,
                "Its effect; by default `destructive`: each call waits for a person.",
            ),
            required(
                "schema",
                JsonMap,
                "JSON Schema of its arguments. If the server's is another one, people are asked before a call runs.",
            ),
            field(
                "digest",
                Text,
                "The digest of the server's schema, where `schema` is not the same.",
            ),
        ],
    ],
)
.without("a tool of a server", &["use", "memoise"]);

const SANDBOX: Shape = Either(&[
    Word(&["required", "none"], &[]),
    Shape::Record(&SANDBOX_KEYS),
]);

static SANDBOX_KEYS: Record = Record::new(
    "a sandbox",
    &[&[
        field(
            "network",
            Word(&["none", "any"], &[]),
            "Whether it has sockets for the network.",
        )
        .or("none"),
        field(
            "read",
            List(&Text, 0),
            "Folders and files that it reads beside its own and the system's.",
        ),
        field(
            "write",
            List(&Text, 0),
            "Folders and files that it writes; a command that reads only reads them.",
        ),
        field(
            "memory",
            Size(16 << 20, 1 << 40),
            "The most memory of a process.",
        )
        .or("512MiB"),
        field(
            "cpu",
            Duration(SECOND, 24 * HOUR),
            "The most time of a processor for a process.",
        )
        .or("30s"),
        field(
            "processes",
            Count(1, 100_000),
            "The most processes and threads. Not for root.",
        )
        .or("64"),
        field(
            "files",
            Size(1 << 20, 1 << 40),
            "The most bytes of a written file.",
        )
        .or("256MiB"),
        field(
            "required",
            Flag,
            "Nothing runs where the system cannot apply all of it; by default so where other machines reach the server.",
        ),
    ]],
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
        required("effect", EFFECT, "Its effect."),
        required(
            "args",
            Word(&["exact", "any"], &[]),
            "If further arguments may follow.",
        ),
        field(
            "pin",
            Text,
            "SHA-256 of the program's file; a file with another digest does not run.",
        ),
    ]],
);

/// The settings of what takes a query.
pub(super) const ASKED: &[Field] = &[
    field(
        "functions",
        List(&Text, 0),
        "The functions that may be called, in place of the usual ones.",
    ),
    field(
        "rows",
        Count(1, 1_000_000),
        "The most rows of a result; the rest is left out.",
    )
    .or("10000"),
];

static SQL: Record = Record::new(
    "the tool sql",
    &[
        TOOL_SETTINGS,
        &[
            field(
                "database",
                Text,
                "The file of a SQLite database; it is only read.",
            ),
            field(
                "postgres",
                Text,
                "The variable that holds the URL of a PostgreSQL database, as `${NAME}`.",
            ),
            field("schema", Text, "The schema of the tables, in PostgreSQL.").or("public"),
            required(
                "tables",
                Entries(&Text, &COLUMNS),
                "The tables that may be read, each with its columns. A view is none.",
            ),
        ],
        ASKED,
        &[field(
            "rows_min",
            Count(1, 1_000_000),
            "Fewer rows than this give models no more than the types of columns.",
        )
        .or("10")],
    ],
)
.any_of(&["database", "postgres"])
.clash(&[&["database", "postgres"], &["database", "schema"]]);

static COLUMNS: Shape = Either(&[Word(&["all"], &[]), List(&Text, 1)]);

static SCRIPTED_TOOL: Record = Record::new(
    "a scripted tool",
    &[
        TOOL_SETTINGS,
        &[
            required(
                "effect",
                EFFECT,
                "Its effect. Calls that do more than read wait for a person.",
            ),
            field(
                "idempotent",
                Either(&[Flag, Shape::Record(&HORIZON)]),
                "True if it may run twice under one key.",
            ),
            field("reconciles", Flag, "Its `counts` file tells of lost runs."),
            field("open_world", Flag, "It reaches beyond this machine."),
            field(
                "schema",
                JsonMap,
                "JSON Schema (2020-12) of its arguments; by default any object.",
            ),
            field(
                "paths",
                List(&Pointer, 1),
                "Arguments that are paths, as JSON pointers, e.g. `/path`.",
            ),
            field(
                "artifacts",
                Entries(&Text, &Shape::Record(&KIND)),
                "Its kinds of artifacts, by name.",
            ),
            required(
                "results",
                List(&A_RESULT, 1),
                "Its results: the first that fits is returned.",
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
            "JSON Schema (2020-12) of its data; other data is not shown.",
        ),
        required(
            "fields",
            List(&Shape::Record(&ARTIFACT_FIELD), 1),
            "The parts that are shown, in order.",
        ),
    ]],
);

const PLACE: &[Field] = &[
    required(
        "path",
        Text,
        "Its place, as a JSON pointer, e.g. `/cost`; it may be missing.",
    ),
    required("label", Text, "Its heading."),
];
const FORMS: Shape = Word(&["plain", "percent", "bullets"], &[]);

static ARTIFACT_FIELD: Record = Record::new(
    "a field of an artifact",
    &[
        PLACE,
        &[field(
            "as",
            Either(&[FORMS, Shape::Record(&FORM)]),
            "Its form; by default as it is.",
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
    field("unit", Text, "A number with this unit, e.g. `years`."),
    field(
        "unit_range",
        Text,
        "An object with `min` and `max`, with this unit.",
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
            "The form of its cells; by default as they are.",
        )],
    ],
);

static CELL: Record = Record::new("a form of a cell", &[MEASURES])
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
        field("title", Text, "Its heading."),
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
        "How long it remembers a key, from the first run's start.",
    )]],
);

static RESULT: Record = Record::new(
    "a scripted result",
    &[&[
        field(
            "when",
            Either(&[Text, JsonMap]),
            "Words or values in the arguments; by default any.",
        ),
        field(
            "text",
            Text,
            "A text for the model; `{input}` is a person's answer.",
        ),
        field(
            "summary",
            Text,
            "The same in few words, for the view `summary`.",
        ),
        field(
            "json",
            Json,
            "A value, also for the model if there is no `text`.",
        ),
        field(
            "table",
            Shape::Record(&TABLE),
            "A table for people; likewise.",
        ),
        field(
            "artifact",
            Shape::Record(&ARTIFACT),
            "An artifact for people; likewise.",
        ),
        field(
            "artifacts",
            List(&Shape::Record(&ARTIFACT), 1),
            "Artifacts for people; likewise.",
        ),
        field(
            "error",
            Either(&[Text, Shape::Record(&FAILURE)]),
            "Fails with this.",
        ),
        field(
            "needs_input",
            Either(&[Text, Shape::Record(&QUESTION)]),
            "Asks a person first.",
        ),
        field(
            "takes",
            Duration(0, YEAR),
            "The duration of the run, in simulated time.",
        ),
        field("counts", Text, "A file that gets one line per run."),
        field("progress", List(&Text, 1), "Its reports, in order."),
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
    "a failure of a tool",
    &[&[
        required("code", Word(ERROR_CODES, &[]), "The code for the model."),
        required("detail", Text, "The detail for operators."),
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
            "The answers to choose from; by default free text.",
        ),
        field(
            "choose",
            Shape::Record(&CHOOSE),
            "How many options may be chosen; by default one.",
        ),
        field(
            "schema",
            JsonMap,
            "JSON Schema (2020-12) of a free answer; by default any text.",
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
