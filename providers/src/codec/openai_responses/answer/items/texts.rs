//! The texts of messages, and what of them may be shown.
//!
//! What was shown cannot be taken back, so that all that is shown is what is said: texts are shown
//! in the order of the items, one of a later item only once the earlier ones are whole, and a text
//! that comes too late, or contradicts what was shown of it, is kept and not said.

use serde_json::Value;

use super::super::super::event::TextPlace;
use super::super::Remarks;
use super::super::item::{Item, ItemBody, ItemKind};
use super::super::message::{Form, Key, MessageItem};
use super::Items;
use crate::codec::Delta;
use crate::codec::json::Fields;
use crate::codec::warning;

impl Items {
    /// Adds a fragment of a text or a refusal.
    pub(in super::super::super) fn speak(
        &mut self,
        place: TextPlace<'_>,
        form: Form,
        fragment: &str,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let at = self.find(place, ItemKind::Message);
        self.add_text(at, (place.piece, form), fragment, remarks, deltas);
    }

    /// Takes a whole text or refusal.
    pub(in super::super::super) fn end_text(
        &mut self,
        place: TextPlace<'_>,
        form: Form,
        whole: &str,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let at = self.find(place, ItemKind::Message);
        self.settle_text(at, (place.piece, form), whole, remarks, deltas);
        if let Some(message) = self.message(at) {
            message.end((place.piece, form));
        }
        self.show_on(deltas);
    }

    /// Takes a piece of a message's content: its beginning, or all of it.
    pub(in super::super::super) fn take_piece(
        &mut self,
        place: TextPlace<'_>,
        piece: Fields,
        is_whole: bool,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        let at = self.find(place, ItemKind::Message);
        let Some(message) = self.message(at) else {
            return;
        };
        let (key, text) = message.take_piece(place.piece, piece, is_whole, remarks);
        self.settle_text(at, key, &text, remarks, deltas);
        if is_whole && let Some(message) = self.message(at) {
            message.end(key);
        }
        self.show_on(deltas);
    }

    /// Adds an annotation of a text.
    pub(in super::super::super) fn annotate(&mut self, place: TextPlace<'_>, annotation: Value) {
        let at = self.find(place, ItemKind::Message);
        if let Some(message) = self.message(at) {
            message.annotate(place.piece, annotation);
        }
    }

    /// Completes a text by what it is as a whole.
    pub(super) fn settle_text(
        &mut self,
        at: usize,
        key: Key,
        whole: &str,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        if whole.is_empty() {
            return;
        }
        let Some(message) = self.message(at) else {
            return;
        };
        if let Some(missing) = message.missing(key, whole) {
            self.add_text(at, key, missing, remarks, deltas);
        } else {
            remarks.warn(warning::TEXT_CONTRADICTED);
            remarks.keep("contradicted_text", Value::String(whole.to_owned()));
        }
    }

    fn add_text(
        &mut self,
        at: usize,
        key: Key,
        more: &str,
        remarks: &mut Remarks,
        deltas: &mut Vec<Delta>,
    ) {
        if more.is_empty() {
            return;
        }
        if self.last_shown.is_some_and(|last| (at, key) < last) {
            remarks.warn(warning::TEXT_LATE);
            remarks.keep("late_text", Value::String(more.to_owned()));
            return;
        }
        let is_behind_front = at < self.front;
        let Some(message) = self.message(at) else {
            return;
        };
        message.add(key, more);
        if !is_behind_front && !message.has_passed(key) {
            self.show_on(deltas);
        } else if message.show(key, deltas) {
            self.last_shown = Some((at, key));
        }
    }

    /// Shows what is left: nothing follows.
    pub(in super::super) fn show_rest(&mut self, deltas: &mut Vec<Delta>) {
        self.items.iter_mut().for_each(|item| item.is_done = true);
        self.show_on(deltas);
    }

    /// Shows all that may be shown.
    pub(super) fn show_on(&mut self, deltas: &mut Vec<Delta>) {
        while let Some(Item { body, is_done, .. }) = self.items.get_mut(self.front) {
            if let ItemBody::Message(message) = body {
                let (last, is_over) = message.show_on(*is_done, deltas);
                self.last_shown = last.map(|key| (self.front, key)).or(self.last_shown);
                if !is_over {
                    return;
                }
            }
            self.front += 1;
        }
    }

    pub(super) fn message(&mut self, at: usize) -> Option<&mut MessageItem> {
        match self.items.get_mut(at).map(|item| &mut item.body) {
            Some(ItemBody::Message(message)) => Some(message),
            Some(ItemBody::Call(_) | ItemBody::Reasoning(_) | ItemBody::Other(_)) | None => None,
        }
    }
}
