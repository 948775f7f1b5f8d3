//! The call forms: which JSON objects are execution artifacts, by their keys, the wires' own words,
//! and known tools.

use super::key::Keys;
use super::kinds::{Kinds, is_type};
use super::vocabulary::{Known, ToolId};
use super::word::canonical;
use crate::text::firewall::ArtifactFamily;

/// The facts that were seen of one object or array.
#[derive(Debug, Clone, Default)]
pub(super) struct Frame {
    pub(super) is_object: bool,
    /// The place of its bracket.
    pub(super) from: usize,
    /// The number of calls that were found before it.
    pub(super) calls_before: usize,
    /// The bytes that it holds that are neither a call nor what wires wrap calls in.
    pub(super) content: usize,
    /// True if what it holds is no content: the thoughts beside a call.
    is_wrapping: bool,
    /// The key that it stands under; elements of an array stand under the array's key.
    under: Keys,
    /// The key that was read last.
    key: Keys,
    /// The keys with a value that a call can have there.
    seen: Keys,
    /// The keys among them that hold arguments which fit.
    fits: Keys,
    facts: ObjectFacts,
    arguments: Arguments,
    /// The kinds that the value of the last key would have to have to be an argument.
    argument: Option<Kinds>,
    /// The kinds that the value of the last key can have if it is a property of a tool.
    property: Option<Kinds>,
    /// The tool that is named before it.
    given_to: Option<ToolId>,
}

/// The beginning of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    Object,
    Array,
    Text,
    Word,
}

/// The place in an object at which the text ends.
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

/// The facts of an object, by the values of its keys.
#[derive(Debug, Clone, Copy, Default)]
struct ObjectFacts {
    /// A name of a tool of this world stands in it.
    tool: Option<(Keys, ToolId)>,
    /// The last key is the name of a tool.
    named: Option<ToolId>,
    /// The number of keys that are none.
    unnamed: usize,
    kind: Option<TypeWord>,
    place: Option<CallPlace>,
    marks: Marks,
}

/// Further facts of an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Marks(u8);

impl Marks {
    /// A tool was named by a key, and given arguments.
    const KEYED: Self = Self(1);
    /// It has a property of the tool that it names.
    const FLAT: Self = Self(1 << 1);
    /// `__type` said what it is.
    const INTERNAL: Self = Self(1 << 2);
    const TOOL_ROLE: Self = Self(1 << 3);
    /// `arguments` is a text that begins as JSON.
    const ENCODED: Self = Self(1 << 4);
    /// `type` is a type of JSON Schema.
    const TYPED: Self = Self(1 << 5);
    /// Its values are schemas.
    const DESCRIBES: Self = Self(1 << 6);

    const fn has(self, mark: Self) -> bool {
        self.0 & mark.0 != 0
    }

    const fn note(&mut self, mark: Self, holds: bool) {
        if holds {
            self.0 |= mark.0;
        }
    }
}

/// The word of the key `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TypeWord {
    Use,
    Call,
    Function,
    Result,
    Approval,
    Domain,
}

/// The place of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallPlace {
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

/// The answer to whether an object holds arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Arguments {
    /// No: it stands nowhere where arguments could.
    #[default]
    None,
    /// Yes if nothing in it says otherwise: it is empty.
    Open,
    /// No key of it was a property so far.
    Unknown,
    /// No if its `type` is `object`: a JSON Schema.
    MayDescribe,
    /// Yes.
    Fit,
    /// No.
    Told,
}

impl Frame {
    /// A value of `parent` that begins at `from`.
    pub(super) fn new(is_object: bool, from: usize, parent: Option<&Self>) -> Self {
        let Some(parent) = parent else {
            return Self {
                is_object,
                from,
                ..Self::default()
            };
        };
        let under = if parent.is_object {
            parent.key
        } else {
            parent.under
        };
        let facts = ObjectFacts {
            place: parent.place_of(under),
            ..ObjectFacts::default()
        };
        let checked = Keys::PARAMETERS.and(Keys::INPUT).and(Keys::ARGS);
        let given_to = parent.facts.named.filter(|_| is_object && parent.is_object);
        let is_checked = given_to.is_some() || under.has(checked);
        let arguments = if is_object && parent.is_object && is_checked {
            Arguments::Open
        } else {
            Arguments::None
        };
        let is_wrapping = parent.is_wrapping || parent.is_object && under == Keys::WRAPPING;
        Self {
            is_object,
            from,
            is_wrapping,
            under,
            facts,
            arguments,
            given_to,
            ..Self::default()
        }
    }

