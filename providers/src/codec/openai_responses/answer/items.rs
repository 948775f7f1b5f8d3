//! The items of an answer in their order.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::event::TextPlace;
use super::Remarks;
use super::item::{Item, ItemBody, ItemKind};
use super::message::Key;
use super::reasoning::ReasoningSource;
use crate::codec::Delta;
use crate::codec::json::{Fields, fields_of, text_of};
use crate::codec::warning;

mod texts;

/// The items, in the order in which they began.
#[derive(Debug, Default)]
pub(in super::super) struct Items {
    /// The items in the order in which they began.
    items: Vec<Item>,
    /// The place in `items` of each number.
    by_number: BTreeMap<u64, usize>,
    /// The place in `items` of each id.
    by_id: BTreeMap<String, usize>,
    /// The first item whose texts may not be shown to their end yet.
    front: usize,
    /// The last place of which something was shown.
    last_shown: Option<(usize, Key)>,
}

impl Items {
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Tells whether any of the items says something.
    pub(super) fn has_words(&self) -> bool {
        self.items
            .iter()
            .any(|item| matches!(&item.body, ItemBody::Message(message) if message.has_words()))
    }

    pub(super) fn into_items(self) -> Vec<Item> {
        self.items
    }

    /// Begins an item.
    pub(in super::super) fn begin(
        &mut self,
        number: Option<u64>,
        fields: Fields,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let kind = ItemKind::of(&fields);
        let open = number.and_then(|number| self.by_number.get(&number).copied());
        let open = open.filter(|at| {
            self.items
                .get(*at)
                .is_some_and(|item| item.is(&kind) && !item.is_done)
        });
        let at = open.unwrap_or_else(|| self.push(kind, number, text_of(fields.get("id"))));
        self.take_item(at, fields, true, remarks, deltas);
        self.show_on(deltas);
    }

    /// Takes a finished item.
    pub(in super::super) fn end(
        &mut self,
        number: Option<u64>,
        fields: Fields,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let kind = ItemKind::of(&fields);
        let id = text_of(fields.get("id"));
        let is_open = |at: &usize| {
            self.items
                .get(*at)
                .is_some_and(|item| item.is(&kind) && !item.is_done)
        };
        let is_it = |at: &usize| {
            is_open(at)
                || self
                    .items
                    .get(*at)
                    .is_some_and(|item| item.is_same(&fields))
        };
        let by_id = self.by_id.get(id).copied();
        let known = match number {
            Some(number) => self
                .by_number
                .get(&number)
                .copied()
                .filter(is_it)
                // Some servers number the end of an item otherwise than its beginning. Its id tells
                // it then.
                .or(by_id.filter(is_open)),
            None => by_id
                .filter(is_it)
                .or(self.items.len().checked_sub(1).filter(is_open)),
        };
        let at = known.unwrap_or_else(|| self.push(kind, number, id));
        self.finish(at, fields, remarks, deltas);
    }

    /// Takes the finished items of a whole document. An item that has come before is only
    /// completed: OpenAI says that what the end of an item holds counts.
    pub(super) fn fill(
        &mut self,
        items: Vec<Value>,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        // Two items of a document never mean the same one, even if a server gave both one id.
        let mut taken = BTreeSet::new();
        for (number, item) in (0_u64..).zip(items) {
            if !item.is_object() {
                remarks.warn(warning::CONTENT_UNKNOWN);
                remarks.keep("output", item);
                continue;
            }
            let fields = fields_of(item);
            let kind = ItemKind::of(&fields);
            let id = text_of(fields.get("id"));
            let place = usize::try_from(number).ok();
            let known = [
                self.by_number.get(&number).copied(),
                self.by_id.get(id).copied(),
                place,
            ];
            let is_it = |at: &usize| {
                !taken.contains(at) && self.items.get(*at).is_some_and(|item| item.is(&kind))
            };
            let at = known
                .into_iter()
                .flatten()
                .find(is_it)
                .unwrap_or_else(|| self.push(kind, Some(number), id));
            taken.insert(at);
            self.finish(at, fields, remarks, deltas);
        }
    }

