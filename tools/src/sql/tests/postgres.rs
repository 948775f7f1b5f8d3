//! The table on PostgreSQL: a server of the system's own, started here for as long as the test takes.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{ALLOWED, CANARY, HOSTILE, LIMITS, NEEDLESS, On, SOON, TABLES, gate, none, policy};
use crate::sql::gate::Passed;
use crate::sql::policy::Dialect;
use crate::sql::postgres::query_at;
use crate::sql::postgres::testing::run_all;
use crate::sql::rows::{Limits, QueryError, Rows};

/// The user `nobody`: PostgreSQL does not run as root.
const NOBODY: u32 = 65534;

/// A server that listens on a socket in its own folder alone. Dropped, it ends.
struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts the newest server of this machine; `None`, and says so, if there is none.
    fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("skipped: the SQL tool on PostgreSQL: no server beneath /usr/lib/postgresql");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        if rustix::process::geteuid().is_root() {
            chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let server = Self { programs, folder };
        let data = server.data();
        let init = [
            "-D",
            &data,
            "-A",
            "trust",
            "-U",
            "owner",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale",
            "C",
        ];
        server.run("initdb", &init);
        let options = format!("-k {} -c listen_addresses= -c fsync=off", server.place());
        let log = format!("{}/log", server.place());
        server.run(
            "pg_ctl",
            &["-D", &data, "-o", &options, "-l", &log, "-w", "start"],
        );
        Some(server)
    }

    fn place(&self) -> String {
        self.folder.path().to_str().unwrap().to_owned()
    }

    fn data(&self) -> String {
        format!("{}/data", self.place())
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).current_dir(self.folder.path());
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        // The server inherits its outputs: a pipe would stay open as long as it lives.
        let log = std::fs::File::create(self.folder.path().join("started")).unwrap();
        let status = command
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .status();
        let said = std::fs::read_to_string(self.folder.path().join("started")).unwrap();
        assert!(status.unwrap().success(), "{program}: {said}");
    }

    fn url(&self, role: &str) -> String {
        format!("host={} user={role} dbname=postgres", self.place())
    }

    async fn change(&self, sql: &str) {
        run_all(&self.url("owner"), sql).await;
    }

    async fn ask(&self, passed: &Passed, limits: Limits) -> Result<Rows, QueryError> {
        query_at(
            &self.url("reader"),
            &policy(Dialect::Postgres),
            passed,
            limits,
        )
        .await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run(
            "pg_ctl",
            &["-D", &self.data(), "-m", "immediate", "-w", "stop"],
        );
    }
}

/// The folder with the programs of the newest server.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("bin/initdb").exists())
        .max_by_key(|path| version(path))?;
    Some(newest.join("bin"))
}

/// A role that can read what is on the list.
const ROLE: &str = "
    CREATE ROLE reader LOGIN;
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT SELECT (id, amount, country, made) ON orders TO reader;
    GRANT SELECT ON countries TO reader;
    CREATE SEQUENCE numbers;
";

#[tokio::test]
async fn postgres_answers_what_passes_and_stops_the_rest_alone() {
    let Some(server) = Server::start() else {
        return;
    };
    server.change(TABLES).await;
    server.change(ROLE).await;
    let mut faults = answers(&server).await;
    faults.extend(stops(&server).await);
    faults.extend(roles(&server).await);
    none(&faults);
}

async fn answers(server: &Server) -> Vec<String> {
    let mut faults = Vec::new();
    for (sql, _) in ALLOWED.iter().filter(|(_, on)| on.is(Dialect::Postgres)) {
        let Ok(passed) = gate(Dialect::Postgres).check(sql) else {
            continue;
        };
        let answer = server.ask(&passed, LIMITS).await;
        if answer.is_err() || format!("{answer:?}").contains(CANARY) {
            faults.push(format!("{sql}\n{passed:?}\n{answer:?}"));
        }
    }
    faults
}

