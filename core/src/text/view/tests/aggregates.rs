//! No row is in what a model reads.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::tool::{Table, ToolOutput, View, ViewPolicy};

const ROWS_MIN: u32 = 5;

fn output(rows: Vec<Vec<Value>>) -> ToolOutput {
    let columns = vec!["name".to_owned(), "rent".to_owned(), "city".to_owned()];
    let text = serde_json::to_string(&rows).unwrap();
    ToolOutput::text(text).with(View::Table(Table {
        title: None,
        columns,
        rows,
    }))
}

fn told(output: &ToolOutput, policy: ViewPolicy) -> String {
    for_model(output, policy).into_text()
}

fn aggregates(rows: Vec<Vec<Value>>) -> String {
    told(&output(rows), ViewPolicy::Aggregates { rows_min: ROWS_MIN })
}

fn row(number: u32) -> Vec<Value> {
    vec![
        json!(format!("tenant {number}")),
        json!(f64::from(number) + 0.1),
        json!(["Rome", "Oslo"][number as usize % 2]),
    ]
}

#[test]
fn rows_give_their_number_and_what_their_columns_have_in_common() {
    assert_eq!(
        aggregates((1..=6).map(row).collect()),
        "A table of 6 rows.\n\"name\": 6 values, 6 different ones\n\"rent\": 6 numbers, sum 21.6, mean 3.6\n\
         \"city\": 6 values, 2 different ones"
    );
}

#[test]
fn sums_are_exact_and_means_are_rounded_away_from_zero() {
    let rents = |rents: &[Value]| {
        aggregates(
            rents
                .iter()
                .map(|rent| vec![json!("a"), rent.clone()])
                .collect(),
        )
    };
    // As floating point, the sum of the first would be 1.4999999999999998.
    assert!(
        rents(&[json!(0.1), json!(0.2), json!(0.3), json!(0.4), json!(0.5)])
            .contains("sum 1.5, mean 0.3")
    );
    assert!(
        rents(&[
            json!(-1),
            json!(-2),
            json!(-3),
            json!(-4),
            json!(-6),
            json!(-7)
        ])
        .contains("sum -23, mean -3.83")
    );
    let most = json!(u64::MAX);
    assert!(
        rents(&[most, json!(1), json!(2), json!(3), json!(4)])
            .contains("sum 18446744073709551625,")
    );
    assert!(
        rents(&[json!(1e300), json!(1), json!(2), json!(3), json!(4)])
            .contains("too large or too small")
    );
}

#[test]
fn fewer_rows_than_asked_for_are_not_even_counted() {
    for rows in 0..ROWS_MIN {
        assert_eq!(
            aggregates((0..rows).map(row).collect()),
            "A table of fewer than 5 rows."
        );
    }
}

#[test]
fn equal_numbers_and_one_among_zeros_are_not_added_up() {
    let rents = |rent: fn(u32) -> u32| {
        aggregates(
            (0..9)
                .map(|number| vec![json!("a"), json!(rent(number)), json!("b")])
                .collect(),
        )
    };
    assert!(rents(|_| 4711).contains("\"rent\": 9 numbers, too few different ones"));
    assert!(
        rents(|number| if number == 3 { 4711 } else { 0 })
            .contains("\"rent\": 9 numbers, too few different ones")
    );
}

#[test]
fn a_column_with_few_values_is_not_told_of() {
    let rent = |number| {
        if number == 3 {
            json!(4711)
        } else {
            Value::Null
        }
    };
    let told = aggregates(
        (0..9)
            .map(|number| vec![json!("a"), rent(number), json!("b")])
            .collect(),
    );
    assert!(told.contains("\"rent\": fewer than 5 values"), "{told}");
}

#[test]
fn a_model_that_may_not_read_all_reads_the_summary_or_that_it_ran() {
    let mut output = output((0..9).map(row).collect());
    assert_eq!(told(&output, ViewPolicy::Full), output.text);
    let (summary, none) = (
        told(&output, ViewPolicy::Summary),
        told(&output, ViewPolicy::None),
    );
    assert!(!summary.contains("tenant") && !none.contains("tenant"));
    output.summary = Some("Nine tenants.".into());
    assert_eq!(told(&output, ViewPolicy::Summary), "Nine tenants.");
    assert_eq!(
        told(&output, ViewPolicy::None),
        none,
        "nothing of the output is in it"
    );
    output.views = vec![View::Json(json!({ "secret": "canary" }))];
    assert!(!told(&output, ViewPolicy::Aggregates { rows_min: 1 }).contains("canary"));
}

proptest! {
    /// Cells that no sum, mean or count can look like, in columns of every kind.
    #[test]
    fn no_cell_is_in_what_a_model_reads(
        rows in vec((1_u32..1_000, any::<bool>(), 0_u8..3), 0..40),
        rows_min in 0_u32..12,
    ) {
        let cell = |place: usize, number: u32, is_text: bool| {
            let unique = format!("{number}{place:03}7771");
            if is_text { json!(format!("canary-{unique}")) } else { json!(unique.parse::<u64>().unwrap()) }
        };
        let rows: Vec<Vec<Value>> = rows.iter().enumerate().map(|(place, (number, is_text, blanks))| {
            let mut row = vec![cell(place, *number, true), cell(place, *number, false), cell(place, *number, *is_text)];
            row.truncate(3 - usize::from(*blanks) % 3);
            row
        }).collect();
        let output = output(rows.clone());
        for policy in [ViewPolicy::Aggregates { rows_min: rows_min.max(2) }, ViewPolicy::Summary, ViewPolicy::None] {
            let read = told(&output, policy);
            for cell in rows.iter().flatten() {
                let cell = cell.as_str().map_or_else(|| cell.to_string(), str::to_owned);
                prop_assert!(!read.contains(&cell), "{cell} in {read}");
            }
        }
    }

    #[test]
    fn so_many_equal_rows_tell_nothing_of_their_value(value in 1_000_u32.., rows in 0_usize..40, rows_min in 2_u32..12) {
        let rows: Vec<Vec<Value>> = vec![vec![json!(format!("t{value}")), json!(value), json!(value)]; rows];
        let told = told(&output(rows), ViewPolicy::Aggregates { rows_min });
        prop_assert!(!told.contains(&value.to_string()), "{}", told);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(mut rents in vec(any::<i32>(), 5..40)) {
        let told = |rents: &[i32]| aggregates(rents.iter().map(|rent| vec![json!("a"), json!(f64::from(*rent) / 8.0)]).collect());
        let forwards = told(&rents);
        rents.reverse();
        prop_assert_eq!(forwards, told(&rents));
    }
}
