use super::{table::LANGUAGES, *};

fn names(path: &str, text: &str) -> Vec<String> {
    let source = Source::parse(text.as_bytes(), language_of(path).unwrap()).unwrap();
    let outline = source.outline();
    let named = |piece: &Piece| {
        let sign = if piece.is_public { "+" } else { "" };
        let kind = format!("{:?}", piece.kind).to_lowercase();
        format!("{sign}{kind} {}", piece.path())
    };
    outline.pieces.iter().filter(|piece| piece.kind.is_definition()).map(named).collect()
}

#[test]
fn every_row_has_a_grammar_that_knows_its_nodes() {
    for language in &LANGUAGES {
        let grammar = (language.grammar)();
        assert!(Parser::new().set_language(&grammar).is_ok(), "{}", language.name);
        let mut known = 0;
        for kind in language.roles.iter().flat_map(|(_, kinds)| kinds.split(' ')) {
            let is_known = grammar.id_for_node_kind(kind, true) != 0;
            known += usize::from(is_known);
            // JavaScript and TypeScript share theirs.
            let is_shared = language
                .extensions
                .iter()
                .any(|extension| extension.contains('s') && *extension != "rs");
            assert!(is_known || is_shared, "{}: {kind}", language.name);
        }
        assert!(known > 7, "{}", language.name);
    }
}

#[test]
fn definitions_are_found_with_what_they_stand_in() {
    let rust = "pub struct S { pub a: u8 }\nimpl Tr for S { fn m(&self) {} }\nimpl S { pub fn n() {} fn o() {} }\nmod a { pub mod b { pub fn c() {} } }\npub trait T { fn t(); }\nmacro_rules! q { () => {} }\n";
    assert_eq!(
        names("a.rs", rust),
        [
            "+type S",
            "impl <S as Tr>",
            "method <S as Tr>::m",
            "impl S",
            "+method S::n",
            "method S::o",
            "module a",
            "module a::b",
            "function a::b::c",
            "+type T",
            "+method T::t",
            "macro q"
        ]
    );
    let typescript = "export class A { private x = 1; #y = 2; go() {} }\nexport const f = () => 1, g = 2;\nconst { h, i: j } = k;\ninterface B { a: string }\nexport default function () {}\nnamespace N { export function m() {} }\n";
    assert_eq!(
        names("a.ts", typescript),
        [
            "+type A",
            "value A.x",
            "value A.#y",
            "+method A.go",
            "+value f, g",
            "value h, j",
            "type B",
            "+value default",
            "module N",
            "function N.m"
        ]
    );
    let python = "A = 1\nclass B(C):\n    x: int = 2\n    @property\n    def y(self): pass\n    def _z(self): pass\nasync def d(): pass\na.b = 3\n";
    assert_eq!(
        names("a.py", python),
        [
            "+value A",
            "+type B",
            "+value B.x",
            "+method B.y",
            "method B._z",
            "+function d",
            "value "
        ]
    );
    let go = "package p\nconst (\n\tA = iota\n\tb\n)\ntype (\n\tS struct{}\n\tt int\n)\nfunc (s *S) M() {}\nfunc f[T any]() {}\nvar x, Y = 1, 2\n";
    assert_eq!(
        names("a.go", go),
        ["+value A, b", "+type S", "type t", "+method S.M", "function f", "+value x, Y"]
    );
    let java = "public class A { private int x, y; public A() {} int m() { return 1; } public enum E { P, Q } }\ninterface I { void n(); }\n";
    assert_eq!(
        names("A.java", java),
        [
            "+type A",
            "value A.x, y",
            "+method A.A",
            "method A.m",
            "+type A.E",
            "+value A.E.P",
            "+value A.E.Q",
            "type I",
            "method I.n"
        ]
    );
}

#[test]
fn a_language_is_known_by_the_end_of_the_name() {
    let name = |path| language_of(path).map(|language_of| language_of.name);
    assert_eq!(name("a/b.RS"), Some("rust"));
    assert_eq!(name("b.d.ts"), Some("typescript"));
    assert_eq!(name("x.tsx"), Some("tsx"));
    for path in ["Makefile", ".rs", "a.rs/b", "", "a.", "a.md"] {
        assert_eq!(name(path), None, "{path}");
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    let rust = language_of("a.rs").unwrap();
    let why = |text: &[u8]| Source::parse(text, rust).map(|_| ()).unwrap_err();
    assert_eq!(why(b"fn f() {}\nfn ("), Unread::Syntax);
    assert_eq!(why(b"fn f() {\0}"), Unread::Binary);
    assert_eq!(why(&vec![b' '; LONGEST_TEXT + 1]), Unread::TooLarge);
    let go = language_of("a.go").unwrap();
    assert!(Source::parse(&b"}{)(*&^%$".repeat(100_000), go).is_err());
}

#[test]
fn code_may_be_as_deep_as_it_likes() {
    for (path, open, close) in [("a.js", "[", "]"), ("a.rs", "fn f() {", "}"), ("a.py", "(", ")")] {
        let text = open.repeat(20_000) + "1" + &close.repeat(20_000);
        let Ok(source) = Source::parse(text.as_bytes(), language_of(path).unwrap()) else {
            continue;
        };
        for piece in &source.outline().pieces {
            let _ = source.tokens(piece);
        }
    }
}
