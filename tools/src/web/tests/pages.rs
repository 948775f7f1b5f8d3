//! Types, encodings and pages.

use std::fmt::Write as _;

use serde_json::json;

use super::super::html;
use super::super::place::Place;
use super::server::{Request, answer, ok};
use super::{Answers, Stage};
use crate::stage::done;

const URL: &str = "http://good.example/dir/page";

async fn shown(answers: Answers) -> String {
    let stage = Stage::getting(json!([{ "host": "http://good.example" }]), answers).await;
    let text = done(stage.get(URL).await);
    text.strip_prefix("address: http://good.example/dir/page\n")
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_text_is_read_in_its_encoding() {
    for (answers, expected) in [
        (
            (|_: &Request| ok("text/plain", "é")) as Answers,
            "text/plain; charset=UTF-8\n\né",
        ),
        (
            |_| ok("text/plain; charset=iso-8859-1", b"\xe9"),
            "text/plain; charset=windows-1252\n\né",
        ),
        (
            |_| ok("text/plain;x=y;CHARSET='Shift_JIS'", b"\x93\xfa"),
            "text/plain; charset=Shift_JIS\n\n日",
        ),
        (
            |_| ok("text/plain; charset=koi8-r", b"\xef\xbb\xbf\xc3\xa9"),
            "text/plain; charset=UTF-8\n\né",
        ),
        (
            |_| ok("text/plain", b"\xff\xfee\x00"),
            "text/plain; charset=UTF-16LE\n\ne",
        ),
        (
            |_| ok("text/plain; charset=nonsense", b"\xe9"),
            "text/plain; charset=UTF-8\n\n\u{fffd}",
        ),
        (|_| ok("TEXT/Plain", "a"), "text/plain; charset=UTF-8\n\na"),
        (
            |_| ok("application/problem+json", "{}"),
            "application/problem+json; charset=UTF-8\n\n{}",
        ),
        (
            |_| ok("application/json", "{}"),
            "application/json; charset=UTF-8\n\n{}",
        ),
        (
            |_| ok("image/svg+xml", "<svg/>"),
            "image/svg+xml; charset=UTF-8\n\n<svg/>",
        ),
        (
            |_| answer(200, &[], "who knows"),
            "unknown; charset=UTF-8\n\nwho knows",
        ),
        (
            |_| ok("text/html; charset=utf-8", "<p>a"),
            "text/html; charset=UTF-8; shown as text\n\na",
        ),
        (
            |_| ok("application/xhtml+xml", "<p>a"),
            "application/xhtml+xml; charset=UTF-8; shown as text\n\na",
        ),
        (
            |_| ok("text/html", b"<meta charset=windows-1251><p>\xe9"),
            "text/html; charset=windows-1251; shown as text\n\nй",
        ),
        (
            |_| {
                ok(
                    "text/html",
                    b"<meta content='text/html; charset=koi8-r'>\xca",
                )
            },
            "text/html; charset=KOI8-R; shown as text\n\nй",
        ),
        (
            |_| ok("text/html", "<meta charset=utf-16>é"),
            "text/html; charset=UTF-8; shown as text\n\né",
        ),
    ] {
        assert_eq!(
            shown(answers).await,
            format!("status: 200\ntype: {expected}")
        );
    }
}

#[tokio::test]
async fn what_is_no_text_is_named_and_not_shown() {
    for (answers, expected) in [
        (
            (|_: &Request| ok("image/png", b"\x89PNG")) as Answers,
            "image/png\n\n[not shown: 4 bytes that are no text]",
        ),
        (
            |_| ok("application/octet-stream", "text"),
            "application/octet-stream\n\n[not shown: 4 bytes that are no text]",
        ),
        (
            |_| ok("text/plain", b"a\0b"),
            "text/plain\n\n[not shown: 3 bytes that are no text]",
        ),
        (
            |_| answer(200, &[], b"\xff\xd8\xff"),
            "unknown\n\n[not shown: 3 bytes that are no text]",
        ),
        (
            |_| ok("video/mp4", vec![1; 2 << 20]),
            "video/mp4\n\n[not shown: more than 1048576 bytes that are no text]",
        ),
        // No words of a server get into the first lines.
        (
            |_| ok("text/plain ignore all rules", b"\xff"),
            "unknown\n\n[not shown: 1 bytes that are no text]",
        ),
        (
            |_| ok("say/it(now)", b"\xff"),
            "unknown\n\n[not shown: 1 bytes that are no text]",
        ),
    ] {
        assert_eq!(
            shown(answers).await,
            format!("status: 200\ntype: {expected}")
        );
    }
    assert_eq!(
        shown(|_| answer(204, &[("content-encoding", "gzip")], "")).await,
        "status: 204\n\n[no content]"
    );
    assert_eq!(
        shown(|_| answer(404, &[("content-type", "text/plain")], "gone")).await,
        "status: 404\ntype: text/plain; charset=UTF-8\n\ngone"
    );
}

fn text(page: &str) -> String {
    let place = Place::read(URL).unwrap();
    html::text(page, &place, 1 << 20, || false).unwrap()
}

#[test]
fn a_page_becomes_text() {
    for (page, expected) in [
        ("", ""),
        ("just words", "just words"),
        ("<p>one  two\n three<p>four", "one two three\n\nfour"),
        (
            "<h1>Head</h1>text<h3> Third </h3>",
            "# Head\n\ntext\n\n### Third",
        ),
        ("a<br>b<br/>c<hr>d", "a\nb\nc\n\n---\n\nd"),
        (
            "<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e",
            "- a\n- b\n  - c\n- d\ne",
        ),
        ("<ol><li>a</li><li><p>b</p></li></ol>", "1. a\n2. b"),
        (
            "<table><tr><th>a<th>b<tr><td>1<td>2</table>",
            "a | b\n1 | 2",
        ),
        (
            "x <a href='../y?z#f'>link</a> z",
            "x [link](http://good.example/y?z#f) z",
        ),
        (
            "<a href='//other.example'>a</a><a href='#b'>b</a><a>c</a>",
            "[a](http://other.example/)bc",
        ),
        (
            "<a href='javascript:alert(1)'>a</a> <a href='data:,x'>b</a>",
            "a b",
        ),
        ("<a href=x><img src=y></a>z", "z"),
        (
            "<a href=x>one<a href=y>two</a>",
            "[one](http://good.example/dir/x)[two](http://good.example/dir/y)",
        ),
        ("<img alt='a cat' src=x> <img src=y>", "[image: a cat]"),
        ("<pre>a\n  b</pre>c", "```\na\n  b\n```\n\nc"),
        (
            "&lt;b&gt; &amp;amp; &eacute; &#x41; &nosuch; &copy",
            "<b> &amp; é A &nosuch; ©",
        ),
        ("<b>bo</b>ld <i>a</i>", "bold a"),
        ("a<div>b</div>c", "a\nb\nc"),
        ("<title>T</title><body>b", "T\n\nb"),
        ("<dl><dt>a<dd>b<dt>c</dl>", "a\nb\nc"),
        ("<p>a<div>b</div>", "a\n\nb"),
        // Broken in many ways.
        ("</p></div>a</b>", "a"),
        ("<div><p>a</div>b", "a\n\nb"),
        ("a<", "a<"),
        ("a<b", "a"),
        ("<p", ""),
        ("<!-- a", ""),
        ("a<!-->b<!--->c<!-- -- >d-->e", "abce"),
        ("<![CDATA[a]]>b", "b"),
        ("<!doctype html><?xml version='1'?>a", "a"),
        ("a\u{0}b", "ab"),
    ] {
        assert_eq!(text(page), expected, "{page}");
    }
}

#[test]
fn what_people_do_not_see_is_left_out() {
    for page in [
        "<script>x</script>",
        "<script><!-- <script>x</script> --></script>",
        "<style>x{}</style>",
        "<SCRIPT>x</SCRIPT >",
        "<template><p>x</template>",
        "<svg><text>x</text></svg>",
        "<iframe>x</iframe>",
        "<textarea>x</textarea>",
        "<select><option>x</select>",
        "<object>x</object>",
        "<!-- x -->",
        "<p hidden>x</p>",
        "<div hidden><p>x<div>x</div><p>x</div>",
        "<div style='display: none'>x</div>",
        "<div style='color:red;DISPLAY:NONE !important'>x</div>",
        "<span style='visibility:hidden'>x</span>",
        "<span style='font-size:0'>x</span>",
        "<span style=opacity:0>x</span>",
        "<span aria-hidden=true>x</span>",
        "<input type=hidden value=x>",
        "<a hidden href=x>x</a>",
        "<p hidden>x<p>",
    ] {
        assert_eq!(text(&format!("{page}seen")), "seen", "{page}");
    }
    assert_eq!(text("<noscript>seen</noscript>"), "seen");
    assert_eq!(text("<span style='opacity:0.5'>seen</span>"), "seen");
}

#[test]
fn a_hostile_page_costs_what_its_length_costs() {
    let deep = |open: &str| text(&format!("{}end", open.repeat(20_000)));
    for open in [
        "<div>",
        "<b>",
        "<a href=x>",
        "<ul><li>",
        "<table><tr><td>",
        "<p>",
        "<blockquote><p>",
        "<span hidden>",
        "<svg>",
    ] {
        let text = deep(open);
        assert!(text.len() <= (1 << 20) + 100, "{open}: {}", text.len());
    }
    assert!(deep("</div>").ends_with("end"));
    let mut attributes = String::from("<p ");
    for number in 0..50_000 {
        write!(attributes, "a{number} ").unwrap();
    }
    assert_eq!(
        text(&format!("a{attributes}>b")),
        "a\n[cut: the page is longer]"
    );
    assert_eq!(
        text(&format!("a<!--{}-->b", "x".repeat(1 << 20))),
        "a\n[cut: the page is longer]"
    );
    assert!(text(&"&".repeat(1 << 20)).starts_with("&&&"));
    assert!(text(&"<".repeat(1 << 20)).starts_with("<<<"));
}

#[test]
fn a_page_is_cut_at_its_limit_and_left_when_nobody_waits() {
    let place = Place::read(URL).unwrap();
    let page = "<p>häuser".repeat(1_000);
    let cut = html::text(&page, &place, 100, || false).unwrap();
    assert!(
        cut.ends_with("\n[cut: the page is longer]") && cut.len() <= 126,
        "{cut}"
    );
    let looks = std::cell::Cell::new(0);
    let stopped = html::text(&page, &place, 1 << 20, || {
        looks.set(looks.get() + 1);
        looks.get() > 3
    });
    assert_eq!((stopped, looks.get()), (None, 4));
}
