//! What must not be in the log: the values of a room's variables, which models and tools are given
//! when they act.

use folkmoot_core::command::{Action, ShellAction};
use folkmoot_core::text::redaction::SecretRules;
use folkmoot_core::tool::{Reconciliation, ToolOutcome, View};

/// The secrets of a room. They are looked up each time that something is recorded, and kept
/// nowhere.
pub trait Secrets: Send + Sync {
    /// Returns what to take out of texts now.
    fn rules(&self) -> Vec<SecretRules>;
}

/// Takes the secrets out of what an effect brings: the details of failures, and what tools gave. An
/// agent's words stay as they are: no model is told a secret.
pub(crate) fn conceal(mut action: Action, secrets: &dyn Secrets) -> Action {
    // Most commands bring no words of others, and looking secrets up reads the room's settings.
    let brings_words = matches!(
        action,
        Action::Shell(ShellAction::RecordFailure { .. })
            | Action::Shell(ShellAction::FailAgent { .. })
            | Action::Shell(ShellAction::FinishTool { .. })
            | Action::Shell(ShellAction::RecordReconcile {
                result: Reconciliation::Landed(_),
                ..
            })
    );
    if !brings_words {
        return action;
    }
    let places = |action: &mut Action, rules: &SecretRules| {
        if let Action::Shell(ShellAction::RecordFailure { error, .. }) = action {
            hide(&mut error.detail, rules);
        } else if let Action::Shell(ShellAction::FailAgent { detail, .. }) = action {
            hide(detail, rules);
        } else if let Action::Shell(ShellAction::FinishTool { outcome, .. })
        | Action::Shell(ShellAction::RecordReconcile {
            result: Reconciliation::Landed(outcome),
            ..
        }) = action
        {
            in_outcome(outcome, rules);
        }
    };
    known(secrets).for_each(|rules| places(&mut action, &rules));
    action
}

/// `text` without the secrets.
pub(crate) fn concealed(text: &str, secrets: &dyn Secrets) -> String {
    let mut text = text.to_owned();
    known(secrets).for_each(|rules| hide(&mut text, &rules));
    text
}

/// Takes the secrets out of what a tool gave.
pub(crate) fn conceal_outcome(outcome: &mut ToolOutcome, secrets: &dyn Secrets) {
    known(secrets).for_each(|rules| in_outcome(outcome, &rules));
}

fn known(secrets: &dyn Secrets) -> impl Iterator<Item = SecretRules> {
    secrets
        .rules()
        .into_iter()
        .filter(|rules| !rules.is_empty())
}

fn in_outcome(outcome: &mut ToolOutcome, rules: &SecretRules) {
    match outcome {
        ToolOutcome::Failed(failure) => hide(&mut failure.detail, rules),
        ToolOutcome::NeedsInput(question) => {
            hide(&mut question.text, rules);
            question
                .options
                .iter_mut()
                .for_each(|option| hide(option, rules));
            question
                .schema
                .iter_mut()
                .for_each(|schema| rules.redact_value(schema));
        }
        ToolOutcome::Done(output) => {
            hide(&mut output.text, rules);
            output
                .summary
                .iter_mut()
                .for_each(|summary| hide(summary, rules));
            output
                .views
                .iter_mut()
                .for_each(|view| in_view(view, rules));
        }
    }
}

fn in_view(view: &mut View, rules: &SecretRules) {
    match view {
        View::Text(text) | View::Image { alt: text, .. } => hide(text, rules),
        View::Json(value) => rules.redact_value(value),
        View::Artifact(artifact) => rules.redact_value(&mut artifact.data),
        View::Table(table) => {
            table
                .title
                .iter_mut()
                .chain(&mut table.columns)
                .for_each(|text| hide(text, rules));
            table
                .rows
                .iter_mut()
                .flatten()
                .for_each(|cell| rules.redact_value(cell));
        }
    }
}

fn hide(text: &mut String, rules: &SecretRules) {
    if let std::borrow::Cow::Owned(hidden) = rules.redact_text(text) {
        *text = hidden;
    }
}

#[cfg(test)]
mod tests;
