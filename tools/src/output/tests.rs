use super::cut;

#[test]
fn a_text_is_cut_between_characters_and_says_so() {
    assert_eq!(cut("ü".repeat(20), 40), "ü".repeat(20));
    assert_eq!(
        cut("ü".repeat(21), 40),
        format!("{}\n[cut: the output is longer]", "ü".repeat(6))
    );
}
