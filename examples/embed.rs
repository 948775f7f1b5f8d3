//! A room in a program of your own: open it, post, watch the reply being written, allow what it asks, read it all.

use std::io::Write as _;

use folkmoot::{ActivityEvent, OpenMode, PersonName, Post, Proof, Room, Runtime, Store};

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
    let mut activity = ada.subscribe_activity()?;
    tokio::spawn(async move {
        while let Ok(event) = activity.recv().await {
            if let ActivityEvent::Draft { delta, .. } = event {
                say(&delta);
            }
        }
    });

    ada.publish_message(Post::text("Please note that we ship on Friday."))
        .await?;
    world.quiet().await?;
    for asked in ada.waiting().await? {
        say(&format!("{asked}: allowed\n"));
        ada.allow(&asked).await?;
    }
    world.quiet().await?;

    let transcript = world
        .operator()
        .read(|world| world.transcript().clone())
        .await?;
    transcript
        .iter()
        .for_each(|message| say(&format!("\n{}: {:?}", message.from, message.text.present())));
    say(&format!(
        "\nThe file: {}\n",
        std::fs::read_to_string(notes.join("today.md"))?
    ));
    runtime.shutdown().await;
    Ok(store.close()?)
}

fn say(text: &str) {
    let _closed = std::io::stdout().write_all(text.as_bytes());
}
