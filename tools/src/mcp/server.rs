//! A server, and the one connection to it that a world has.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use folkmoot_core::ids::Digest;
use folkmoot_core::port::causes::with_causes;
use folkmoot_core::port::{HostCommand, ToolHost};
use folkmoot_core::tool::{ToolErrorCode, ToolFailure, ToolOutcome};
use reqwest::Url;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientRequest, ListToolsRequest,
    PaginatedRequestParams, ServerResult, Tool,
};
use rmcp::service::{
    ClientInitializeError, ClientServiceExt, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;

use super::client::{Client, Era};
use super::settings::{Endpoint, ServerProgram};
use super::watch::{MESSAGE_BYTES_MAX, Watch, WatchedOutput, WatchedTransport};
use super::words::{DETAIL_MAX, line};
use crate::host::{failed, id_of};

/// The most pages of a list of tools that are read.
const PAGES_MAX: usize = 64;
/// The most bytes of an answer over HTTP that is only a failure.
const HTTP_ERROR_MAX: usize = 4096;
const CONNECT_MAX: Duration = Duration::from_secs(10);

/// A server, as one world knows it.
#[derive(Debug)]
pub(crate) struct Server {
    /// The script's name of it.
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    /// The digest of its settings.
    key: Digest,
    /// The connection, as long as it is of use.
    present: Mutex<Option<Arc<Connection>>>,
    /// Held by whoever connects.
    connecting: tokio::sync::Mutex<()>,
}

/// Where a connection is to be made.
pub(super) struct Means<'a> {
    /// Starts programs.
    pub(super) host: Option<&'a Arc<dyn ToolHost>>,
    /// The world that the connection is for.
    pub(super) world: &'a str,
    /// The longest wait for an earlier program of the same world to be gone.
    pub(super) timeout: Duration,
}

impl Server {
    pub(super) fn new(name: &str, endpoint: Endpoint, key: Digest) -> Self {
        Self {
            name: name.to_owned(),
            endpoint,
            key,
            present: Mutex::new(None),
            connecting: tokio::sync::Mutex::new(()),
        }
    }

    /// Takes part in the present connection, or makes one.
    pub(super) async fn take(self: &Arc<Self>, means: Means<'_>) -> Result<Flight, ToolFailure> {
        let _one_at_a_time = self.connecting.lock().await;
        let present = self.present().clone();
        let present = present.filter(|connection| !connection.has_ended());
        let is_new = present.is_none();
        let connection = match present {
            Some(connection) => connection,
            None => {
                // Dropped before the next one begins: it waits for the lock of the old program.
                *self.present() = None;
                let connection = Arc::new(self.connect(means).await?);
                *self.present() = Some(Arc::clone(&connection));
                connection
            }
        };
        connection.watch.begin();
        Ok(Flight {
            server: Arc::clone(self),
            connection,
            is_new,
            is_settled: false,
        })
    }

