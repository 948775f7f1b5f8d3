//! The names of the kinds of events.
//!
//! The names stand here and not in bundles: the tree proves the number of a kind, and a table
//! beside it could call it anything. A kind that a newer build records is told by its number.

/// The names by number. The numbers are for ever.
const NAMES: &[(u16, &str)] = &[
    (1, "WorldOpened"),
    (2, "Opened"),
    (3, "SpecRevised"),
    (4, "EpochOpened"),
    (5, "PersonJoined"),
    (6, "WarningRecorded"),
    (7, "StepDone"),
    (8, "PersonLeft"),
    (9, "Labelled"),
    (10, "RightsChanged"),
    (11, "HeadSigned"),
    (12, "Forked"),
    (13, "ErasureRequested"),
    (14, "Erased"),
    (15, "Restored"),
    (16, "WithheldViewed"),
    (20, "MessagePosted"),
    (21, "MessageRouted"),
    (22, "NoticePosted"),
    (23, "MessageEdited"),
    (24, "MessageRetracted"),
    (25, "ReplyRegenerated"),
    (26, "ArtifactWithheld"),
    (27, "StateObserved"),
    (40, "TurnOpened"),
    (41, "TurnDeclined"),
    (42, "ModelCalled"),
    (43, "StreamStarted"),
    (44, "ModelAnswered"),
    (45, "ModelFailed"),
    (46, "AgentReacted"),
    (47, "AgentFailed"),
    (48, "PrefixBroken"),
    (49, "TurnClosed"),
    (50, "Stopped"),
    (51, "JoinElapsed"),
    (52, "HandedOff"),
    (53, "MemoryCompacted"),
    (54, "StreamCut"),
    (60, "CallsAdmitted"),
    (61, "ApprovalRequested"),
    (62, "ApprovalDecided"),
    (63, "ApprovalExpired"),
    (64, "QuestionAsked"),
    (65, "QuestionAnswered"),
    (66, "ToolStarted"),
    (67, "ToolFinished"),
    (68, "OutcomeUnknown"),
    (69, "OutcomeSettled"),
    (70, "Reconciled"),
    (71, "CallReplaced"),
    (72, "AgentAsked"),
    (73, "GrantGiven"),
    (74, "GrantUsed"),
    (75, "GrantRevoked"),
    (80, "Refused"),
];

/// The name of a kind; `None` if this build does not know it.
#[must_use]
pub fn kind_name(kind: u16) -> Option<&'static str> {
    NAMES
        .iter()
        .find(|(number, _)| *number == kind)
        .map(|(_, name)| *name)
}
