use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use folkmoot_core::event::Attachment;
use folkmoot_core::ids::principal::Person;
use folkmoot_core::ids::{Digest, FileId, PersonName, Position};
use folkmoot_core::port::{BlobError, CallFiles, RoomFile, Tool, ToolCall};
use folkmoot_core::spec::limits::BLOB_BYTES_MAX;
use folkmoot_core::tool::{FileChange, FilePart, ToolErrorCode, ToolOutcome, ToolOutput, View};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::derive::{Cannot, derive};
use super::index;
use super::named::data_sets;
use crate::stage::{build, call, failure};

/// The files of a room, in memory.
#[derive(Debug, Default)]
struct FakeFiles {
    seen: Vec<RoomFile>,
    blobs: Mutex<BTreeMap<Digest, Vec<u8>>>,
    derived: Option<PathBuf>,
}

#[async_trait]
impl CallFiles for FakeFiles {
    fn seen(&self) -> &[RoomFile] {
        &self.seen
    }

    async fn read(&self, file: FileId, number: usize) -> Result<Option<Vec<u8>>, BlobError> {
        let file = self.seen.iter().find(|seen| seen.id == file).unwrap();
        let part = file.file.blobs().nth(number).unwrap();
        Ok(self.blobs.lock().unwrap().get(&part.blob).cloned())
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        let blob = Digest::sha256(&bytes);
        self.blobs.lock().unwrap().insert(blob, bytes);
        Ok(blob)
    }

    fn derived(&self) -> Option<PathBuf> {
        self.derived.clone()
    }
}

impl FakeFiles {
    fn with(mut self, name: &str, bytes: &[u8]) -> Self {
        let mut file = Attachment::of(name, "text/csv", bytes);
        let mut blobs = self.blobs.lock().unwrap();
        if bytes.len() > BLOB_BYTES_MAX {
            file.parts = bytes
                .chunks(BLOB_BYTES_MAX)
                .map(|part| FilePart {
                    blob: Digest::sha256(part),
                    bytes: part.len() as u64,
                })
                .collect();
        }
        for part in bytes.chunks(BLOB_BYTES_MAX) {
            blobs.insert(Digest::sha256(part), part.to_vec());
        }
        drop(blobs);
        let at = Position::new(10 + self.seen.len() as u64);
        let display = PersonName::new("ada").unwrap();
        self.seen.push(RoomFile {
            id: FileId { at, ordinal: 0 },
            file,
            owner: Some(Person {
                method: "test".to_owned(),
                subject: "ada".to_owned(),
                display,
            }),
        });
        self
    }

    fn deriving_in(mut self, folder: PathBuf) -> Self {
        self.derived = Some(folder);
        self
    }
}

const ORDERS: &str = "id,country,amount,email\n\
    1,France,10,canary-1@x\n2,Spain,20,canary-2@x\n3,France,30,canary-3@x\n4,Italy,40,canary-4@x\n";
const PRODUCTS: &str = "country;stock\nFrance;5\nSpain;6\nItaly;7\n";

fn tool(settings: &Value) -> Arc<dyn Tool> {
    build(settings, Path::new("."))
}

fn called(files: &Arc<FakeFiles>, arguments: Value) -> ToolCall {
    ToolCall {
        files: Some(Arc::clone(files) as _),
        ..call(arguments)
    }
}

async fn run(settings: Value, files: &Arc<FakeFiles>, arguments: Value) -> ToolOutcome {
    tool(&settings).run(&called(files, arguments)).await
}

async fn done(settings: Value, files: &Arc<FakeFiles>, arguments: Value) -> ToolOutput {
    match run(settings, files, arguments).await {
        ToolOutcome::Done(output) => output,
        other @ (ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_)) => panic!("{other:?}"),
    }
}

async fn failed(settings: Value, files: &Arc<FakeFiles>, arguments: Value) -> ToolErrorCode {
    failure(&run(settings, files, arguments).await).0
}

