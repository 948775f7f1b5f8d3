//! The call forms: which JSON objects are execution artifacts, by their keys, the wires' own words, and known tools.

use super::key::Keys;
use super::known::Known;
use super::word::canonical;
use crate::event::ArtifactFamily;

/// What was seen of one object or array.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    pub(super) is_object: bool,
    /// The key that it stands under; elements of an array stand under the array's key.
    under: Keys,
    /// The key that was read last.
    key: Keys,
    /// The keys with a value that a call can have there.
    seen: Keys,
    /// Those of them that hold arguments which fit.
    fits: Keys,
    facts: Facts,
    arguments: Arguments,
}

/// How a value begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    Object,
    Array,
    Text,
    Word,
}

/// Where in an object the text ends.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cut<'t> {
    /// In a key, of which this much is there.
    Key(&'t [u8]),
    /// In a text.
    Text(&'t [u8]),
    /// Before the value of the last key, or in one that says nothing yet.
    BeforeValue,
    /// Anywhere else.
    Between,
}

/// What the object is by the values of its keys.
#[derive(Debug, Clone, Copy, Default)]
struct Facts {
    /// A name of a tool of this world stands in it.
    tool: Option<Keys>,
    kind: Option<Kind>,
    /// `__type` said so.
    is_internal: bool,
    has_tool_role: bool,
    /// `arguments` is a text that begins as JSON.
    is_encoded: bool,
    place: Option<Place>,
}

/// What `type` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Use,
    Call,
    Function,
    Result,
    Approval,
    Domain,
}

/// Where the object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among `tool_calls`.
    Calls,
    /// The `function` of a call.
    Function,
    /// Any other `function`.
    AnyFunction,
    Call,
    NativeCall,
    NativeResult,
}

/// Whether an object holds arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Arguments {
    /// It stands nowhere where arguments could.
    #[default]
    None,
    /// It does if nothing in it says otherwise.
    Open,
    /// It does not if its `type` is `object`: a JSON Schema.
    MayDescribe,
    Told,
}

impl Frame {
    /// A value of `parent`.
    pub(super) fn new(is_object: bool, parent: Option<&Self>) -> Self {
        let Some(parent) = parent else { return Self { is_object, ..Self::default() } };
        let under = if parent.is_object { parent.key } else { parent.under };
        let facts = Facts { place: parent.place_of(under), ..Facts::default() };
        let checked = Keys::PARAMETERS.and(Keys::INPUT).and(Keys::ARGS);
        let arguments =
            if is_object && parent.is_object && under.has(checked) { Arguments::Open } else { Arguments::None };
        Self { is_object, under, facts, arguments, ..Self::default() }
    }

    /// Where a value under `key` stands.
    fn place_of(&self, key: Keys) -> Option<Place> {
        match key {
            Keys::CALLS if !self.is_object => Some(Place::Calls),
            Keys::FUNCTION if self.is_object && self.is_call_around() => Some(Place::Function),
            Keys::FUNCTION if self.is_object => Some(Place::AnyFunction),
            Keys::CALL if self.is_object => Some(Place::Call),
            Keys::NATIVE_CALL => Some(Place::NativeCall),
            Keys::NATIVE_RESULT => Some(Place::NativeResult),
            _ => None,
        }
    }

    fn is_call_around(&self) -> bool {
        self.facts.kind == Some(Kind::Function) || self.facts.place == Some(Place::Calls)
    }

    /// Takes a key. Gives whether the object is now known to hold arguments.
    pub(super) fn read_key(&mut self, raw: &[u8], word: &str, known: &Known) -> bool {
        self.key = Keys::of(raw, word);
        if self.arguments != Arguments::Open {
            return false;
        }
        let is_parameters = self.under == Keys::PARAMETERS;
        let describes = matches!(word, "properties" | "$schema" | "$defs" | "description" | "required");
        self.arguments = Arguments::Told;
        if is_parameters && self.key == Keys::TYPE {
            self.arguments = Arguments::MayDescribe;
            return false;
        }
        if is_parameters { !describes || known.is_property(word) } else { known.is_property(word) }
    }

    /// Whether it holds arguments if nothing more comes: it is empty.
    pub(super) fn is_empty_arguments(&self) -> bool {
        self.arguments == Arguments::Open
    }

    /// The value of the last key holds arguments.
    pub(super) const fn fit(&mut self) {
        self.fits = self.fits.and(self.key);
    }

    /// Takes the beginning of the value of the last key.
    pub(super) fn begin_value(&mut self, begins: Begins) {
        let fits = match self.key {
            Keys::NAME | Keys::TOOL => begins == Begins::Text,
            Keys::ARGUMENTS => matches!(begins, Begins::Object | Begins::Text),
            Keys::CALLS => begins == Begins::Array,
            _ => true,
        };
        if self.is_object && fits {
            self.seen = self.seen.and(self.key);
        }
        if fits && self.key.has(Keys::ARGUMENTS.and(Keys::ACTION_INPUT)) {
            self.fit();
        }
    }

    /// Whether the value of the last key says anything of what the object is.
    pub(super) fn reads_text(&self) -> bool {
        self.is_object && self.key != Keys::NONE
    }

    /// Takes the text that is the value of the last key. Gives whether the object is now known to hold arguments.
    pub(super) fn read_text(&mut self, raw: &[u8], word: &str, known: &Known) -> bool {
        if !self.is_object {
            return false;
        }
        if self.key.has(Keys::NAMES) && known.is_tool(word) {
            self.facts.tool = Some(self.key);
        }
        match self.key {
            Keys::ARGUMENTS => self.facts.is_encoded = raw.trim_ascii_start().starts_with(b"{"),
            Keys::ROLE => self.facts.has_tool_role |= matches!(word, "tool" | "function"),
            Keys::TYPE | Keys::MARKER => {
                self.facts.kind = Kind::of(word, known).or(self.facts.kind);
                self.facts.is_internal |= self.key == Keys::MARKER && self.facts.kind.is_some();
            }
            _ => {}
        }
        self.arguments == Arguments::MayDescribe && {
            self.arguments = Arguments::Told;
            word != "object"
        }
    }

