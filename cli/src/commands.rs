//! The commands, one file for each.

use std::process::ExitCode;

use clap::FromArgMatches as _;
use clap::error::ErrorKind;
use tracing_subscriber::EnvFilter;

use crate::arguments::{CliCommand, CommandLine, CommonArgs, LogCommand, ReachCommand, help};
use crate::exit::{self, CliError};
use crate::{interrupt, show, source, terminal};

mod anchor;
mod answer;
mod approvals;
mod approve;
mod backup;
mod chat;
mod check;
mod check_bundle;
mod completions;
mod copy;
mod decision;
mod delete;
mod deny;
mod diff;
mod doctor;
mod erase;
mod export;
mod export_bundle;
mod fork;
mod grants;
mod init;
mod key;
mod log;
mod login;
mod mcp;
mod nodes;
mod place;
mod rebuild;
mod remote;
mod replay;
mod resume;
mod revoke;
mod rights;
mod run;
mod schema;
mod serve;
mod settle;
mod sole;
mod talk;
mod test;
mod token;
pub(crate) mod usage;
mod verify;
mod why;
mod worlds;

/// Reads the arguments, does what they say, and reports.
pub(crate) fn main() -> ExitCode {
    let read = help::program()
        .try_get_matches()
        .and_then(|matches| CommandLine::from_arg_matches(&matches));
    let CommandLine { common, command } = match read {
        Ok(line) => line,
        Err(error) => return misused(&error),
    };
    let common = common.with_a_store();
    if common.json {
        show::speak_json();
    }
    terminal::choose_colors(common.color);
    log_to_stderr(&common, &command);
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            return report(
                &common,
                Err(CliError::other(exit::FAILED, error.to_string())),
            );
        }
    };
    let result = runtime.block_on(Box::pin(async {
        match perform(&common, command).await {
            Ok(()) => Ok(()),
            Err(error) => Err(source::naming_a_world(&common, error).await),
        }
    }));
    // A thread that waits for the keyboard must not hold the end up.
    runtime.shutdown_background();
    report(
        &common,
        result.and_then(|()| source::check_content(&common.store)),
    )
}

/// Says what is wrong with a command line, or shows the help that it asks for.
fn misused(error: &clap::Error) -> ExitCode {
    let asks_for_json = std::env::args_os().any(|argument| argument == "--json");
    let is_bare = std::env::args_os().nth(1).is_none();
    if is_bare && error.kind() == ErrorKind::MissingSubcommand {
        // With a variable set it is not the reader of arguments that shows the help.
        show::remark(&help::program().render_help().ansi().to_string());
        return ExitCode::from(exit::USAGE);
    }
    if !asks_for_json || !error.use_stderr() {
        error.exit();
    }
    show::misuse(&error.to_string(), exit::USAGE);
    ExitCode::from(exit::USAGE)
}

async fn perform(common: &CommonArgs, command: CliCommand) -> Result<(), CliError> {
    interrupt::survive_file_limit();
    crate::remote::check(common, &command)?;
    match command {
        CliCommand::Init(arguments) => init::init(common, &arguments),
        CliCommand::Run(arguments) => run::run(common, &arguments).await,
        CliCommand::Chat(arguments) => chat::chat(common, &arguments).await,
        CliCommand::Talk(command) => talk::talk(common, command).await,
        CliCommand::Check(arguments) => check::check(common, &arguments).await,
        CliCommand::Test(arguments) => test::test(common, &arguments).await,
        CliCommand::Schema(arguments) => schema::schema(&arguments),
        CliCommand::Worlds(arguments) => worlds::worlds(common, &arguments).await,
        CliCommand::Log(arguments) => log::log(common, arguments).await,
        CliCommand::Replay(arguments) => replay::replay(common, arguments).await,
        CliCommand::Why(arguments) => why::why(common, arguments).await,
        CliCommand::Approvals(arguments) => approvals::approvals(common, arguments).await,
        CliCommand::Grants(arguments) => grants::grants(common, arguments).await,
        CliCommand::Rights(arguments) => rights::rights(common, arguments).await,
        CliCommand::Usage(arguments) => usage::usage(common, arguments).await,
        CliCommand::Approve(arguments) => approve::approve(common, arguments).await,
        CliCommand::Deny(arguments) => deny::deny(common, arguments).await,
        CliCommand::Answer(arguments) => answer::answer(common, arguments).await,
        CliCommand::Revoke(arguments) => revoke::revoke(common, arguments).await,
        CliCommand::Settle(arguments) => settle::settle(common, arguments).await,
        CliCommand::Resume(arguments) => resume::resume(common, &arguments).await,
        CliCommand::Reach(command) => reach(common, command).await,
        CliCommand::Nodes => nodes::nodes(common).await,
        CliCommand::Doctor => doctor::doctor(common).await,
        CliCommand::Completions(arguments) => completions::completions(&arguments),
        CliCommand::Logs(command) => keep(common, command).await,
    }
}

