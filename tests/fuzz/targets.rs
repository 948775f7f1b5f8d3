//! The readers of foreign bytes, a file each: `law` says what holds whatever the bytes are, `seeds` gives real inputs.

/// A reader of foreign bytes.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// Its name, also that of its corpus.
    pub(crate) name: &'static str,
    /// Panics if what was promised does not hold for an input.
    pub(crate) law: fn(&[u8]),
    /// Real inputs, which cases are made of.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

/// Lists the targets: the name, and the module that has its law and its seeds.
macro_rules! targets {
    ($($(#[$when:meta])* $name:ident: $law:path, $seeds:path;)*) => {
        /// All targets.
        const ALL: &[Target] =
            &[$($(#[$when])* Target { name: stringify!($name), law: $law, seeds: $seeds }),*];

        #[cfg(test)]
        mod survives {
            $($(#[$when])* #[test]
            fn $name() {
                crate::survive(super::named(stringify!($name)));
            })*
        }
    };
}

/// The target of that name.
///
/// # Panics
/// If there is none.
pub(crate) fn named(name: &str) -> &'static Target {
    ALL.iter()
        .find(|target| target.name == name)
        .unwrap_or_else(|| panic!("no target is called {name:?}"))
}

mod anchors;
mod bundle;
mod commits;
mod constraint;
mod durations;
mod event;
mod firewall;
mod frames;
mod index;
mod keys;
mod mentions;
mod money;
mod names;
mod note;
mod recording;
mod redaction;
mod schema;
mod script;
#[cfg(feature = "sql")]
mod sql;
mod tools;
mod wires;

targets! {
    anchors: anchors::law, anchors::seeds;
    anthropic_messages: wires::anthropic_messages, wires::anthropic_messages_seeds;
    bundle: bundle::law, bundle::seeds;
    commits: commits::law, commits::seeds;
    constraint: constraint::law, constraint::seeds;
    durations: durations::law, durations::seeds;
    event: event::law, event::seeds;
    firewall: firewall::law, firewall::seeds;
    frames: frames::law, frames::seeds;
    google_generate_content: wires::google_generate_content, wires::google_generate_content_seeds;
    index: index::law, index::seeds;
    keys: keys::law, keys::seeds;
    mentions: mentions::law, mentions::seeds;
    money: money::law, money::seeds;
    names: names::law, names::seeds;
    note: note::law, note::seeds;
    openai_chat: wires::openai_chat, wires::openai_chat_seeds;
    openai_responses: wires::openai_responses, wires::openai_responses_seeds;
    recording: recording::law, recording::seeds;
    redaction: redaction::law, redaction::seeds;
    schema: schema::law, schema::seeds;
    script: script::law, script::seeds;
    #[cfg(feature = "sql")]
    sql: sql::law, sql::seeds;
    sse: wires::events_survive, wires::events_seeds;
    tools: tools::law, tools::seeds;
}