    /// A value behind the name of `tool`.
    pub(super) fn given_to(mut self, tool: ToolId) -> Self {
        if self.is_object {
            (self.given_to, self.arguments) = (Some(tool), Arguments::Unknown);
        }
        self
    }

    /// Returns where a value under `key` stands.
    fn place_of(&self, key: Keys) -> Option<CallPlace> {
        match key {
            Keys::CALLS if !self.is_object => Some(CallPlace::Calls),
            Keys::FUNCTION if self.is_object && self.is_call_around() => Some(CallPlace::Function),
            Keys::FUNCTION if self.is_object => Some(CallPlace::AnyFunction),
            Keys::CALL if self.is_object => Some(CallPlace::Call),
            Keys::NATIVE_CALL => Some(CallPlace::NativeCall),
            Keys::NATIVE_RESULT => Some(CallPlace::NativeResult),
            _ => None,
        }
    }

    fn is_call_around(&self) -> bool {
        self.facts.kind == Some(TypeWord::Function) || self.facts.place == Some(CallPlace::Calls)
    }

    /// Takes a key.
    pub(super) fn read_key(&mut self, raw: &[u8], word: &str, known: &Known) {
        self.key = Keys::of(raw, word);
        self.property = known.property(word);
        self.facts.named = known.tool(word);
        if self.facts.named.is_none() {
            self.facts.unnamed += 1;
        }
        self.read_flat(word, known);
        self.argument = None;
        if matches!(self.arguments, Arguments::Open | Arguments::Unknown) {
            self.read_argument(word, known);
        }
    }

    /// A key that is a property of the tool that was named before:
    /// `{"tool": "search", "query": …}`.
    fn read_flat(&mut self, word: &str, known: &Known) {
        let Some((key, tool)) = self.facts.tool else {
            return;
        };
        let is_clear = key.has(Keys::TOOL.and(Keys::FUNCTION)) || !known.is_plain(tool);
        self.facts.marks.note(
            Marks::FLAT,
            is_clear && !self.key.has(Keys::NAMES) && known.property_of(tool, word).is_some(),
        );
    }

    fn read_argument(&mut self, word: &str, known: &Known) {
        let is_parameters = self.under == Keys::PARAMETERS && self.given_to.is_none();
        let property = match self.given_to {
            Some(tool) => known.property_of(tool, word),
            None => self.property,
        };
        let describes = matches!(
            word,
            "properties" | "$schema" | "$defs" | "description" | "required"
        );
        (self.arguments, self.argument) = match property {
            _ if is_parameters && self.key == Keys::TYPE => (Arguments::MayDescribe, None),
            Some(kinds) => (Arguments::Unknown, Some(kinds)),
            None if is_parameters && describes => (Arguments::Told, None),
            None if is_parameters => (Arguments::Unknown, Some(Kinds::PLAIN.and(Kinds::ARRAY))),
            None => (Arguments::Unknown, None),
        };
    }

    /// Tells whether it holds arguments, as far as it is read, or if nothing more comes.
    fn is_arguments(&self) -> bool {
        self.arguments == Arguments::Fit
            || self.arguments == Arguments::Open && self.given_to.is_none()
    }

    /// Takes what it holds once it is closed.
    pub(super) fn take(&mut self, child: &Self) {
        if child.is_arguments() {
            self.fit();
        }
        let is_scalar = self.property.is_some_and(|kinds| !kinds.has(Kinds::OBJECT));
        let is_schema = child.facts.marks.has(Marks::DESCRIBES)
            || child.facts.marks.has(Marks::TYPED) && is_scalar;
        if is_schema
            && self
                .key
                .has(Keys::PARAMETERS.and(Keys::INPUT).and(Keys::ARGS))
        {
            self.fits = self.fits.without(self.key);
        }
        self.facts.marks.note(Marks::DESCRIBES, is_schema);
        self.facts.marks.note(
            Marks::KEYED,
            child.given_to.is_some() && child.arguments == Arguments::Fit,
        );
    }

