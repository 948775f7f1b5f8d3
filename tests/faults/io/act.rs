//! What is done to the store while its disk refuses.

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Act {
    Run,
    Approve,
    Resume,
    Finish,
    Log,
    Verify,
    Backup,
    Export,
    Anchor,
    Erase,
    Delete,
}

impl Act {
    pub(crate) const ALL: [Self; 11] = [
        Self::Run,
        Self::Approve,
        Self::Resume,
        Self::Finish,
        Self::Log,
        Self::Verify,
        Self::Backup,
        Self::Export,
        Self::Anchor,
        Self::Erase,
        Self::Delete,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Approve => "approve",
            Self::Resume => "resume",
            Self::Finish => "finish",
            Self::Log => "log",
            Self::Verify => "verify",
            Self::Backup => "backup",
            Self::Export => "export",
            Self::Anchor => "anchor",
            Self::Erase => "erase",
            Self::Delete => "delete",
        }
    }

    /// What is typed. The first request of the script is event 10; event 4 is the first message.
    pub(crate) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Run | Self::Finish => &["run", "refused.yaml"],
            Self::Approve => &["approve", "refused", "10", "--as", "ada"],
            Self::Resume => &["resume", "refused", "--base", "."],
            Self::Log => &["log", "refused"],
            Self::Verify => &["verify", "--all"],
            Self::Backup => &["backup", "disk/backup"],
            Self::Export => &[
                "export",
                "refused",
                "--format",
                "jsonl",
                "--output",
                "disk/refused.jsonl",
            ],
            Self::Anchor => &[
                "--key",
                "desk.key",
                "anchor",
                "--all",
                "--output",
                "disk/anchors",
            ],
            Self::Erase => &[
                "erase",
                "refused",
                "4",
                "--basis",
                "it was asked for",
                "--as",
                "ada",
            ],
            Self::Delete => &["delete", "refused", "--yes", "--as", "ada"],
        }
    }

    /// What a command may say that is given again though it was done.
    pub(crate) const fn was_done(self) -> Option<&'static str> {
        match self {
            Self::Erase => Some("there is no content left in any of these events"),
            Self::Delete => Some("there is no world called refused"),
            Self::Export | Self::Anchor => Some("exists: name another file"),
            Self::Run
            | Self::Approve
            | Self::Resume
            | Self::Finish
            | Self::Log
            | Self::Verify
            | Self::Backup => None,
        }
    }

    /// What opens the store again after the act was killed.
    pub(crate) const fn recovery(self) -> Self {
        match self {
            Self::Run | Self::Approve | Self::Resume | Self::Finish => Self::Finish,
            Self::Log | Self::Verify | Self::Backup | Self::Export | Self::Anchor => Self::Log,
            Self::Erase => Self::Erase,
            Self::Delete => Self::Delete,
        }
    }

    /// Whether the script is not at its end yet.
    pub(crate) const fn is_underway(self) -> bool {
        match self {
            Self::Run | Self::Approve | Self::Resume | Self::Finish => true,
            Self::Log
            | Self::Verify
            | Self::Backup
            | Self::Export
            | Self::Anchor
            | Self::Erase
            | Self::Delete => false,
        }
    }
}
