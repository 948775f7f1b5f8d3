//! Arguments of the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// `serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address to listen at. Port 0 takes a free one. Other addresses than those of this
    /// machine alone need --tokens or --jwt.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7077")]
    pub(crate) listen: SocketAddr,
    /// An address of its own for `/metrics`, which asks nobody who they are. Without it they are
    /// where all else is, for whoever may operate the server.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) metrics_listen: Option<SocketAddr>,
    /// Log JSON, an object a line, and each request.
    #[arg(long)]
    pub(crate) json_logs: bool,
    /// Send spans to a collector of OpenTelemetry, as OTLP over HTTP, e.g. to
    /// http://localhost:4318. Without a URL: where OTEL_EXPORTER_OTLP_ENDPOINT says.
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<Option<String>>,
    /// The folder of the templates: world scripts that rooms are opened from.
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    /// The file of the tokens that are known: see `folkmoot token new`. It is read again when it
    /// changes.
    #[arg(long, value_name = "FILE")]
    pub(crate) tokens: Option<PathBuf>,
    /// The settings of an issuer whose JWTs are known. Several may be given.
    #[arg(long, value_name = "FILE")]
    pub(crate) jwt: Vec<PathBuf>,
    /// The URL by which browsers know the server, e.g. that of a proxy before it.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// An origin whose pages may use the server as well. Several may be given.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,
    /// The options of a node, for a store in a database.
    #[command(flatten)]
    pub(crate) node: NodeArgs,
}

/// The options of a process that takes its share of the worlds of a database.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct NodeArgs {
    /// With a database: a thing that this node has and worlds may need, e.g. base:/srv/files for a folder. Several may be given;
    /// the folder of the templates is one.
    #[arg(long, value_name = "NAME")]
    pub(crate) offer: Vec<String>,
    /// With a database: the most worlds that this node takes.
    #[arg(long, value_name = "NUMBER", default_value_t = folkmoot::ROOM)]
    pub(crate) room: u32,
    /// With a database: the URL at which the other nodes reach this one.
    #[arg(long, value_name = "URL")]
    pub(crate) advertise: Option<String>,
}
