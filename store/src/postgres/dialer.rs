//! Dialling: a connection to the primary among the hosts of a URL, ready for work.

use std::future::poll_fn;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};

use super::clock::Clock;
use super::error::PostgresError;
use super::facts::Facts;
use super::password::{Login, Surroundings};
use super::session::Session;
use super::tls;
use super::url::{Host, PostgresUrl};

/// The longest wait for a server to take a connection.
const CONNECT: Duration = Duration::from_secs(3);

/// The longest wait for a connection that is ready for work.
const READY: Duration = Duration::from_secs(10);

/// The longest time that sent bytes may go without an answer of the other machine.
const SILENCE: Duration = Duration::from_secs(5);

/// The shortest and the longest wait between two attempts to reach a server that was not reached.
const BACK_OFF: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(1)];

/// The settings of a session. Every statement of ours goes by an index, whatever the planner believes of tables that are small
/// as yet, and a plan is kept as long as the session. A connection that was lost lets go of its locks soon.
const SETTINGS: &str = "
    SET search_path = pg_catalog;
    SET default_transaction_isolation = 'read committed';
    SET statement_timeout = 0;
    SET lock_timeout = '10s';
    SET idle_in_transaction_session_timeout = '10s';
    SET enable_seqscan = off;
    SET enable_hashjoin = off;
    SET enable_mergejoin = off;
    SET plan_cache_mode = force_generic_plan;
    SET jit = off;
    SET client_min_messages = warning;
    SET tcp_keepalives_idle = 5;
    SET tcp_keepalives_interval = 2;
    SET tcp_keepalives_count = 3;
";

/// Whoever opens connections.
#[derive(Debug)]
pub(super) struct Dialer {
    url: PostgresUrl,
    around: Surroundings,
    /// The facts of the newest connection.
    newest: Mutex<Option<Facts>>,
    /// The end of the wait after a server was not reached, and how long that is. `None`: the last one was.
    trouble: Mutex<Option<(Instant, Duration)>>,
    is_closed: AtomicBool,
    clock: Clock,
}

/// The way in which notifications reach whoever listens, by the names of their channels.
pub(super) type Heard = UnboundedSender<String>;

impl Dialer {
    pub(super) fn new(url: PostgresUrl, around: Surroundings) -> Self {
        Self {
            url,
            around,
            newest: Mutex::default(),
            trouble: Mutex::default(),
            is_closed: AtomicBool::new(false),
            clock: Clock::default(),
        }
    }

    pub(super) const fn url(&self) -> &PostgresUrl {
        &self.url
    }