    fn present(&self) -> std::sync::MutexGuard<'_, Option<Arc<Connection>>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connect(&self, means: Means<'_>) -> Result<Connection, ToolFailure> {
        match self.connect_as(Era::Any, &means).await {
            // Some old servers answer whatever they do not know with an empty result.
            Err(NoConnection::Misunderstood(_)) => {
                Ok(self.connect_as(Era::Initialize, &means).await?)
            }
            other => Ok(other?),
        }
    }

    async fn connect_as(&self, era: Era, means: &Means<'_>) -> Result<Connection, NoConnection> {
        match &self.endpoint {
            Endpoint::Program(program) => self.start(program, era, means).await,
            Endpoint::Address { url, token } => {
                let transport = self.dial(url, token.as_deref())?;
                self.greet(transport, era, Arc::default(), Vec::new()).await
            }
        }
    }

    async fn start(
        &self,
        program: &ServerProgram,
        era: Era,
        means: &Means<'_>,
    ) -> Result<Connection, NoConnection> {
        let host = means
            .host
            .ok_or_else(|| failure("the runtime has no host for programs"))?;
        let folder = id_of(&program.folder.handle).map_err(|error| failure(error.to_string()))?;
        let lock = Digest::of(&[means.world.as_bytes(), self.key.to_string().as_bytes()]);
        let command = HostCommand {
            argv: program.argv.clone(),
            cwd: program.folder.path.clone(),
            folder: Some(folder),
            pins: Vec::new(),
            timeout: means.timeout,
            variables: program.variables.clone(),
            input: None,
            output_max: 0,
            sandbox: program.sandbox.clone(),
            lock: format!("mcp-{lock}"),
        };
        let started = host
            .start(command)
            .await
            .map_err(|error| match failed(&error) {
                ToolOutcome::Failed(failure) => failure,
                ToolOutcome::Done(_) | ToolOutcome::NeedsInput(_) => failure(with_causes(&error)),
            })?;
        let no_pipe =
            |error: io::Error| failure(format!("the pipes of the server are of no use: {error}"));
        let input = pipe::Sender::from_owned_fd(started.input.into()).map_err(no_pipe)?;
        let output = pipe::Receiver::from_owned_fd(started.output.into()).map_err(no_pipe)?;
        let errors = pipe::Receiver::from_owned_fd(started.errors.into()).map_err(no_pipe)?;
        let watch = Arc::<Watch>::default();
        tokio::spawn(hear(errors, Arc::clone(&watch)));
        let output = WatchedOutput {
            output,
            watch: Arc::clone(&watch),
            line: 0,
        };
        let transport = AsyncRwTransport::<RoleClient, _, _>::new_client(output, input);
        self.greet(transport, era, watch, started.gaps).await
    }

    fn dial(
        &self,
        url: &Url,
        token: Option<&str>,
    ) -> Result<StreamableHttpClientTransport<reqwest::Client>, ToolFailure> {
        // Whoever embeds this program may have chosen another one before.
        drop(rustls::crypto::ring::default_provider().install_default());
        let client = reqwest::Client::builder()
            // The script names where this goes: no proxy of the environment, and no other host, gets the token.
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_MAX)
            .build()
            .map_err(|error| failure(with_causes(&error)))?;
        let max = usize::try_from(MESSAGE_BYTES_MAX).unwrap_or(usize::MAX);
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
            .max_sse_event_size(max)
            .max_json_response_size(max)
            .max_error_response_size(HTTP_ERROR_MAX);
        if let Some(name) = token {
            let token = std::env::var(name).ok().filter(|token| !token.is_empty());
            let missing = || failure(format!("the environment variable {name} is not set"));
            config = config.auth_header(token.ok_or_else(missing)?);
        }
        Ok(StreamableHttpClientTransport::with_client(client, config))
    }

    async fn greet(
        &self,
        transport: impl Transport<RoleClient> + 'static,
        era: Era,
        watch: Arc<Watch>,
        gaps: Vec<String>,
    ) -> Result<Connection, NoConnection> {
        let transport = WatchedTransport {
            transport,
            watch: Arc::clone(&watch),
        };
        let client = Client {
            watch: Arc::clone(&watch),
        };
        let greeted = client
            .serve_with_lifecycle(transport, era.lifecycle())
            .await;
        let service = greeted.map_err(|error| {
            let name = &self.name;
            let words = line(&with_causes(&error), DETAIL_MAX);
            let failure = failure(format!(
                "the server `{name}` does not begin as the Model Context Protocol says: {words}{}",
                watch.detail()
            ));
            if matches!(error, ClientInitializeError::ExpectedInitResult(_)) {
                NoConnection::Misunderstood(failure)
            } else {
                NoConnection::Failed(failure)
            }
        })?;
        Ok(Connection {
            service,
            watch,
            gaps,
        })
    }
}

/// A reason why there is no connection.
enum NoConnection {
    /// The server answered the greeting with something else.
    Misunderstood(ToolFailure),
    /// Anything else.
    Failed(ToolFailure),
}

