//! Servers behind an address: a peer of our own on loopback, which does its worst.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;

use super::*;

/// A server that answers each request on a connection of its own.
struct Web {
    address: String,
    /// The values of `authorization` that came, one for each request.
    seen: Arc<Mutex<Vec<String>>>,
    /// What it does with a call.
    mode: Arc<Mutex<String>>,
}

impl Web {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let web = Self {
            address: format!("http://{}/mcp", listener.local_addr().unwrap()),
            seen: Arc::default(),
            mode: Arc::default(),
        };
        let (seen, mode) = (Arc::clone(&web.seen), Arc::clone(&web.mode));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, mode) = (Arc::clone(&seen), mode.lock().unwrap().clone());
                std::thread::spawn(move || serve(stream.unwrap(), &seen, &mode));
            }
        });
        web
    }

    fn tool(&self, token: bool) -> Arc<dyn Tool> {
        let mut settings = json!({
            "use": "mcp", "server": "web", "url": self.address, "tool": "echo",
            "schema": schema("string"), "effect": "read",
        });
        if token {
            // A variable that is there whenever tests run.
            settings["token"] = "${CARGO_PKG_NAME}".into();
        }
        let name = ToolName::new("web_echo").unwrap();
        build_tool_among(&name, &settings, Path::new("."), &Shared::default())
            .unwrap()
            .tool
    }
}

fn serve(stream: TcpStream, seen: &Mutex<Vec<String>>, mode: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut length, mut authorization, mut line) = (0, String::new(), String::new());
    let mut first = String::new();
    while reader.read_line(&mut line).unwrap() > 2 {
        if first.is_empty() {
            first = line.clone();
        }
        let (name, value) = line.split_once(':').unwrap_or(("", ""));
        match name.to_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap(),
            "authorization" => authorization = value.trim().to_owned(),
            _ => {}
        }
        line.clear();
    }
    seen.lock().unwrap().push(authorization);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    // A client that has enough closes the connection.
    answer(stream, first.starts_with("POST"), &body, mode).ok();
}

fn answer(mut to: TcpStream, is_post: bool, body: &[u8], mode: &str) -> std::io::Result<()> {
    if !is_post {
        return write!(
            to,
            "HTTP/1.1 405 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        );
    }
    let request: Value = serde_json::from_slice(body).unwrap();
    let id = &request["id"];
    let result = match (request["method"].as_str().unwrap(), mode) {
        ("initialize", _) => {
            json!({ "protocolVersion": "2025-11-25", "capabilities": { "tools": {} },
            "serverInfo": { "name": "web", "version": "1" } })
        }
        ("tools/list", _) => {
            json!({ "tools": [{ "name": "echo", "inputSchema": schema("string") }] })
        }
        ("tools/call", "") => json!({ "content": [{ "type": "text", "text": "hi" }] }),
        ("tools/call", "denies") => {
            return write!(
                to,
                "HTTP/1.1 401 No\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
        ("tools/call", "answers 100 MB") => {
            write!(
                to,
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 104857600\r\nconnection: close\r\n\r\n"
            )?;
            return (0..100).try_for_each(|_| to.write_all(&[b' '; 1 << 20]));
        }
        ("tools/call", "streams without end") => {
            write!(
                to,
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
            )?;
            let note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}";
            loop {
                write!(to, "data: {note}\n\n")?;
            }
        }
        ("tools/call", elsewhere) => {
            return write!(
                to,
                "HTTP/1.1 307 There\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
        _ if id.is_null() => {
            return write!(
                to,
                "HTTP/1.1 202 Yes\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
        _ => {
            let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "unknown" } });
            return send(to, &error);
        }
    };
    send(to, &json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn send(mut to: TcpStream, message: &Value) -> std::io::Result<()> {
    let (body, length) = (message.to_string(), message.to_string().len());
    write!(
        to,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn web_call() -> ToolCall {
    ToolCall {
        host: None,
        ..call(&Place::new(), json!({}))
    }
}

#[tokio::test]
async fn a_server_behind_an_address_gets_its_token_and_nobody_else_does() {
    let (web, other) = (Web::start(), Web::start());
    let tool = web.tool(true);
    assert_eq!(text(tool.run(&web_call()).await), "hi");
    let token = concat!("Bearer ", env!("CARGO_PKG_NAME"));
    assert!(web.seen.lock().unwrap().iter().all(|seen| seen == token));
    *web.mode.lock().unwrap() = other.address.clone();
    let failure = failed(tool.run(&web_call()).await);
    assert_eq!(failure.code, ToolErrorCode::Failed, "{failure:?}");
    assert_eq!(*other.seen.lock().unwrap(), Vec::<String>::new());
    let bare = Web::start();
    text(bare.tool(false).run(&web_call()).await);
    assert!(bare.seen.lock().unwrap().iter().all(String::is_empty));
}

#[tokio::test]
async fn an_address_that_does_its_worst_is_an_error_and_the_next_call_begins_anew() {
    let web = Web::start();
    let tool = web.tool(true);
    for (mode, code, words) in [
        ("denies", ToolErrorCode::Failed, "Auth required"),
        (
            "answers 100 MB",
            ToolErrorCode::Failed,
            "maximum size of 8388608 bytes",
        ),
        (
            "streams without end",
            ToolErrorCode::TooLarge,
            "messages for one call",
        ),
    ] {
        *web.mode.lock().unwrap() = mode.to_owned();
        let failure = failed(tool.run(&web_call()).await);
        assert_eq!(failure.code, code, "{mode}: {failure:?}");
        assert!(failure.detail.contains(words), "{mode}: {failure:?}");
        assert!(
            !failure.detail.contains(env!("CARGO_PKG_NAME")),
            "{mode}: {failure:?}"
        );
        web.mode.lock().unwrap().clear();
        assert_eq!(text(tool.run(&web_call()).await), "hi", "after {mode}");
    }
}