fn rows_of(output: &ToolOutput) -> &Vec<Vec<Value>> {
    match output.views.first() {
        Some(View::Table(table)) => &table.rows,
        other => panic!("{other:?}"),
    }
}

/// Two files, whose tables lie in a folder, and in memory.
fn both() -> [(Arc<FakeFiles>, tempfile::TempDir); 2] {
    let two = || {
        FakeFiles::default()
            .with("orders.csv", ORDERS.as_bytes())
            .with("Products 2026.csv", PRODUCTS.as_bytes())
    };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("derived");
    [
        (Arc::new(two().deriving_in(place)), folder),
        (Arc::new(two()), tempfile::tempdir().unwrap()),
    ]
}

fn names(files: &[&str]) -> Vec<String> {
    let files = files
        .iter()
        .fold(FakeFiles::default(), |files, name| files.with(name, b"x"));
    data_sets(&files.seen)
        .into_iter()
        .map(|set| set.name)
        .collect()
}

#[test]
fn a_data_set_has_the_name_of_its_file_and_the_newest_has_it_bare() {
    assert_eq!(names(&["orders.csv"]), ["orders"]);
    assert_eq!(names(&["Q3 Orders (final).CSV"]), ["q3_orders_final"]);
    assert_eq!(
        names(&["2026.parquet", "größe.tsv", "…jsonl.csv"]),
        ["t_2026", "gr_e", "jsonl"]
    );
    assert_eq!(names(&["a.csv", "a.tsv", "A.csv"]), ["a_10", "a_11", "a"]);
    assert_eq!(
        names(&["a_11.csv", "a.csv", "a.csv"]),
        ["a_11_10", "a_11", "a"]
    );
    assert_eq!(
        names(&["; DROP TABLE x; --.csv", "..csv"]),
        ["drop_table_x", "data"]
    );
    assert_eq!(
        names(&["group.csv", "sqlite_master.csv"]),
        ["t_group", "t_sqlite_master"]
    );
    assert_eq!(names(&["\"; delete everything.csv"]), ["delete_everything"]);
}

#[tokio::test]
async fn people_see_rows_and_a_model_a_summary_without_any_of_them() {
    for (files, _folder) in both() {
        let list = done(json!({ "use": "data.list" }), &files, json!({})).await;
        assert_eq!(rows_of(&list).len(), 2);
        let query = json!({ "query": "SELECT o.email, p.stock FROM orders o JOIN products_2026 p ON p.country = o.country ORDER BY o.id" });
        let rows = done(json!({ "use": "data.query" }), &files, query).await;
        let expected = [
            ("canary-1@x", 5),
            ("canary-2@x", 6),
            ("canary-3@x", 5),
            ("canary-4@x", 7),
        ];
        let expected = expected.map(|(email, stock)| vec![json!(email), json!(stock)]);
        assert_eq!(*rows_of(&rows), expected);
        let preview = json!({ "name": "orders.csv", "rows": 2 });
        let preview = done(json!({ "use": "data.preview" }), &files, preview).await;
        assert_eq!(rows_of(&preview).len(), 2);
        let found = json!({ "name": "orders", "words": "FRANCE" });
        let found = done(json!({ "use": "data.search" }), &files, found).await;
        assert_eq!(rows_of(&found).len(), 2);
        let described = json!({ "name": "orders" });
        let described = done(json!({ "use": "data.describe" }), &files, described).await;
        assert!(
            described.text.contains("orders has 4 rows"),
            "{}",
            described.text
        );
        for output in [rows, preview, found] {
            let summary = output.summary.unwrap();
            assert!(!summary.contains("canary"), "{summary}");
        }
        assert!(!described.text.contains("canary") && !list.text.contains("canary"));
    }
}

