//! Errors of a server, as people are told them.

use folkmoot::core::port::causes::with_causes;
use folkmoot_client::{ClientError, Problem};

use super::TOKEN_VARIABLE;
use crate::exit::{CliError, FAILED, PENDING, STORE, USAGE};
use crate::show::clean;

/// The error of a command at the server `url`.
pub(super) fn told(url: &str, error: ClientError) -> CliError {
    match error {
        ClientError::Problem(problem) => problem_told(url, &problem),
        ClientError::BadUrl { .. } => CliError::other(USAGE, format!("--server: {error}")),
        ClientError::BadToken => CliError::other(STORE, format!("{TOKEN_VARIABLE}: {error}")),
        ClientError::GaveUp { waited, last: None } => {
            let waited = waited.as_secs();
            let what = format!(
                "the server at {url} has not been ready for {waited} s: it starts or ends; try again soon"
            );
            CliError::other(STORE, what)
        }
        ClientError::GaveUp {
            last: Some(fault), ..
        } => {
            let what = format!(
                "no server answers at {url}: {}; start it there with `folkmoot serve`, or write its \
                 address behind --server",
                with_causes(&fault)
            );
            CliError::other(STORE, what)
        }
        ClientError::Unreadable { why } => {
            let what = format!("{url} is no Folkmoot server that this program knows: {why}");
            CliError::other(STORE, clean(&what))
        }
        error @ (ClientError::BadKey | ClientError::Setup(_) | _) => {
            CliError::other(FAILED, with_causes(&error))
        }
    }
}

fn problem_told(url: &str, problem: &Problem) -> CliError {
    let detail = clean(&problem.to_string());
    let (code, what) = match problem.status {
        401 => (
            STORE,
            format!("the server at {url} does not know the token in {TOKEN_VARIABLE}: {detail}"),
        ),
        404 => (
            STORE,
            format!("{detail}: `folkmoot worlds --server {url}` lists the rooms that you may read"),
        ),
        403 | 409 | 410 => (PENDING, format!("refused: {detail}")),
        400 | 413 | 415 | 422 => (USAGE, detail),
        429 => (
            STORE,
            format!("the server at {url} takes no more of you now: {detail}"),
        ),
        _ => (STORE, format!("the server at {url} failed: {detail}")),
    };
    CliError::other(code, what)
}
