//! Values in the forms that fields give them. What does not have its form is written as it is.

use serde_json::Value;

use super::decimal::Decimal;
use crate::tool::FieldForm;

/// Digits of an amount of money behind the point, if it is not whole.
const CENTS: u32 = 2;

/// The signs of the currencies that are written with one, by their ISO 4217 codes.
const SIGNS: [(&str, &str); 4] = [("USD", "$"), ("EUR", "€"), ("GBP", "£"), ("JPY", "¥")];

/// A value in its form.
pub(super) fn written(value: &Value, form: &FieldForm) -> String {
    let formed = match form {
        FieldForm::Plain | FieldForm::Bullets | FieldForm::Table(_) => None,
        FieldForm::Money(currency) => {
            decimal(value).and_then(|amount| money(currency, &[amount]).pop())
        }
        FieldForm::MoneyRange(currency) => range(value, |ends| money(currency, ends)),
        FieldForm::Unit(unit) => decimal(value).map(|number| format!("{} {unit}", counted(number))),
        FieldForm::UnitRange(unit) => {
            range(value, |ends| ends.iter().copied().map(counted).collect())
                .map(|range| format!("{range} {unit}"))
        }
        FieldForm::Percent => decimal(value)
            .and_then(Decimal::hundredfold)
            .map(|number| counted(number) + "%"),
    };
    formed.unwrap_or_else(|| text_of(value))
}

/// The items of a list, each in a line; a value that is no list is one item.
pub(super) fn items_of(value: &Value) -> Vec<String> {
    value.as_array().map_or_else(
        || vec![text_of(value)],
        |items| items.iter().map(text_of).collect(),
    )
}

/// A value as it is: a text without its quotes, nothing for `null`, all else as JSON.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    if let Value::Number(number) = value {
        Decimal::read(number)
    } else {
        None
    }
}

fn counted(number: Decimal) -> String {
    let sign = if number.is_negative() { "-" } else { "" };
    format!("{sign}{}", number.grouped(0))
}

/// Amounts that stand together: if one is not whole, all are written to the cent.
fn money(currency: &str, amounts: &[Decimal]) -> Vec<String> {
    let amounts: Vec<Decimal> = amounts
        .iter()
        .filter_map(|amount| amount.rounded(CENTS))
        .collect();
    let cents = if amounts.iter().all(|amount| amount.is_whole()) {
        0
    } else {
        CENTS
    };
    let before = SIGNS
        .iter()
        .find(|(code, _)| *code == currency)
        .map(|(_, sign)| (*sign).to_owned());
    let before = before.unwrap_or_else(|| format!("{currency} "));
    let written = |amount: &Decimal| {
        let sign = if amount.is_negative() { "-" } else { "" };
        format!("{sign}{before}{}", amount.grouped(cents))
    };
    amounts.iter().map(written).collect()
}

/// An object with `min` and `max`, or one of them. `write` gives as many texts as it is given
/// numbers.
fn range(value: &Value, write: impl Fn(&[Decimal]) -> Vec<String>) -> Option<String> {
    let end = |key| value.get(key).and_then(decimal);
    let ends = match (end("min"), end("max")) {
        (Some(min), Some(max)) if min == max => write(&[min]),
        (Some(min), Some(max)) => write(&[min, max]),
        (Some(min), None) => write(&[min])
            .into_iter()
            .map(|min| format!("from {min}"))
            .collect(),
        (None, Some(max)) => write(&[max])
            .into_iter()
            .map(|max| format!("up to {max}"))
            .collect(),
        (None, None) => return None,
    };
    Some(ends.join(" – "))
}
