//! The keys that call forms are made of. One bit each, so that a set of them is a number.

/// A set of keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Keys(u32);

impl Keys {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NAME: Self = Self(1);
    pub(super) const TOOL: Self = Self(1 << 1);
    pub(super) const FUNCTION: Self = Self(1 << 2);
    pub(super) const ACTION: Self = Self(1 << 3);
    pub(super) const ARGUMENTS: Self = Self(1 << 4);
    pub(super) const PARAMETERS: Self = Self(1 << 5);
    pub(super) const INPUT: Self = Self(1 << 6);
    pub(super) const ARGS: Self = Self(1 << 7);
    /// `action_input`, `tool_input`.
    pub(super) const ACTION_INPUT: Self = Self(1 << 8);
    pub(super) const TYPE: Self = Self(1 << 9);
    /// `__type`.
    pub(super) const MARKER: Self = Self(1 << 10);
    pub(super) const ROLE: Self = Self(1 << 11);
    pub(super) const ID: Self = Self(1 << 12);
    /// The id of the call or request that something answers.
    pub(super) const REF: Self = Self(1 << 13);
    /// The content of a result.
    pub(super) const CONTENT: Self = Self(1 << 14);
    /// `tool_calls`.
    pub(super) const CALLS: Self = Self(1 << 15);
    /// `function_call`.
    pub(super) const CALL: Self = Self(1 << 16);
    /// `functionCall`.
    pub(super) const NATIVE_CALL: Self = Self(1 << 17);
    /// `functionResponse`.
    pub(super) const NATIVE_RESULT: Self = Self(1 << 18);

    /// `recipient_name`.
    pub(super) const RECIPIENT: Self = Self(1 << 19);
    /// The keys that wires write around calls: texts under them are no content of a report.
    pub(super) const AROUND: Self = Self(1 << 20);
    /// `thoughts`: so is all that stands under it.
    pub(super) const WRAPPING: Self = Self(1 << 21);

    /// The keys whose plain values say nothing of their own.
    pub(super) const ENVELOPE: Self = Self::AROUND
        .and(Self::WRAPPING)
        .and(Self::TYPE)
        .and(Self::MARKER)
        .and(Self::ROLE)
        .and(Self::ID)
        .and(Self::REF)
        .and(Self::CONTENT);

    /// The keys under which the name of a tool can stand.
    pub(super) const NAMES: Self = Self::NAME
        .and(Self::TOOL)
        .and(Self::FUNCTION)
        .and(Self::ACTION)
        .and(Self::RECIPIENT);
    /// The keys of what a tool is given, under each wire's name.
    pub(super) const GIVEN: Self = Self::ARGUMENTS
        .and(Self::PARAMETERS)
        .and(Self::INPUT)
        .and(Self::ARGS)
        .and(Self::ACTION_INPUT);

    /// The key that `raw` writes, of which `word` is the canonical form.
    pub(super) fn of(raw: &[u8], word: &str) -> Self {
        match word {
            "name" => Self::NAME,
            "tool" | "toolname" | "functionname" | "usetool" | "toolcall" => Self::TOOL,
            "recipientname" => Self::RECIPIENT,
            "function" => Self::FUNCTION,
            "action" | "command" | "method" | "cmd" | "func" | "fn" | "api" | "apiname" | "op"
            | "operation" => Self::ACTION,
            "arguments" => Self::ARGUMENTS,
            "parameters" | "params" => Self::PARAMETERS,
            "input" => Self::INPUT,
            "args" | "kwargs" | "payload" | "inputs" | "argument" => Self::ARGS,
            "actioninput" | "toolinput" | "toolargs" | "toolarguments" | "toolparameters"
            | "functionargs" | "functionarguments" => Self::ACTION_INPUT,
            "type" if raw.starts_with(b"__") => Self::MARKER,
            "type" => Self::TYPE,
            "role" => Self::ROLE,
            "id" => Self::ID,
            "tooluseid" | "toolcallid" | "callid" | "approvalid" | "approvalrequestid"
            | "requestid" => Self::REF,
            "content" | "output" | "result" | "response" => Self::CONTENT,
            "toolcalls" => Self::CALLS,
            "functioncall" if raw.contains(&b'_') => Self::CALL,
            "functioncall" => Self::NATIVE_CALL,
            "functionresponse" => Self::NATIVE_RESULT,
            "text" | "index" | "object" | "finishreason" | "stopreason" => Self::AROUND,
            "thought" | "thoughts" | "thinking" | "reasoning" => Self::WRAPPING,
            _ => Self::NONE,
        }
    }

    /// The key that may be meant if the text ends behind `word`.
    pub(super) fn cut(word: &str) -> Self {
        let begins = |name: &str| !word.is_empty() && name.starts_with(word);
        if begins("arguments") || begins("parameters") {
            Self::ARGUMENTS
        } else if begins("actioninput") || begins("toolinput") {
            Self::ACTION_INPUT
        } else {
            Self::NONE
        }
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}
