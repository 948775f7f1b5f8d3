use proptest::prelude::*;

use super::*;
use crate::engines::MemoryEngine;

/// A key of a small number, so that some follow one another closely.
fn key(number: u8) -> Vec<u8> {
    if number.is_multiple_of(3) {
        vec![number / 3, 0]
    } else {
        vec![number / 3]
    }
}

proptest! {
    #[test]
    fn an_overlay_reads_like_the_engine_that_was_written_to(
        below in prop::collection::vec(any::<u8>(), 0..40),
        written in prop::collection::vec((any::<u8>(), any::<bool>()), 0..40),
        from in any::<u8>(),
        to in any::<u8>(),
        bytes_max in 0_usize..6,
    ) {
        let (base, plain) = (Arc::new(MemoryEngine::new()), MemoryEngine::new());
        for number in below {
            for engine in [base.as_ref(), &plain] {
                engine.put(Table::Runs, &[(key(number), vec![number])]).unwrap();
            }
        }
        let overlay = Overlay::over(base);
        for (number, is_put) in written {
            for engine in [&overlay as &dyn Engine, &plain] {
                if is_put {
                    engine.put(Table::Runs, &[(key(number), vec![number, 1])]).unwrap();
                } else {
                    engine.remove(Table::Runs, &[key(number)]).unwrap();
                }
            }
        }
        let all = |engine: &dyn Engine| {
            let (mut all, mut next) = (Vec::new(), key(from));
            loop {
                let rows = engine.range(Table::Runs, &next, &key(to), bytes_max).unwrap();
                let Some((last, _)) = rows.last() else { return all };
                next = [last.as_slice(), &[0]].concat();
                all.extend(rows);
            }
        };
        prop_assert_eq!(all(&overlay), all(&plain));
        let keys = |engine: &dyn Engine| engine.keys(Table::Runs, &key(from), &key(to), 3).unwrap();
        prop_assert_eq!(keys(&overlay), keys(&plain));
        prop_assert_eq!(overlay.floor(Table::Runs, &key(to)).unwrap(), plain.floor(Table::Runs, &key(to)).unwrap());
        prop_assert_eq!(overlay.get(Table::Runs, &key(to)).unwrap(), plain.get(Table::Runs, &key(to)).unwrap());
    }
}
