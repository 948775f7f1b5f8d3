//! The cases, for whoever has a ledger to ask: `ledger_suite!(Opens)` makes a test of each, of a type that is a [`Bench`]
//! and has `async fn open() -> Option<Self>`, where `None` says that this machine has no such ledger.

pub(crate) mod appends;
pub(crate) mod bench;
pub(crate) mod inbox;
pub(crate) mod limits;
pub(crate) mod members;
pub(crate) mod register;
pub(crate) mod shared;
pub(crate) mod tables;
pub(crate) mod upkeep;

/// Makes a test of each case.
macro_rules! ledger_suite {
    ($bench:path) => {
        $crate::cases::ledger_suite! { $bench:
            appends {
                birth_makes_its_node_the_holder
                same_rows_again_are_appended
                same_rows_again_are_appended_whoever_holds_the_world
                other_row_at_a_taken_place_is_a_conflict
                row_that_leaves_a_gap_is_a_conflict
                row_with_another_predecessor_is_a_conflict
                row_of_who_does_not_hold_the_world_is_fenced
                row_of_a_world_that_nobody_holds_is_fenced
                known_key_gives_its_row_wherever_the_head_is
                known_key_is_answered_before_the_holder_is_asked
                key_is_of_one_world
                all_rows_of_a_chain_land_or_none
                chains_do_not_depend_on_one_another
                two_chains_of_one_world_are_refused
                broken_chains_are_refused
                birth_of_a_world_that_is_there_is_a_conflict
                birth_at_another_place_is_a_conflict
                name_is_taken_once
                name_is_given_to_the_first_of_one_call
                fork_needs_its_parent
                row_of_no_world_has_no_world
                content_beside_comes_back
                pieces_are_bounded_and_never_empty
                rows_are_read_backwards
                eight_writers_have_one_winner
            }
            register {
                entry_says_what_the_rows_say
                labels_find_their_worlds
                worlds_are_listed_by_the_bytes_of_their_names
                heads_are_told_of_those_that_are_there
                forks_are_told_with_their_bases
                gone_positions_are_told_by_who_took_them
                grown_worlds_are_told_by_owner_and_time
            }
            upkeep {
                reach_is_kept_for_the_holder_alone
                record_is_rewritten_under_its_link
                record_with_another_link_is_refused
                stale_rewrite_changes_nothing
                barred_folds_go_and_are_not_saved_again
                files_of_an_erasure_are_counted_once
                base_is_copied_without_keys
                copy_with_a_gap_is_refused
                parent_of_a_copy_may_go
                deleted_world_leaves_its_tombstone_and_frees_its_name
                only_the_holder_deletes
                parent_of_a_fork_is_not_deleted_without_it
                tombstones_come_in_pages
            }
            tables {
                blobs_are_of_one_world
                blobs_come_in_pages_with_their_times
                blob_of_no_world_is_refused
                blob_that_is_put_again_stays
                touched_blob_stays
                worlds_are_found_by_when_their_blobs_were_put
                folds_are_kept_by_place
                fold_of_no_world_is_not_saved
            }
            shared {
                record_is_put_once_and_replaced_by_who_knows_it
                record_is_removed_once
                records_are_listed_by_kind_in_pages
                each_change_makes_the_version_greater
                of_many_who_change_a_record_at_once_one_wins
                broken_records_are_refused
            }
            limits {
                record_may_be_as_large_as_that
                content_beside_may_be_as_large_as_that
                blob_may_be_as_large_as_that
                tombstone_and_reach_may_be_as_large_as_that
                names_and_labels_may_be_as_long_as_that
            }
            members {
                node_lives_as_long_as_it_renews
                reaped_node_is_told_and_its_worlds_are_free
                renewal_before_the_reaping_counts
                worlds_of_no_member_are_freed
                leaving_frees_all_at_once
                claim_gives_those_first_that_are_due_longest
                claim_asks_for_offers_and_schema
                claims_are_shared_among_the_living
                draining_node_claims_nothing
                released_world_waits_until_it_is_due
                take_tells_why_not
                take_gives_a_free_world_to_a_member
                fork_needs_what_its_parent_needs
                opening_by_a_newer_build_shuts_older_ones_out
                cards_are_bounded
            }
            inbox {
                ask_reaches_the_holder_and_its_answer_comes_back
                ask_makes_a_free_world_due
                same_ask_waits_once
                first_answer_stays
                asks_are_bounded
                answers_go_after_a_while
                asks_go_with_their_world
                hint_comes_with_an_ask
                hint_that_came_before_somebody_waits_is_heard
                large_asks_come_a_few_at_a_time
                asks_of_worlds_that_are_not_wanted_are_left_out
            }
        }
    };
    ($bench:path: $($group:ident { $($case:ident)* })*) => {
        $(mod $group {
            $(#[tokio::test]
            async fn $case() {
                let Some(bench) = <$bench>::open().await else { return };
                $crate::cases::$group::$case(&bench).await;
            })*
        })*
    };
}

pub(crate) use ledger_suite;