    /// Adds a fragment of a call's arguments.
    pub(in super::super) fn add_arguments(&mut self, place: TextPlace<'_>, fragment: &str) {
        let at = self.find(place, ItemKind::Call);
        if let Some(Item {
            body: ItemBody::Call(call),
            ..
        }) = self.items.get_mut(at)
        {
            call.add(fragment);
        }
    }

    /// Takes a call's whole arguments.
    pub(in super::super) fn end_arguments(
        &mut self,
        place: TextPlace<'_>,
        whole: Value,
        remarks: &mut Remarks,
    ) {
        let at = self.find(place, ItemKind::Call);
        if let Some(Item {
            body: ItemBody::Call(call),
            ..
        }) = self.items.get_mut(at)
        {
            call.settle(whole, remarks);
        }
    }

    /// Adds a fragment of reasoning, which is shown at once.
    pub(in super::super) fn reason(
        &mut self,
        place: TextPlace<'_>,
        source: ReasoningSource,
        fragment: &str,
        deltas: &mut Vec<Delta>,
    ) {
        let at = self.find(place, ItemKind::Reasoning);
        if let Some(Item {
            body: ItemBody::Reasoning(reasoning),
            ..
        }) = self.items.get_mut(at)
        {
            reasoning.add(source, place.piece, fragment);
            if !fragment.is_empty() {
                deltas.push(Delta::Reasoning(fragment.to_owned()));
            }
        }
    }

    /// Takes a whole text of reasoning.
    pub(in super::super) fn end_reasoning(
        &mut self,
        place: TextPlace<'_>,
        source: ReasoningSource,
        whole: String,
    ) {
        let at = self.find(place, ItemKind::Reasoning);
        if let Some(Item {
            body: ItemBody::Reasoning(reasoning),
            ..
        }) = self.items.get_mut(at)
        {
            reasoning.settle(source, place.piece, whole);
        }
    }

    /// The item at a place; a new one if there is none of this kind.
    fn find(&mut self, place: TextPlace<'_>, kind: ItemKind) -> usize {
        let by_number = place
            .output
            .and_then(|number| self.by_number.get(&number).copied());
        let by_id = || self.by_id.get(place.item).copied();
        let last = || {
            (place.output.is_none() && place.item.is_empty())
                .then(|| self.items.len().checked_sub(1))
        };
        let known = by_number.or_else(by_id).or_else(|| last().flatten());
        let known = known.filter(|at| self.items.get(*at).is_some_and(|item| item.is(&kind)));
        known.unwrap_or_else(|| self.push(kind, place.output, place.item))
    }

    fn push(&mut self, kind: ItemKind, number: Option<u64>, id: &str) -> usize {
        let at = self.items.len();
        self.items.push(kind.begin(id));
        if let Some(number) = number {
            self.by_number.insert(number, at);
        }
        if !id.is_empty() {
            self.by_id.insert(id.to_owned(), at);
        }
        at
    }

    /// Takes a finished item; if it was finished before, only what it lacks.
    fn finish(
        &mut self,
        at: usize,
        fields: Fields,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let replaces = self.items.get(at).is_some_and(|item| !item.is_done);
        self.take_item(at, fields, replaces, remarks, deltas);
        if let Some(item) = self.items.get_mut(at) {
            item.is_done = true;
        }
        self.show_on(deltas);
    }

    fn take_item(
        &mut self,
        at: usize,
        fields: Fields,
        replaces: bool,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let Some(item) = self.items.get_mut(at) else {
            return;
        };
        if replaces {
            text_of(fields.get("id")).clone_into(&mut item.id);
        }
        match &mut item.body {
            ItemBody::Message(message) => {
                let content = message.take_fields(fields, replaces, remarks);
                for (number, piece) in (0_u64..).zip(content) {
                    let Some(message) = self.message(at) else {
                        return;
                    };
                    let (key, text) = message.take_piece(number, piece, replaces, remarks);
                    self.settle_text(at, key, &text, remarks, deltas);
                }
            }
            ItemBody::Call(call) => call.take_fields(fields, replaces, remarks),
            ItemBody::Reasoning(reasoning) => reasoning.take_fields(fields, replaces),
            ItemBody::Other(own) if replaces => *own = fields,
            ItemBody::Other(_) => {}
        }
    }
}
