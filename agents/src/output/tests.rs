use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use folkmoot_core::ids::{Digest, Seed, Stamp, Time, ToolName};
use folkmoot_core::port::BlobError;
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_core::tool::{EffectClass, Table};
use serde_json::json;

use super::*;

const SECRET: &str = "canary-77aa01";

#[derive(Debug, Default)]
struct Memory {
    kept: Mutex<BTreeMap<Digest, Vec<u8>>>,
    is_stopped: bool,
}

#[async_trait]
impl Blobs for Memory {
    async fn put(&self, _: WorldId, bytes: Vec<u8>) -> Result<Digest, BlobError> {
        if self.is_stopped {
            return Err(BlobError::Stopped("closed".to_owned()));
        }
        assert!(bytes.len() <= BLOB_BYTES_MAX);
        let name = Digest::sha256(&bytes);
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name, bytes);
        Ok(name)
    }

    async fn get(&self, _: WorldId, blob: Digest) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&blob)
            .cloned())
    }

    async fn size(&self, world: WorldId, blob: Digest) -> Result<Option<u64>, BlobError> {
        Ok(self.get(world, blob).await?.map(|bytes| bytes.len() as u64))
    }

    async fn touch(&self, _: WorldId, _: &[Digest]) -> Result<(), BlobError> {
        Ok(())
    }

    fn derived(&self, _: WorldId) -> Option<PathBuf> {
        None
    }

    async fn forget_derived(&self, _: WorldId) -> Result<(), BlobError> {
        Ok(())
    }
}

impl Memory {
    fn only(&self) -> String {
        let kept = self.kept.lock().unwrap();
        let all: Vec<_> = kept.values().cloned().collect();
        let [bytes] = &all[..] else {
            panic!("{} blobs are kept", all.len())
        };
        String::from_utf8(bytes.clone()).unwrap()
    }
}

struct One;

impl Secrets for One {
    fn rules(&self) -> Vec<SecretRules> {
        vec![SecretRules::new([SECRET])]
    }
}

fn spec(model_bytes_max: u64, output_bytes_max: u64) -> ToolSpec {
    let name = ToolName::new("report").unwrap();
    let spec = ToolSpec::new(
        name,
        EffectClass::Read,
        "Reports.",
        json!({ "type": "object" }),
    );
    ToolSpec {
        model_bytes_max,
        output_bytes_max,
        ..spec
    }
}

