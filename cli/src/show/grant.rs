//! Grants: what they allow, and the command that ends them.

use folkmoot::core::event::{GrantGiven, GrantRevoked, GrantUsed, Reach, Scope};
use folkmoot::core::ids::{PersonName, Position};
use folkmoot::run::{OutdatedRule, Standing};
use folkmoot::words::{constraint, reach};

use super::chat::{Chat, ChatLine};
use super::request::quoted;
use super::{clean, time};
use crate::arguments::CommonArgs;

/// Says what a grant allows, in the lines of a block.
pub(crate) fn lines(grant: &Standing) -> Vec<String> {
    let Standing {
        agent,
        tool,
        effect,
        ..
    } = grant;
    let mut lines = vec![clean(&format!(
        "{agent} may run {tool} ({effect}), {}",
        reach(&grant.reach)
    ))];
    if let Reach::Like { constraints, .. } = &grant.reach {
        lines.extend(constraints.iter().map(|one| clean(&constraint(one))));
    }
    lines.extend(
        grant
            .outdated
            .iter()
            .map(|why| clean(&format!("it covers nothing any more: {why}"))),
    );
    lines.push(format!(
        "{}; until {}",
        scope(grant),
        time(grant.expires_at)
    ));
    lines.push(clean(&format!("given by {}", grant.by)));
    lines
}

/// A deny rule that says nothing any more as it was written.
pub(crate) fn outdated(rule: &OutdatedRule) -> Vec<String> {
    let head = format!(
        "a deny rule of {} is in an old form, and denies whatever its other places fit:",
        rule.tool
    );
    std::iter::once(head)
        .chain(rule.why.iter().map(|why| format!("  {why}")))
        .map(|line| clean(&line))
        .collect()
}

fn scope(grant: &Standing) -> String {
    match (grant.scope, grant.left) {
        (Scope::Turn, _) => "as often as it likes in this turn".to_owned(),
        (Scope::World, _) => "as often as it likes".to_owned(),
        (Scope::Uses(uses), left) => format!("{} more of {uses} times", left.unwrap_or_default()),
        (Scope::Once, _) => "once".to_owned(),
    }
}

/// The line of a grant that somebody gave.
pub(super) fn given(chat: &Chat, at: Position, given: &GrantGiven) -> ChatLine {
    let GrantGiven {
        agent,
        tool,
        scope,
        by,
        expires_at,
        ..
    } = given;
    let until = time(*expires_at);
    let name = chat.request(at);
    ChatLine::Good(format!(
        "{by} grants {agent} calls of {tool} like it ({scope}), until {until}: {name}"
    ))
}

/// The line of a call that a grant allows.
pub(super) fn used(chat: &Chat, used: &GrantUsed) -> ChatLine {
    let tool = chat.tool(used.call);
    let name = chat.request(used.grant);
    ChatLine::Quiet(format!(
        "{tool} of {} is allowed by the grant {name}",
        used.agent
    ))
}

/// The line of a grant that is over.
pub(super) fn revoked(chat: &Chat, revoked: &GrantRevoked) -> ChatLine {
    let by = revoked
        .by
        .as_ref()
        .map_or("its tool changed".to_owned(), |by| format!("by {by}"));
    ChatLine::Quiet(format!(
        "the grant {} is over: {by}",
        chat.request(revoked.grant)
    ))
}

/// The command that ends a grant, ready to be typed.
pub(crate) fn command(common: &CommonArgs, grant: &Standing, by: Option<&PersonName>) -> String {
    let (world, number) = grant.name.split_once('#').unwrap_or((&grant.name, ""));
    let by = by.map_or_else(|| "NAME".to_owned(), |by| quoted(by.as_str()));
    format!("{} revoke {world} {number} --as {by}", common.program())
}
