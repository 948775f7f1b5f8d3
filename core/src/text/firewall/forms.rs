//! The tags and tokens that calls and results stand between, as the wires and their models write
//! them.

use super::key::Keys;
use crate::text::firewall::ArtifactFamily;

/// The thing that an opening tag or token begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    pub(super) name: &'static str,
    pub(super) family: ArtifactFamily,
    /// The texts that close it.
    pub(super) closes: &'static [&'static str],
    pub(super) body: Body,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// A call as JSON or as tags.
    Call,
    /// Calls as tags.
    Invokes,
    /// A call as tags, whose tool the opening tag names.
    Invoke,
    /// Anything up to the closing tag.
    Result,
    /// Code.
    Code,
    /// A call between tokens.
    Tokens,
    /// A message whose head names a tool.
    Channel,
    /// A message that says to whom it goes before its content.
    Recipient,
}

pub(super) const fn form(
    name: &'static str,
    family: ArtifactFamily,
    body: Body,
    closes: &'static [&'static str],
) -> Form {
    Form {
        name,
        family,
        closes,
        body,
    }
}

pub(super) const TAGS: &[Form] = &[
    form(
        "toolcall",
        ArtifactFamily::CallTag,
        Body::Call,
        &["toolcall"],
    ),
    form(
        "toolcalls",
        ArtifactFamily::CallTag,
        Body::Call,
        &["toolcalls"],
    ),
    form(
        "tooluse",
        ArtifactFamily::AnthropicCall,
        Body::Call,
        &["tooluse"],
    ),
    form(
        "functioncall",
        ArtifactFamily::CallTag,
        Body::Call,
        &["functioncall"],
    ),
    form(
        "functioncalls",
        ArtifactFamily::AnthropicCall,
        Body::Invokes,
        &["functioncalls"],
    ),
    form(
        "invoke",
        ArtifactFamily::AnthropicCall,
        Body::Invoke,
        &["invoke"],
    ),
    form(
        "function",
        ArtifactFamily::LlamaCall,
        Body::Invoke,
        &["function"],
    ),
    form(
        "toolresponse",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["toolresponse"],
    ),
    form(
        "toolresult",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["toolresult"],
    ),
    form(
        "toolresults",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["toolresults"],
    ),
    form(
        "tooloutput",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["tooloutput"],
    ),
    form(
        "functionresults",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["functionresults"],
    ),
    form(
        "functionresult",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["functionresult"],
    ),
    form(
        "functionresponse",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["functionresponse"],
    ),
    form(
        "toolcode",
        ArtifactFamily::GeminiCall,
        Body::Code,
        &["toolcode"],
    ),
    form(
        "tooloutputs",
        ArtifactFamily::ToolResult,
        Body::Result,
        &["tooloutputs"],
    ),
    form(
        "startfunctioncall",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["endfunctioncall"],
    ),
];

/// The parts of names of other tags of calls.
pub(super) const CALLISH: [&str; 9] = [
    "toolcall",
    "tooluse",
    "usetool",
    "functioncall",
    "usemcptool",
    "calltool",
    "executetool",
    "runtool",
    "invoketool",
];

/// The tag of what a tool is given.
pub(super) const GIVEN: &str = "given";

/// Code follows, to the end of the line.
pub(super) const PYTHON: &str = "pythontag";

pub(super) const TOKENS: &[Form] = &[
    form(
        PYTHON,
        ArtifactFamily::LlamaCall,
        Body::Tokens,
        &["eomid", "eotid"],
    ),
    form("toolcalls", ArtifactFamily::CallTag, Body::Tokens, &[]),
    form("toolresults", ArtifactFamily::ToolResult, Body::Tokens, &[]),
    form(
        "toolcall",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolcall"],
    ),
    form(
        "toolcallstart",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolcallend"],
    ),
    form(
        "toolcallsbegin",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolcallsend"],
    ),
    form(
        "toolcallbegin",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolcallend"],
    ),
    form(
        "toolcallssectionbegin",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolcallssectionend"],
    ),
    form(
        "tooloutputsbegin",
        ArtifactFamily::ToolResult,
        Body::Tokens,
        &["tooloutputsend"],
    ),
    form(
        "tooloutputbegin",
        ArtifactFamily::ToolResult,
        Body::Tokens,
        &["tooloutputend"],
    ),
    form(
        "actionstart",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["actionend"],
    ),
    form(
        "startaction",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["endaction"],
    ),
    form(
        "toolsprefix",
        ArtifactFamily::CallTag,
        Body::Tokens,
        &["toolssuffix"],
    ),
    form(
        "pythonstart",
        ArtifactFamily::LlamaCall,
        Body::Tokens,
        &["pythonend"],
    ),
    form("from", ArtifactFamily::CallTag, Body::Recipient, &[]),
    form("recipient", ArtifactFamily::CallTag, Body::Recipient, &[]),
    form(
        "channel",
        ArtifactFamily::CallTag,
        Body::Channel,
        &["call", "end", "return"],
    ),
    form(
        "start",
        ArtifactFamily::CallTag,
        Body::Channel,
        &["call", "end", "return"],
    ),
];

/// The tags and tokens that only stand inside: they hold text.
pub(super) const INNER: &[&str] = &[
    "parameter",
    "argkey",
    "argvalue",
    "toolname",
    "servername",
    "name",
    "arguments",
    "result",
    "stdout",
    "toolsep",
    "toolcallargumentbegin",
    "toolcallend",
    "message",
    "constrain",
    "plugin",
    "eomid",
    "eotid",
    "call",
    "end",
    "return",
    "toolcallsend",
    "toolcallssectionend",
    "tooloutputsend",
    "tooloutputend",
    "actionend",
    "args",
    "endfunctioncall",
    "endaction",
    "toolssuffix",
    "pythonend",
    "content",
    "stop",
];

pub(super) fn is_mark(name: &str) -> bool {
    TAGS.iter().chain(TOKENS).any(|form| form.name == name)
        || INNER.contains(&name)
        || is_callish(name)
}

pub(super) fn is_callish(name: &str) -> bool {
    CALLISH.iter().any(|part| name.contains(part))
}

pub(super) fn is_of(name: &str, keys: Keys) -> bool {
    Keys::of(b"", name).has(keys)
}
