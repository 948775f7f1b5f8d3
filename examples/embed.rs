//! A room in a program of your own: open it, post, show all that happens, allow what it asks.

use std::io::Write as _;

use folkmoot::{
    FeedBody, FeedDraft, FeedEvent, FeedStart, OpenMode, PersonName, Post, Proof, ReadError, Room,
    Runtime, Store,
};

const ROOM: &str = "
world: notes
models: { scripted: { provider: scripted } } # plays the replies below; a real one is { provider: openai-chat, ... }
agents:
  - { name: scribe, model: scripted, prompt: You keep the notes., tools: [write_file] }
tools:
  write_file: { use: fs.write, root: '${NOTES}' }
replies:
  scribe:
    - calls: [{ tool: write_file, args: { path: today.md, content: 'We ship on Friday.' } }]
    - chunks: ['It is ', 'written ', 'down.']
";

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let notes = dir.path().join("notes");
    std::fs::create_dir(&notes)?;
    let room = Room::from_yaml(&ROOM.replace("${NOTES}", &notes.display().to_string()))?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&room).await?;

    let ada = world.as_principal(Proof::script(PersonName::new("ada")?));
    let mut feed = ada.feed(FeedStart::Beginning)?;
    let shown = tokio::spawn(async move {
        while let Some(event) = feed.next().await? {
            show(&event);
        }
        Ok::<_, ReadError>(())
    });

    ada.publish_message(Post::text("Please note that we ship on Friday."))
        .await?;
    world.quiet().await?;
    for asked in ada.waiting().await? {
        say(&format!("{asked}: allowed\n"));
        ada.allow(&asked).await?;
    }
    world.quiet().await?;

    runtime.shutdown().await;
    shown.await??;
    let notes = std::fs::read_to_string(notes.join("today.md"))?;
    say(&format!("The file: {notes}\n"));
    Ok(store.close()?)
}

fn show(event: &FeedEvent) {
    match event {
        FeedEvent::Draft(FeedDraft::Draft { text, .. }) => say(text),
        FeedEvent::Draft(FeedDraft::DraftEnd { .. }) => say("\n"),
        FeedEvent::Item(item) => show_item(&item.body),
    }
}

/// Messages and calls; an interface shows the other items, too.
fn show_item(item: &FeedBody) {
    if let FeedBody::Message { author, text, .. } = item {
        let text = text.as_deref().unwrap_or("[gone]");
        say(&format!("{author}: {text}\n"));
    } else if let FeedBody::CallStarted { tool, .. } = item {
        say(&format!("{tool} runs\n"));
    }
}

fn say(text: &str) {
    let _closed = std::io::stdout().write_all(text.as_bytes());
}
