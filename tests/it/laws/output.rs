//! What tools give: how far they have come at once, and all of it, however long it is.

use folkmoot::core::event::{CallEvent, Event, Progress, ToolFinished};
use folkmoot::core::port::REPORT_BYTES_MAX;
use folkmoot::core::tool::{BlobRef, ToolOutput, View};
use folkmoot::{ActivityEvent, Effect, Post, Store, ToolOutcome};
use folkmoot_tests::{FakeModel, FakeTool, Room, person, says, wants};

use super::events;

/// What a room's only call gave, as the log has it.
fn finished<'e>(events: &'e [Event]) -> &'e ToolFinished {
    let finished = |event: &'e Event| {
        if let Event::Call(CallEvent::ToolFinished(finished)) = event {
            Some(finished)
        } else {
            None
        }
    };
    events
        .iter()
        .find_map(finished)
        .expect("the call has a result")
}

fn given(finished: &ToolFinished) -> &ToolOutput {
    match finished.outcome.present() {
        Some(Some(ToolOutcome::Done(output))) => output,
        other => panic!("{other:?}"),
    }
}

fn room(tool: FakeTool) -> Room {
    Room::auto()
        .agent(
            "bob",
            &["report"],
            FakeModel::new([wants(&["report"]), says("done")]),
        )
        .tool(tool)
}

#[tokio::test]
async fn what_is_too_long_for_the_log_can_be_read_back_by_its_name() {
    let text = "line\n".repeat(20_000);
    let whole = text.clone();
    let report = FakeTool::new("report", Effect::Read, move |_| {
        let output = ToolOutput::text(&whole).with(View::Text(whole.clone()));
        async { ToolOutcome::Done(output) }
    });
    let store = Store::memory();
    let (_runtime, world) = room(report).open(&store).await;
    let ada = person(&world, "ada");
    ada.publish_message(Post::text("@bob go")).await.unwrap();
    world.quiet().await.unwrap();

    let events = events(&store).await;
    let output = given(finished(&events));
    let BlobRef {
        blob,
        bytes,
        media_type,
    } = output.whole.clone().expect("the whole is kept");
    assert_eq!((bytes, media_type.as_str()), (100_000, "text/plain"));
    assert_eq!(
        ada.attached(blob).await.unwrap(),
        Some(text.clone().into_bytes())
    );
    assert!(
        text.starts_with(
            output
                .text
                .split_once("\n[cut: ")
                .expect("it says that it was cut")
                .0
        )
    );
    let [View::Text(named)] = &output.views[..] else {
        panic!("{:?}", output.views)
    };
    let name = named
        .split_once("as blob ")
        .and_then(|(_, name)| name.strip_suffix(']'))
        .expect("it names a blob");
    let view = ada
        .attached(serde_json::from_value(name.into()).unwrap())
        .await
        .unwrap()
        .expect("the view is kept");
    assert_eq!(
        serde_json::from_slice::<View>(&view).unwrap(),
        View::Text(text)
    );
}

#[tokio::test]
async fn reports_are_heard_at_once_and_the_log_keeps_their_number_and_digest() {
    let report = FakeTool::new("report", Effect::Read, |call| async move {
        call.progress.report("half of it");
        call.progress.report(&"ü".repeat(300));
        ToolOutcome::text("all of it")
    });
    let store = Store::memory();
    let (_runtime, world) = room(report).open(&store).await;
    let ada = person(&world, "ada");
    let mut activity = ada.subscribe_activity().unwrap();
    ada.publish_message(Post::text("@bob go")).await.unwrap();
    world.quiet().await.unwrap();

    let mut heard = Vec::new();
    while let Ok(event) = activity.try_recv() {
        if let ActivityEvent::Progress {
            agent,
            tool,
            text,
            number,
            ..
        } = event
        {
            assert_eq!((agent.as_str(), tool.as_str()), ("bob", "report"));
            heard.push((number, text));
        }
    }
    let cut = "ü".repeat(REPORT_BYTES_MAX / 2);
    assert_eq!(heard, [(1, "half of it".to_owned()), (2, cut.clone())]);
    let progress = Progress::after(Some(Progress::after(None, "half of it")), &cut);
    assert_eq!(finished(&events(&store).await).progress, Some(progress));
}
