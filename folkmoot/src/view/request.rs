//! Requests that wait, with all that a person far from a terminal needs to decide them.

use std::collections::BTreeMap;

use folkmoot_core::event::{Holder, Right};
use folkmoot_core::ids::principal::Person;
use folkmoot_core::ids::{PersonName, RequestId, Time, WorldName};
use folkmoot_core::tool::{EffectClass, ToolSpec};
use folkmoot_core::world::{RequestKind, World};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::summary::TITLE;
use super::waiting::WaitingView;
use crate::run::{Asks, Waiting};
use crate::words;

#[cfg(test)]
mod tests;

/// A request that waits, and all that it takes to decide it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestView {
    /// The world in which it waits; `None` if that has no name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldName>,
    /// The title that people gave that world; `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The request: what is asked, and by whom.
    #[serde(flatten)]
    pub waiting: WaitingView,
    /// The request in the words that people are shown. The digest of an approval is that of these.
    pub words: String,
    /// Sentences that whoever decides is to read first; empty if there is nothing to warn of.
    pub warnings: Vec<String>,
    /// The effect that the call may have; `None` if its tool is not known, or it asks for no
    /// permission.
    pub effect: Option<EffectClass>,
    /// JSON Schema of the tool's arguments, which edited ones must fit; `None` if it is not known.
    pub schema: Option<Value>,
    /// The ways in which a decision can allow the call, narrowest first; empty unless permission is
    /// asked for.
    pub offers: Vec<OfferView>,
    /// The people who may decide.
    pub deciders: DecidersView,
}

/// A way in which a decision can allow a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferView {
    /// The kind of decision.
    pub kind: OfferKind,
    /// The calls that it allows, in words.
    pub words: String,
}

/// A kind of decision that allows a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// The scope `once`.
    Once,
    /// The scope `turn`.
    Turn,
    /// The scope `world`.
    World,
    /// The scope `uses`, with a number.
    Uses,
    /// Other arguments for this call.
    Arguments,
    /// Constraints on the arguments of calls to come.
    Where,
    /// Any arguments for calls to come.
    AnyArguments,
}

/// The people who may decide a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecidersView {
    /// The people and services that are named and have the right to decide, each by its proof; no
    /// service where only a second person can let the call run.
    pub people: Vec<String>,
    /// The names that the room calls those by whom it knows, by their proof.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, PersonName>,
    /// True if people whom nothing names have it too.
    pub others: bool,
    /// The people who began what led to the call, if only somebody else can let it run (four eyes):
    /// these may say no. `None` if nobody is left out.
    pub all_but: Option<Vec<Person>>,
}

impl RequestView {
    /// Returns all requests that wait in `world`, oldest first. The machine's clock says `now`.
    #[must_use]
    pub fn all(world: &World, now: Time) -> Vec<Self> {
        WaitingView::all(world, now)
            .into_iter()
            .map(|waiting| Self::of(world, waiting))
            .collect()
    }

    fn of(world: &World, waiting: WaitingView) -> Self {
        let request = &waiting.waiting;
        let tool = world.tool_asked_about(request.request);
        let effect = effect(tool, request);
        Self {
            world: world.name().cloned(),
            title: world.labelled().labels.get(TITLE).cloned(),
            words: request.to_string(),
            warnings: warnings(world, request, effect),
            effect,
            schema: tool.map(|tool| tool.schema.clone()),
            offers: offers(request),
            deciders: DecidersView::of(world, request.request),
            waiting,
        }
    }
}

impl DecidersView {
    /// The people who may decide `request` in `world`.
    #[must_use]
    pub fn of(world: &World, request: RequestId) -> Self {
        let access = world.access();
        let people = access.people().into_iter();
        let barred = world.barred_from(request);
        let people: Vec<String> = people
            .filter(|(_, rights)| rights.has(Right::Decide))
            .filter(|(proof, _)| barred.is_none() || !is_service(proof))
            .map(|(proof, _)| proof.to_owned())
            .collect();
        Self {
            names: names(world, &people),
            people,
            others: access.of_others().has(Right::Decide),
            all_but: barred.map(|people| people.into_iter().cloned().collect()),
        }
    }
}

/// The people of the roster who are proven by one of `proofs`.
fn names(world: &World, proofs: &[String]) -> BTreeMap<String, PersonName> {
    let known = world.people().roster().values();
    let known = known.map(|person| (person.proof(), person.display.clone()));
    known.filter(|(proof, _)| proofs.contains(proof)).collect()
}

/// The warnings about a request whose call may have `effect`.
fn warnings(world: &World, request: &Waiting, effect: Option<EffectClass>) -> Vec<String> {
    let pending = world.consent().pending().get(&request.request);
    let recorded = match pending.map(|pending| &pending.kind) {
        Some(RequestKind::Approval { warnings, .. }) => warnings.as_slice(),
        Some(RequestKind::Question { .. } | RequestKind::Outcome { .. }) | None => &[],
    };
    let mut found: Vec<String> = recorded.iter().map(words::warning).collect();
    found.extend(effect.and_then(words::effect_warning).map(str::to_owned));
    let gone = "the arguments of the call were erased";
    found.extend(request.arguments.is_none().then(|| gone.to_owned()));
    if matches!(request.asks, Asks::Outcome { is_open: true }) {
        found.push("if the call took effect, running it again does it twice".to_owned());
    }
    found
}

fn is_service(proof: &str) -> bool {
    Holder::read(proof).is_some_and(|(holder, ..)| !holder.is_person())
}

fn effect(tool: Option<&ToolSpec>, request: &Waiting) -> Option<EffectClass> {
    let is_approval = matches!(request.asks, Asks::Approval { .. });
    let arguments = request.arguments.as_deref()?;
    tool.filter(|_| is_approval)
        .map(|tool| tool.effect_at(arguments))
}

/// Returns the ways in which a decision about a request can allow its call, narrowest first; none
/// unless it asks for permission.
#[must_use]
pub fn offers(request: &Waiting) -> Vec<OfferView> {
    let Asks::Approval { offers, .. } = &request.asks else {
        return Vec::new();
    };
    let Waiting { agent, tool, .. } = request;
    let tool = tool
        .as_ref()
        .map_or_else(|| "the tool".to_owned(), ToString::to_string);
    let lasts = duration(offers.lasts_ms);
    let again = format!("{agent} may run {tool} again with the same arguments");
    let mut all = vec![
        (OfferKind::Once, "this call alone".to_owned()),
        (OfferKind::Turn, format!("{again} until its turn is over")),
        (
            OfferKind::World,
            format!("{again} for {lasts}, in every turn"),
        ),
        (
            OfferKind::Uses,
            format!("{again} within {lasts}, N times with this one"),
        ),
        (
            OfferKind::Arguments,
            "this call runs with other arguments".to_owned(),
        ),
        (
            OfferKind::Where,
            "calls to come may differ at one place".to_owned(),
        ),
    ];
    if offers.any_args {
        all.push((
            OfferKind::AnyArguments,
            "calls to come may have any arguments".to_owned(),
        ));
    }
    all.into_iter()
        .map(|(kind, words)| OfferView { kind, words })
        .collect()
}

fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match (seconds % 3_600, seconds % 60) {
        (0, _) => format!("{} h", seconds / 3_600),
        (_, 0) => format!("{} min", seconds / 60),
        (_, _) => format!("{seconds} s"),
    }
}
