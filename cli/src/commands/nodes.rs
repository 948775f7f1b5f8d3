//! `folkmoot nodes`.

use folkmoot::core::port::Offer;

use crate::arguments::{CommonArgs, StorePlace};
use crate::exit::{CliError, USAGE};
use crate::show::{one_line, table};
use crate::source::database::look_at;
use crate::source::members::{DatabaseView, NodeView};
use crate::terminal::Terminal;
use crate::text::{counted, seconds};

/// The last digits of a node's id that are shown: the first ones are a time. `--json` has all of it.
const ID_DIGITS: usize = 8;

/// Lists the nodes that share the database, and says how many worlds are due that nobody has.
pub(crate) async fn nodes(common: &CommonArgs) -> Result<(), CliError> {
    let url = match &common.store {
        StorePlace::Database(url) => url,
        StorePlace::Folder(folder) => {
            let folder = folder.display();
            let what = format!(
                "the store {folder} is a folder, which one process has at a time; only a database has nodes: name it with \
                 --store postgres://USER@HOST/DATABASE"
            );
            return Err(CliError::other(USAGE, what));
        }
    };
    let database = look_at(url).await?;
    let mut terminal = Terminal::new();
    if common.json {
        return database
            .nodes
            .iter()
            .try_for_each(|node| terminal.json(node));
    }
    if database.nodes.is_empty() {
        terminal.line("No node shares this database now.")?;
    } else {
        let heads = [
            "NODE",
            "NAME",
            "WORLDS",
            "ROOM",
            "STATE",
            "RENEWS WITHIN",
            "OFFERS",
            "ADVERTISES",
            "SCHEMA",
        ];
        let rows = database.nodes.iter().map(|node| row(node, &database));
        terminal.line(&table::of(&heads, rows.collect()))?;
    }
    match waiting(common, &database) {
        Some(waiting) => terminal.line(&waiting),
        None => Ok(()),
    }
}

/// Says that worlds are due that nobody has; `None`: there are none.
pub(super) fn waiting(common: &CommonArgs, database: &DatabaseView) -> Option<String> {
    let long = seconds(database.due_for_ms.unwrap_or(0));
    let takers = match database.takers() {
        0 => format!(
            "; no node takes any, so start one with `{} serve`",
            common.program()
        ),
        _ => String::new(),
    };
    match database.due {
        0 => None,
        1 => Some(format!(
            "1 world has been due for {long}, and nobody has it{takers}."
        )),
        due => Some(format!(
            "{} are due, the first for {long}, and nobody has them{takers}.",
            counted(due, "world")
        )),
    }
}

fn row(node: &NodeView, database: &DatabaseView) -> Vec<String> {
    let id: String = node.node.to_string();
    let id = id.get(id.len().saturating_sub(ID_DIGITS)..).unwrap_or(&id);
    let (until, now) = (node.until.0, database.now.0);
    let (state, lease) = match (node.is_late, node.draining) {
        (true, _) => (
            "past its time",
            format!("{} ago", seconds(now.saturating_sub(until))),
        ),
        (false, true) => ("draining", seconds(until.saturating_sub(now))),
        (false, false) => ("lives", seconds(until.saturating_sub(now))),
    };
    let none = || "-".to_owned();
    let offers = if node.offers.is_empty() {
        none()
    } else {
        let offers: Vec<String> = node.offers.iter().map(|offer| shortened(offer)).collect();
        offers.join(" ")
    };
    let cells = [
        id.to_owned(),
        node.name.clone(),
        node.worlds.to_string(),
        node.room.to_string(),
        state.to_owned(),
        lease,
        offers,
        node.advertise.clone().unwrap_or_else(none),
        node.schema.to_string(),
    ];
    cells.iter().map(|cell| one_line(cell)).collect()
}

/// An offer; of the digest of templates the first digits, by which two can be told apart.
fn shortened(offer: &str) -> String {
    match Offer::read(offer) {
        Some(Offer::Templates(digest)) => {
            Offer::Templates(digest.get(..8).unwrap_or(digest)).to_string()
        }
        Some(Offer::Base(_) | Offer::Public(_)) | None => offer.to_owned(),
    }
}
