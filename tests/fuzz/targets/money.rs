//! Amounts of money, and rates.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use folkmoot::core::model::money::{Money, Rate};

/// An amount or a rate that is read is the same after it was written; in JSON, too.
pub(crate) fn law(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    written::<Money>(text);
    written::<Rate>(text);
    if let Ok(amount) = serde_json::from_str::<Money>(text) {
        let json = serde_json::to_string(&amount).unwrap();
        assert_eq!(
            serde_json::from_str::<Money>(&json).unwrap(),
            amount,
            "{json}"
        );
    }
}

fn written<T: FromStr + Display + Debug + PartialEq>(text: &str) {
    if let Ok(read) = text.parse::<T>() {
        assert_eq!(read.to_string().parse().ok(), Some(read), "{text}");
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "0.25",
        "12",
        "0.000001",
        "999999999999.999999",
        "\"0.000000000001\"",
        "007.50",
    ])
}