impl From<ToolFailure> for NoConnection {
    fn from(failure: ToolFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<NoConnection> for ToolFailure {
    fn from(fault: NoConnection) -> Self {
        match fault {
            NoConnection::Misunderstood(failure) | NoConnection::Failed(failure) => failure,
        }
    }
}

/// Keeps the end of what a program complains about, until it ends.
async fn hear(mut errors: pipe::Receiver, watch: Arc<Watch>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        watch.complain(buffer.get(..count).unwrap_or_default());
    }
}

pub(super) fn failure(detail: impl Into<String>) -> ToolFailure {
    ToolFailure::new(ToolErrorCode::Failed, detail)
}

/// A connection that was greeted. Dropped, it ends, and with it the program behind it.
pub(super) struct Connection {
    service: RunningService<RoleClient, Client>,
    watch: Arc<Watch>,
    /// The parts of the program's sandbox that were not applied.
    gaps: Vec<String>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

impl Connection {
    fn has_ended(&self) -> bool {
        self.service.is_closed() || self.service.is_transport_closed()
    }
}

/// Whether a request that brought no answer can have taken effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It only read.
    None,
    /// It may have done something.
    Some,
}

/// A part in a connection. One that is dropped before it is settled ends the connection: nobody knows what the server
/// does, and the next call begins anew.
#[derive(Debug)]
pub(super) struct Flight {
    server: Arc<Server>,
    connection: Arc<Connection>,
    /// True if it was made for this call.
    is_new: bool,
    is_settled: bool,
}

impl Flight {
    /// Says that the server has answered.
    pub(super) fn settle(mut self) {
        self.is_settled = true;
    }

    /// Tells whether an earlier call left the connection, so that the server may have ended since.
    pub(super) fn is_left_over(&self) -> bool {
        !self.is_new
    }

    pub(super) fn gaps(&self) -> &[String] {
        &self.connection.gaps
    }

    /// All tools that the server has now, whatever it said before.
    pub(super) async fn tools(&self) -> Result<Vec<Tool>, ToolFailure> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..PAGES_MAX {
            let request = ListToolsRequest {
                params: Some(PaginatedRequestParams::default().with_cursor(cursor)),
                ..ListToolsRequest::default()
            };
            let request = ClientRequest::ListToolsRequest(request);
            let listed = self.connection.service.send_request(request).await;
            let ServerResult::ListToolsResult(list) =
                listed.map_err(|error| self.failure(&error, Doubt::None))?
            else {
                return Err(failure(
                    "the server answers the question for its tools with something else",
                ));
            };
            tools.extend(list.tools);
            cursor = list.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(failure(format!(
            "the server lists its tools on more than {PAGES_MAX} pages"
        )))
    }

    /// Calls once. An error that the server answers with settles it too.
    pub(super) async fn call(
        &mut self,
        call: CallToolRequestParams,
        doubt: Doubt,
    ) -> Result<CallToolResponse, ToolFailure> {
        let called = self.connection.service.call_tool_once(call).await;
        called.map_err(|error| {
            self.is_settled =
                !self.connection.has_ended() && matches!(error, ServiceError::McpError(_));
            self.failure(&error, doubt)
        })
    }

    fn failure(&self, error: &ServiceError, doubt: Doubt) -> ToolFailure {
        let name = &self.server.name;
        let words = line(&with_causes(error), DETAIL_MAX);
        if let ServiceError::McpError(answer) = error
            && !self.connection.has_ended()
        {
            let code = if answer.code == rmcp::model::ErrorCode::INVALID_PARAMS {
                ToolErrorCode::BadArguments
            } else {
                ToolErrorCode::Failed
            };
            let declined = self.connection.watch.declined();
            let declined = declined.map_or_else(String::new, |what| format!("; {what}"));
            return ToolFailure::new(code, format!("the server `{name}` says: {words}{declined}"));
        }
        let code = match (doubt, self.connection.watch.fault()) {
            (Doubt::Some, _) => ToolErrorCode::Lost,
            (Doubt::None, Some(_)) => ToolErrorCode::TooLarge,
            (Doubt::None, None) => ToolErrorCode::Failed,
        };
        let detail = self.connection.watch.detail();
        ToolFailure::new(
            code,
            format!("the server `{name}` gave no answer: {words}{detail}"),
        )
    }

    /// What the server was not given in the middle of the call, as the end of a sentence.
    pub(super) fn declined(&self) -> Option<String> {
        self.connection.watch.declined()
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let mut present = self.server.present();
        if present
            .as_ref()
            .is_some_and(|present| Arc::ptr_eq(present, &self.connection))
        {
            *present = None;
        }
    }
}
