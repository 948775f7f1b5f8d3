//! Who may ask for what.

use std::path::PathBuf;

use folkmoot::core::event::refusal::{Refusal, RefusalReason};
use folkmoot::core::ids::{GrantId, Position, WorldName};

use super::*;
use crate::desk::deed::{Deed, PersonDeed};
use crate::desk::room::{RoomQuery, RoomWish};
use crate::desk::ruling::{Matter, PersonRuling};
use crate::view::query::Query;

fn requests() -> [DeskRequest; 6] {
    let world = WorldName::new("gate").unwrap();
    let matter = Matter::Grant(GrantId(Position::new(7)));
    [
        DeskRequest::Query(Query::Names),
        DeskRequest::Login,
        DeskRequest::Backup(PathBuf::from("copy")),
        DeskRequest::Act(PersonDeed {
            world: world.clone(),
            by: None,
            deed: Deed::Stop,
        }),
        DeskRequest::Room(RoomQuery {
            world: world.clone(),
            by: None,
            wants: RoomWish::State,
        }),
        DeskRequest::Decide(PersonRuling {
            world,
            by: None,
            matter,
        }),
    ]
}

#[test]
fn a_person_may_ask_for_everything() {
    for request in requests() {
        assert!(Peer::Person(0).may_ask(&request).is_ok(), "{request:?}");
    }
}

#[test]
fn what_a_tool_started_may_ask_for_nothing_nor_may_a_stranger() {
    for request in requests() {
        for peer in [Peer::OfTool, Peer::Stranger] {
            let refusal = peer.may_ask(&request).unwrap_err();
            assert_eq!(refusal.code(), PENDING, "{request:?}");
            assert!(peer.proof(None).is_err(), "{peer:?}");
        }
    }
}

#[test]
fn only_the_holder_is_told_all_of_a_refusal() {
    let refused = || {
        SeatError::Refused(Refusal::Right {
            reason: RefusalReason::UnknownRequest,
            decided: None,
        })
    };
    let whole = Peer::Holder.told(refused()).to_string();
    for peer in [Peer::Person(0), Peer::OfTool, Peer::Stranger] {
        assert_ne!(peer.told(refused()).to_string(), whole, "{peer:?}");
    }
}
