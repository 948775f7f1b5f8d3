//! A client that does as little as it can, so that the server is what is measured.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Fallible;

/// A connection.
#[derive(Debug)]
pub(crate) struct Wire {
    stream: TcpStream,
    /// The bytes that came and were not looked for yet.
    came: Vec<u8>,
}

/// An answer: its status and its body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answer {
    /// The body, if the request was done.
    pub(crate) fn done(self) -> Fallible<String> {
        match self.status {
            200..=299 => Ok(self.body),
            status => Err(format!("status {status}: {}", self.body).into()),
        }
    }
}

impl Wire {
    /// Connects to `address`.
    pub(crate) async fn to(address: SocketAddr) -> Fallible<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let came = Vec::new();
        Ok(Self { stream, came })
    }

    /// Sends a request and waits for its answer, which has a length.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Fallible<Answer> {
        self.stream.write_all(request).await?;
        let head = self.until(b"\r\n\r\n").await?;
        let head = String::from_utf8(head)?.to_ascii_lowercase();
        let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.ok_or("no length")?.parse()?;
        while self.came.len() < length {
            self.read().await?;
        }
        let body = String::from_utf8(self.came.drain(..length).collect())?;
        Ok(Answer { status, body })
    }

    /// Sends a request whose answer is a stream, and waits for its head.
    pub(crate) async fn follow(&mut self, request: &[u8]) -> Fallible<()> {
        self.stream.write_all(request).await?;
        let head = String::from_utf8(self.until(b"\r\n\r\n").await?)?;
        if head.starts_with("HTTP/1.1 200 ") {
            Ok(())
        } else {
            Err(head.into())
        }
    }

    /// Waits for `mark`, and gives all that came up to its end.
    pub(crate) async fn until(&mut self, mark: &[u8]) -> Fallible<Vec<u8>> {
        let mut seen = 0;
        loop {
            let from = seen.min(self.came.len());
            let rest = self.came.get(from..).unwrap_or_default();
            if let Some(at) = rest.windows(mark.len()).position(|bytes| bytes == mark) {
                return Ok(self.came.drain(..from + at + mark.len()).collect());
            }
            seen = (self.came.len() + 1).saturating_sub(mark.len());
            self.read().await?;
        }
    }

    async fn read(&mut self) -> Fallible<()> {
        match self.stream.read_buf(&mut self.came).await? {
            0 => Err("the server hung up".into()),
            _ => Ok(()),
        }
    }
}

/// A request of `name` in bytes.
pub(crate) fn request(name: &str, method: &str, path: &str, body: &str) -> Vec<u8> {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {name}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
