//! A server's process, as its clients see it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::Fallible;
use crate::served::WORD;

/// A limit that nobody reaches.
pub(crate) const UNLIMITED: u32 = u32::MAX;

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    /// The address of the rooms.
    pub(crate) rooms: SocketAddr,
    /// The address of plain axum.
    pub(crate) plain: SocketAddr,
}

impl Server {
    /// Starts one in `folder`, with so many commands a minute for each principal.
    pub(crate) async fn start(folder: &Path, commands: u32) -> Fallible<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(WORD)
            .arg(folder)
            .arg(commands.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let output = process.stdout.take().ok_or("no output")?;
        let line = BufReader::new(output).lines().next_line().await?;
        let line = line.ok_or("the server did not start")?;
        let (rooms, plain) = line.split_once(' ').ok_or("no addresses")?;
        Ok(Self {
            rooms: rooms.parse()?,
            plain: plain.parse()?,
            process,
        })
    }

    /// The bytes of its resident memory.
    pub(crate) fn resident_bytes(&self) -> Fallible<u64> {
        let id = self.process.id().ok_or("the server is gone")?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next());
        Ok(kib.ok_or("no VmRSS")?.parse::<u64>()? * 1024)
    }

    /// Ends it, and waits until it has.
    pub(crate) async fn end(mut self) -> Fallible<()> {
        drop(self.process.stdin.take());
        let status = self.process.wait().await?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the server ended with {status}").into())
        }
    }
}
