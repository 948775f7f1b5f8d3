//! A support desk: two agents, a typed refund that a second person has to allow, and a restart in the middle.

use folkmoot::{
    ActivityEvent, Effect, Error, OpenMode, PersonName, Post, Proof, Reconciliation, Room, Runtime,
    Store, Tool, ToolOutcome, WorldHandle, fold_world,
};

const SCRIPT: &str = "
world: support-desk
models: { scripted: { provider: scripted } } # plays the replies below; a real one is { provider: openai-chat, ... }
defaults: { model: scripted }
agents:
  - { name: front, prompt: You talk to customers. }
  - { name: clerk, prompt: You give money back., tools: [refund] }
tools: { refund: { use: own } }
policy: { main_agent: front, four_eyes: [destructive] }
replies:
  front: [{ text: '@clerk please refund order 7' }, { chunks: ['@ada your money ', 'is on its way.'] }]
  clerk: [{ calls: [{ tool: refund, args: { order: 7, cents: 1200 } }] }, { text: '@front done' }]
";

/// Money to give back.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Refund {
    order: u32,
    /// At most a hundred euros.
    #[schemars(range(min = 1, max = 10_000))]
    cents: u32,
}

/// Opens the desk, or goes on with it, and prints replies as they are written.
async fn open(store: &Store) -> Result<(Runtime, WorldHandle), Error> {
    // A bank takes `call.idempotency_key` with the payment, and can say after a crash whether it was made.
    let pay = async |Refund { order, cents }, _call| {
        ToolOutcome::text(format!("{cents} cents are back for order {order}"))
    };
    let refund = Tool::typed::<Refund>("refund", Effect::Destructive, "Gives money back.", pay)?
        .reconcile(async |_refund, _call| Reconciliation::DidNot);
    let room = Room::from_yaml(SCRIPT)?.tool("refund", refund)?;
    let runtime = Runtime::builder(store).build();
    let world = runtime.open_room(&room).await?;
    let mut activity = world.operator().subscribe_activity()?;
    tokio::spawn(async move {
        while let Ok(event) = activity.recv().await {
            if let ActivityEvent::Draft { agent, delta, .. } = event {
                say(&format!("{agent} writes: {delta}"));
            }
        }
    });
    Ok((runtime, world))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let dir = tempfile::tempdir()?;
    let store = Store::open(dir.path().join("store"), OpenMode::Create)?;
    let (runtime, world) = open(&store).await?;
    let ada = Proof::by("sign-in").user("17");
    let ada = world.as_principal(ada.called(PersonName::new("ada")?));
    ada.publish_message(Post::text("My kettle broke.")).await?;
    world.quiet().await?;
    for request in ada.waiting().await? {
        // The refund is for her own message, and so another person has to allow it.
        say(&format!("ada tries: {:?}", ada.allow(&request).await.err()));
    }
    runtime.shutdown().await; // The process could end here, and another one go on.

    let (runtime, world) = open(&store).await?;
    let eve = Proof::by("sign-in").user("4");
    let eve = world.as_principal(eve.called(PersonName::new("eve")?));
    for request in eve.waiting().await? {
        say(&format!("eve allows: {request}"));
        eve.allow(&request).await?;
    }
    world.quiet().await?;
    for entry in eve.transcript(None, 20).await?.entries.iter().rev() {
        say(&entry.to_string());
    }
    let replayed = fold_world(&store, world.name(), None).await?;
    let is_same = eve.read(move |world| *world == replayed).await?;
    say(&format!("the replay is the same: {is_same}"));
    runtime.shutdown().await;
    Ok(store.close()?)
}

#[expect(clippy::print_stdout, reason = "the example shows what happens")]
fn say(line: &str) {
    println!("{line}");
}