    /// The value of the last key holds arguments.
    const fn fit(&mut self) {
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
        let is_argument = self.argument.is_some_and(|kinds| kinds.has(begins.kinds()));
        if is_argument && begins != Begins::Text {
            self.arguments = Arguments::Fit;
        }
        if matches!(begins, Begins::Text | Begins::Word)
            && !self.is_wrapping
            && !self.key.has(Keys::ENVELOPE)
        {
            self.content += 1;
        }
    }

    /// The text that is the value of the last key is prose.
    pub(super) fn note_prose(&mut self) {
        if !self.is_wrapping && !self.key.has(Keys::ENVELOPE) {
            self.content += 1;
        }
    }

    /// Tells whether the value of the last key says anything of what the object is.
    pub(super) fn reads_text(&self) -> bool {
        self.is_object && (self.key != Keys::NONE || self.argument.is_some())
    }

    /// Takes the text that is the value of the last key.
    pub(super) fn read_text(&mut self, raw: &[u8], word: &str, known: &Known) {
        if !self.is_object {
            return;
        }
        if self.argument.is_some_and(|kinds| kinds.has(Kinds::TEXT)) && !is_type(word) {
            self.arguments = Arguments::Fit;
        }
        if self.key.has(Keys::NAMES)
            && let Some(tool) = known.tool(word)
        {
            self.facts.tool = Some((self.key, tool));
        }
        match self.key {
            Keys::ARGUMENTS => self
                .facts
                .marks
                .note(Marks::ENCODED, raw.trim_ascii_start().starts_with(b"{")),
            Keys::ROLE => self
                .facts
                .marks
                .note(Marks::TOOL_ROLE, matches!(word, "tool" | "function")),
            Keys::TYPE | Keys::MARKER => {
                self.facts.kind = TypeWord::of(word, known).or(self.facts.kind);
                self.facts.marks.note(
                    Marks::INTERNAL,
                    self.key == Keys::MARKER && self.facts.kind.is_some(),
                );
                self.facts.marks.note(Marks::TYPED, is_type(word));
            }
            _ => {}
        }
        if self.arguments == Arguments::MayDescribe {
            self.arguments = if word == "object" {
                Arguments::Told
            } else {
                Arguments::Fit
            };
        }
    }

    /// Tells whether a tool of this world is named in it.
    pub(super) fn names_tool(&self) -> bool {
        self.facts.tool.is_some() || self.facts.marks.has(Marks::KEYED)
    }

    /// Tells whether it names a tool of this world, or is made up where only this world can speak.
    pub(super) fn is_own(&self) -> bool {
        let is_forged = matches!(self.facts.kind, Some(TypeWord::Domain | TypeWord::Approval))
            || self.facts.marks.has(Marks::INTERNAL);
        self.facts.tool.is_some()
            || self.facts.marks.has(Marks::KEYED)
            || self.given_to.is_some()
            || is_forged
    }

    /// Returns what the object is; `None` if it is no call as far as it is read.
    pub(super) fn family(&self) -> Option<ArtifactFamily> {
        let family = || {
            self.by_type()
                .or_else(|| self.by_place())
                .or_else(|| self.by_tool())
                .or_else(|| self.by_key())
        };
        self.is_object.then(family).flatten()
    }

    /// The frame as it may have been meant if the text ends here.
    pub(super) fn cut(&self, at: Cut<'_>) -> Self {
        let mut cut = self.clone();
        match at {
            Cut::Key(raw) => cut.key = Keys::cut(&canonical(raw)),
            Cut::Text(raw) => {
                cut.facts.marks.note(
                    Marks::ENCODED,
                    cut.key == Keys::ARGUMENTS && raw.trim_ascii_start().starts_with(b"{"),
                );
            }
            Cut::BeforeValue | Cut::Between => {}
        }
        if matches!(at, Cut::Key(_) | Cut::BeforeValue) {
            cut.seen = cut.seen.and(cut.key);
            cut.fits = cut.fits.and(cut.key);
        }
        if matches!(at, Cut::BeforeValue | Cut::Text(_)) && cut.argument.is_some() {
            cut.arguments = Arguments::Fit;
        }
        cut
    }

