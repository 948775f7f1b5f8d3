//! Files: a process opens what its rules name, and nothing else. The same part of the kernel keeps it from other processes.

use folkmoot_core::port::{Network, Sandbox};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

use super::places::Places;
use crate::host::image::Program;

/// The newest version whose rights are asked for. An older kernel gives those that it has.
const VERSION: ABI = ABI::V7;

/// The programs, libraries and tables of the system that nearly every program reads.
pub(super) const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki/ca-trust",
    "/etc/pki/tls",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    // Another process shows its name and command here, but neither its variables, its memory nor its files.
    "/proc",
    "/sys/devices/system/cpu",
    "/dev/random",
    "/dev/urandom",
];
/// The devices that keep nothing. `/dev/zero` is none of them: mapped, it is memory that no limit counts.
const SINKS: [&str; 2] = ["/dev/null", "/dev/full"];
/// The tables of the system by which names are looked up in the network.
const NAMES: [&str; 6] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
];

/// The rules of `sandbox`. Of the system's own places those that are not there are left out. `alone` is a program that no
/// place covers.
pub(super) fn rules(
    sandbox: &Sandbox,
    places: &Places,
    scratch: Option<&'static str>,
    alone: Option<&Program>,
) -> Result<RulesetCreated, RulesetError> {
    let read = AccessFs::from_read(VERSION);
    let all = AccessFs::from_all(VERSION);
    let rules = Ruleset::default()
        .handle_access(all)?
        .scope(Scope::from_all(VERSION))?;
    let (rules, tables): (_, &[&str]) = match sandbox.network {
        Network::None => (rules.handle_access(AccessNet::from_all(VERSION))?, &[]),
        Network::Any => (rules, &NAMES),
    };
    let mut rules = rules
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, read))?
        .add_rules(path_beneath_rules(tables, read))?
        .add_rules(path_beneath_rules(SINKS, all))?
        .add_rules(path_beneath_rules(scratch, all))?;
    for place in places.iter() {
        let access = if place.is_written { all } else { read };
        let access = if place.is_folder {
            access
        } else {
            access & AccessFs::from_file(VERSION)
        };
        rules = rules.add_rule(PathBeneath::new(&place.handle, access))?;
    }
    if let Some(program) = alone {
        // From the handle that is run: what its name stands for meanwhile is none that is listed.
        let run: BitFlags<AccessFs> = AccessFs::Execute | AccessFs::ReadFile;
        rules = rules.add_rule(PathBeneath::new(&program.file, run))?;
    }
    Ok(rules)
}

/// Binds this process by `rules` and returns the kernel's version of them, 0 if it has none.
pub(super) fn guard(rules: RulesetCreated) -> Result<u32, RulesetError> {
    let status = rules.restrict_self()?;
    Ok(match status.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => kernel_abi
            .and_then(|version| u32::try_from(version).ok())
            .unwrap_or(effective_abi as u32),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => 0,
    })
}

/// The freedoms that a program keeps beneath a kernel with an older version.
pub(super) const fn kept_by(version: u32) -> &'static str {
    match version {
        0 => "files and other processes are not guarded",
        1 | 2 => "files outside may be cut, and other processes signalled",
        _ => "other processes may be signalled",
    }
}
