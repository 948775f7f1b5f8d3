//! A server in this process, and people who ask it.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use folkmoot::{OpenMode, PersonName, ProcessHost, Proof, Right, Rights, Runtime, Shipped, Store};
use folkmoot_server::{
    Authenticate, AuthenticateError, Caller, Drain, Hosts, Permissions, Rooms, ServerLimits,
    Templates, router,
};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A room whose clerk asks before it notes something.
pub(crate) const DESK: &str = r#"
world: desk
models: { scripted: { provider: scripted } }
agents: [{ name: clerk, model: scripted, tools: [note] }]
tools: { note: { use: scripted, effect: write, description: Notes., schema: { type: object }, results: [{ text: ok }] } }
replies: { clerk: [{ calls: [{ tool: note, args: {} }] }, { text: "It is noted, all of it." }] }
"#;

/// A server over a store in a folder.
pub(crate) struct House {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) rooms: Rooms,
    pub(crate) router: Router,
}

/// The people of the tests: their token is their name. `guest` may only read what others let them;
/// `boss` operates the whole server, and `ci` is a service.
#[derive(Debug)]
pub(crate) struct Names;

#[async_trait]
impl Authenticate for Names {
    async fn authenticate(&self, parts: &Parts) -> Result<Caller, AuthenticateError> {
        let header = parts.headers.get("authorization");
        let header = header.ok_or(AuthenticateError::Nobody)?;
        let name = header
            .to_str()
            .ok()
            .and_then(|header| header.strip_prefix("Bearer "));
        let name = name.ok_or(AuthenticateError::Nobody)?;
        if !["ada", "bob", "boss", "ci", "guest", "reader"].contains(&name) {
            return Err(AuthenticateError::Unknown);
        }
        let display = PersonName::new(name).unwrap();
        let by = Proof::by("test");
        let proof = match name {
            "ci" => by.service(name).called(display),
            _ => by.user(name).called(display),
        };
        let all = Permissions::all();
        let worlds = ["*".parse().unwrap()];
        let may = match name {
            "boss" => all,
            "guest" => Permissions {
                create: false,
                ..all
            },
            "reader" => Permissions {
                rights: Rights([Right::Read].into()),
                create: false,
                worlds: worlds.into(),
            },
            _ => Permissions {
                // Whoever reaches only a part of the worlds may not name any.
                worlds: ["desk-*".parse().unwrap(), "other*".parse().unwrap()].into(),
                ..all
            },
        };
        Ok(Caller {
            may,
            ..Caller::of(proof)
        })
    }
}

/// An answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.bytes)))
    }

    /// The body, if the request was done.
    pub(crate) fn ok(self) -> Value {
        assert!(self.status < 300, "{self:?} {}", self.json());
        self.json()
    }

    /// The code of the problem, which must come with this status.
    pub(crate) fn problem(&self, status: StatusCode) -> String {
        assert_eq!(self.status, status, "{}", self.json());
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status.as_u16());
        problem["code"].as_str().unwrap().to_owned()
    }
}

impl House {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let templates = folder.path().join("templates");
        std::fs::create_dir(&templates).unwrap();
        std::fs::write(templates.join("desk.yaml"), DESK).unwrap();
        Self::over(folder)
    }

    pub(crate) fn over(folder: tempfile::TempDir) -> Self {
        let store = Store::open(folder.path().join("store"), OpenMode::Create).unwrap();
        Self::with(folder, store, Arc::new(Names))
    }

    pub(crate) fn with(
        folder: tempfile::TempDir,
        store: Store,
        authenticate: Arc<dyn Authenticate>,
    ) -> Self {
        let host = ProcessHost::new("/nowhere", folder.path().join("locks"));
        let runtime = Runtime::builder(&store)
            .assembler(Shipped::default())
            .host(Arc::new(host))
            .build();
        let rooms = Rooms {
            runtime,
            store,
            templates: Templates::of(folder.path().join("templates")),
            authenticate,
            sessions: None,
            hosts: Hosts::any(),
            limits: ServerLimits {
                commands_per_minute: 10_000.try_into().unwrap(),
                ..ServerLimits::default()
            },
            drain: Drain::new(),
        };
        Self {
            router: router(rooms.clone()),
            folder,
            rooms,
        }
    }

    pub(crate) fn template(&self, name: &str, script: &str) {
        let file = self.folder.path().join("templates").join(name);
        std::fs::write(file, script).unwrap();
    }

    /// Closes all, as a restart does, and opens it anew.
    pub(crate) async fn restarted(self) -> Self {
        let Self {
            folder,
            rooms,
            router,
        } = self;
        rooms.runtime.shutdown().await;
        drop(router);
        let Rooms { runtime, store, .. } = rooms;
        drop(runtime);
        tokio::task::spawn_blocking(move || store.close())
            .await
            .unwrap()
            .unwrap();
        Self::over(folder)
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        Answer {
            status,
            headers,
            bytes: bytes.to_vec(),
        }
    }

    pub(crate) fn request(by: &str, method: Method, path: &str) -> axum::http::request::Builder {
        let request = Request::builder().method(method).uri(format!("/v1{path}"));
        match by {
            "" => request,
            by => request.header("authorization", format!("Bearer {by}")),
        }
    }

    pub(crate) async fn get(&self, by: &str, path: &str) -> Answer {
        let request = Self::request(by, Method::GET, path);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn delete(&self, by: &str, path: &str) -> Answer {
        let request = Self::request(by, Method::DELETE, path);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn with_json(
        &self,
        by: &str,
        method: Method,
        path: &str,
        body: Value,
    ) -> Answer {
        let request = Self::request(by, method, path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap())
            .await
    }

    pub(crate) async fn post(&self, by: &str, path: &str, body: Value) -> Answer {
        self.with_json(by, Method::POST, path, body).await
    }

    pub(crate) async fn post_with_key(
        &self,
        by: &str,
        path: &str,
        key: &str,
        body: Value,
    ) -> Answer {
        let request = Self::request(by, Method::POST, path)
            .header("content-type", "application/json")
            .header("idempotency-key", key);
        self.send(request.body(Body::from(body.to_string())).unwrap())
            .await
    }

    /// Opens a desk for `by`, and returns its name.
    pub(crate) async fn desk(&self, by: &str) -> String {
        let opened = self
            .post(by, "/worlds", json!({ "template": "desk" }))
            .await;
        opened.ok()["world"].as_str().unwrap().to_owned()
    }

    /// Waits until nothing goes on in a world.
    pub(crate) async fn quiet(&self, world: &str) {
        let name = folkmoot::WorldName::new(world).unwrap();
        let world = self.rooms.runtime.world(&name).unwrap();
        world.quiet().await.unwrap();
    }

    /// The first request that waits in a world.
    pub(crate) async fn request_in(&self, by: &str, world: &str) -> Value {
        self.quiet(world).await;
        let waiting = self
            .get(by, &format!("/worlds/{world}/requests"))
            .await
            .ok();
        waiting["requests"][0].clone()
    }
}
