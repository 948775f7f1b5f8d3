//! The tools against servers of this machine, in a world whose names and addresses the tests make up.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use folkmoot_core::ids::ToolName;
use folkmoot_core::port::Tool;
use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use rustls::ClientConfig;
use serde_json::{Value, json};
use tokio::net::TcpStream;

use super::outside::Outside;
use super::rule::Methods;
use super::{GET, REQUEST};
use crate::build::{BuildError, Built, Shared, ToolDraft};
use crate::stage::call;

mod addresses;
mod bounds;
mod laws;
mod notations;
mod pages;
mod paths;
mod redirects;
mod requests;
mod server;
mod settings;
mod system;
mod tls;

use server::{Answers, Server};

/// The one address of this world that never answers.
const DEAD: IpAddr = IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));

/// A world in which every address is the same server of this machine. A connection that must not be is made, and seen.
#[derive(Debug)]
pub(super) struct Fake {
    /// The addresses of names. Each lookup takes the next list, and the last one stays.
    zone: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    server: SocketAddr,
    looked_up: Mutex<Vec<String>>,
    connected: Mutex<Vec<SocketAddr>>,
    tls: Option<Arc<ClientConfig>>,
}

impl Fake {
    fn new(server: &Server) -> Self {
        let zone = [
            ("good.example", &["93.184.216.34"][..]),
            ("www.good.example", &["93.184.216.35"]),
            ("other.example", &["93.184.216.36"]),
            ("six.example", &["2606:2800:220:1::1"]),
            ("inner.example", &["10.0.0.5"]),
            ("loop.example", &["127.0.0.1"]),
            ("localhost", &["127.0.0.1", "::1"]),
            ("metadata.example", &["169.254.169.254"]),
            ("mixed.example", &["93.184.216.34", "127.0.0.1"]),
            ("xn--bcher-kva.example", &["93.184.216.37"]),
        ];
        let fake = Self {
            zone: Mutex::default(),
            server: server.address,
            looked_up: Mutex::default(),
            connected: Mutex::default(),
            tls: None,
        };
        for (name, addresses) in zone {
            fake.name(name, &[addresses]);
        }
        fake
    }

    fn name(&self, name: &str, answers: &[&[&str]]) {
        let read = |list: &&[&str]| {
            list.iter()
                .map(|address| address.parse().unwrap())
                .collect()
        };
        let answers = answers.iter().map(read).collect();
        self.zone.lock().unwrap().insert(name.to_owned(), answers);
    }

    fn looked_up(&self) -> Vec<String> {
        self.looked_up.lock().unwrap().clone()
    }

    fn connected(&self) -> Vec<String> {
        let connected = self.connected.lock().unwrap();
        connected.iter().map(ToString::to_string).collect()
    }
}

#[async_trait]
impl Outside for Fake {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        self.looked_up.lock().unwrap().push(name.to_owned());
        let mut zone = self.zone.lock().unwrap();
        let answers = zone.get_mut(name).ok_or(io::ErrorKind::NotFound)?;
        let next = if answers.len() > 1 {
            answers.remove(0)
        } else {
            answers[0].clone()
        };
        Ok(next)
    }

    async fn connect(&self, to: SocketAddr) -> io::Result<TcpStream> {
        self.connected.lock().unwrap().push(to);
        if to.ip() == DEAD {
            std::future::pending::<()>().await;
        }
        TcpStream::connect(self.server).await
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, rustls::Error> {
        self.tls
            .clone()
            .ok_or_else(|| rustls::Error::General("there is none in this test".into()))
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret-token".to_owned())
    }
}

fn try_tool(settings: &Value, outside: Arc<dyn Outside>) -> Result<Built, BuildError> {
    let name = ToolName::new("tool").unwrap();
    let shared = Shared::default();
    let draft = ToolDraft::read(&name, settings, Path::new("/"), &[&GET, &REQUEST], &shared)?;
    let methods = if draft.kind.name == GET.name {
        Methods::Get
    } else {
        Methods::Listed
    };
    super::build(&draft, methods, outside)
}

/// A server, the world around it, and a tool in that.
struct Stage {
    server: Server,
    fake: Arc<Fake>,
    tool: Arc<dyn Tool>,
}

impl Stage {
    async fn new(settings: Value, answers: Answers) -> Self {
        let server = Server::start(answers).await;
        let fake = Arc::new(Fake::new(&server));
        let outside: Arc<dyn Outside> = Arc::<Fake>::clone(&fake);
        let tool = try_tool(&settings, outside).unwrap().tool;
        Self { server, fake, tool }
    }

    /// `http.get` with these rules.
    async fn getting(allow: Value, answers: Answers) -> Self {
        Self::new(json!({ "use": "http.get", "allow": allow }), answers).await
    }

    async fn run(&self, arguments: Value) -> ToolOutcome {
        // What the runtime does first.
        let schema = jsonschema::draft202012::new(&self.tool.spec().schema).unwrap();
        assert!(
            schema.is_valid(&arguments)
                || arguments["url"]
                    .as_str()
                    .is_some_and(|url| url.len() > 8_000),
            "{arguments}"
        );
        self.tool.run(&call(arguments)).await
    }

    async fn get(&self, url: &str) -> ToolOutcome {
        self.run(json!({ "url": url })).await
    }
}

/// The end of a call, as a table has it: the code of a failure, or that it was done.
fn code(outcome: &ToolOutcome) -> Option<ToolErrorCode> {
    match outcome {
        ToolOutcome::Done(_) => None,
        ToolOutcome::Failed(failure) => Some(failure.code),
        ToolOutcome::NeedsInput(_) => panic!("{outcome:?}"),
    }
}
