//! `folkmoot doctor`.

use folkmoot::core::port::Signer as _;
use folkmoot::core::world::decider::decider_id;
use folkmoot::providers::{PRESETS, Preset};
use folkmoot::store::OpenError;
use folkmoot::{AppliedSandbox, try_sandbox};
use serde::Serialize;

use crate::arguments::{CommonArgs, StorePlace};
use crate::exit::{CliError, INTEGRITY, STORE};
use crate::session::own_program;
use crate::signing;
use crate::source::database::look_at;
use crate::source::members::DatabaseView;
use crate::source::{StoreUse, damage, hold};
use crate::terminal::Terminal;
use crate::text::counted;

mod database;

/// The findings of an examination, as `--json` prints them.
#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    /// The rules that this build decides by.
    decider: String,
    /// The findings about the store.
    store: StoreFindings,
    /// The sandbox of programs, as far as this system can apply it.
    sandbox: SandboxFindings,
    /// The findings about the key that signs.
    signing: SigningFindings,
    /// The variables of the providers.
    credentials: Vec<Credential>,
}

/// The key that worlds would be opened with.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum SigningFindings {
    /// None was given.
    None,
    /// The key signs.
    Used {
        file: String,
        key: String,
        public: String,
    },
    /// The key cannot be used.
    Unusable { why: String },
}

/// The sandbox that programs would run in.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum SandboxFindings {
    /// It was tried on a process.
    Tried(AppliedSandbox),
    /// It could not be tried.
    Untried { why: String },
}

/// The findings about the store.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum StoreFindings {
    /// The store opens.
    Fine {
        path: String,
        /// The engine that keeps the log.
        engine: String,
        format: u32,
        worlds: usize,
        deleted: usize,
        events: u64,
        frames: u64,
        bytes_on_disk: u64,
    },
    /// The store is not what was written.
    Damaged { path: String, what: String },
    /// Another process holds it.
    Held { path: String, what: String },
    /// There is none.
    Missing { path: String },
    /// It is a database, and serves.
    Database {
        path: String,
        #[serde(flatten)]
        view: DatabaseView,
        /// The faults that people should mend, in sentences.
        faults: Vec<String>,
    },
    /// It is a database, and does not serve.
    Unusable { path: String, what: String },
}

/// A variable, and whether it is set. Never its value.
#[derive(Debug, Serialize)]
struct Credential {
    provider: &'static str,
    variable: String,
    is_set: bool,
}

/// Shows the store's health, which credentials are set, and versions.
pub(crate) async fn doctor(common: &CommonArgs) -> Result<(), CliError> {
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        decider: decider_id().to_string(),
        store: store(common).await?,
        sandbox: sandbox(),
        signing: signing_key(common),
        credentials: credentials(),
    };
    let mut terminal = Terminal::new();
    if common.json {
        terminal.document(&findings)
    } else {
        tell(&mut terminal, &findings)
    }?;
    match (findings.store, findings.signing) {
        (StoreFindings::Damaged { .. }, _) => Err(CliError::Said(INTEGRITY)),
        (StoreFindings::Unusable { .. }, _) => Err(CliError::Said(STORE)),
        (_, SigningFindings::Unusable { .. }) => Err(CliError::Said(STORE)),
        (_, SigningFindings::None | SigningFindings::Used { .. }) => Ok(()),
    }
}

fn sandbox() -> SandboxFindings {
    let tried = own_program().and_then(|program| {
        try_sandbox(&program).map_err(|error| CliError::other(STORE, error.to_string()))
    });
    match tried {
        Ok(applied) => SandboxFindings::Tried(applied),
        Err(error) => SandboxFindings::Untried {
            why: error.to_string(),
        },
    }
}

fn signing_key(common: &CommonArgs) -> SigningFindings {
    match (signing::signer(common), &common.key) {
        (Ok(Some(signer)), Some(file)) => SigningFindings::Used {
            file: file.display().to_string(),
            key: signer.key(),
            public: signer.verifier().to_string(),
        },
        (Ok(_), _) => SigningFindings::None,
        (Err(error), _) => SigningFindings::Unusable {
            why: error.to_string(),
        },
    }
}

/// The variables that models ask for, by provider.
fn credentials() -> Vec<Credential> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let of = |preset: &'static Preset| {
        preset.variables().map(move |variable| {
            let is_set = is_set(&variable);
            Credential {
                provider: preset.name,
                variable,
                is_set,
            }
        })
    };
    PRESETS.iter().flat_map(of).collect()
}

