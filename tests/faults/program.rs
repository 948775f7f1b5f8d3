//! The command that the tests of this binary break.

use std::path::PathBuf;
use std::process::Command;

/// The command under test: the one that cargo builds beside this test.
pub(crate) fn program() -> PathBuf {
    if let Some(program) = std::env::var_os("FOLKMOOT_BIN") {
        return program.into();
    }
    let own = std::env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).unwrap();
    let name = profile.file_name().unwrap().to_str().unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--offline", "--locked", "--workspace", "--bin", "folkmoot"])
        .args(["--profile", if name == "debug" { "dev" } else { name }])
        .arg("--target-dir")
        .arg(profile.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status();
    assert!(built.is_ok_and(|status| status.success()), "cargo does not build the folkmoot command");
    profile.join("folkmoot")
}
