//! Arguments of commands about requests and grants.

use clap::Args;
use folkmoot::core::event::Scope;
use folkmoot::core::ids::PersonName;
use folkmoot::core::ids::WorldName;
use folkmoot::core::tool::constraint::Constraint;
use folkmoot::view::world::WorldAt;

use super::value::{numbered, object, person, world};

/// The arguments of every decision.
#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The request, as `WORLD#POSITION`; or its world alone.
    #[arg(value_name = "WORLD[#N]", value_parser = numbered)]
    pub(crate) world: WorldAt,
    /// The position of the request in its world. On a terminal it may be left out if one request
    /// waits: that one is shown, and you are asked.
    #[arg(value_name = "N")]
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
    /// Go on with the world at once, if no other process does.
    #[arg(long)]
    pub(crate) resume: bool,
}

/// The person who decides.
#[derive(Debug, Args)]
pub(crate) struct PersonArgs {
    /// Your name in the room. Your login name, if left out.
    #[arg(long = "as", value_name = "NAME", value_parser = person)]
    pub(crate) by: Option<PersonName>,
}

/// `approve`.
#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    pub(crate) decided: DecisionArgs,
    /// How far the decision reaches: once, turn, world, or uses:N. All but `once` also allow calls
    /// to come: of this agent, with this tool, and with these arguments. uses:N counts this call as
    /// the first.
    #[arg(long, value_name = "SCOPE", default_value = "once", value_parser = str::parse::<Scope>)]
    pub(crate) scope: Scope,
    /// Run the call with these arguments instead: a JSON object.
    #[arg(long, value_name = "JSON", value_parser = object)]
    pub(crate) args: Option<String>,
    /// Where the arguments of calls to come may differ, and how; everything else stays as it is in
    /// this call. JSON with a pointer to the place and one of equals, one_of, prefix, range, or,
    /// for a path, beneath, e.g. '{"path":"/path","beneath":"notes"}' or
    /// '{"path":"/count","range":{"min":1,"max":5}}'. Can be given several times: all of them hold.
    #[arg(long = "where", value_name = "JSON", value_parser = str::parse::<Constraint>)]
    pub(crate) constraints: Vec<Constraint>,
    /// Calls to come may have any arguments. Only some tools offer it.
    #[arg(long, conflicts_with = "constraints")]
    pub(crate) any_args: bool,
    /// The first eight digits of the digest of what you saw.
    #[arg(long, value_name = "DIGEST8")]
    pub(crate) shown: Option<String>,
}

/// `deny`.
#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    #[command(flatten)]
    pub(crate) decided: DecisionArgs,
    /// Why. The agent does not read it, unless --tell-agent is given.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
    /// Let the agent read the reason.
    #[arg(long, requires = "reason")]
    pub(crate) tell_agent: bool,
    /// The first eight digits of the digest of what you saw.
    #[arg(long, value_name = "DIGEST8")]
    pub(crate) shown: Option<String>,
}

/// `answer`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) decided: DecisionArgs,
    /// The answer, where the question has no options; JSON, where it asks for JSON.
    #[arg(allow_negative_numbers = true)]
    pub(crate) text: Option<String>,
    /// The number of an option, from 1. Give it several times where the question allows several
    /// options.
    #[arg(long, value_name = "N", conflicts_with = "text", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) option: Vec<u32>,
    /// Choose none of the options, where the question allows that.
    #[arg(long, conflicts_with_all = ["text", "option"])]
    pub(crate) none: bool,
}

/// `settle`.
#[derive(Debug, Args)]
#[group(id = "outcome", required = true, multiple = false, args = ["ran", "not_run", "run_again"])]
pub(crate) struct SettleArgs {
    #[command(flatten)]
    pub(crate) decided: DecisionArgs,
    /// The call took effect. TEXT is its result, if you know it: the agent reads it.
    #[arg(long, value_name = "TEXT", num_args = 0..=1)]
    #[expect(
        clippy::option_option,
        reason = "left out, given, and given with a text are three things"
    )]
    pub(crate) ran: Option<Option<String>>,
    /// The call did not take effect. The agent reads that.
    #[arg(long)]
    pub(crate) not_run: bool,
    /// Run the call again, whatever became of the first time.
    #[arg(long)]
    pub(crate) run_again: bool,
}

/// `grants`.
#[derive(Debug, Args)]
pub(crate) struct GrantsArgs {
    /// The world.
    #[arg(value_parser = world)]
    pub(crate) world: WorldName,
}

/// `revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The grant, as `WORLD#POSITION`; or its world alone.
    #[arg(value_name = "WORLD[#N]", value_parser = numbered)]
    pub(crate) world: WorldAt,
    /// The position of the grant in its world.
    #[arg(value_name = "N")]
    pub(crate) grant: Option<String>,
    #[command(flatten)]
    pub(crate) person: PersonArgs,
}
