//! What is done to a store. Numbers that name places are taken modulo what there is.

use proptest::prelude::*;

/// How many worlds there may be.
pub(crate) const WORLDS: u8 = 8;

/// What is done.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Create {
        world: u8,
        name: u8,
        is_sealed: bool,
    },
    /// All at once: the next is sent before the first is answered.
    Append(Vec<Append>),
    /// In one append, all of one world.
    Group(Vec<Append>),
    Fork {
        of: u8,
        at: u16,
        world: u8,
        name: u8,
        lies: bool,
    },
    CopyBase(u8),
    Erase {
        world: u8,
        from: u16,
        len: u8,
        again: bool,
    },
    Delete(Vec<u8>),
    Save {
        world: u8,
        at: u16,
        rules: u8,
    },
    Put {
        world: u8,
        blob: u8,
    },
    Follow {
        world: u8,
        from: u16,
        lags: bool,
    },
    Restart(Restart),
    OpenTwice,
    Backup,
}

/// How a process ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Restart {
    Close,
    Drop,
    Kill,
    /// It is killed while it closes its store, after so many writes.
    Die(u8),
}

/// A commit to append.
#[derive(Debug, Clone)]
pub(crate) struct Append {
    pub(crate) world: u8,
    pub(crate) at: At,
    pub(crate) opening: Opening,
    /// The key's word, and what is asked.
    pub(crate) key: Option<(u8, bool)>,
    pub(crate) person: Option<u8>,
    pub(crate) what: What,
}

/// Where a commit wants to stand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    Next,
    /// So many events before that.
    Behind(u8),
    /// So many events behind that.
    Ahead(u8),
}

/// Whose word a commit comes with.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Opening {
    Current,
    Older,
    Newer,
    /// It is one, so many further than the current one.
    Itself(u8),
}

/// What a commit holds.
#[derive(Debug, Clone)]
pub(crate) enum What {
    Nothing,
    Said { len: usize, packs: bool },
    Several { count: u8, len: usize },
    Warnings(usize),
    Labels { owner: bool, stage: u8, topic: u8 },
    TakenAway(Vec<u16>),
    Attached(u8),
}

/// The operations of a case, each with a number that says where to look afterwards.
pub(crate) fn several(count: usize) -> impl Strategy<Value = Vec<(Operation, u16)>> {
    let first = (0..3_u8).prop_map(|world| Operation::Create {
        world,
        name: world,
        is_sealed: world == 2,
    });
    let rest = prop::collection::vec((any_operation(), any::<u16>()), 1..count);
    (first, rest).prop_map(|(first, mut rest)| {
        rest.insert(0, (first, 0));
        rest
    })
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let restart = prop_oneof![
        Just(Restart::Close),
        Just(Restart::Drop),
        Just(Restart::Kill),
        (0..30_u8).prop_map(Restart::Die),
    ];
    prop_oneof![
        4 => (world(), world(), prop::bool::weighted(0.2))
            .prop_map(|(world, name, is_sealed)| Operation::Create { world, name, is_sealed }),
        16 => append().prop_map(|one| Operation::Append(vec![one])),
        8 => prop::collection::vec(append(), 2..7).prop_map(Operation::Append),
        8 => group().prop_map(Operation::Group),
        4 => (world(), any::<u16>(), world(), world(), prop::bool::weighted(0.1))
            .prop_map(|(of, at, world, name, lies)| Operation::Fork { of, at, world, name, lies }),
        1 => world().prop_map(Operation::CopyBase),
        2 => (world(), any::<u16>(), 0..20_u8, any::<bool>())
            .prop_map(|(world, from, len, again)| Operation::Erase { world, from, len, again }),
        1 => prop::collection::vec(world(), 1..3).prop_map(Operation::Delete),
        3 => (world(), any::<u16>(), 0..2_u8).prop_map(|(world, at, rules)| Operation::Save { world, at, rules }),
        2 => (world(), 0..4_u8).prop_map(|(world, blob)| Operation::Put { world, blob }),
        3 => (world(), any::<u16>(), any::<bool>())
            .prop_map(|(world, from, lags)| Operation::Follow { world, from, lags }),
        2 => restart.prop_map(Operation::Restart),
        1 => Just(Operation::OpenTwice),
        1 => Just(Operation::Backup),
    ]
}

/// Mostly one of the first, so that something comes of it.
fn world() -> impl Strategy<Value = u8> {
    prop_oneof![6 => 0..3_u8, 2 => 3..WORLDS]
}

fn append() -> impl Strategy<Value = Append> {
    let at = prop_oneof![12 => Just(At::Next), 1 => (0..9_u8).prop_map(At::Behind), 1 => (1..9_u8).prop_map(At::Ahead)];
    let opening = prop_oneof![
        16 => Just(Opening::Current),
        1 => Just(Opening::Older),
        1 => Just(Opening::Newer),
        2 => (0..3_u8).prop_map(Opening::Itself),
    ];
    let key = prop::option::weighted(0.3, (0..6_u8, prop::bool::weighted(0.2)));
    let person = prop::option::weighted(0.5, 0..2_u8);
    (world(), at, opening, key, person, what()).prop_map(
        |(world, at, opening, key, person, what)| Append {
            world,
            at,
            opening,
            key,
            person,
            what,
        },
    )
}

/// Commits for one append: mostly such that follow one another.
fn group() -> impl Strategy<Value = Vec<Append>> {
    let is_odd = prop::bool::weighted(0.15);
    let rest = prop::collection::vec((append(), is_odd), 1..6);
    (append(), rest).prop_map(|(first, rest)| {
        let behind = rest.into_iter().map(|(one, is_odd)| {
            if is_odd {
                return one;
            }
            Append {
                world: first.world,
                at: At::Next,
                opening: Opening::Current,
                key: None,
                ..one
            }
        });
        std::iter::once(first.clone()).chain(behind).collect()
    })
}

fn what() -> impl Strategy<Value = What> {
    let len = prop_oneof![
        12 => 0..200_usize,
        4 => 200..6_000_usize,
        4 => 6_000..8_000_usize,
        2 => prop::sample::select(vec![7_000, 20_000, 56 * 1024]),
    ];
    prop_oneof![
        16 => (len, any::<bool>()).prop_map(|(len, packs)| What::Said { len, packs }),
        4 => (2..20_u8, 0..2_000_usize).prop_map(|(count, len)| What::Several { count, len }),
        2 => (1..40_usize).prop_map(What::Warnings),
        4 => (any::<bool>(), 0..3_u8, 0..3_u8).prop_map(|(owner, stage, topic)| What::Labels { owner, stage, topic }),
        3 => prop::collection::vec(any::<u16>(), 1..4).prop_map(What::TakenAway),
        3 => (0..4_u8).prop_map(What::Attached),
        1 => prop_oneof![
            Just(What::Nothing),
            Just(What::Warnings(4_200)),
            prop::sample::select(vec![120_000, 400_000, 600_000]).prop_map(|len| What::Said { len, packs: false }),
        ],
    ]
}
