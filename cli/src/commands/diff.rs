//! `folkmoot diff`.

use folkmoot::view::diff::{DiffQuery, DiffView, RowView, SideView};

use crate::arguments::{CommonArgs, DiffArgs};
use crate::exit::CliError;
use crate::show::clip;
use crate::show::usage::cost;
use crate::source::StoreSource;
use crate::terminal::Terminal;
use crate::text::counted;
use crate::text::gutter::hung;
use crate::view::query::Query;

/// The longest line that is shown of what was said, in characters.
const LINE_MAX: usize = 200;

/// Compares two worlds.
pub(crate) async fn diff(common: &CommonArgs, arguments: DiffArgs) -> Result<(), CliError> {
    let DiffArgs { one, other } = arguments;
    let source = StoreSource::look(common).await?;
    let query = Query::Diff(DiffQuery { one, other });
    let mut view: DiffView = source.ask(query).await?.first().await?;
    let mut terminal = Terminal::new();
    if common.json {
        [&mut view.one, &mut view.other]
            .into_iter()
            .filter_map(|side| side.next.as_mut())
            .for_each(|next| next.gist.clear());
        return terminal.document(&view);
    }
    lines(&view).iter().try_for_each(|line| terminal.line(line))
}

fn lines(view: &DiffView) -> Vec<String> {
    let DiffView {
        common,
        one,
        other,
        first,
        decisions,
        calls,
        messages,
    } = view;
    let mut lines = vec![match (common.get(), &one.next, &other.next) {
        (0, _, _) => format!("{} and {} have no event in common.", one.world, other.world),
        (_, None, None) => format!("Both have the same {}.", counted(common.get(), "event")),
        (_, _, _) => format!("Both have the same events up to {common}. From there on:"),
    }];
    lines.extend(
        [("-", one), ("+", other)]
            .into_iter()
            .map(|(sign, side)| heading(sign, side)),
    );
    if let Some(row) = first {
        lines.push("first difference".to_owned());
        lines.extend(row_lines(row));
    }
    for (title, rows) in [
        ("decisions", decisions),
        ("calls", calls),
        ("messages", messages),
    ] {
        if !rows.is_empty() {
            lines.push(title.to_owned());
            lines.extend(rows.iter().flat_map(row_lines));
        }
    }
    lines.push("spending".to_owned());
    lines.extend(
        [("-", one), ("+", other)]
            .into_iter()
            .map(|(sign, side)| spending(sign, side)),
    );
    lines
}

fn heading(sign: &str, side: &SideView) -> String {
    let next = side.next.as_ref().map_or_else(
        || "nothing more".to_owned(),
        |next| {
            format!(
                "{} {} {}",
                next.position,
                next.kind,
                hung(&clip(&next.gist, LINE_MAX), 4)
            )
        },
    );
    format!("{sign} {}@{}: {next}", side.world, side.at)
}

fn row_lines(row: &RowView) -> Vec<String> {
    let shown = |sign: &str, text: &str| format!("  {sign} {}", hung(&clip(text, LINE_MAX), 4));
    if let (true, Some(both)) = (row.is_same(), &row.one) {
        return vec![shown("=", both)];
    }
    let one = row.one.as_ref().map(|text| shown("-", text));
    one.into_iter()
        .chain(row.other.as_ref().map(|text| shown("+", text)))
        .collect()
}

fn spending(sign: &str, side: &SideView) -> String {
    let spent = &side.spent;
    let tokens = spent.tokens.input.saturating_add(spent.tokens.output);
    format!(
        "  {sign} {}, {}, cost {}",
        counted(spent.calls, "model call"),
        counted(tokens, "token"),
        cost(spent)
    )
}
