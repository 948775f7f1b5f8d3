//! The tables of the tools for the web.

use super::Shape::{Count, Entries, List, Text, Word};
use super::tool::TOOL_SETTINGS;
use super::{Field, Record, Shape, field, required};

const REACHED: &[Field] = &[
    required(
        "host",
        Text,
        "`example.org`, `*.example.org` for all names beneath it, or `*` for every name; by HTTPS, unless `http://` stands in front.",
    ),
    field(
        "paths",
        List(&Text, 1),
        "`/status`, or `/v1/*` for all that lies beneath `/v1/`; by default any path.",
    ),
    field(
        "addresses",
        List(&Text, 1),
        "The networks that its name may lie in, e.g. `10.1.0.0/16`; by default the public internet.",
    ),
    field(
        "headers",
        Entries(&Text, &Text),
        "Headers that go with each request, e.g. `authorization: Bearer ${TOKEN}`. None follows a redirect to another host.",
    ),
];

static REACHED_BY_GET: Record = Record::new("a place to get from", &[REACHED]);
static REACHED_BY_ANY: Record = Record::new(
    "a place to send to",
    &[
        REACHED,
        &[required(
            "methods",
            List(
                &Word(&["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], &[]),
                1,
            ),
            "The methods that may be used.",
        )],
    ],
);

const FETCHED: &[Field] = &[
    field(
        "redirects",
        Count(0, 10),
        "The most redirects that one call follows.",
    )
    .or("5"),
    field(
        "max_bytes",
        Count(1, 8 << 20),
        "The most bytes that are read of an answer, unpacked.",
    )
    .or("1048576"),
];

pub(super) static HTTP_GET: Record = Record::new(
    "the tool http.get",
    &[
        TOOL_SETTINGS,
        &[required(
            "allow",
            List(&Shape::Record(&REACHED_BY_GET), 1),
            "The places that it reaches; the first that fits counts.",
        )],
        FETCHED,
    ],
);

pub(super) static HTTP_REQUEST: Record = Record::new(
    "the tool http.request",
    &[
        TOOL_SETTINGS,
        &[
            required(
                "allow",
                List(&Shape::Record(&REACHED_BY_ANY), 1),
                "The places that it reaches; the first that fits counts.",
            ),
            field(
                "effect",
                Word(&["write", "destructive"], &[]),
                "Its effect.",
            )
            .or("destructive"),
        ],
        FETCHED,
    ],
);