    /// What the object is; `None` if it is no call as far as it is read.
    pub(super) fn family(&self) -> Option<ArtifactFamily> {
        self.is_object.then(|| self.by_type().or_else(|| self.by_place()).or_else(|| self.by_tool())).flatten()
    }

    /// The same if the text ends here.
    pub(super) fn family_cut(&self, at: Cut<'_>) -> Option<ArtifactFamily> {
        let mut cut = self.clone();
        match at {
            Cut::Key(raw) => cut.key = Keys::cut(&canonical(raw)),
            Cut::Text(raw) => {
                cut.facts.is_encoded |= cut.key == Keys::ARGUMENTS && raw.trim_ascii_start().starts_with(b"{");
            }
            Cut::BeforeValue | Cut::Between => {}
        }
        if matches!(at, Cut::Key(_) | Cut::BeforeValue) {
            cut.seen = cut.seen.and(cut.key);
            cut.fits = cut.fits.and(cut.key);
        }
        cut.family()
    }

    /// By a `type` that only wires and worlds have.
    fn by_type(&self) -> Option<ArtifactFamily> {
        let has = |keys| self.seen.has(keys);
        let is_tool = self.facts.tool.is_some();
        if self.facts.has_tool_role && has(Keys::REF) {
            return Some(ArtifactFamily::ToolResult);
        }
        match self.facts.kind? {
            Kind::Domain => Some(ArtifactFamily::DomainArtifact),
            Kind::Approval if self.facts.is_internal => Some(ArtifactFamily::Approval),
            Kind::Result if self.facts.is_internal => Some(ArtifactFamily::ToolResult),
            Kind::Use | Kind::Call if self.facts.is_internal => Some(ArtifactFamily::OpenaiCall),
            Kind::Use => {
                let is_use = has(Keys::INPUT) || is_tool || (has(Keys::ID) && has(Keys::NAME));
                is_use.then_some(ArtifactFamily::AnthropicCall)
            }
            Kind::Call => {
                let is_call = is_tool || has(Keys::GIVEN.and(Keys::REF)) && has(Keys::NAME.and(Keys::TOOL));
                is_call.then_some(ArtifactFamily::OpenaiCall)
            }
            Kind::Result => (is_tool || has(Keys::REF.and(Keys::CONTENT))).then_some(ArtifactFamily::ToolResult),
            Kind::Approval => (is_tool || has(Keys::REF)).then_some(ArtifactFamily::Approval),
            Kind::Function => None,
        }
    }

    /// By the wire's own word around it.
    fn by_place(&self) -> Option<ArtifactFamily> {
        let has = |keys| self.seen.has(keys);
        match self.facts.place? {
            Place::Calls => {
                let is_function = self.facts.kind == Some(Kind::Function) || has(Keys::FUNCTION);
                (is_function || (has(Keys::NAME) && has(Keys::GIVEN))).then_some(ArtifactFamily::OpenaiCall)
            }
            Place::Function => (has(Keys::NAME) && has(Keys::ARGUMENTS)).then_some(ArtifactFamily::OpenaiCall),
            Place::AnyFunction => (has(Keys::NAME) && self.facts.is_encoded).then_some(ArtifactFamily::OpenaiCall),
            Place::Call => {
                (has(Keys::NAME) && has(Keys::ARGUMENTS.and(Keys::ARGS))).then_some(ArtifactFamily::OpenaiCall)
            }
            Place::NativeCall => has(Keys::NAME).then_some(ArtifactFamily::GeminiCall),
            Place::NativeResult => (has(Keys::NAME) && has(Keys::CONTENT)).then_some(ArtifactFamily::ToolResult),
        }
    }

    /// By a tool of this world, and what it is given.
    fn by_tool(&self) -> Option<ArtifactFamily> {
        let tool = self.facts.tool?;
        let has = |keys| self.fits.has(keys);
        let takes_any = tool == Keys::TOOL && self.seen.has(Keys::INPUT.and(Keys::ARGS));
        if has(Keys::ACTION_INPUT) {
            Some(ArtifactFamily::ReactJson)
        } else if has(Keys::ARGUMENTS) || tool == Keys::RECIPIENT && has(Keys::PARAMETERS) {
            Some(ArtifactFamily::OpenaiCall)
        } else if has(Keys::PARAMETERS) {
            Some(ArtifactFamily::LlamaCall)
        } else if has(Keys::INPUT) {
            Some(ArtifactFamily::AnthropicCall)
        } else {
            (has(Keys::ARGS) || takes_any).then_some(ArtifactFamily::GeminiCall)
        }
    }
}

impl Kind {
    fn of(word: &str, known: &Known) -> Option<Self> {
        match word {
            _ if known.is_kind(word) => Some(Self::Domain),
            "tooluse" | "servertooluse" | "mcptooluse" => Some(Self::Use),
            "functioncall" | "customtoolcall" | "toolcall" | "mcpcall" => Some(Self::Call),
            "function" => Some(Self::Function),
            "toolresult"
            | "functioncalloutput"
            | "customtoolcalloutput"
            | "mcptoolresult"
            | "toolresponse"
            | "functionresponse"
            | "functionresult" => Some(Self::Result),
            _ if ["approval", "toolapproval", "mcpapproval"].iter().any(|name| word.starts_with(name)) => {
                Some(Self::Approval)
            }
            _ => None,
        }
    }
}
