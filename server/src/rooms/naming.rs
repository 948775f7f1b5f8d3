//! The names of new worlds.

use folkmoot::WorldName;
use folkmoot::core::ids::WorldId;
use folkmoot::core::port::{AppendError, EventLog as _, WorldEntry};
use sha2::{Digest as _, Sha256};

use super::Lobby;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemCode};

/// The letters of a name's ending: none is taken for another.
const LETTERS: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";
/// The number of letters of a name's ending.
const ENDING: usize = 6;
/// The longest beginning of a name that the server makes, in bytes.
const BEGINNING_MAX: usize = 48;
/// The number of names that are tried before the server gives up.
const TRIES: u8 = 16;

/// The name of a world that somebody wants to make.
#[derive(Debug)]
pub(crate) struct NewName {
    /// The name.
    pub(crate) name: WorldName,
    /// The id that the world is to have: the same for the same key.
    pub(crate) id: WorldId,
    /// The world, if an earlier request with the same key made it.
    pub(crate) found: Option<WorldEntry>,
}

impl Lobby {
    /// Refuses whoever may not open worlds.
    pub(crate) fn check_create(&self, caller: &Caller) -> Result<(), Problem> {
        if caller.may.create {
            return Ok(());
        }
        let why = "the token may not open worlds: it was made without --create";
        Err(Problem::new(ProblemCode::Forbidden, why).with("reason", "may_not_create"))
    }

    /// The name of a new world: `wanted`, if the caller may name worlds, or one that begins with
    /// `beginning`. A request that is repeated with its key, of which `hash` is the hash, finds the
    /// world that it made.
    pub(crate) async fn name_of_new(
        &self,
        caller: &Caller,
        beginning: &str,
        wanted: Option<WorldName>,
        hash: Option<[u8; 32]>,
    ) -> Result<NewName, Problem> {
        let seed = match hash {
            Some(hash) => hash,
            None => random()?,
        };
        let id = id_of(seed);
        if let Some(name) = wanted {
            return self.check_wanted(caller, name, id).await;
        }
        for round in 0..TRIES {
            let name = made(beginning, &seed, round)?;
            match self.rooms.store.find(&name).await? {
                None => return Ok(NewName::free(name, id)),
                Some(entry) if entry.world == id => return Ok(NewName::found(entry)),
                Some(_) => {}
            }
        }
        let why = "the server found no free name; try again";
        Err(Problem::new(ProblemCode::Unavailable, why))
    }

    async fn check_wanted(
        &self,
        caller: &Caller,
        name: WorldName,
        id: WorldId,
    ) -> Result<NewName, Problem> {
        if !caller.may.operates_server() {
            let why = "only who operates the whole server may name a world; give it a `title`";
            return Err(Problem::new(ProblemCode::Forbidden, why).about("name"));
        }
        match self.rooms.store.find(&name).await? {
            None => Ok(NewName::free(name, id)),
            Some(entry) if entry.world == id => Ok(NewName::found(entry)),
            Some(_) => Err(AppendError::NameTaken(name).into()),
        }
    }
}

impl NewName {
    const fn free(name: WorldName, id: WorldId) -> Self {
        let found = None;
        Self { name, id, found }
    }

    fn found(entry: WorldEntry) -> Self {
        Self {
            name: entry.name.clone(),
            id: entry.world,
            found: Some(entry),
        }
    }
}

/// The id of the world that a request with this hash makes.
fn id_of(hash: [u8; 32]) -> WorldId {
    let mut id = [0; 16];
    id.iter_mut().zip(hash).for_each(|(to, from)| *to = from);
    WorldId::from_hash(id)
}

fn random() -> Result<[u8; 32], Problem> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        let why = format!("the machine gives no random numbers: {error}");
        Problem::new(ProblemCode::Unavailable, why)
    })?;
    Ok(bytes)
}

/// The name that is tried in this round: the beginning, and letters drawn from the seed.
fn made(beginning: &str, seed: &[u8; 32], round: u8) -> Result<WorldName, Problem> {
    let drawn = Sha256::new()
        .chain_update(seed)
        .chain_update([round])
        .finalize();
    let letters = drawn.iter().take(ENDING).filter_map(|byte| {
        let letter = LETTERS.get(usize::from(byte % 32))?;
        Some(char::from(*letter))
    });
    let ending: String = letters.collect();
    let end = beginning.floor_char_boundary(BEGINNING_MAX);
    let beginning = beginning.get(..end).unwrap_or(beginning);
    WorldName::new(format!("{beginning}-{ending}")).map_err(|error| {
        Problem::new(ProblemCode::BadTemplate, error.to_string()).about("template")
    })
}
