//! The command that the tests of this binary break.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The command under test: `FOLKMOOT_BIN`, or the one that cargo builds for the tests beside this one.
pub(crate) fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("FOLKMOOT_BIN") {
        return program.into();
    }
    let own = std::env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).unwrap();
    let name = profile.file_name().unwrap().to_str().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    // As a test of the command has it built: in a run of all tests it is there already.
    build
        .args([
            "test",
            "--quiet",
            "--offline",
            "--locked",
            "--workspace",
            "--test",
            "cli",
            "--no-run",
        ])
        .args((name != "debug").then(|| format!("--profile={name}")))
        .arg("--target-dir")
        .arg(profile.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    // What cargo tells this test about its package would have others built anew, which ask for it in their build scripts.
    let told = std::env::vars_os().map(|(name, _)| name);
    let of_package = |name: &OsString| {
        name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        })
    };
    for name in told.filter(of_package) {
        build.env_remove(name);
    }
    assert!(
        build.status().is_ok_and(|status| status.success()),
        "cargo does not build the folkmoot command"
    );
    profile.join("folkmoot")
}
