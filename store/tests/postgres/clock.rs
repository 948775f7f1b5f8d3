//! The time of a schema, which stands still until a test moves it.

use folkmoot_core::ids::Time;
use tokio_postgres::{Client, NoTls};

use super::server::{OWNER, Server};

/// Whoever sets the time of a schema: all that a ledger knows of it comes from one function.
pub(crate) struct Clock {
    client: Client,
    schema: String,
}

impl Clock {
    /// That of the schema of `url`, whose tables are there.
    pub(crate) async fn of(server: &Server, url: &str) -> Self {
        let how = format!(
            "host=127.0.0.1 port={} user={OWNER} dbname=postgres",
            server.port
        );
        let (client, connection) = tokio_postgres::connect(&how, NoTls).await.unwrap();
        tokio::spawn(connection);
        Self {
            client,
            schema: url.rsplit('=').next().unwrap().to_owned(),
        }
    }

    pub(crate) async fn set(&self, now: Time) {
        let sql = format!(
            "CREATE OR REPLACE FUNCTION {}.now_ms() RETURNS int8 LANGUAGE sql STABLE AS $$ SELECT {}::int8 $$",
            self.schema, now.0
        );
        self.client.batch_execute(&sql).await.unwrap();
    }
}
