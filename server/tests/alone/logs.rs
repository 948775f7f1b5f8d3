//! What a client writes makes no log line, and secrets stand in none.

use std::io::Write;
use std::sync::{Arc, Mutex};

use folkmoot_server::ServerLimits;
use tracing_subscriber::fmt::MakeWriter;

use super::harness::Served;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

async fn attack() {
    let served = Served::with(ServerLimits::default()).await;
    let forged = "%0aERROR%20forged%1b[31m";
    let mut client = served.client().await;
    let request = format!(
        "GET /v1/worlds/{forged}/messages?limit=9 HTTP/1.1\r\nhost: localhost\r\n\
         authorization: Bearer hush-token\r\ncookie: hush-cookie\r\n\
         x-request-id: a b\tERROR forged\r\nuser-agent: ERROR forged\r\nconnection: close\r\n\r\n"
    );
    client.send(request.as_bytes()).await;
    let answer = client.answer().await;
    assert_eq!(answer.status, 404, "{}", answer.text);
    let mut client = served.client().await;
    let request = "GET /v1/templates HTTP/1.1\r\nhost: localhost\r\nx-name: ada\\nERROR forged\r\n\
                   x-request-id: mine-1\r\nconnection: close\r\n\r\n";
    client.send(request.as_bytes()).await;
    assert_eq!(client.answer().await.status, 200);
}

#[tokio::test]
async fn names_and_headers_forge_no_line_and_no_secret_is_written() {
    let _alone = super::ALONE.lock().await;
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    attack().await;
    drop(guard);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("hush"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
    let is_ours = |line: &&str| {
        line.starts_with("20")
            && ["DEBUG", " INFO", " WARN"]
                .iter()
                .any(|level| line.contains(level))
    };
    let foreign: Vec<_> = text.lines().filter(|line| !is_ours(line)).collect();
    assert_eq!(foreign, Vec::<&str>::new());
    let answered: Vec<_> = text
        .lines()
        .filter(|line| line.contains("answered"))
        .collect();
    assert_eq!(answered.len(), 2, "{text}");
    assert!(
        answered[0].contains(r#"route="/v1/worlds/{world}/messages""#),
        "{text}"
    );
    assert!(answered[0].contains("status=404"), "{text}");
    assert!(answered[0].contains(r#"principal="token:ada""#), "{text}");
    assert!(answered[1].contains(r#"request_id="mine-1""#), "{text}");
}
