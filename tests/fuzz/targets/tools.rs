//! What the helpers and the workers of tools answer.

use folkmoot::core::port::HostOutput;
use folkmoot::core::tool::{ToolErrorCode, ToolFailure, ToolOutcome};
use folkmoot::tools::testing::{read_outcome, read_report};
use futures::executor::block_on;

/// A report has as much behind it as it says, or is refused. What a worker wrote is an outcome: one that is none says that
/// what became of the run is not known.
pub(crate) fn law(input: &[u8]) {
    match block_on(read_report(input)) {
        Ok((stdout, stderr)) => assert!(stdout.len() + stderr.len() < input.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let output = HostOutput {
        code: Some(0),
        signal: None,
        stdout: input.to_vec(),
        stderr: Vec::new(),
        is_cut: false,
        gaps: Vec::new(),
    };
    let last = input
        .trim_ascii_end()
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let lost = matches!(
        read_outcome(&output),
        ToolOutcome::Failed(ToolFailure {
            code: ToolErrorCode::Lost,
            ..
        })
    );
    assert!(lost || serde_json::from_slice::<ToolOutcome>(last).is_ok());
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    crate::corpus::texts(&[
        "{\"ended\":{\"code\":0,\"stdout\":5,\"stderr\":3,\"is_cut\":false}}\nhellobad",
        "{\"ended\":{\"code\":null,\"stdout\":18446744073709551615,\"stderr\":18446744073709551615,\"is_cut\":true}}\nx",
        "\"timed_out\"\n",
        "{\"not_started\":{\"os_error\":2,\"why\":\"no such file\"}}\n",
        "said before\n{\"done\":{\"model\":\"42\"}}\n",
        "{\"failed\":{\"code\":\"failed\",\"detail\":\"no\"}}\n",
        "{\"needs_input\":{\"text\":\"which?\",\"options\":[\"a\"]}}\n",
    ])
}
