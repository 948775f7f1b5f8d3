//! Writing tables anew, so that no old bytes stay in their files.

use super::{CHANGE, WORK};
use crate::ledger::LedgerError;
use crate::postgres::PostgresLedger;
use crate::postgres::values::column;

/// The tables with old bytes, and whether this login may write them anew. Folds and asks are replaced and removed all the time.
const LEFT: &str = "
    SELECT p.part, p.times, pg_has_role(c.relowner, 'USAGE') AS is_ours FROM (
        SELECT part, times FROM fm.leftover UNION ALL VALUES ('fm.checkpoint', 0), ('fm.ask', 0)
    ) p JOIN pg_class c ON c.oid = to_regclass(p.part) ORDER BY p.part";

/// Forgets a table, unless more was left in it meanwhile.
const FORGET: &str = "DELETE FROM fm.leftover WHERE part = $1 AND times = $2";

/// Writes anew what has old bytes. Whoever wants to append there waits meanwhile.
pub(super) async fn compact(ledger: &PostgresLedger) -> Result<(), LedgerError> {
    let mut lane = ledger.writer().await?;
    for row in lane.query(LEFT, &[], CHANGE).await? {
        let part: &str = column(&row, "part")?;
        if !column::<bool>(&row, "is_ours")? {
            let why = "the table {part} belongs to another role, which alone can write it anew: run `VACUUM FULL` as that one";
            return Err(LedgerError::Refused(why.replace("{part}", part)));
        }
        // The name is one that the server wrote, with its quotes and the schema's name.
        let vacuum = format!("VACUUM (FULL, ANALYZE) {part}");
        lane.command_as_written(&vacuum, WORK).await?;
        let times: i64 = column(&row, "times")?;
        lane.query(FORGET, &[&part, &times], CHANGE).await?;
    }
    Ok(())
}
