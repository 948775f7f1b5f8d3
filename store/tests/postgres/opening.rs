//! Openings that must fail: each with words that say what, where and what to do.

use std::sync::OnceLock;

use folkmoot_core::port::causes::with_causes;
use folkmoot_store::{OpenMode, PostgresLedger, PostgresUrl, Rows as _};

use crate::rows::{begin, node, open, salts};
use crate::server::{OWNER, Server, shared};

/// Opens what must not open; gives the words.
async fn refused(url: &str, mode: OpenMode) -> String {
    let url: PostgresUrl = url.parse().unwrap();
    match PostgresLedger::open(&url, mode).await {
        Ok(_) => panic!("{url} opened"),
        Err(error) => with_causes(&error),
    }
}

async fn says(url: &str, words: &[&str]) {
    let said = refused(url, OpenMode::Create).await;
    for word in words {
        assert!(said.contains(word), "{url}\nsaid: {said}\nnot: {word}");
    }
    assert!(!said.contains("hunter2"), "{said}");
}

/// A server of its own for settings that others must not have.
fn own(test: &str) -> Option<&'static Server> {
    static OWN: OnceLock<Option<Server>> = OnceLock::new();
    OWN.get_or_init(|| Server::start(test)).as_ref()
}

#[tokio::test]
async fn url_that_leads_nowhere_is_refused_with_what_to_do() {
    let Some(server) = shared("URLs that lead nowhere") else {
        return;
    };
    let at =
        |login: &str, rest: &str| format!("postgres://{login}@127.0.0.1:{}/{rest}", server.port);
    server.sql("postgres", "CREATE ROLE guest LOGIN PASSWORD 'open sesame'");
    let closed = "postgres://owner@127.0.0.1:1/postgres";
    says(
        closed,
        &["127.0.0.1:1", "cannot be reached", "see whether it runs"],
    )
    .await;
    says(
        "postgres:///postgres?host=/nowhere&user=a",
        &["cannot be reached"],
    )
    .await;
    says(
        &at("guest:hunter2", "postgres"),
        &["does not let guest in", "right password"],
    )
    .await;
    says(
        &at("nobody:hunter2", "postgres"),
        &["does not let nobody in"],
    )
    .await;
    says(&at(OWNER, "shop"), &["no database shop", "createdb shop"]).await;
    let encrypted = at(OWNER, "postgres?sslmode=require");
    says(&encrypted, &["cannot be reached", "TLS"]).await;
    let roots = at(OWNER, "postgres?sslmode=require&sslrootcert=/nowhere.pem");
    says(&roots, &["certificates", "/nowhere.pem"]).await;
}

/// Says which server all tests of this binary had: a run on another one has to show it.
#[tokio::test]
async fn version_of_the_server_is_told_with_its_health() {
    let Some(server) = shared("the version of the server") else {
        return;
    };
    let ledger = open(&server.url()).await;
    let told = ledger.health().await.unwrap().version;
    let version = server.sql("postgres", "SHOW server_version");
    eprintln!("these tests run on PostgreSQL {}", version.trim());
    assert_eq!(told, version.trim());
}

#[tokio::test]
async fn login_without_rights_is_told_what_it_may_not() {
    let Some(server) = shared("logins without rights") else {
        return;
    };
    server.sql("postgres", "CREATE ROLE stranger LOGIN PASSWORD 'x'");
    let port = server.port;
    let new = format!("postgres://stranger:x@127.0.0.1:{port}/postgres?schema=strange");
    says(
        &new,
        &["stranger may not make the tables of the schema strange"],
    )
    .await;
    let url = server.url();
    drop(open(&url).await);
    let theirs = url.replace("owner@", "stranger:x@");
    says(&theirs, &["stranger may not read the schema case_"]).await;
    server.sql("postgres", "CREATE ROLE reader LOGIN PASSWORD 'x'");
    server.database("closed");
    server.sql("postgres", "REVOKE CONNECT ON DATABASE closed FROM public");
    let closed = format!("postgres://reader:x@127.0.0.1:{port}/closed");
    says(&closed, &["reader may not log in", "closed"]).await;
}

#[tokio::test]
async fn encrypted_way_is_taken_only_to_a_server_that_is_known() {
    let names = ["localhost".to_owned()];
    let own = rcgen::generate_simple_self_signed(names.clone()).unwrap();
    let other = rcgen::generate_simple_self_signed(names).unwrap();
    let (certificate, key) = (own.cert.pem(), own.signing_key.serialize_pem());
    let files = [("server.crt", &*certificate), ("server.key", &*key)];
    let Some(server) = Server::with("an encrypted way", "ssl = on\n", &files) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let roots = |name: &str, pem: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, pem).unwrap();
        format!("&sslmode=verify-full&sslrootcert={}", path.display())
    };
    let url = server.url().replace("127.0.0.1", "localhost");
    let ledger = open(&format!("{url}{}", roots("own", &certificate))).await;
    let world = begin(&ledger, node()).await;
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    let encrypted = "SELECT count(*) > 0 FROM pg_stat_ssl WHERE ssl";
    assert_eq!(server.sql("postgres", encrypted).trim(), "t");
    let wrong = format!("{url}{}", roots("other", &other.cert.pem()));
    says(&wrong, &["cannot be reached", "certificate"]).await;
    // It has the certificate of another name.
    let named = server.url() + &roots("own", &certificate);
    says(&named, &["cannot be reached", "certificate"]).await;
    says(&format!("{url}&sslmode=require"), &["cannot be reached"]).await;
    says(
        &format!("{url}{}", roots("none", "")),
        &["has no certificate"],
    )
    .await;
}

