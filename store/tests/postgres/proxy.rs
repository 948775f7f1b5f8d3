//! A proxy before a server, which loses, delays and cuts what goes through it.
//!
//! It counts the statements that clients send, and tells nobody where one ends but by the protocol's own messages.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

/// What a proxy does to the bytes of all its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// They pass.
    Open,
    /// They are kept, in both directions, until the way is open again.
    Blackhole,
    /// Those of the client pass, and no answer comes back.
    Deaf,
    /// They pass after this time.
    Delay(Duration),
    /// They pass, but for the notifications on connections that begin from here on: as behind a pool that lends connections.
    Mute,
}

/// Where a connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Before the statement of this number reaches the server.
    Before(u64),
    /// When the server answers it: the answer is lost.
    After(u64),
}

/// A proxy. Dropped, it cuts all connections.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    server: u16,
    way: Mutex<Way>,
    changed: Condvar,
    cut: Mutex<Option<Cut>>,
    /// The statements that were sent so far.
    statements: AtomicU64,
    is_over: AtomicBool,
    connections: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// A proxy before the server on this port.
    pub(crate) fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            server,
            way: Mutex::new(Way::Open),
            changed: Condvar::new(),
            cut: Mutex::new(None),
            statements: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
            connections: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming() {
                if accepting.is_over.load(Ordering::Acquire) {
                    return;
                }
                accept(&accepting, client.unwrap());
            }
        });
        Self { port, shared }
    }

    /// Changes what happens to all bytes from here on.
    pub(crate) fn set(&self, way: Way) {
        *self.shared.way.lock().unwrap() = way;
        self.shared.changed.notify_all();
    }

    /// Cuts every connection that there is.
    pub(crate) fn cut_all(&self) {
        for stream in self.shared.connections.lock().unwrap().drain(..) {
            // It may be closed already.
            stream.shutdown(Shutdown::Both).ok();
        }
    }

    /// Cuts the connection that sends the statement of this number, counted from here on, from 1.
    pub(crate) fn cut_at(&self, cut: Cut) {
        self.shared.statements.store(0, Ordering::Release);
        *self.shared.cut.lock().unwrap() = Some(cut);
    }

    /// The statements that were sent since they were counted.
    pub(crate) fn statements(&self) -> u64 {
        self.shared.statements.load(Ordering::Acquire)
    }

    /// Tells whether the cut that was asked for is still to come.
    pub(crate) fn is_to_cut(&self) -> bool {
        self.shared.cut.lock().unwrap().is_some()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.set(Way::Open);
        self.cut_all();
        // Wakes whoever accepts.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn accept(shared: &Arc<Shared>, client: TcpStream) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", shared.server)) else {
        return;
    };
    for stream in [&client, &server] {
        stream.set_nodelay(true).unwrap();
    }
    let both = [client.try_clone().unwrap(), server.try_clone().unwrap()];
    shared.connections.lock().unwrap().extend(both);
    let pipe = Arc::new(Pipe {
        shared: Arc::clone(shared),
        ends: [client.try_clone().unwrap(), server.try_clone().unwrap()],
        loses_answer: AtomicBool::new(false),
    });
    let requests = Arc::clone(&pipe);
    let ends = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || requests.carry_requests(ends.0, ends.1));
    thread::spawn(move || pipe.carry_answers(server, client));
}

/// One connection.
struct Pipe {
    shared: Arc<Shared>,
    ends: [TcpStream; 2],
    /// True once the answer that comes next is to be lost.
    loses_answer: AtomicBool,
}

impl Pipe {
    fn close(&self) {
        for end in &self.ends {
            end.shutdown(Shutdown::Both).ok();
        }
    }

    /// Carries whole messages, as a cut stands between two of them. The first one has no letter before its length.
    fn carry_requests(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut has_letter = false;
        while let Some(message) = message(&mut from, has_letter) {
            let asks = has_letter && matches!(message.first(), Some(b'E' | b'Q'));
            has_letter = true;
            if !self.passes(false) {
                break;
            }
            if asks && self.is_cut_before() {
                break;
            }
            if to.write_all(&message).is_err() {
                break;
            }
        }
        self.close();
    }

    fn carry_answers(&self, mut from: TcpStream, mut to: TcpStream) {
        if *self.shared.way.lock().unwrap() == Way::Mute {
            while let Some(message) = message(&mut from, true) {
                let is_notification = message.first() == Some(&b'A');
                if !is_notification && to.write_all(&message).is_err() {
                    break;
                }
            }
            return self.close();
        }
        let mut bytes = vec![0; 64 << 10];
        while let Ok(read) = from.read(&mut bytes) {
            let is_lost = read > 0 && self.loses_answer.load(Ordering::Acquire);
            if read == 0 || is_lost || !self.passes(true) || to.write_all(&bytes[..read]).is_err() {
                break;
            }
        }
        self.close();
    }

    /// Counts a statement; tells whether it must not reach the server.
    fn is_cut_before(&self) -> bool {
        let number = self.shared.statements.fetch_add(1, Ordering::AcqRel) + 1;
        let mut cut = self.shared.cut.lock().unwrap();
        match *cut {
            Some(Cut::Before(at)) if at == number => {
                *cut = None;
                true
            }
            Some(Cut::After(at)) if at == number => {
                *cut = None;
                self.loses_answer.store(true, Ordering::Release);
                false
            }
            Some(_) | None => false,
        }
    }

    /// Waits as the way says; false: there is no way any more.
    fn passes(&self, is_answer: bool) -> bool {
        let way = self.shared.way.lock().unwrap();
        if let Way::Delay(time) = *way {
            // It is what the test asks of the proxy, and no wait for something else.
            let (_way, _) = self.shared.changed.wait_timeout(way, time).unwrap();
            return true;
        }
        let is_kept = |way: &mut Way| *way == Way::Blackhole || (*way == Way::Deaf && is_answer);
        let _way = self.shared.changed.wait_while(way, is_kept).unwrap();
        !self.shared.is_over.load(Ordering::Acquire)
    }
}

/// Reads a message of the protocol: a letter, a length that counts itself, and the rest.
fn message(from: &mut TcpStream, has_letter: bool) -> Option<Vec<u8>> {
    let head = if has_letter { 5 } else { 4 };
    let mut message = vec![0; head];
    from.read_exact(&mut message).ok()?;
    let length = u32::from_be_bytes(message[head - 4..].try_into().unwrap());
    message.resize(head - 4 + usize::try_from(length).unwrap(), 0);
    from.read_exact(&mut message[head..]).ok()?;
    Some(message)
}
