//! Bare rows: a table with the same columns and key, and nothing that is checked.

use std::sync::atomic::{AtomicI64, Ordering};

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};
use uuid::Uuid;

use crate::RECORD;
use crate::server::{OWNER, Server};

const TABLE: &str =
    "CREATE TABLE bare (world uuid, first int8, last int8 NOT NULL, time int8 NOT NULL,
    incarnation int8 NOT NULL, key bytea, record bytea NOT NULL, PRIMARY KEY (world, first))";

const INSERT: &str = "INSERT INTO bare SELECT * FROM unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int8[],
    $6::bytea[], $7::bytea[])";

/// A connection that inserts bare rows.
pub(crate) struct Bare {
    client: Client,
    insert: Statement,
    next: AtomicI64,
}

impl Bare {
    pub(crate) async fn connect(server: &Server) -> Self {
        server.sql("postgres", TABLE);
        let how = format!(
            "host=127.0.0.1 port={} user={OWNER} dbname=postgres",
            server.port
        );
        let (client, connection) = tokio_postgres::connect(&how, NoTls).await.unwrap();
        tokio::spawn(connection);
        Self {
            insert: client.prepare(INSERT).await.unwrap(),
            client,
            next: AtomicI64::new(0),
        }
    }

    /// Runs so many statements of so many rows.
    pub(crate) async fn insert(&self, statements: usize, rows: usize) {
        let worlds: Vec<Uuid> = (0..rows).map(|_| Uuid::now_v7()).collect();
        let record = vec![b'r'; RECORD];
        for _ in 0..statements {
            let first = self.next.fetch_add(1, Ordering::Relaxed);
            let numbers = vec![first; rows];
            let keys: Vec<Option<&[u8]>> = vec![None; rows];
            let records: Vec<&[u8]> = vec![&record; rows];
            let values: &[&(dyn ToSql + Sync)] = &[
                &worlds, &numbers, &numbers, &numbers, &numbers, &keys, &records,
            ];
            let inserted = self.client.execute(&self.insert, values).await;
            assert_eq!(inserted.unwrap(), rows as u64);
        }
    }
}