#[tokio::test]
async fn a_chart_is_an_artifact_that_fits_its_kind() {
    for (files, _folder) in both() {
        let chart = tool(&json!({ "use": "data.chart" }));
        let arguments = |y: &str, query: &str| json!({ "form": "bar", "title": "T", "query": query, "x": "country", "y": [y] });
        let sums = "SELECT country, sum(amount) AS amount FROM orders GROUP BY country";
        let ToolOutcome::Done(output) = chart.run(&called(&files, arguments("amount", sums))).await
        else {
            panic!()
        };
        let Some(View::Artifact(artifact)) = output.views.first() else {
            panic!("{output:?}")
        };
        let spec = &chart.spec().artifacts[&artifact.kind];
        assert!(
            jsonschema::is_valid(&spec.schema, &artifact.data),
            "{}",
            artifact.data
        );
        assert_eq!(
            artifact.data["rows"],
            json!([["France", 40], ["Italy", 40], ["Spain", 20]])
        );
        let bad = [
            arguments("gone", sums),
            arguments("email", "SELECT country, email FROM orders"),
            arguments("amount", "SELECT country, amount FROM orders WHERE id > 9"),
        ];
        for arguments in bad {
            let code = failed(json!({ "use": "data.chart" }), &files, arguments).await;
            assert_eq!(code, ToolErrorCode::BadArguments);
        }
    }
}

#[tokio::test]
async fn a_query_reaches_the_data_sets_of_its_people_and_nothing_else() {
    let hostile = [
        ("DELETE FROM orders", ToolErrorCode::NotAllowed),
        ("SELECT * FROM customers", ToolErrorCode::NotFound),
        ("SELECT * FROM data", ToolErrorCode::NotFound),
        ("SELECT * FROM description", ToolErrorCode::NotFound),
        ("SELECT * FROM sqlite_schema", ToolErrorCode::NotFound),
        (
            "SELECT readfile('/etc/passwd') FROM orders",
            ToolErrorCode::NotAllowed,
        ),
        ("ATTACH 'x' AS y", ToolErrorCode::NotAllowed),
    ];
    for (files, _folder) in both() {
        for (query, code) in hostile {
            let found = failed(
                json!({ "use": "data.query" }),
                &files,
                json!({ "query": query }),
            )
            .await;
            assert_eq!(found, code, "{query}");
        }
    }
    let many = (0..11).fold(FakeFiles::default(), |files, number| {
        files.with(&format!("s{number:02}.csv"), b"x,y\n1,2\n3,4\n")
    });
    let many = Arc::new(many);
    let union = |count: usize| {
        let parts: Vec<String> = (0..count)
            .map(|number| format!("SELECT x FROM s{number:02}"))
            .collect();
        json!({ "query": parts.join(" UNION ALL ") })
    };
    let rows = done(json!({ "use": "data.query" }), &many, union(10)).await;
    assert_eq!(rows_of(&rows).len(), 20);
    let code = failed(json!({ "use": "data.query" }), &many, union(11)).await;
    assert_eq!(code, ToolErrorCode::TooLarge);
}

#[tokio::test]
async fn a_table_is_made_once_and_again_when_it_is_gone() {
    let [(files, folder), _] = both();
    let ask = || {
        done(
            json!({ "use": "data.query" }),
            &files,
            json!({ "query": "SELECT count(*) AS n FROM orders" }),
        )
    };
    ask().await;
    let place = folder.path().join("derived");
    let made = || -> Vec<PathBuf> {
        std::fs::read_dir(&place)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect()
    };
    let first = made();
    assert_eq!(first.len(), 1, "{first:?}");
    // Nothing needs the bytes any more.
    let kept = std::mem::take(&mut *files.blobs.lock().unwrap());
    assert_eq!(*rows_of(&ask().await), [[json!(4)]]);
    std::fs::remove_dir_all(&place).unwrap();
    let code = failed(
        json!({ "use": "data.query" }),
        &files,
        json!({ "query": "SELECT count(*) AS n FROM orders" }),
    )
    .await;
    assert_eq!(code, ToolErrorCode::Failed, "the bytes are gone, too");
    assert_eq!(made(), Vec::<PathBuf>::new(), "nothing half made is left");
    *files.blobs.lock().unwrap() = kept;
    assert_eq!(*rows_of(&ask().await), [[json!(4)]]);
    assert_eq!(made(), first);
}