    pub(super) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The facts of the newest connection; `None` before the first one.
    pub(super) fn facts(&self) -> Option<Facts> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest.clone()
    }

    /// Opens nothing from here on.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Opens a connection, after a pause if the last attempt failed. Notifications go to `heard`.
    pub(super) async fn dial(&self, heard: Option<Heard>) -> Result<Session, PostgresError> {
        let pause = *self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((until, _)) = pause {
            sleep_until(until).await;
        }
        if self.is_closed() {
            return Err(PostgresError::Closed);
        }
        let dialled = self.any_host(heard).await;
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        let [least, most] = BACK_OFF;
        *trouble = match &dialled {
            Ok(_) => None,
            Err(error) => {
                let wait = trouble.map_or(least, |(_, wait)| most.min(wait * 2));
                tracing::warn!(%error, "no connection to the database");
                Some((Instant::now() + wait, wait))
            }
        };
        dialled
    }

    /// The first host that takes writes; if none does, the reason of the last one.
    async fn any_host(&self, heard: Option<Heard>) -> Result<Session, PostgresError> {
        let mut last = PostgresError::Closed;
        for host in &self.url.hosts {
            let dialled = timeout(READY, self.one_host(host, heard.clone())).await;
            match dialled {
                Ok(Ok(session)) => return Ok(session),
                Ok(Err(error)) => {
                    if matches!(error, PostgresError::Outdated { .. }) {
                        // The next host may serve, and nobody would hear of this one.
                        tracing::warn!(%error, "a server is passed over");
                    }
                    last = error;
                }
                Err(late) => {
                    last = PostgresError::Unreachable {
                        place: host.to_string(),
                        source: late.into(),
                    }
                }
            }
        }
        Err(last)
    }

    async fn one_host(&self, host: &Host, heard: Option<Heard>) -> Result<Session, PostgresError> {
        let place = host.to_string();
        let login = Login::find(&self.url, host, &self.around)?;
        let mut config = config(&self.url, host, &login);
        let opened = match tls::to_host(&self.url.tls, host)? {
            None => open(config.ssl_mode(SslMode::Disable), NoTls, heard).await,
            Some(tls) => open(config.ssl_mode(SslMode::Require), tls, heard).await,
        };
        let (client, pump) = opened.map_err(|error| self.not_let_in(host, &login.user, error))?;
        let mut session = Session::new(client, pump, self.url.schema());
        let failed = |source: tokio_postgres::Error| PostgresError::Server {
            place: place.clone(),
            source: source.into(),
        };
        session
            .client()
            .batch_execute(SETTINGS)
            .await
            .map_err(failed)?;
        let facts = Facts::ask(session.client(), &place, &self.clock).await?;
        facts.check(&self.url, &place)?;
        session.history = facts.identity.timeline;
        self.keep(facts, place)?;
        Ok(session)
    }

    /// Tells whether the database is in a newer history than the server of this session.
    pub(super) fn knows_newer_than(&self, session: &Session) -> bool {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        newest
            .as_ref()
            .is_some_and(|newest| session.history < newest.identity.timeline)
    }

    /// Keeps the facts of a new connection, unless it leads to another database than before, or to an older history of the same.
    fn keep(&self, facts: Facts, place: String) -> Result<(), PostgresError> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*newest {
            let (found, known) = (facts.identity, known.identity);
            if found.system != known.system {
                return Err(PostgresError::Replaced { place });
            }
            if found.timeline < known.timeline {
                return Err(PostgresError::Outdated {
                    place,
                    found: found.timeline,
                    known: known.timeline,
                });
            }
        }
        *newest = Some(facts);
        Ok(())
    }

    fn not_let_in(&self, host: &Host, user: &str, error: tokio_postgres::Error) -> PostgresError {
        let place = host.to_string();
        let code = error.code().cloned();
        match code {
            Some(code) if code == SqlState::INVALID_CATALOG_NAME => PostgresError::NoDatabase {
                place,
                database: self.url.database.clone(),
            },
            Some(code) if code == SqlState::TOO_MANY_CONNECTIONS => PostgresError::Crowded {
                place,
                source: error.into(),
            },
            Some(code) if code == SqlState::INSUFFICIENT_PRIVILEGE => PostgresError::Rights {
                user: user.to_owned(),
                database: self.url.database.clone(),
                what: "log in".to_owned(),
                source: error.into(),
            },
            // The class of failed authorisations.
            Some(code) if code.code().starts_with("28") => PostgresError::Login {
                place,
                user: user.to_owned(),
                source: error.into(),
            },
            Some(_) => PostgresError::Unreachable {
                place,
                source: error.into(),
            },
            // The client has no code for a password that nobody gave.
            None if error.to_string().contains("authentication")
                || error.to_string().contains("password missing")
                || error.to_string().contains("invalid configuration") =>
            {
                PostgresError::Login {
                    place,
                    user: user.to_owned(),
                    source: error.into(),
                }
            }
            None => PostgresError::Unreachable {
                place,
                source: error.into(),
            },
        }
    }
}

fn config(url: &PostgresUrl, host: &Host, login: &Login) -> Config {
    let mut config = Config::new();
    match host {
        Host::Tcp(name, port) => {
            config.host(name.as_str()).port(*port);
            if let Ok(address) = name.parse::<IpAddr>() {
                config.hostaddr(address);
            }
        }
        Host::Unix(folder, port) => {
            config.host_path(folder).port(*port);
        }
    }
    config
        .user(login.user.as_str())
        .dbname(url.database.as_str())
        .application_name("folkmoot")
        .connect_timeout(CONNECT)
        .tcp_user_timeout(SILENCE)
        .keepalives_idle(SILENCE)
        .keepalives_interval(Duration::from_secs(1))
        .keepalives_retries(3);
    if let Some(password) = &login.password {
        config.password(password);
    }
    config
}

type Opened = (Client, JoinHandle<()>);

async fn open<T>(
    config: &Config,
    tls: T,
    heard: Option<Heard>,
) -> Result<Opened, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = config.connect(tls).await?;
    Ok((client, tokio::spawn(pump(connection, heard))))
}

/// Moves bytes until the connection ends. Its end is told to whoever waits for the client.
async fn pump<S>(mut connection: Connection<Socket, S>, heard: Option<Heard>)
where
    S: tokio_postgres::tls::TlsStream + Unpin,
{
    while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
        match (message, &heard) {
            (Ok(AsyncMessage::Notification(notification)), Some(heard)) => {
                // Nobody listens any more.
                heard.send(notification.channel().to_owned()).ok();
            }
            (Ok(_), _) => {}
            (Err(error), _) => {
                tracing::debug!(%error, "a connection to the database ended");
                return;
            }
        }
    }
}
