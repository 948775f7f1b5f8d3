use std::path::Path;
use std::time::Duration;

use folkmoot_core::tool::ToolOutcome;
use serde_json::json;

use crate::stage::{build, call};

#[tokio::test]
async fn the_time_is_the_worlds() {
    let tool = build(&json!({ "use": "clock.now" }), Path::new("."));
    let call = call(json!({}));
    assert_eq!(
        tool.run(&call).await,
        ToolOutcome::text("2030-01-01T00:00:00Z")
    );
    call.clock
        .sleep_until(call.clock.now().after(Duration::from_millis(90_500)))
        .await;
    assert_eq!(
        tool.run(&call).await,
        ToolOutcome::text("2030-01-01T00:01:30.5Z")
    );
}
