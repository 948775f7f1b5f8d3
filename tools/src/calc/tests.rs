use std::path::Path;

use folkmoot_core::tool::{ToolErrorCode, ToolOutcome};
use serde_json::json;

use super::expression::{CalcError, evaluate};
use crate::stage::{build, call, failure};

fn shown(expression: &str) -> Result<String, CalcError> {
    evaluate(expression).map(|number| number.to_string())
}

#[test]
fn expressions_are_worked_out_exactly() {
    for (expression, value) in [
        ("1+2*3", "7"),
        (" ( 1 + 2 ) * 3 ", "9"),
        ("0.1 + 0.2", "0.3"),
        ("10 - 4 - 3", "3"),
        ("100 / 10 / 2", "5"),
        ("1 / 3 * 3", "1"),
        ("1 / 3", "0.333333333333333…"),
        ("-2 / 3", "-0.666666666666666…"),
        ("1 / 8", "0.125"),
        ("2^10", "1024"),
        ("2^3^2", "512"),
        ("-2^2", "-4"),
        ("2^-2", "0.25"),
        ("0^0", "1"),
        ("--3", "3"),
        ("2 * -3", "-6"),
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("5.5 % 2", "1.5"),
        (".5 + 5.", "5.5"),
        ("abs(-3.5)", "3.5"),
        ("min(3, 1, 2) + max(1, 4)", "5"),
        ("floor(-1.5)", "-2"),
        ("ceil(-1.5)", "-1"),
        ("round(2.5)", "3"),
        ("round(-2.5)", "-3"),
        ("round(2.4)", "2"),
        ("9007199254740993 + 0", "9007199254740993"),
        (
            "99999999999999999999 * 99999999999",
            "9999999999899999999900000000001",
        ),
    ] {
        assert_eq!(shown(expression).as_deref(), Ok(value), "{expression}");
    }
}

#[test]
fn what_has_no_value_says_why() {
    let syntax = |at, expected| CalcError::Syntax { at, expected };
    for (expression, why) in [
        ("", syntax(0, "a number")),
        ("1 +", syntax(3, "a number")),
        ("(1", syntax(2, "`)`")),
        ("1 2", syntax(2, "an operator or the end")),
        ("1)", syntax(1, "an operator or the end")),
        (".", syntax(1, "a digit")),
        ("pi", syntax(2, "`(` behind a function's name")),
        ("max(1", syntax(5, "`,` or `)`")),
        ("1 + ü", syntax(4, "a number")),
        ("sin(1)", CalcError::NoFunction("sin, with 1 values".into())),
        (
            "abs(1, 2)",
            CalcError::NoFunction("abs, with 2 values".into()),
        ),
        ("1 / 0", CalcError::DivisionByZero),
        ("1 % 0", CalcError::DivisionByZero),
        ("0^-1", CalcError::DivisionByZero),
        ("2^0.5", CalcError::BrokenExponent),
        ("9^9^9", CalcError::TooLarge),
        ("2^99999999999999", CalcError::TooLarge),
        (
            "999999999999999999999999999999999999999999",
            CalcError::TooLarge,
        ),
    ] {
        assert_eq!(shown(expression), Err(why), "{expression}");
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}1{}", "(".repeat(levels), ")".repeat(levels));
    assert_eq!(shown(&nested(49)).as_deref(), Ok("1"));
    for deep in [
        nested(50),
        "-".repeat(500) + "1",
        "2^".repeat(400) + "1",
        nested(100_000),
    ] {
        assert_eq!(shown(&deep), Err(CalcError::TooDeep));
    }
}

#[tokio::test]
async fn the_tool_gives_numbers_and_failures() {
    let tool = build(&json!({ "use": "calc" }), Path::new("."));
    let run = async |expression: &str| tool.run(&call(json!({ "expression": expression }))).await;
    assert_eq!(run("6 * 7").await, ToolOutcome::text("42"));
    assert_eq!(
        failure(&run("1/0").await),
        (ToolErrorCode::BadArguments, "division by zero")
    );
    assert_eq!(
        failure(&run(&"1+".repeat(600)).await),
        (ToolErrorCode::TooLarge, "more than 1000 bytes")
    );
    let outcome = tool.run(&call(json!({ "expression": 5 }))).await;
    assert_eq!(failure(&outcome).0, ToolErrorCode::BadArguments);
}