/// Runs a command that makes rooms reachable.
async fn reach(common: &CommonArgs, command: ReachCommand) -> Result<(), CliError> {
    match command {
        ReachCommand::Serve(arguments) => serve::serve(common, &arguments).await,
        ReachCommand::Mcp(arguments) => Box::pin(mcp::mcp(common, &arguments)).await,
        ReachCommand::Login => login::login(common).await,
        ReachCommand::Token(arguments) => token::token(common, arguments).await,
    }
}

/// Runs a command about logs as a whole: proofs, copies, branches, and their end.
async fn keep(common: &CommonArgs, command: LogCommand) -> Result<(), CliError> {
    match command {
        LogCommand::Verify(arguments) => verify::verify(common, arguments).await,
        LogCommand::Anchor(arguments) => anchor::anchor(common, arguments).await,
        LogCommand::Key(arguments) => key::key(common, arguments),
        LogCommand::Export(arguments) => export::export(common, arguments).await,
        LogCommand::CheckBundle(arguments) => check_bundle::check_bundle(common, &arguments),
        LogCommand::Fork(arguments) => fork::fork(common, arguments).await,
        LogCommand::Diff(arguments) => diff::diff(common, arguments).await,
        LogCommand::Erase(arguments) => erase::erase(common, arguments).await,
        LogCommand::Delete(arguments) => delete::delete(common, arguments).await,
        LogCommand::Backup(arguments) => backup::backup(common, arguments).await,
        LogCommand::Copy(arguments) => Box::pin(copy::copy(common, arguments)).await,
        LogCommand::Rebuild(arguments) => rebuild::rebuild(common, arguments).await,
    }
}

/// Logs go to standard error: as `RUST_LOG` says, else by `-v` and `-q`. A server logs each request.
fn log_to_stderr(common: &CommonArgs, command: &CliCommand) {
    let serving = if let CliCommand::Reach(ReachCommand::Serve(arguments)) = command {
        Some(arguments)
    } else {
        None
    };
    let level = match (common.quiet, common.verbose) {
        // A host's slips are its own, and each would be a warning.
        (false, 0) if serving.is_some() => "warn,folkmoot_server=info,rmcp=error",
        (true, _) => "error",
        (false, 0) => "warn,rmcp=error",
        (false, 1) => "info,folkmoot=debug,folkmoot_agents=debug",
        (false, _) => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // It is set once in a process, here.
    if serving.is_some_and(|arguments| arguments.json_logs) {
        let _is_first = subscriber.json().with_span_list(false).try_init();
        return;
    }
    let _is_first = subscriber
        .with_ansi(terminal::errors_have_colors())
        .try_init();
}

/// Says on standard error what went wrong, unless that was said, and gives the exit code. Commands
/// that it names can be typed as they stand.
fn report(common: &CommonArgs, result: Result<(), CliError>) -> ExitCode {
    let Err(error) = result else {
        return ExitCode::from(exit::FINE);
    };
    if !matches!(error, CliError::Closed | CliError::Said(_)) {
        show::ErrorReport::of(common, &error).say();
    }
    ExitCode::from(error.code())
}
