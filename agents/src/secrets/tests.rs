use folkmoot_core::command::ShellAction;
use folkmoot_core::ids::{AgentName, Attempt, CallId, ModelCallId, Position};
use folkmoot_core::model::response::{ModelError, ModelErrorKind};
use folkmoot_core::tool::{Artifact, Table, ToolErrorCode, ToolOutput};
use serde_json::json;

use super::*;

const SECRET: &str = "canary-5f2b90";

struct One;

impl Secrets for One {
    fn rules(&self) -> Vec<SecretRules> {
        vec![SecretRules::new::<&str>([]), SecretRules::new([SECRET])]
    }
}

fn finished(outcome: ToolOutcome) -> Action {
    let agent = AgentName::new("bob").unwrap();
    Action::Shell(ShellAction::FinishTool {
        agent,
        call: CallId::default(),
        attempt: Attempt(1),
        outcome,
        progress: None,
    })
}

fn is_clean(action: Action) {
    let before = format!("{action:?}");
    let after = format!("{:?}", conceal(action, &One));
    assert!(
        before.contains(SECRET) && !after.contains(SECRET) && after.contains("[secret]"),
        "{after}"
    );
}

#[test]
fn secrets_stay_out_of_every_place_that_an_effect_fills() {
    let said = format!("401 for {SECRET}");
    let agent = AgentName::new("bob").unwrap();
    let error = ModelError::new(ModelErrorKind::RefusesAccount, &said);
    let call = ModelCallId(Position::new(1));
    is_clean(Action::Shell(ShellAction::RecordFailure {
        agent: agent.clone(),
        call,
        attempt: Attempt(1),
        error,
    }));
    is_clean(Action::Shell(ShellAction::FailAgent {
        agent,
        turn: None,
        code: "x".to_owned(),
        detail: said.clone(),
    }));
    is_clean(finished(ToolOutcome::failed(ToolErrorCode::Failed, &said)));
    is_clean(finished(ToolOutcome::text(&said)));
    let table = Table {
        columns: vec!["a".to_owned()],
        rows: vec![vec![json!(said)]],
        ..Table::default()
    };
    let kind = folkmoot_core::ids::ArtifactName::new("card").unwrap();
    for view in [
        View::Text(said.clone()),
        View::Json(json!({ "deep": [said] })),
        View::Table(table),
        View::Artifact(Artifact {
            kind,
            data: json!({ SECRET: 1 }),
        }),
    ] {
        is_clean(finished(ToolOutcome::Done(
            ToolOutput::text("fine").with(view),
        )));
    }
}

#[test]
fn what_brings_no_words_of_others_is_left_alone() {
    let action = Action::Shell(ShellAction::Tick);
    assert_eq!(conceal(action.clone(), &One), action);
}
