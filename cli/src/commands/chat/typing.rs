//! A chat at a terminal: each key is taken as it is pressed.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::ChatEnd;
use super::editor::{LineEditor, Pressed};
use super::table::{AfterLine, ChatTable};
use super::terminal_input::{TerminalInput, TerminalNews};
use crate::exit::CliError;

/// The outcome of what was typed.
enum Typing {
    /// More is typed.
    On,
    /// The chat has ended.
    End(ChatEnd),
}

/// Takes what is typed at a terminal, until that ends.
pub(super) async fn converse(
    table: &mut ChatTable<'_>,
    mut input: TerminalInput,
) -> Result<ChatEnd, CliError> {
    let mut editor = LineEditor::new();
    loop {
        table.typed(editor.seen()).await;
        let typing = match input.next().await {
            TerminalNews::Key(key) => press(table, &mut editor, key).await?,
            TerminalNews::Paste(text) => {
                editor.paste(&text);
                Typing::On
            }
            TerminalNews::Moved => {
                table.redraw(false).await;
                Typing::On
            }
            TerminalNews::Interrupt => interrupt(table, &mut editor).await?,
            TerminalNews::NoMore => Typing::End(ChatEnd::NoMore),
            TerminalNews::Terminated => return Ok(ChatEnd::Interrupted),
        };
        match typing {
            Typing::On => {}
            Typing::End(ChatEnd::NoMore) => {
                return Ok(settle(table, &mut input).await?.unwrap_or(ChatEnd::NoMore));
            }
            Typing::End(end) => return Ok(end),
        }
    }
}

async fn press(
    table: &mut ChatTable<'_>,
    editor: &mut LineEditor,
    key: KeyEvent,
) -> Result<Typing, CliError> {
    if let Some(key) = plain(key).filter(|_| editor.is_empty())
        && table.acts_on(key).await?
    {
        let typing = line(table, &key.to_string()).await;
        // Other arguments are most often those that were asked for, with a change.
        editor.paste(table.proposal().unwrap_or_default());
        return typing;
    }
    match editor.press(key) {
        Pressed::Finished(text) => {
            table.typed(editor.seen()).await;
            return line(table, &text).await;
        }
        Pressed::Complete => editor.complete(&table.words().await?),
        Pressed::Left => {
            if table.leave().await {
                editor.clear();
            }
        }
        Pressed::Clear => table.redraw(true).await,
        Pressed::Interrupt => return interrupt(table, editor).await,
        Pressed::NoMore => return Ok(Typing::End(ChatEnd::NoMore)),
        Pressed::Edited => {}
    }
    Ok(Typing::On)
}

/// The character of a key that is pressed alone.
fn plain(key: KeyEvent) -> Option<char> {
    let is_alone = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    let KeyCode::Char(c) = key.code else {
        return None;
    };
    (is_alone && key.kind == KeyEventKind::Press).then_some(c)
}

async fn line(table: &mut ChatTable<'_>, line: &str) -> Result<Typing, CliError> {
    Ok(match table.line(line).await? {
        AfterLine::Line => Typing::On,
        AfterLine::Quit => Typing::End(ChatEnd::Quit),
    })
}

/// Drops a decision that is half made, or what is typed; else stops what goes on, or ends the chat if nothing does.
async fn interrupt(table: &mut ChatTable<'_>, editor: &mut LineEditor) -> Result<Typing, CliError> {
    if table.leave().await || !editor.is_empty() {
        editor.clear();
        return Ok(Typing::On);
    }
    Ok(if table.stop().await? {
        Typing::On
    } else {
        Typing::End(ChatEnd::Interrupted)
    })
}

/// Waits until nothing goes on; Ctrl-C stops what does, and ends the chat if nothing does.
async fn settle(
    table: &ChatTable<'_>,
    input: &mut TerminalInput,
) -> Result<Option<ChatEnd>, CliError> {
    loop {
        tokio::select! {
            settled = table.settle() => return settled.map(|()| None),
            () = input.interrupted() => {
                if !table.stop().await? {
                    return Ok(Some(ChatEnd::Interrupted));
                }
            }
        }
    }
}
