//! The codes of warnings, each with its meaning: one for one thing, on all wires.

macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $code:literal,)*) => {
        $($(#[doc = $meaning])+ pub const $name: &str = $code;)*

        /// All of them, in their order.
        pub const ALL: &[&str] = &[$($name),*];
    };
}

codes! {
    /// The arguments of a call did not go on as they began; the last word counts, and the others
    /// are kept.
    ARGUMENTS_CONTRADICTED = "arguments_contradicted",
    /// The arguments of an earlier call are no JSON object; the model finds them as a text under a
    /// key of their own.
    ARGUMENTS_NOT_OBJECT = "arguments_not_object",
    /// The arguments of a call came as JSON instead of text, and were written out.
    ARGUMENTS_NOT_TEXT = "arguments_not_text",
    /// The arguments of an earlier call name a key twice; the model finds them as a text under a
    /// key of their own.
    ARGUMENTS_REPEATED = "arguments_repeated",
    /// The arguments of an earlier call hold a number with more digits than go back.
    ARGUMENTS_ROUNDED = "arguments_rounded",
    /// A file is told by its name alone: its bytes are not there, or the wire does not take it.
    ATTACHMENT_NOT_SENT = "attachment_not_sent",
    /// A block of the provider's own broke off; it is kept, and does not go back.
    BLOCKS_INCOMPLETE = "blocks_incomplete",
    /// The request cannot be kept in this place, or for this long.
    CACHE_NOT_CARRIED = "cache_not_carried",
    /// A call was named in two ways; the first counts, and the other is kept.
    CALL_CONTRADICTED = "call_contradicted",
    /// A call broke off, as at the limit of the answer; its arguments are no JSON, and the model is
    /// told so.
    CALL_CUT = "call_cut",
    /// The model called a kind of tool that nobody has declared; it is kept, and does not go back.
    CALL_TYPE_UNKNOWN = "call_type_unknown",
    /// A call has no name, or broke off where a filter cut the answer; it is kept, is no call, and
    /// does not go back.
    CALLS_INCOMPLETE = "calls_incomplete",
    /// The answer says that it ended for calls, and has none.
    CALLS_MISSING = "calls_missing",
    /// A user says `[go on]`, since the wire does not let the agent speak last.
    CLOSING_ADDED = "closing_added",
    /// The answer holds a picture, a sound or a file; it is kept, and shown to nobody.
    CONTENT_NOT_SHOWN = "content_not_shown",
    /// The answer holds content of an unknown kind or shape; it is kept, and a text in it is said.
    CONTENT_UNKNOWN = "content_unknown",
    /// An event adds to a block that is not there, or in an unknown way; it is kept.
    DELTA_NOT_TAKEN = "delta_not_taken",
    /// A field of `extra` is one that the codec writes itself.
    EXTRA_NOT_CARRIED = "extra_not_carried",
    /// The answer does not say why it ended.
    FINISH_MISSING = "finish_missing",
    /// The answer ended for a reason that the codec does not know.
    FINISH_UNKNOWN = "finish_unknown",
    /// The answer has probabilities of its tokens; they are not kept.
    LOGPROBS_NOT_KEPT = "logprobs_not_kept",
    /// The answer began a second time; the second counts, and of the first the texts, which were
    /// shown.
    MESSAGE_BEGUN_AGAIN = "message_begun_again",
    /// Several models made the answer; their tokens are all counted as those of the one that was
    /// asked.
    MODELS_MIXED = "models_mixed",
    /// Content of another provider besides text and calls, or content that this one is not known to
    /// take back, does not go back.
    OPAQUE_NOT_CARRIED = "opaque_not_carried",
    /// A user says `[the conversation begins]`, since the wire does not let the agent speak first.
    OPENING_ADDED = "opening_added",
    /// The form of the answer was not asked for, or JSON without its schema.
    OUTPUT_NOT_CARRIED = "output_not_carried",
    /// The wire always holds the answer to its schema, also where it was not to be strict.
    OUTPUT_STRICT_NOT_CARRIED = "output_strict_not_carried",
    /// The model was not told whether it may ask for several calls at once.
    PARALLEL_CALLS_NOT_CARRIED = "parallel_calls_not_carried",
    /// A tool of the provider was left out: it is no object, or has the name of one of the room's.
    PROVIDER_TOOLS_NOT_CARRIED = "provider_tools_not_carried",
    /// The most effort that the wire knows is less than was asked for.
    REASONING_EFFORT_LOWERED = "reasoning_effort_lowered",
    /// The effort was left out beside a limit of tokens, which says more.
    REASONING_EFFORT_NOT_CARRIED = "reasoning_effort_not_carried",
    /// The least effort that the wire knows is more than was asked for.
    REASONING_EFFORT_RAISED = "reasoning_effort_raised",
    /// Reasoning of an earlier answer does not go back, or the server cannot be asked to reason.
    REASONING_NOT_CARRIED = "reasoning_not_carried",
    /// The server was not told whether reasoning is to be shown.
    REASONING_SHOW_NOT_CARRIED = "reasoning_show_not_carried",
    /// The limit of reasoning was left out: the wire has none, or does not take it in this request.
    REASONING_TOKENS_NOT_CARRIED = "reasoning_tokens_not_carried",
    /// A call of the conversation has no result, and the model is told so.
    RESULT_MISSING = "result_missing",
    /// A result of the conversation has no call, and is told as a message.
    RESULT_WITHOUT_CALL = "result_without_call",
    /// The answer has one more call in an old field; it is kept.
    SECOND_FUNCTION_CALL = "second_function_call",
    /// The seed was not sent.
    SEED_NOT_CARRIED = "seed_not_carried",
    /// There is more than one answer; the first counts.
    SEVERAL_ANSWERS = "several_answers",
    /// A call of another provider or model goes to Google without the signature that it wants.
    SIGNATURE_NOT_KNOWN = "signature_not_known",
    /// The texts that end an answer were not sent.
    STOP_NOT_CARRIED = "stop_not_carried",
    /// The model was not told to keep to the schemas of the tools.
    STRICT_TOOLS_NOT_CARRIED = "strict_tools_not_carried",
    /// The temperature was not sent.
    TEMPERATURE_NOT_CARRIED = "temperature_not_carried",
    /// A text did not end as it was shown; what was shown counts, and the other is kept.
    TEXT_CONTRADICTED = "text_contradicted",
    /// A text came after a later one was shown; it is kept.
    TEXT_LATE = "text_late",
    /// The model was not told which tools it may call.
    TOOL_CHOICE_NOT_CARRIED = "tool_choice_not_carried",
    /// The share of likely tokens was not sent.
    TOP_P_NOT_CARRIED = "top_p_not_carried",
    /// The provider paused, for its own tools or to sum up; it would go on if it were asked again.
    TURN_PAUSED = "turn_paused",
}

#[cfg(test)]
mod tests;
