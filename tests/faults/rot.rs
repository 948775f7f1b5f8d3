//! A store rots: a bit, a sector, an end, a file that is another or not there.
//!
//! Each case is found (the store does not open, or verifying or reading says what is wrong and where) or has no effect
//! (everything is served as it was). It is never served wrong, and never shorter without a word. What was saved of a
//! world is disposable: rot in it has no effect. A key that is not there any more was destroyed, as far as anybody can
//! tell: what was sealed with it reads as erased, which is said of each event.
//!
//! Reading changes no byte of it, whatever it is. An opening for writing refuses it and changes nothing, or loses nothing that
//! rebuilding would have saved.
//!
//! `FOLKMOOT_ROT` says how many cases are drawn, `FOLKMOOT_ROT_SEED` names the one to run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use folkmoot::core::ids::{Position, WorldId};
use folkmoot::store::{EngineKind, OpenMode, Rebuild, Store, rebuild};

use crate::io::desk::{copy_folder, list, on_memory, told};
use crate::program::program;
use crate::scale::{mixed, scale};
use crate::work::play_all;

mod damage;
mod sample;
mod served;

use damage::Damage;
use sample::Sample;
use served::{Found, Served};

/// How many cases are drawn, unless `FOLKMOOT_ROT` says otherwise.
const CASES: u64 = 30;

/// Every so many cases the command is asked as well, and a backup is put in the place of the store.
const ASKED_EVERY: u64 = 10;

#[test]
fn rot_is_found_or_has_no_effect() {
    let sample = Sample::make(&program());
    let named = std::env::var("FOLKMOOT_ROT_SEED")
        .ok()
        .map(|seed| seed.parse::<u64>().unwrap());
    let seeds = named.map_or(0..scale("FOLKMOOT_ROT", CASES), |seed| seed..seed + 1);
    let seeds: Vec<u64> = seeds.collect();
    let played = play_all(
        &seeds,
        |seed| format!("FOLKMOOT_ROT_SEED={seed}"),
        |seed| play(&sample, *seed),
    );
    played
        .ends
        .iter()
        .for_each(|(found, count)| println!("{count:5} {found}"));
    played.check();
}

/// Damages a copy of the sample; says what came of it.
fn play(sample: &Sample, seed: u64) -> Result<String, String> {
    let folder = on_memory();
    let store = folder.path().join("store");
    fs::create_dir(&store).unwrap();
    copy_folder(&sample.store(), &store);
    let damage = Damage::draw(seed, sample);
    let done = damage.apply(sample, &store);
    let about = |why: String| format!("{done}: {why}");
    // The command reads what the damage left, before anybody has opened it.
    let asked = folder.path().join("asked");
    let is_asked = mixed(seed ^ 0x5eed).is_multiple_of(ASKED_EVERY);
    if is_asked {
        fs::create_dir(&asked).unwrap();
        copy_folder(&store, &asked);
    }
    read(sample, &store, damage.is_lost_key()).map_err(about)?;
    let alone = is_asked.then(|| saved(&store, "alone"));
    let before = bytes_of(&store);
    let found = sample
        .compare(&store, damage.is_lost_key())
        .map_err(about)?;
    if Store::open(&store, OpenMode::Existing).is_err() && bytes_of(&store) != before {
        return Err(about("it was refused, and changed before that".to_owned()));
    }
    if let Some(alone) = alone {
        loses_nothing(&alone, &saved(&store, "after")).map_err(about)?;
    }
    if let Found::Error(error) = &found
        && damage.is_disposable()
    {
        return Err(about(format!("what is disposable has an effect: {error}")));
    }
    if is_asked {
        ask(sample, &asked, &found).map_err(about)?;
        way_back(sample, &store).map_err(about)?;
    }
    Ok(format!("{:12} {}", found.word(), damage.word()))
}

/// Reads all there is, which changes nothing.
fn read(sample: &Sample, store: &Path, has_lost_key: bool) -> Result<(), String> {
    let before = bytes_of(store);
    let found = sample
        .compare_read(store, has_lost_key)
        .map_err(|why| format!("only read: {why}"))?;
    if bytes_of(store) == before {
        Ok(())
    } else {
        Err(format!("reading changed it ({found:?})"))
    }
}

/// How much of each world rebuilding saves; nothing if it is refused.
fn saved(store: &Path, to: &str) -> BTreeMap<WorldId, Position> {
    let to = store.with_file_name(to);
    let order = Rebuild {
        from: store.to_owned(),
        to: to.clone(),
        kind: EngineKind::Files,
        exports: Vec::new(),
    };
    let saved = rebuild(&order).map_or_else(|_| Vec::new(), |rebuilt| rebuilt.worlds);
    // Nothing is there if it was refused.
    let _is_there = fs::remove_dir_all(to);
    saved
        .into_iter()
        .map(|world| (world.world, world.kept))
        .collect()
}

