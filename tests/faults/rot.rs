//! A store rots: a bit, a sector, an end, a file that is another or not there.
//!
//! Each case is found (the store does not open, or verifying or reading says what is wrong and where) or has no effect
//! (everything is served as it was). It is never served wrong, and never shorter without a word. What was saved of a
//! world is disposable: rot in it has no effect. A key that is not there any more was destroyed, as far as anybody can
//! tell: what was sealed with it reads as erased, which is said of each event.
//!
//! `FOLKMOOT_ROT` says how many cases are drawn, `FOLKMOOT_ROT_SEED` names the one to run.

use std::fs;
use std::path::Path;

use crate::io::desk::{copy_folder, on_memory, told};
use crate::program::program;
use crate::scale::{mixed, scale};
use crate::work::play_all;

mod damage;
mod sample;
mod served;

use damage::Damage;
use sample::Sample;
use served::Found;

/// How many cases are drawn, unless `FOLKMOOT_ROT` says otherwise.
const CASES: u64 = 60;

/// Every so many cases the command is asked as well, and a backup is put in the place of the store.
const ASKED_EVERY: u64 = 10;

#[test]
fn rot_is_found_or_has_no_effect() {
    let sample = Sample::make(&program());
    let named = std::env::var("FOLKMOOT_ROT_SEED").ok().map(|seed| seed.parse::<u64>().unwrap());
    let seeds = named.map_or(0..scale("FOLKMOOT_ROT", CASES), |seed| seed..seed + 1);
    let seeds: Vec<u64> = seeds.collect();
    let played = play_all(&seeds, |seed| format!("FOLKMOOT_ROT_SEED={seed}"), |seed| play(&sample, *seed));
    played.ends.iter().for_each(|(found, count)| println!("{count:5} {found}"));
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
    let found = sample.compare(&store, damage.is_lost_key()).map_err(about)?;
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

/// Whether the command says the same of the damage, with the exit code for it.
fn ask(sample: &Sample, store: &Path, found: &Found) -> Result<(), String> {
    let verified = told(sample.command(store, &["verify", "--all"]));
    let (code, stderr) = (verified.code(), &verified.stderr);
    let fits = match found {
        Found::Nothing => code == Some(0),
        // An error of reading may concern what verifying does not read.
        Found::Error(_) => matches!(code, Some(0 | 3 | 5 | 6)),
    };
    if fits && !stderr.contains("panicked") { Ok(()) } else { Err(format!("verify: exit {code:?}, said {stderr:?}")) }
}

/// Puts the backup in the place of the store, as somebody does who read the message. A rebuilt store is tried here too,
/// once stores can be rebuilt.
fn way_back(sample: &Sample, store: &Path) -> Result<(), String> {
    fs::remove_dir_all(store).unwrap();
    fs::create_dir(store).unwrap();
    copy_folder(&sample.backup(), store);
    sample.compare_backup(store)
}