async fn store(common: &CommonArgs) -> Result<StoreFindings, CliError> {
    let path = common.store.to_string();
    if let StorePlace::Database(url) = &common.store {
        return Ok(match look_at(url).await {
            Ok(view) => StoreFindings::Database {
                faults: database::faults(common, &view),
                path,
                view,
            },
            Err(error) => StoreFindings::Unusable {
                path,
                what: error.to_string(),
            },
        });
    }
    let store = match hold(&common.store, StoreUse::Read).await {
        Ok(Ok(store)) => store,
        Ok(Err((_, error))) => {
            return Ok(StoreFindings::Held {
                path,
                what: error.to_string(),
            });
        }
        Err(CliError::Store(OpenError::Missing { .. })) => {
            return Ok(StoreFindings::Missing { path });
        }
        Err(error) => return Err(error),
    };
    if let Some(what) = damage(&store, &common.store) {
        return Ok(StoreFindings::Damaged { path, what });
    }
    let stats = store
        .stats()
        .map_err(|error| CliError::other(STORE, format!("cannot look at {path}: {error}")))?;
    Ok(StoreFindings::Fine {
        path,
        engine: stats
            .engine
            .map_or_else(String::new, |engine| engine.to_string()),
        format: stats.format,
        worlds: stats.worlds,
        deleted: stats.deleted,
        events: stats.events,
        frames: stats.frames,
        bytes_on_disk: stats.bytes_on_disk,
    })
}

fn tell(terminal: &mut Terminal, findings: &Findings) -> Result<(), CliError> {
    terminal.line(&format!(
        "folkmoot {}, rules {}",
        findings.version, findings.decider
    ))?;
    match &findings.store {
        StoreFindings::Fine { path, engine, format, worlds, deleted, events, bytes_on_disk, .. } => terminal.line(&format!(
            "store {path}: fine, engine {engine}, format {format}, {}, {deleted} deleted, {}, {bytes_on_disk} bytes",
            counted(*worlds, "world"),
            counted(*events, "event")
        ))?,
        StoreFindings::Held { what, .. } | StoreFindings::Damaged { what, .. } => terminal.line(what)?,
        StoreFindings::Unusable { what, .. } => terminal.line(&format!("store: {what}"))?,
        StoreFindings::Database { path, view, faults } => {
            database::tell(terminal, path, view)?;
            faults.iter().try_for_each(|fault| terminal.line(&format!("store: {fault}")))?;
        }
        StoreFindings::Missing { path } => terminal.line(&format!("store {path}: there is none yet"))?,
    }
    terminal.line(&format!(
        "sandbox of programs: {}",
        told_of(&findings.sandbox)
    ))?;
    match &findings.signing {
        SigningFindings::None => {
            terminal.line("signing key: none, so no log is signed (`folkmoot key new`)")?
        }
        SigningFindings::Used { file, public, .. } => {
            terminal.line(&format!("signing key {file}: {public}"))?
        }
        SigningFindings::Unusable { why } => {
            terminal.line(&format!("signing key: it cannot be used: {why}"))?
        }
    }
    for Credential {
        provider,
        variable,
        is_set,
    } in &findings.credentials
    {
        let state = if *is_set { "set" } else { "not set" };
        terminal.line(&format!("{variable} ({provider}): {state}"))?;
    }
    Ok(())
}

/// The way to namespaces, where the system refuses them.
const NAMESPACES: &str = ". Let this user make namespaces: `kernel.unprivileged_userns_clone=1`, `kernel.apparmor_restrict_unprivileged_userns=0` \
     and `user.max_user_namespaces` of sysctl, or the container's seccomp profile";

fn told_of(sandbox: &SandboxFindings) -> String {
    let applied = match sandbox {
        SandboxFindings::Tried(applied) => applied,
        SandboxFindings::Untried { why } => return format!("it cannot be tried: {why}"),
    };
    if !applied.gaps.is_empty() {
        let advice = if applied.has_namespaces {
            ""
        } else {
            NAMESPACES
        };
        return format!("not whole: {}{advice}", applied.gaps.join("; "));
    }
    let processes = if applied.counts_processes {
        ""
    } else {
        ", but root may start any number of processes"
    };
    let landlock = applied.landlock;
    format!("whole: namespaces, landlock {landlock}, filter of calls, limits{processes}")
}
