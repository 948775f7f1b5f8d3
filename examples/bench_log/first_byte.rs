//! How long a message takes to become the first byte of a request to a model, over a warm connection of plain HTTP.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use folkmoot::store::OpenMode;
use folkmoot::{Post, Proof, Room, Runtime, Store};

use crate::args::Args;
use crate::stats::median;
use crate::table::Table;
use crate::{Fallible, bare, room};

/// The answer of the model.
const ANSWER: &str = r#"{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Good."}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}"#;

/// How many requests are measured, and how many before them warm the connection.
const MEASURED: usize = 200;
const WARMING: usize = 20;

pub(crate) async fn measure(args: &Args, dir: &Path, table: &mut Table) -> Fallible<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let (tell, heard) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let tell = tell.clone();
            thread::spawn(move || serve(stream, &tell));
        }
    });
    let script = format!(
        "world: first-byte\nmodels: {{ m: {{ provider: ollama, model: m, base_url: \"http://{address}/v1\", stream: false }} }}\n\
         agents: [{{ name: a, model: m }}]\npolicy: {{ main_agent: a }}\n\
         limits: {{ model_calls_per_agent: 10000, model_calls_per_episode: 10000 }}\n"
    );
    let store = Store::open(dir.join("first-byte"), OpenMode::Create)?;
    let runtime = Runtime::builder(&store).build();
    let world = runtime.open_room(&Room::from_yaml(&script)?).await?;
    let seat = world.as_principal(Proof::script(room::person()?));
    let (warming, measured) = if args.events < 1_000 {
        (1, 4)
    } else {
        (WARMING, MEASURED)
    };
    let mut times = Vec::new();
    for _ in 0..warming + measured {
        // Some messages have the memory compacted, which is a request of its own.
        let _others = heard.try_iter().count();
        let begun = Instant::now();
        seat.publish_message(Post::text(room::TEXT)).await?;
        world.quiet().await?;
        times.push(first(&heard)?.saturating_duration_since(begun));
    }
    runtime.shutdown().await;
    store.close()?;
    let times = times.split_off(warming);
    let client = client_alone(&format!("http://{address}/v1"), (warming, measured), &heard).await?;
    let bare = bare::mean(&dir.join("bare-byte"), &[b'x'; 400], args.time / 4)?;
    let micros = |time: Duration| format!("{:.0} us", time.as_secs_f64() * 1e6);
    let took = median(times);
    let rest = took.saturating_sub(bare.mul_f64(1.3));
    table.row(
        "a message, until the first byte of its request, median",
        &micros(took),
        &format!("bare synced append {}", micros(bare)),
        "",
    );
    table.row(
        "the same without 1.3 bare appends",
        &micros(rest),
        "",
        "100 us",
    );
    table.row(
        "a request of its HTTP client alone, until the first byte",
        &micros(client),
        "",
        "",
    );
    Ok(())
}

/// The median of the same, from the call of the HTTP client on.
async fn client_alone(
    url: &str,
    (warming, measured): (usize, usize),
    heard: &Receiver<Instant>,
) -> Fallible<Duration> {
    let client = reqwest::Client::new();
    let mut times = Vec::new();
    for _ in 0..warming + measured {
        let _others = heard.try_iter().count();
        let begun = Instant::now();
        client.post(url).body(ANSWER).send().await?.bytes().await?;
        times.push(first(heard)?.saturating_duration_since(begun));
    }
    Ok(median(times.split_off(warming)))
}

/// The arrival of the next request.
fn first(heard: &Receiver<Instant>) -> Fallible<Instant> {
    Ok(heard.recv_timeout(Duration::from_secs(60))?)
}

/// Answers requests of one connection, and tells when the first byte of each came.
fn serve(mut stream: TcpStream, tell: &Sender<Instant>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let mut len = 0;
        let begun = loop {
            let read = stream
                .read(buffer.get_mut(len..)?)
                .ok()
                .filter(|read| *read > 0)?;
            if len == 0 {
                tell.send(Instant::now()).ok()?;
            }
            len += read;
            let head = buffer.get(..len)?;
            let end = head.windows(4).position(|four| four == b"\r\n\r\n");
            if let Some(end) = end {
                break end + 4;
            }
        };
        let head = String::from_utf8_lossy(buffer.get(..begun)?).to_lowercase();
        let body = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let whole = begun + body?.trim().parse::<usize>().ok()?;
        while len < whole {
            len += stream
                .read(buffer.get_mut(len..)?)
                .ok()
                .filter(|read| *read > 0)?;
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length:";
        write!(stream, "{head} {}\r\n\r\n{ANSWER}", ANSWER.len()).ok()?;
    }
}
