use proptest::prelude::*;

use super::*;
use crate::model::response::Usage;

fn money(text: &str) -> Money {
    text.parse().unwrap()
}

fn price(input: &str, cached: Option<&str>, output: &str) -> Price {
    let rate = |text: &str| text.parse().unwrap();
    Price {
        input: rate(input),
        cached: cached.map(rate),
        cache_written: None,
        output: rate(output),
    }
}

#[test]
fn an_amount_is_written_as_the_shortest_decimal_text() {
    for (text, written) in [
        ("0.000125", "0.000125"),
        ("5.00", "5"),
        ("0", "0"),
        ("0.000000000001", "0.000000000001"),
    ] {
        assert_eq!(money(text).to_string(), written);
        assert_eq!(
            serde_json::to_string(&money(text)).unwrap(),
            format!("\"{written}\"")
        );
    }
    assert_eq!(
        serde_json::from_str::<Money>("\"0.10\"").unwrap(),
        money("0.1")
    );
    assert!(
        serde_json::from_str::<Money>("0.1").is_err(),
        "a number of JSON is no amount"
    );
}

#[test]
fn what_is_no_amount_is_refused() {
    for text in [
        "",
        ".",
        "1.",
        ".5",
        "-1",
        "+1",
        "1e3",
        "1,5",
        "0.0000000000001",
        "1234567890123",
        "NaN",
        "1_0",
        " 1",
    ] {
        assert_eq!(
            text.parse::<Money>(),
            Err(MoneyError { digits: 12 }),
            "{text}"
        );
    }
    assert_eq!(
        "0.0000001".parse::<Rate>(),
        Err(MoneyError { digits: 6 }),
        "one token would cost less than the least"
    );
}

#[test]
fn whatever_a_fold_comes_to_reads_back() {
    let spent = price("999999999999", None, "1").worst(u64::MAX, u64::MAX);
    for amount in [
        Money::from_picos(u128::MAX),
        spent,
        money("999999999999").plus(money("1")),
    ] {
        let written = serde_json::to_string(&amount).unwrap();
        assert_eq!(
            serde_json::from_str::<Money>(&written).unwrap(),
            amount,
            "{written}"
        );
        assert!(
            amount.to_string().parse::<Money>().is_err(),
            "nobody writes {written}"
        );
    }
    assert!(
        serde_json::from_str::<Money>(&format!("\"{}0\"", u128::MAX)).is_err(),
        "there is no such amount"
    );
    assert!("1234567890123".parse::<Rate>().is_err());
}

#[test]
fn tokens_of_the_cache_cost_what_the_cache_costs() {
    let mini = price("0.25", Some("0.025"), "2.00");
    let usage = Usage {
        input: Some(1_000),
        output: Some(100),
        cached: Some(400),
        ..Usage::default()
    };
    // 600 × 0.25 + 400 × 0.025 + 100 × 2, each for a million.
    assert_eq!(mini.cost(&usage), Some(money("0.00036")));
    assert_eq!(mini.worst(1_000, 100), money("0.00045"));
    let dear = Price {
        cache_written: Some("0.5".parse().unwrap()),
        ..mini
    };
    assert_eq!(
        dear.cost(&Usage {
            cache_written: Some(500),
            ..usage
        }),
        Some(money("0.000485"))
    );
    assert_eq!(
        dear.worst(1_000, 100),
        money("0.0007"),
        "the cache may take in all of it"
    );
}

#[test]
fn without_both_counts_the_cost_is_unknown_and_not_zero() {
    let mini = price("0.25", None, "2");
    assert_eq!(mini.cost(&Usage::default()), None);
    assert_eq!(
        mini.cost(&Usage {
            input: Some(5),
            ..Usage::default()
        }),
        None
    );
    assert_eq!(
        mini.cost(&Usage {
            output: Some(5),
            ..Usage::default()
        }),
        None
    );
}

proptest! {
    #[test]
    fn every_amount_reads_back(picos in 0..10_u128.pow(24)) {
        let amount = Money::from_picos(picos);
        prop_assert_eq!(amount.to_string().parse::<Money>().unwrap(), amount);
    }

    #[test]
    fn no_usage_within_the_limits_costs_more_than_the_worst_case(
        rates in prop::array::uniform4(0..10_000_000_u64),
        counts in prop::array::uniform4(0..1_000_000_u64),
        has in prop::array::uniform2(any::<bool>()),
    ) {
        let [input, cached, written, output] = rates.map(|rate| rate.to_string().parse::<Rate>().unwrap());
        let [cached, written] = [has[0].then_some(cached), has[1].then_some(written)];
        let price = Price { input, cached, cache_written: written, output };
        let [input, output, cached, cache_written] = counts;
        let usage = Usage {
            input: Some(input),
            output: Some(output),
            cached: Some(cached),
            cache_written: Some(cache_written),
            reasoning: None,
        };
        prop_assert!(price.cost(&usage).unwrap() <= price.worst(input, output));
    }
}