async fn keep(memory: &Arc<Memory>, output: ToolOutput, spec: &ToolSpec) -> ToolOutput {
    let blobs = Arc::clone(memory) as Arc<dyn Blobs>;
    let world = WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([1; 16]),
    });
    let keeper = Keeper {
        blobs,
        world: Some(world),
        secrets: Some(Arc::new(One)),
    };
    match keeper.keep(ToolOutcome::Done(output), spec).await {
        ToolOutcome::Done(output) => output,
        other @ (ToolOutcome::Failed(_) | ToolOutcome::NeedsInput(_)) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_text_beyond_what_a_model_reads_is_cut_and_kept_whole() {
    let memory = Arc::new(Memory::default());
    let text = "ü".repeat(200);
    let kept = keep(&memory, ToolOutput::text(&text), &spec(301, 1_000)).await;
    assert_eq!(
        kept.text,
        format!("{}\n[cut: 100 more bytes]", "ü".repeat(150))
    );
    let whole = BlobRef {
        blob: Digest::sha256(text.as_bytes()),
        bytes: 400,
        media_type: "text/plain".to_owned(),
    };
    assert_eq!((kept.whole, memory.only()), (Some(whole), text));
}

#[tokio::test]
async fn a_text_within_the_limit_is_in_the_log_alone() {
    let memory = Arc::new(Memory::default());
    let output = ToolOutput::text("x".repeat(300)).with(View::Json(json!({ "a": 1 })));
    assert_eq!(
        keep(&memory, output.clone(), &spec(300, 1_000)).await,
        output
    );
    assert!(memory.kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_whole_is_cut_at_the_limit_of_all_output_and_says_so() {
    let memory = Arc::new(Memory::default());
    let kept = keep(
        &memory,
        ToolOutput::text("x".repeat(9_000)),
        &spec(300, 1_000),
    )
    .await;
    let whole = memory.only();
    assert!(
        whole.len() <= 1_000 && whole.ends_with("\n[cut: 8064 more bytes]"),
        "{whole}"
    );
    assert_eq!(kept.whole.unwrap().bytes, whole.len() as u64);
    let all = "x".repeat(BLOB_BYTES_MAX + 1);
    let memory = Arc::new(Memory::default());
    assert!(
        keep(&memory, ToolOutput::text(all), &spec(300, u64::MAX))
            .await
            .whole
            .is_some()
    );
}

#[tokio::test]
async fn a_text_that_cannot_be_kept_stays_cut_and_names_no_blob() {
    let memory = Arc::new(Memory {
        is_stopped: true,
        ..Memory::default()
    });
    let output = ToolOutput::text("x".repeat(301)).with(View::Text("y".repeat(50_000)));
    let kept = keep(&memory, output, &spec(300, 100_000)).await;
    assert_eq!(
        (kept.text.len(), kept.whole),
        (300 + "\n[cut: 1 more bytes]".len(), None)
    );
    let gone = "[a text of 50011 bytes as JSON is too large to record, and was not kept]";
    assert_eq!(kept.views, [View::Text(gone.to_owned())]);
}

#[tokio::test]
async fn a_view_too_large_to_record_is_kept_as_a_blob_and_named_in_its_place() {
    let memory = Arc::new(Memory::default());
    let table = Table {
        columns: vec!["n".to_owned()],
        rows: vec![vec![json!("x".repeat(50_000))]],
        title: None,
    };
    let small = View::Text("beside it".to_owned());
    let output = ToolOutput::text("a table")
        .with(View::Table(table.clone()))
        .with(small.clone());
    let kept = keep(&memory, output, &spec(300, 100_000)).await;
    let json = memory.only();
    assert_eq!(
        serde_json::from_str::<View>(&json).unwrap(),
        View::Table(table)
    );
    let (bytes, blob) = (json.len(), Digest::sha256(json.as_bytes()));
    let named = format!(
        "[a table of {bytes} bytes as JSON is too large to record; it is kept as blob {blob}]"
    );
    assert_eq!(kept.views, [View::Text(named), small]);
}

#[tokio::test]
async fn views_are_bounded_together_and_what_is_kept_of_them_too() {
    let memory = Arc::new(Memory::default());
    let views = vec![View::Text("x".repeat(40_000)); VIEWS_MAX + 1];
    let output = ToolOutput {
        views,
        ..ToolOutput::text("many")
    };
    let kept = keep(&memory, output, &spec(300, 50_000)).await;
    let in_full = kept
        .views
        .iter()
        .filter(|view| matches!(view, View::Text(text) if text.len() == 40_000))
        .count();
    assert_eq!((in_full, kept.views.len()), (4, VIEWS_MAX + 1));
    assert_eq!(
        memory.kept.lock().unwrap().len(),
        1,
        "the second blob would exceed all output"
    );
    assert_eq!(
        kept.views.last(),
        Some(&View::Text("[1 more views were not recorded]".to_owned()))
    );
}

#[tokio::test]
async fn no_blob_holds_a_secret_nor_a_part_of_one() {
    let memory = Arc::new(Memory::default());
    let text = format!("{}{SECRET}{}", "x".repeat(295), "y".repeat(400));
    let kept = keep(&memory, ToolOutput::text(text), &spec(300, 10_000)).await;
    let whole = memory.only();
    assert!(
        !whole.contains("canary") && whole.contains("[secret]"),
        "{whole}"
    );
    assert!(!kept.text.contains("canar"), "{}", kept.text);
}
