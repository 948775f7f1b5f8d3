//! `folkmoot check-bundle`.

use std::io::Read as _;
use std::path::Path;

use folkmoot::file;
use folkmoot::proof::bundle::{Against, BUNDLE_MAX, BundleVerdict, Report, check};
use folkmoot::proof::note::NOTE_MAX;
use serde::Serialize;

use crate::arguments::{CheckBundleArgs, CommonArgs};
use crate::exit::{CliError, INTEGRITY, NOT_CHECKED, STORE};
use crate::signing;
use crate::terminal::Terminal;

/// A report with its verdict.
#[derive(Serialize)]
struct JudgedReport<'a> {
    verdict: BundleVerdict,
    #[serde(flatten)]
    report: &'a Report,
}

/// Checks a bundle, with nothing but public keys. No store is opened.
pub(crate) fn check_bundle(
    common: &CommonArgs,
    arguments: &CheckBundleArgs,
) -> Result<(), CliError> {
    let keys = arguments
        .trust
        .iter()
        .map(|key| signing::verifier(key))
        .collect::<Result<Vec<_>, _>>()?;
    let against = arguments
        .against
        .as_deref()
        .map(|path| read(path, NOTE_MAX))
        .transpose()?;
    let bytes = read(&arguments.bundle, BUNDLE_MAX)?;
    let report = check(&bytes, &keys, against.as_deref().map(Against)).map_err(|error| {
        CliError::other(STORE, format!("{}: {error}", arguments.bundle.display()))
    })?;
    let mut terminal = Terminal::new();
    if common.json {
        terminal.document(&JudgedReport {
            verdict: report.verdict(),
            report: &report,
        })?;
    } else {
        report
            .lines(arguments.at)
            .iter()
            .try_for_each(|line| terminal.line(line))?;
    }
    if let Some(at) = arguments.at.filter(|at| !report.holds(*at)) {
        return Err(CliError::other(
            NOT_CHECKED,
            format!("the bundle has no event {at}"),
        ));
    }
    match report.verdict() {
        BundleVerdict::Intact => Ok(()),
        BundleVerdict::NotChecked => Err(CliError::Said(NOT_CHECKED)),
        BundleVerdict::Damaged => Err(CliError::Said(INTEGRITY)),
    }
}

/// Reads a file of at most `max` bytes.
pub(super) fn read(path: &Path, max: usize) -> Result<Vec<u8>, CliError> {
    let failed = |error: &dyn std::fmt::Display| {
        CliError::other(STORE, format!("{}: {error}", path.display()))
    };
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = file::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes));
    read.map_err(|error| failed(&file::why(&error)))?;
    if bytes.len() > max {
        Err(failed(&format!("it has more than {max} bytes")))
    } else {
        Ok(bytes)
    }
}