#[tokio::test]
async fn a_file_of_several_blobs_is_one_table() {
    let mut bytes = b"number,word\n".to_vec();
    let mut count: i64 = 0;
    while bytes.len() <= 2 * BLOB_BYTES_MAX {
        bytes.extend_from_slice(
            format!("{count},a word of some length to fill the row with bytes {count}\n")
                .as_bytes(),
        );
        count += 1;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = FakeFiles::default()
        .with("big.csv", &bytes)
        .deriving_in(folder.path().join("derived"));
    let files = Arc::new(files);
    let settings = json!({ "use": "data.query", "timeout": "1h" });
    let query = json!({ "query": "SELECT count(*) AS n, sum(number) AS s FROM big" });
    let rows = done(settings, &files, query).await;
    assert_eq!(
        *rows_of(&rows),
        [[json!(count), json!(count * (count - 1) / 2)]]
    );
}

#[tokio::test]
async fn a_file_of_the_staging_folder_becomes_a_data_set_and_nothing_else_does() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("orders.csv"), ORDERS).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("p.csv")).unwrap();
    let settings = || json!({ "use": "data.import", "root": folder.path() });
    let files = Arc::new(FakeFiles::default());
    let output = done(settings(), &files, json!({ "path": "orders.csv" })).await;
    let [FileChange::Added(named)] = output.files.as_slice() else {
        panic!("{output:?}")
    };
    let file = Attachment::from(named);
    assert_eq!(
        file,
        Attachment::of("orders.csv", "text/csv", ORDERS.as_bytes())
    );
    assert_eq!(file.check(u32::MAX), Ok(()));
    assert_eq!(files.blobs.lock().unwrap()[&file.blob], ORDERS.as_bytes());
    for path in [
        "notes.txt",
        "p.csv",
        "../orders.csv",
        "gone.csv",
        "/etc/passwd",
    ] {
        let code = failed(settings(), &files, json!({ "path": path })).await;
        assert_ne!(code, ToolErrorCode::Failed, "{path}");
    }
    let small = json!({ "use": "data.import", "root": folder.path(), "max_bytes": 10 });
    let code = failed(small, &files, json!({ "path": "orders.csv" })).await;
    assert_eq!(code, ToolErrorCode::TooLarge);
}

#[tokio::test]
async fn what_is_deleted_is_the_one_that_was_named() {
    let files = FakeFiles::default()
        .with("a.csv", b"x\n1\n")
        .with("a.csv", b"x\n2\n");
    let files = Arc::new(files);
    for (name, at) in [("a", 11), ("a.csv", 11), ("a_10", 10)] {
        let output = done(
            json!({ "use": "data.delete" }),
            &files,
            json!({ "name": name }),
        )
        .await;
        let id = FileId {
            at: Position::new(at),
            ordinal: 0,
        };
        assert_eq!(output.files, [FileChange::Removed(id)], "{name}");
    }
    let code = failed(
        json!({ "use": "data.delete" }),
        &files,
        json!({ "name": "b" }),
    )
    .await;
    assert_eq!(code, ToolErrorCode::NotFound);
}