#[tokio::test]
async fn password_opens_the_door_and_is_shown_by_nothing() {
    let Some(server) = shared("passwords") else {
        return;
    };
    let role = "CREATE ROLE keeper LOGIN PASSWORD 'p@ss:word/1'; GRANT CREATE ON DATABASE postgres TO keeper";
    server.sql("postgres", role);
    let url = server.url().replace("owner@", "keeper:p%40ss%3Aword%2F1@");
    let ledger = open(&url).await;
    assert!(!format!("{ledger:?}").contains("p@ss"), "{ledger:?}");
    let world = begin(&ledger, node()).await;
    assert_eq!(salts(&ledger, world).await, ["birth"]);
}

#[tokio::test]
async fn server_that_would_lose_commits_is_refused_and_so_is_one_that_only_reads() {
    let Some(server) = own("servers that lose commits") else {
        return;
    };
    let url = server.url();
    drop(open(&url).await);
    for (setting, words) in [
        ("fsync = off", ["fsync = off", "set it to on"]),
        (
            "full_page_writes = off",
            ["full_page_writes = off", "set it to on"],
        ),
        (
            "synchronous_commit = off",
            ["synchronous_commit = off", "set it to on"],
        ),
        (
            "default_transaction_read_only = on",
            ["only reads", "name the primary"],
        ),
    ] {
        // For whoever connects next, and without a race against the server's reading of its settings.
        let name = setting.split(' ').next().unwrap();
        if ["fsync", "full_page_writes"].contains(&name) {
            server.set(setting);
            server.stop();
            server.run();
        } else {
            server.sql("postgres", &format!("ALTER ROLE owner SET {setting}"));
        }
        says(&url, &words).await;
        if ["fsync", "full_page_writes"].contains(&name) {
            server.set(&format!("{name} = on"));
            server.stop();
            server.run();
        } else {
            server.sql(
                "postgres",
                &format!("BEGIN READ WRITE; ALTER ROLE owner RESET {name}; COMMIT"),
            );
        }
    }
    let lossless = format!("{url}&failover=lossless");
    says(
        &lossless,
        &["synchronous_standby_names", "failover=lossless"],
    )
    .await;
    server.sql(
        "postgres",
        "CREATE DATABASE latin ENCODING 'SQL_ASCII' TEMPLATE template0",
    );
    says(
        &url.replace("/postgres?", "/latin?"),
        &["server_encoding = SQL_ASCII", "UTF8"],
    )
    .await;
    drop(open(&url).await);
}

#[tokio::test]
async fn restored_database_has_another_timeline_and_another_database_another_number() {
    let settings = "restore_command = 'false'\n";
    let Some(server) = Server::with("a restored database", settings, &[]) else {
        return;
    };
    let url = server.url();
    let ledger = open(&url).await;
    let world = begin(&ledger, node()).await;
    let before = ledger.identity().unwrap();
    assert_eq!(ledger.copy(), None);
    drop(ledger);
    server.stop();
    // As after a restoration from a backup: the server reads its journal to the end, and begins a new history.
    server.write("recovery.signal", "");
    server.recover();
    let ledger = open(&url).await;
    let after = ledger.identity().unwrap();
    assert_eq!(after.system, before.system);
    assert_eq!(after.timeline, before.timeline + 1);
    // All nodes know it as the same copy.
    assert!(ledger.copy().is_some());
    assert_eq!(open(&url).await.copy(), ledger.copy());
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    let other = open(&shared("another database").unwrap().url()).await;
    assert_ne!(other.identity().unwrap().system, before.system);
}

#[tokio::test]
async fn schema_of_a_newer_build_is_refused_and_an_older_one_is_brought_up() {
    let Some(server) = shared("layouts of other builds") else {
        return;
    };
    let url = server.url();
    let schema = url.rsplit('=').next().unwrap();
    let missing = refused(&url, OpenMode::Existing).await;
    assert!(missing.contains("no store in its schema"), "{missing}");
    drop(open(&url).await);
    server.sql(
        "postgres",
        &format!("INSERT INTO {schema}.layout VALUES (1000)"),
    );
    says(&url, &["layout 1000", "use a newer one"]).await;
    server.sql(
        "postgres",
        &format!("DELETE FROM {schema}.layout WHERE version = 1000"),
    );
    let ledger = open(&url).await;
    let world = begin(&ledger, node()).await;
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    // A build before the first layout left nothing but the table that says so.
    let old = server.url();
    let schema = old.rsplit('=').next().unwrap();
    let table = "layout (version int4 PRIMARY KEY, made timestamptz NOT NULL DEFAULT now())";
    server.sql(
        "postgres",
        &format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.{table}"),
    );
    let ledger = open(&old).await;
    let world = begin(&ledger, node()).await;
    assert_eq!(salts(&ledger, world).await, ["birth"]);
    // And a schema with tables of somebody else is left alone.
    let other = server.url();
    let schema = other.rsplit('=').next().unwrap();
    server.sql(
        "postgres",
        &format!("CREATE SCHEMA {schema}; CREATE TABLE {schema}.orders ()"),
    );
    says(&other, &["no store's", "?schema=NAME"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_open_an_empty_database_at_once_all_find_one_set_of_tables() {
    let Some(server) = shared("many that open at once") else {
        return;
    };
    let url = server.url();
    let all = (0..12).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { open(&url).await })
    });
    let ledgers = futures::future::join_all(all).await;
    let ledgers: Vec<PostgresLedger> = ledgers.into_iter().map(Result::unwrap).collect();
    let world = begin(&ledgers[0], node()).await;
    for ledger in &ledgers {
        assert_eq!(salts(ledger, world).await, ["birth"]);
        assert_eq!(ledger.identity(), ledgers[0].identity());
    }
}