/// Whether an opening for writing has left what rebuilding would have saved before it.
fn loses_nothing(
    alone: &BTreeMap<WorldId, Position>,
    after: &BTreeMap<WorldId, Position>,
) -> Result<(), String> {
    match alone
        .iter()
        .find(|(world, kept)| after.get(world).is_none_or(|left| left < kept))
    {
        None => Ok(()),
        Some((world, kept)) => Err(format!(
            "rebuilding saved {kept} events of {world}, and then {:?}",
            after.get(world)
        )),
    }
}

/// All files of a folder.
fn bytes_of(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = Vec::new();
    list(folder, &mut files);
    files
        .into_iter()
        .map(|file| (file.clone(), fs::read(&file).unwrap()))
        .collect()
}

/// Whether the command says the same of the damage, with the exit code for it.
fn ask(sample: &Sample, store: &Path, found: &Found) -> Result<(), String> {
    let verified = told(sample.command(store, &["verify", "--all"]));
    let (code, stderr) = (verified.code(), &verified.stderr);
    let fits = match found {
        Found::Nothing => code == Some(0),
        // An error of reading may concern what verifying does not read.
        Found::Error(_) => matches!(code, Some(0 | 3 | 5 | 6)),
    };
    if fits && !stderr.contains("panicked") {
        Ok(())
    } else {
        Err(format!("verify: exit {code:?}, said {stderr:?}"))
    }
}

/// Puts the backup in the place of the store, as somebody does who read the message. A rebuilt store is tried here too,
/// once stores can be rebuilt.
fn way_back(sample: &Sample, store: &Path) -> Result<(), String> {
    fs::remove_dir_all(store).unwrap();
    fs::create_dir(store).unwrap();
    copy_folder(&sample.backup(), store);
    sample.compare_backup(store)
}

/// How many places of the small store are changed, unless `FOLKMOOT_ROT_BYTES` says otherwise; `all` is each byte.
const BYTES: usize = 24;

#[test]
fn no_changed_byte_of_a_small_store_makes_anybody_lose_what_rebuilding_saves() {
    let folder = on_memory();
    let sound = folder.path().join("sound/store");
    fs::create_dir_all(&sound).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/worlds/release-room.yaml");
    let mut command = std::process::Command::new(program());
    let ran = command
        .args([
            "--store".as_ref(),
            sound.as_os_str(),
            "run".as_ref(),
            script.as_os_str(),
        ])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let alone = saved(&sound, "alone");
    assert_eq!(alone.len(), 1);
    let store = folder.path().join("store");
    let copy = || {
        home_gone(&store);
        fs::create_dir(&store).unwrap();
        copy_folder(&sound, &store);
    };
    copy();
    for (path, at) in bytes_to_change(&store) {
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&path, &changed).unwrap();
        let (what, before) = (format!("byte {at} of {}", path.display()), bytes_of(&store));
        let _whatever_is_read = Served::read(&store);
        assert!(bytes_of(&store) == before, "{what}: reading changed it");
        match Store::open(&store, OpenMode::Existing) {
            Err(_) => assert!(
                bytes_of(&store) == before,
                "{what}: it was refused, and changed before that"
            ),
            Ok(opened) => {
                opened.close().unwrap();
                drop(opened);
                loses_nothing(&alone, &saved(&store, "after"))
                    .unwrap_or_else(|why| panic!("{what}: {why}"));
                copy();
            }
        }
        fs::write(&path, &bytes).unwrap();
    }
}

fn home_gone(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

/// Places in all files of a store, spread over what is used of them.
fn bytes_to_change(store: &Path) -> Vec<(PathBuf, usize)> {
    let wanted = std::env::var("FOLKMOOT_ROT_BYTES").unwrap_or_default();
    let used = |bytes: &[u8]| {
        bytes
            .iter()
            .rposition(|byte| *byte != 0)
            .map_or(0, |at| at + 1)
    };
    let files: Vec<(PathBuf, usize)> = bytes_of(store)
        .iter()
        .map(|(path, bytes)| (path.clone(), used(bytes)))
        .collect();
    let each = files
        .iter()
        .flat_map(|(path, used)| (0..*used).map(move |at| (path.clone(), at)));
    if wanted == "all" {
        return each.collect();
    }
    let count = wanted.parse().unwrap_or(BYTES);
    let all: Vec<(PathBuf, usize)> = each.collect();
    (0..count)
        .map(|number| all[number * 2_654_435_761 % all.len()].clone())
        .collect()
}
