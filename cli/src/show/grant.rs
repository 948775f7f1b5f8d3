//! Grants: what they allow, and the command that ends them.

use folkmoot::core::event::{GrantGiven, GrantRevoked, GrantUsed, Reach, Scope};
use folkmoot::core::ids::{PersonName, Position};
use folkmoot::core::tool::constraint::{Allowed, Constraint, Range};
use folkmoot::run::{OutdatedRule, Standing};

use super::chat::{Chat, ChatLine};
use super::request::quoted;
use super::{clean, time};
use crate::arguments::CommonArgs;

#[cfg(test)]
mod tests;

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
        arguments(&grant.reach)
    ))];
    if let Reach::Like { constraints, .. } = &grant.reach {
        lines.extend(constraints.iter().map(|one| clean(&rule(one))));
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
    lines.push(clean(&format!("given by {}", grant.by.display)));
    lines
}

const fn arguments(reach: &Reach) -> &'static str {
    match reach {
        Reach::Any => "with any arguments that fit its schema",
        Reach::Like { constraints, .. } if constraints.is_empty() => "with the same arguments",
        Reach::Like { .. } => "with the same arguments, but for these places:",
    }
}

/// A constraint in words.
pub(crate) fn rule(constraint: &Constraint) -> String {
    let place = &constraint.path;
    match &constraint.allowed {
        Allowed::Equals(value) => format!("{place} is {value}"),
        Allowed::OneOf(values) => {
            let values: Vec<String> = values.iter().map(ToString::to_string).collect();
            format!("{place} is one of {}", values.join(", "))
        }
        Allowed::Prefix(start) if start.is_array() => {
            format!("{place} begins with {start} and any options after it")
        }
        Allowed::Prefix(start) => format!("{place} begins with {start}"),
        Allowed::Beneath(folder) => format!("{place} is the folder {folder}, or lies in it"),
        Allowed::Range(Range { min, max }) => {
            let least = min.as_ref().map(|min| format!(" at least {min}"));
            let most = max.as_ref().map(|max| format!(" at most {max}"));
            format!(
                "{place} is{}",
                [least, most]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" and")
            )
        }
    }
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
    let by = &by.display;
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
        .map_or("its tool changed".to_owned(), |by| {
            format!("by {}", by.display)
        });
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