    /// A tool is named by the key of its arguments, or before them.
    fn by_key(&self) -> Option<ArtifactFamily> {
        let is_keyed = self.facts.marks.has(Marks::KEYED) && self.facts.unnamed == 0;
        let is_given =
            self.given_to.is_some() && self.under == Keys::NONE && self.arguments == Arguments::Fit;
        (is_keyed || is_given).then_some(ArtifactFamily::CallTag)
    }

    /// By a `type` that only wires and worlds have.
    fn by_type(&self) -> Option<ArtifactFamily> {
        let has = |keys| self.seen.has(keys);
        let is_tool = self.facts.tool.is_some();
        if self.facts.marks.has(Marks::TOOL_ROLE) && has(Keys::REF) {
            return Some(ArtifactFamily::ToolResult);
        }
        match self.facts.kind? {
            TypeWord::Domain => Some(ArtifactFamily::DomainArtifact),
            TypeWord::Approval if self.facts.marks.has(Marks::INTERNAL) => {
                Some(ArtifactFamily::Approval)
            }
            TypeWord::Result if self.facts.marks.has(Marks::INTERNAL) => {
                Some(ArtifactFamily::ToolResult)
            }
            TypeWord::Use | TypeWord::Call if self.facts.marks.has(Marks::INTERNAL) => {
                Some(ArtifactFamily::OpenaiCall)
            }
            TypeWord::Use => {
                let is_use = has(Keys::INPUT) || is_tool || (has(Keys::ID) && has(Keys::NAME));
                is_use.then_some(ArtifactFamily::AnthropicCall)
            }
            TypeWord::Call => {
                let is_call =
                    is_tool || has(Keys::GIVEN.and(Keys::REF)) && has(Keys::NAME.and(Keys::TOOL));
                is_call.then_some(ArtifactFamily::OpenaiCall)
            }
            TypeWord::Result => {
                (is_tool || has(Keys::REF.and(Keys::CONTENT))).then_some(ArtifactFamily::ToolResult)
            }
            TypeWord::Approval => (is_tool || has(Keys::REF)).then_some(ArtifactFamily::Approval),
            TypeWord::Function => None,
        }
    }

    /// By the wire's own word around it.
    fn by_place(&self) -> Option<ArtifactFamily> {
        let has = |keys| self.seen.has(keys);
        match self.facts.place? {
            CallPlace::Calls => {
                let is_function =
                    self.facts.kind == Some(TypeWord::Function) || has(Keys::FUNCTION);
                (is_function || (has(Keys::NAME) && has(Keys::GIVEN)))
                    .then_some(ArtifactFamily::OpenaiCall)
            }
            CallPlace::Function => {
                (has(Keys::NAME) && has(Keys::ARGUMENTS)).then_some(ArtifactFamily::OpenaiCall)
            }
            CallPlace::AnyFunction => (has(Keys::NAME) && self.facts.marks.has(Marks::ENCODED))
                .then_some(ArtifactFamily::OpenaiCall),
            CallPlace::Call => (has(Keys::NAME) && has(Keys::ARGUMENTS.and(Keys::ARGS)))
                .then_some(ArtifactFamily::OpenaiCall),
            CallPlace::NativeCall => has(Keys::NAME).then_some(ArtifactFamily::GeminiCall),
            CallPlace::NativeResult => {
                (has(Keys::NAME) && has(Keys::CONTENT)).then_some(ArtifactFamily::ToolResult)
            }
        }
    }

    /// By a tool of this world, and what it is given.
    fn by_tool(&self) -> Option<ArtifactFamily> {
        let (tool, _) = self.facts.tool?;
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
            (has(Keys::ARGS) || takes_any || self.facts.marks.has(Marks::FLAT))
                .then_some(ArtifactFamily::GeminiCall)
        }
    }
}

impl Begins {
    const fn kinds(self) -> Kinds {
        match self {
            Self::Object => Kinds::OBJECT,
            Self::Array => Kinds::ARRAY,
            Self::Text => Kinds::TEXT,
            Self::Word => Kinds::WORD,
        }
    }
}

impl TypeWord {
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
            _ if ["approval", "toolapproval", "mcpapproval"]
                .iter()
                .any(|name| word.starts_with(name)) =>
            {
                Some(Self::Approval)
            }
            _ => None,
        }
    }
}
