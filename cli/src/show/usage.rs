//! Usage of models and its cost, for people.

use folkmoot::core::model::money::Money;
use folkmoot::core::world::Meter;
use folkmoot::view::usage::{UsageOf, UsageView};

use super::{one_line, table};
use crate::text::counted;

const HEADS: [&str; 14] = [
    "AGENT",
    "MODEL",
    "CALLS",
    "ATTEMPTS",
    "FAILED",
    "LOST",
    "INPUT",
    "CACHED",
    "OUTPUT",
    "REASONING",
    "UNCOUNTED",
    "COST",
    "POSSIBLE",
    "RESERVED",
];

/// A table, and under it what its numbers leave open.
pub(crate) fn lines(all: &[UsageView]) -> Vec<String> {
    let mut lines = vec![table::of(&HEADS, all.iter().map(row).collect())];
    if let Some(world) = all.iter().find(|view| view.of == UsageOf::World) {
        lines.extend(open(&world.meter));
        lines.extend(world.limit.map(|limit| left(limit, &world.meter)));
    }
    lines
}

fn row(view: &UsageView) -> Vec<String> {
    let UsageView {
        of,
        agent,
        model,
        meter,
        ..
    } = view;
    let whose = match of {
        UsageOf::Pair => agent
            .as_ref()
            .map_or_else(String::new, |agent| one_line(agent.as_str())),
        UsageOf::Others => "(others)".to_owned(),
        UsageOf::World => "(all)".to_owned(),
    };
    let Meter {
        calls,
        attempts,
        failed,
        lost,
        uncounted,
        tokens,
        spent,
        ..
    } = meter;
    let model = model
        .as_ref()
        .map_or_else(String::new, |model| one_line(model.as_str()));
    let counts = [
        calls,
        attempts,
        failed,
        lost,
        &tokens.input,
        &tokens.cached,
        &tokens.output,
        &tokens.reasoning,
    ];
    let counts = counts
        .into_iter()
        .chain([uncounted])
        .map(ToString::to_string);
    let money = [
        cost(meter),
        spent.possible.to_string(),
        spent.reserved.to_string(),
    ];
    [whose, model]
        .into_iter()
        .chain(counts)
        .chain(money)
        .collect()
}

/// Says what is known to be spent. Attempts without a price are never shown as if they had cost
/// nothing.
pub(crate) fn cost(meter: &Meter) -> String {
    // A model without a price has a cost, and nobody knows it (decision 0017).
    match (meter.unpriced, meter.spent.settled) {
        (0, known) => known.to_string(),
        (_, Money::ZERO) => "unknown".to_owned(),
        (_, known) => format!("{known} + unknown"),
    }
}

fn open(meter: &Meter) -> Vec<String> {
    let unpriced = (meter.unpriced > 0).then(|| {
        format!(
            "The cost of {} is unknown: no price is given for the model.",
            counted(meter.unpriced, "attempt")
        )
    });
    let uncounted = (meter.uncounted > 0).then(|| {
        format!(
            "Nobody counted the tokens of {}; POSSIBLE is the most that they may have cost.",
            counted(meter.uncounted, "attempt")
        )
    });
    unpriced.into_iter().chain(uncounted).collect()
}

fn left(limit: Money, meter: &Meter) -> String {
    format!(
        "Of the limit of {limit}, {} is left.",
        limit.minus(meter.spent.total())
    )
}
