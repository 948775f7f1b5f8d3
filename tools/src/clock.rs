//! `clock.now`: the world's time.

use async_trait::async_trait;
use folkmoot_core::port::{Tool, ToolCall};
use folkmoot_core::tool::{
    EffectClass, Reconciliation, Repeat, ToolErrorCode, ToolOutcome, ToolSpec,
};
use jiff::Timestamp;

use crate::arguments;
use crate::build::{BuildError, Built, Declared, Kind, ToolDraft};

#[cfg(test)]
mod tests;

pub(crate) const NOW: Kind = Kind {
    name: "clock.now",
    summary: "Tells the world's time",
    keys: &[],
    is_local: false,
    build,
};

fn build(draft: &ToolDraft<'_>) -> Result<Built, BuildError> {
    draft.no_settings()?;
    let spec = draft.spec(Declared {
        description: "Tells the present date and time in UTC.".into(),
        effect: EffectClass::Read,
        repeat: Repeat::Always,
        schema: arguments::none(),
    })?;
    Ok(Built::new(ClockNow { spec }))
}

#[derive(Debug)]
struct ClockNow {
    spec: ToolSpec,
}

#[async_trait]
impl Tool for ClockNow {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn run(&self, call: &ToolCall) -> ToolOutcome {
        let time = i64::try_from(call.clock.now().0)
            .ok()
            .and_then(|time| Timestamp::from_millisecond(time).ok());
        match time {
            Some(time) => ToolOutcome::text(time.to_string()),
            None => ToolOutcome::failed(
                ToolErrorCode::Failed,
                "the world's time is beyond the calendar",
            ),
        }
    }

    async fn reconcile(&self, _: &ToolCall) -> Reconciliation {
        Reconciliation::CannotTell
    }
}
