//! Evidence bundles.

use std::sync::LazyLock;

use folkmoot::proof::bundle::{BundleVerdict, Report, ReportedContent, ReportedEvent, check};
use folkmoot::proof::note::VerifierKey;

use crate::corpus;

/// The key that has signed the example.
const KEY: &str = "example.com/rooms+d84aa1cd+Af0XJDhaoMdbZPt4zWAvodmR/ev3axPFjtcC6sg16fYY";

/// What the example says.
static TRUTH: LazyLock<Report> = LazyLock::new(|| read(&seeds()[0]).unwrap());

fn read(bundle: &[u8]) -> Option<Report> {
    check(bundle, &[VerifierKey::parse(KEY).unwrap()], None).ok()
}

/// Without a key nothing is intact. With the key, whatever is intact tells nothing but what the signed log says.
pub(crate) fn law(input: &[u8]) {
    match check(input, &[], None) {
        Ok(report) => assert_ne!(report.verdict(), BundleVerdict::Intact),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let Some(report) = read(input).filter(|report| report.verdict() == BundleVerdict::Intact)
    else {
        return;
    };
    for event in &report.events {
        let real = TRUTH
            .events
            .iter()
            .find(|real| real.position == event.position)
            .unwrap();
        let is_kept_back = matches!(
            event.content,
            ReportedContent::Withheld | ReportedContent::Erased
        );
        let content = if is_kept_back {
            event.content.clone()
        } else {
            real.content.clone()
        };
        assert_eq!(
            *event,
            ReportedEvent {
                content,
                ..real.clone()
            }
        );
    }
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    corpus::files("docs", "evidence-example.json")
}