#[tokio::test]
async fn an_error_names_the_column_that_the_query_named() {
    for (files, _folder) in both() {
        for (query, name) in [
            ("SELECT nothing FROM orders", Some("nothing")),
            ("SELECT * FROM customers", Some("customers")),
            ("SELECT readfile('x') FROM orders", Some("readfile")),
            ("SELECT o.nothing FROM orders o", Some("o.nothing")),
            ("SELECT avg(o.country) FROM orders o", Some("country")),
            ("SELECT sum(DISTINCT country) FROM orders", Some("country")),
            ("SELECT amount - country FROM orders", Some("country")),
            ("SELECT sum(country || '') FROM orders", None),
            // The engine's words about a path hold a cell.
            (
                "SELECT json_extract('{}', 'no such column: ' || country || ' ') FROM orders",
                None,
            ),
            (
                "SELECT json_type('{}', 'ambiguous column name: ' || country) FROM orders",
                None,
            ),
            ("SELECT", None),
        ] {
            let outcome = run(
                json!({ "use": "data.query" }),
                &files,
                json!({ "query": query }),
            )
            .await;
            let ToolOutcome::Failed(failure) = outcome else {
                panic!("{outcome:?}")
            };
            assert_eq!(failure.plain_name(), name, "{query}: {failure:?}");
        }
    }
}

#[tokio::test]
async fn a_description_for_models_has_no_cell_at_its_ends() {
    let rows: String = (0..12).map(|_| "83417,1979-03-14\n").collect();
    let different: String = (1_234..1_246)
        .map(|pay| format!("{pay},2026-03-{:02}\n", pay - 1_233))
        .collect();
    for (name, rows, told) in [
        ("same.csv", rows, "few different values"),
        ("pay.csv", different, "from 1000 to 2000"),
    ] {
        let bytes = format!("pay,born\n{rows}");
        let files = Arc::new(FakeFiles::default().with(name, bytes.as_bytes()));
        let set = name.split('.').next().unwrap();
        let output = done(
            json!({ "use": "data.describe" }),
            &files,
            json!({ "name": set }),
        )
        .await;
        let text = &output.text;
        assert!(text.contains(told), "{text}");
        for cell in ["83417", "1979-03", "1234", "1245", "2026-03-"] {
            assert!(!text.contains(cell), "{text}");
        }
    }
}

#[tokio::test]
async fn a_file_that_a_query_does_not_name_does_not_break_it() {
    let many = ["e", "s", "t", "o", "r", "d", "f", "m", "c", "u", "n", "l"];
    let files = many
        .iter()
        .fold(FakeFiles::default(), |files, name| {
            files.with(&format!("{name}.csv"), b"")
        })
        .with("orders.csv", ORDERS.as_bytes());
    let query = json!({ "query": "SELECT count(*) FROM orders" });
    let output = done(json!({ "use": "data.query" }), &Arc::new(files), query).await;
    assert_eq!(rows_of(&output), &[[json!(4)]]);
}

#[tokio::test]
async fn an_index_is_made_once_and_goes_with_what_it_is_of() {
    let [(files, folder), _] = both();
    let seen: Arc<dyn CallFiles> = files.clone();
    let sets = data_sets(files.seen());
    let later = || Instant::now() + Duration::from_secs(600);
    let derived = derive(&seen, &sets[0], later()).await.unwrap();
    let search = |until| index::search(derived.clone(), "france".to_owned(), 10, until);
    let place = folder.path().join("derived");
    let indexes = || {
        let entries = std::fs::read_dir(&place).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| path.extension().is_some_and(|ending| ending != "sqlite"))
            .count()
    };
    // Calls whose time is over leave one making behind them, and a later call waits for that one.
    for _ in 0..3 {
        let over = search(Instant::now()).await;
        assert!(matches!(over, Err(Cannot::NotYet(_))), "{over:?}");
    }
    assert!(indexes() <= 1);
    assert_eq!(search(later()).await.unwrap().rows.len(), 2);
    assert_eq!(indexes(), 1);
    // A making whose table is taken away leaves nothing.
    std::fs::remove_dir_all(&place).unwrap();
    std::fs::create_dir(&place).unwrap();
    let gone = search(later()).await;
    assert!(matches!(gone, Err(Cannot::Failed(_))), "{gone:?}");
    assert_eq!(indexes(), 0);
}
