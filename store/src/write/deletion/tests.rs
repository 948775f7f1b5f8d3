use folkmoot_core::ids::{Position, Seed, Stamp, WorldName};

use super::*;
use crate::state::index::{Base, IndexedWorld, Reach};

fn world(number: u8) -> WorldId {
    WorldId::from_stamp(&Stamp {
        time: Time(1),
        seed: Seed::new([number; 16]),
    })
}

/// Worlds 1 to 9, of which some are forks: `(fork, parent, is_copied)`.
fn index(forks: &[(u8, u8, bool)]) -> Index {
    let mut index = Index::default();
    for number in 1..10 {
        let fork = forks.iter().find(|(fork, ..)| *fork == number);
        let base = fork.map(|(_, parent, is_copied)| Base {
            parent: world(*parent),
            at: Position::new(3),
            is_copied: *is_copied,
        });
        let name = WorldName::new(format!("world-{number}")).unwrap();
        let reach = Reach {
            base,
            ..Reach::unborn(name)
        };
        index.insert(world(number), IndexedWorld::new(reach, Position::ZERO));
    }
    index
}

#[test]
fn the_parent_of_a_fork_is_not_deleted_without_it() {
    let index = index(&[(2, 1, false), (4, 3, true)]);
    let error = forks_first(&index, &[world(5), world(1)]).unwrap_err();
    assert!(
        matches!(&error, DeleteError::HasForks { world: id, fork } if *id == world(1) && fork.as_str() == "world-2"),
        "{error:?}"
    );
    assert_eq!(forks_first(&index, &[world(2)]).unwrap(), [world(2)]);
    assert_eq!(
        forks_first(&index, &[world(3)]).unwrap(),
        [world(3)],
        "a fork that was copied needs no parent"
    );
}

#[test]
fn forks_go_before_their_parents() {
    let index = index(&[(2, 1, false), (3, 2, false), (4, 2, false)]);
    let ordered = forks_first(&index, &[world(1), world(2), world(3), world(4), world(1)]).unwrap();
    let at = |number| ordered.iter().position(|id| *id == world(number)).unwrap();
    assert_eq!(ordered.len(), 4);
    assert!(
        at(3) < at(2) && at(4) < at(2) && at(2) < at(1),
        "{ordered:?}"
    );
}
