use super::*;

#[test]
fn a_resource_is_named_by_its_world_and_its_file() {
    for paper in &PAPERS {
        assert_eq!(named(&paper.uri("desk-17")), Some(("desk-17", paper)));
    }
    for uri in [
        "",
        "folkmoot://worlds/",
        "folkmoot://worlds/desk",
        "folkmoot://worlds/desk/",
        "folkmoot://worlds/desk/log.jsonl",
        "folkmoot://worlds/desk/../transcript.md",
        "FOLKMOOT://worlds/desk/transcript.md",
        "file:///desk/transcript.md",
    ] {
        assert_eq!(named(uri), None, "{uri}");
    }
}

#[test]
fn the_templates_name_all_resources() {
    let templates = templates()
        .into_iter()
        .map(|template| template.uri_template);
    let expected = [
        "folkmoot://worlds/{world}/transcript.md",
        "folkmoot://worlds/{world}/report.html",
    ];
    assert!(templates.eq(expected));
}