async fn stops(server: &Server) -> Vec<String> {
    let mut faults = Vec::new();
    let needless = NEEDLESS.iter().map(|sql| (*sql, On::Sqlite));
    for (sql, on) in HOSTILE.iter().copied().chain(needless) {
        let Ok(rows) = server.ask(&Passed::unseen(sql), SOON).await else {
            continue;
        };
        if on.is(Dialect::Postgres) || format!("{rows:?}").contains(CANARY) {
            faults.push(format!("{sql}\n{rows:?}"));
        }
    }
    let count = "SELECT count(*), sum(id), sum(amount) FROM orders";
    let passed = gate(Dialect::Postgres).check(count).unwrap();
    let rows = format!("{:?}", server.ask(&passed, LIMITS).await);
    if !rows.contains("[Integer(4), Integer(10), Real(59.5)]") {
        faults.push(format!("the database has changed: {rows}"));
    }
    faults
}

/// Rights that no role of the tool may have, how they are given and taken, and the words of the refusal.
const RIGHTS: &[(&str, &str, &str)] = &[
    (
        "ALTER ROLE reader SUPERUSER",
        "ALTER ROLE reader NOSUPERUSER",
        "it is a superuser",
    ),
    (
        "ALTER ROLE reader CREATEROLE",
        "ALTER ROLE reader NOCREATEROLE",
        "it may make roles",
    ),
    (
        "ALTER ROLE reader CREATEDB",
        "ALTER ROLE reader NOCREATEDB",
        "it may make databases",
    ),
    (
        "ALTER ROLE reader BYPASSRLS",
        "ALTER ROLE reader NOBYPASSRLS",
        "it passes by the policies of rows",
    ),
    (
        "ALTER ROLE reader REPLICATION",
        "ALTER ROLE reader NOREPLICATION",
        "it may replicate",
    ),
    (
        "GRANT pg_read_server_files TO reader",
        "REVOKE pg_read_server_files FROM reader",
        "it is a member of pg_read_server_files",
    ),
    (
        "GRANT pg_execute_server_program TO reader",
        "REVOKE pg_execute_server_program FROM reader",
        "a member of pg_execute_server_program",
    ),
    (
        "GRANT CREATE ON SCHEMA public TO reader",
        "REVOKE CREATE ON SCHEMA public FROM reader",
        "it may make things in the schema public",
    ),
    (
        "GRANT CREATE ON DATABASE postgres TO reader",
        "REVOKE CREATE ON DATABASE postgres FROM reader",
        "it may make things in the database postgres",
    ),
    (
        "GRANT INSERT ON countries TO reader",
        "REVOKE INSERT ON countries FROM reader",
        "it may change public.countries",
    ),
    (
        "GRANT UPDATE (amount) ON orders TO reader",
        "REVOKE UPDATE (amount) ON orders FROM reader",
        "it may change public.orders",
    ),
    (
        "GRANT DELETE ON hidden TO reader",
        "REVOKE DELETE ON hidden FROM reader",
        "it may change public.hidden",
    ),
    (
        "GRANT SELECT ON hidden TO reader",
        "REVOKE SELECT ON hidden FROM reader",
        "it may read public.hidden, which is not listed",
    ),
    (
        "GRANT SELECT ON peek TO PUBLIC",
        "REVOKE SELECT ON peek FROM PUBLIC",
        "it may read public.peek, which is not listed",
    ),
    (
        "GRANT SELECT (secret) ON orders TO reader",
        "REVOKE SELECT (secret) ON orders FROM reader",
        "it may read the column secret of orders",
    ),
    (
        "CREATE FUNCTION secret_of(int) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT secret FROM orders WHERE id = $1'",
        "DROP FUNCTION secret_of(int)",
        "it may call public.secret_of(integer), which acts with the rights of another role",
    ),
    (
        "ALTER TABLE countries RENAME TO lands",
        "ALTER TABLE lands RENAME TO countries",
        "there is no table public.countries",
    ),
];

async fn roles(server: &Server) -> Vec<String> {
    let mut faults = Vec::new();
    let passed = gate(Dialect::Postgres).check("SELECT 1").unwrap();
    for (give, take, why) in RIGHTS {
        server.change(give).await;
        match server.ask(&passed, LIMITS).await {
            Err(QueryError::Unusable { why: said }) if said.contains(why) => {}
            other => faults.push(format!("{give}\n{other:?}")),
        }
        server.change(take).await;
    }
    if let Err(error) = server.ask(&passed, LIMITS).await {
        faults.push(format!("after all: {error}"));
    }
    faults
}
