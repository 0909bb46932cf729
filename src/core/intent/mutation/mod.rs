//! What a change of a file means: the same work in other words, or other work.
//!
//! A ladder of evidence. Its upper steps are proofs that the file does what it
//! did; what none of them reaches is weighed by what is net new in it:
//!
//! | step | proved | |
//! |---|---|---|
//! | `identical`, `comment_only`, `format_only` | yes | the tree is the same |
//! | `import_order`, `reorder` | yes | the same pieces, where their order means nothing |
//! | `rename` | yes | one name for another that was free, wherever it stood |
//! | `extract_or_inline` | yes | put back in its place, what was taken out gives the text before |
//! | `move` | where the rest of the project says nothing of it | a file, or definitions, gone here and there again as they were, in the same call |
//! | `imports_only` … `public_surface` | no | what kind of piece differs |
//! | `new_file`, `deleted_file` | no | |
//! | `syntax_error`, `no_grammar`, `binary`, `too_large`, `too_tangled`, `unseen` | no | nobody can say |
//!
//! Proved is [`MutationClass::AstRefactor`]. Else it is
//! [`MutationClass::IntentEvolution`] where branches *and* names are net added,
//! or names that are visible outside are, or the file is new, or nobody can
//! say. Text that is no program (papers, settings) is of the last kind: what it
//! means is not known here. So says what people call features and
//! refactorings: that a signature differs does not tell them apart.
//!
//! A docstring is a comment, and a comment that tools read as code is none.

mod across;
mod comments;
pub mod evidence;
mod extract;
mod moved;
mod order;
mod quiet;
mod rename;

use std::collections::{BTreeSet, HashMap, HashSet};

pub use self::across::{File, confirm, said_of_moves, settle};
use self::{
    evidence::{Evidence, How, Net, Step, Surface, Touched},
    extract::Way,
};
use super::ledger::MutationClass;
use crate::outline::{
    self, Kind, Outline, Piece, Source, Unread,
    token::{Classes, Tokens, What},
};

/// So many definitions of a file are named.
const MOST_DEFINITIONS: usize = 100;

/// What a change of a file means.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    pub class: MutationClass,
    pub evidence: Evidence,
}

/// Judges a change of the file at `path`, by its texts before and after; none:
/// there is no such file.
pub fn judge(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Meaning {
    let language = outline::language_of(path);
    let mut meaning = match (before, after) {
        (None, None) => Meaning::of(Step::Identical),
        (Some(before), Some(after)) if before == after => Meaning::of(Step::Identical),
        _ => match language {
            None => {
                let texts = [before, after].into_iter().flatten();
                let is_binary = texts.into_iter().any(|it| it.iter().take(8000).any(|it| *it == 0));
                Meaning::unread(if is_binary { Unread::Binary } else { Unread::NoGrammar })
            }
            Some(language) => judged(before, after, language).unwrap_or_else(Meaning::unread),
        },
    };
    meaning.evidence.language = language.map(|it| it.name.to_owned());
    meaning
}

/// A change of which only the text after is known.
pub fn unseen(path: &str, after: Option<&[u8]>) -> Meaning {
    let mut meaning = judge(path, None, after);
    meaning.evidence.step = Step::Unseen;
    meaning.evidence.why = Some("the text before is not known".to_owned());
    // What of it is new is not known either.
    meaning.evidence.definitions.clear();
    meaning.evidence.net = Net::default();
    meaning.evidence.public_surface = Surface::Unchanged;
    meaning.weigh();
    meaning
}

fn judged(
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    language: &'static outline::Language,
) -> Result<Meaning, Unread> {
    match (before, after) {
        (Some(before), Some(after)) => {
            let before = Source::parse(before, language)?;
            let after = Source::parse_after(&before, after)?;
            Ok(Pair::new(&before, &after).judged())
        }
        (None, Some(after)) => {
            let (none, after) = (Source::parse(b"", language)?, Source::parse(after, language)?);
            Ok(Pair::new(&none, &after).of_one_text(Step::NewFile))
        }
        (before, None) => {
            let before = Source::parse(before.unwrap_or_default(), language)?;
            let none = Source::parse(b"", language)?;
            Ok(Pair::new(&before, &none).of_one_text(Step::DeletedFile))
        }
    }
}

impl Meaning {
    fn of(step: Step) -> Self {
        let evidence = Evidence {
            step,
            proved: step.is_proof(),
            language: None,
            why: None,
            public_surface: Surface::Unchanged,
            net: Net::default(),
            renamed: Vec::new(),
            moved: Vec::new(),
            definitions: Vec::new(),
            more_definitions: 0,
            lines: None,
            from: None,
        };
        let mut res = Self { class: MutationClass::AstRefactor, evidence };
        res.weigh();
        res
    }

    fn unread(why: Unread) -> Self {
        let step = match why {
            Unread::NoGrammar => Step::NoGrammar,
            Unread::Binary => Step::Binary,
            Unread::TooLarge => Step::TooLarge,
            Unread::TooTangled => Step::TooTangled,
            Unread::Syntax { .. } => Step::SyntaxError,
        };
        let mut res = Self::of(step);
        res.evidence.why = Some(why.to_string());
        res
    }

    /// The class that the evidence speaks for.
    fn weigh(&mut self) {
        let Evidence { step, net, .. } = &self.evidence;
        let is_new = match step {
            Step::NewFile
            | Step::Unseen
            | Step::SyntaxError
            | Step::NoGrammar
            | Step::Binary
            | Step::TooLarge
            | Step::TooTangled => true,
            step if step.is_proof() => false,
            _ => net.flow > 0 && net.identifiers > 0 || net.public_names > 0,
        };
        // What others say of it is not in the files of the call: [`confirm`].
        self.evidence.proved = self.evidence.step.is_proof() && self.evidence.step != Step::Move;
        self.class =
            if is_new { MutationClass::IntentEvolution } else { MutationClass::AstRefactor };
    }
}

/// A piece that differs, cut into tokens.
struct Cut<'s> {
    piece: Piece<'s>,
    tokens: Tokens<'s>,
}

impl Cut<'_> {
    fn is_same(&self, other: &Self) -> bool {
        self.piece.kind == other.piece.kind
            && self.piece.inside == other.piece.inside
            && self.piece.names == other.piece.names
            && self.tokens.all == other.tokens.all
    }
}

/// Both texts of a file.
struct Pair<'s> {
    before: &'s Source<'s>,
    after: &'s Source<'s>,
    old: Outline<'s>,
    new: Outline<'s>,
    classes: Classes,
}

/// Which pieces are the same: a number for each, the same number for the same.
#[derive(Default)]
struct Numbers {
    old: Vec<usize>,
    new: Vec<usize>,
}

impl<'s> Pair<'s> {
    fn new(before: &'s Source<'s>, after: &'s Source<'s>) -> Self {
        let (old, new) = (before.outline(), after.outline());
        Self { before, after, old, new, classes: before.classes() }
    }

    fn of_one_text(&self, step: Step) -> Meaning {
        let cut = |source: &'s Source<'s>, pieces: &[Piece<'s>]| -> Vec<Cut<'s>> {
            let cut = |piece: &Piece<'s>| {
                let tokens = source.tokens(piece, &self.classes);
                Cut { piece: piece.clone(), tokens }
            };
            pieces.iter().map(cut).collect()
        };
        let gone = cut(self.before, &self.old.pieces);
        let come = cut(self.after, &self.new.pieces);
        self.concluded(step, &gone, &come, Vec::new())
    }

    fn judged(&self) -> Meaning {
        let (numbers, gone, come) = self.differences();
        let conclude = |step| self.concluded(step, &gone, &come, Vec::new());
        if gone.is_empty() && come.is_empty() {
            return conclude(self.of_same_pieces(&numbers));
        }
        let is_import = |it: &&Cut| it.piece.kind == Kind::Import;
        let gone_code: Vec<&Cut> = gone.iter().filter(|it| !is_import(it)).collect();
        let come_code: Vec<&Cut> = come.iter().filter(|it| !is_import(it)).collect();
        let has_imports = gone_code.len() != gone.len() || come_code.len() != come.len();
        if !has_imports && let Some(names) = rename::proved(self, &numbers, &gone, &come) {
            return self.concluded(Step::Rename, &gone, &come, names);
        }
        let in_order = self.rest_is_in_order(&numbers, &gone, &come);
        if in_order
            && !has_imports
            && [Way::Out, Way::Back]
                .into_iter()
                .any(|it| extract::is_extracted(self, &gone_code, &come_code, it))
        {
            return conclude(Step::ExtractOrInline);
        }
        conclude(kind_of_difference(&gone_code, &come_code))
    }

    /// The pieces of both, but for those that the other has too.
    fn differences(&self) -> (Numbers, Vec<Cut<'s>>, Vec<Cut<'s>>) {
        type Key<'k> = (Kind, &'k str, &'k [String], bool, &'k [u8]);
        fn key<'k>(it: &'k Piece) -> Key<'k> {
            (it.kind, &it.inside, &it.names, it.is_public, it.raw)
        }
        let mut numbers = Numbers::default();
        let mut known: HashMap<Key, Vec<usize>> = HashMap::new();
        for (number, piece) in self.old.pieces.iter().enumerate() {
            numbers.old.push(number);
            known.entry(key(piece)).or_default().push(number);
        }
        for numbers in known.values_mut() {
            numbers.reverse();
        }
        let mut next = self.old.pieces.len();
        let mut matched = HashSet::new();
        let mut open = Vec::new();
        for (at, piece) in self.new.pieces.iter().enumerate() {
            let found = known.get_mut(&key(piece)).and_then(Vec::pop);
            if let Some(number) = found {
                matched.insert(number);
                numbers.new.push(number);
            } else {
                open.push(at);
                numbers.new.push(next);
                next += 1;
            }
        }
        let cut = |source: &'s Source<'s>, piece: &Piece<'s>| {
            let tokens = source.tokens(piece, &self.classes);
            Cut { piece: piece.clone(), tokens }
        };
        let old = self.old.pieces.iter().enumerate().filter(|(at, _)| !matched.contains(at));
        let mut gone: Vec<(usize, Cut)> =
            old.map(|(at, piece)| (at, cut(self.before, piece))).collect();
        let mut come = Vec::new();
        for at in open {
            let new = cut(self.after, &self.new.pieces[at]);
            // The same but for looks?
            match gone.iter().position(|(_, it)| it.is_same(&new)) {
                Some(found) => numbers.new[at] = gone.remove(found).0,
                None => come.push(new),
            }
        }
        (numbers, gone.into_iter().map(|(_, it)| it).collect(), come)
    }

    fn of_same_pieces(&self, numbers: &Numbers) -> Step {
        let is_in_order = numbers.old == numbers.new;
        let has_same_comments = self.has_same_comments(numbers);
        if !has_same_comments && comments::may_matter(self) {
            return Step::ModuleLevel;
        }
        match (is_in_order, has_same_comments) {
            (true, true) => Step::FormatOnly,
            (true, false) => Step::CommentOnly,
            (false, _) => order::of_same_pieces(self, numbers),
        }
    }

    fn has_same_comments(&self, numbers: &Numbers) -> bool {
        let plain = |it: &&[u8]| -> Vec<Vec<u8>> {
            it.split(|it| *it == b'\n').map(|it| it.trim_ascii().to_vec()).collect()
        };
        let (old, new) = (&self.old, &self.new);
        let beside = |it: &Outline| it.comments.iter().map(plain).collect::<Vec<_>>();
        beside(old) == beside(new)
            && numbers.new.iter().zip(&new.pieces).all(|(number, piece)| {
                let Some(before) = old.pieces.get(*number) else { return false };
                before.raw == piece.raw || {
                    let before = self.before.tokens(before, &self.classes);
                    let after = self.after.tokens(piece, &self.classes);
                    before.comments.iter().map(plain).eq(after.comments.iter().map(plain))
                }
            })
    }

    /// What is the same stands in the same order.
    fn rest_is_in_order(&self, numbers: &Numbers, gone: &[Cut], come: &[Cut]) -> bool {
        let shared: HashSet<usize> = numbers.new.iter().copied().collect();
        let in_old: Vec<usize> =
            numbers.old.iter().copied().filter(|it| shared.contains(it)).collect();
        let known = self.old.pieces.len();
        let in_new: Vec<usize> = numbers.new.iter().copied().filter(|it| *it < known).collect();
        let is_known = in_old.len() + gone.len() == self.old.pieces.len()
            && in_new.len() + come.len() == self.new.pieces.len();
        is_known && in_old == in_new
    }

    fn concluded(
        &self,
        step: Step,
        gone: &[Cut],
        come: &[Cut],
        renamed: Vec<(String, String)>,
    ) -> Meaning {
        let mut meaning = Meaning::of(step);
        let evidence = &mut meaning.evidence;
        evidence.net = self.net(gone, come);
        evidence.public_surface = surface(gone, come);
        let new_names: HashMap<&str, &str> =
            renamed.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        let mut touched = touched(gone, come, &new_names);
        evidence.more_definitions = touched.len().saturating_sub(MOST_DEFINITIONS);
        touched.truncate(MOST_DEFINITIONS);
        evidence.definitions = touched;
        evidence.renamed = renamed;
        meaning.weigh();
        meaning
    }

    fn net(&self, gone: &[Cut], come: &[Cut]) -> Net {
        let names = |cuts: &[Cut]| {
            let tokens = cuts.iter().flat_map(|it| &it.tokens.all);
            let is_name =
                |it: What| matches!(it, What::Identifier | What::Member | What::Shorthand);
            let names: HashSet<Vec<u8>> =
                tokens.filter(|it| is_name(it.what)).map(|it| it.text.to_vec()).collect();
            signed(names.len())
        };
        let calls = |cuts: &[Cut]| {
            let all = cuts.iter().flat_map(|it| it.tokens.calls.iter().copied());
            signed(all.collect::<HashSet<&[u8]>>().len())
        };
        let flow = |cuts: &[Cut]| signed(cuts.iter().map(|it| it.tokens.flow).sum());
        let public = |outline: &Outline| {
            let public = outline.pieces.iter().filter(|it| it.is_public);
            signed(public.flat_map(Piece::paths).collect::<BTreeSet<_>>().len())
        };
        let definitions = |outline: &Outline| {
            signed(outline.pieces.iter().filter(|it| it.kind.is_definition()).count())
        };
        Net {
            flow: flow(come) - flow(gone),
            identifiers: names(come) - names(gone),
            calls: calls(come) - calls(gone),
            public_names: public(&self.new) - public(&self.old),
            definitions: definitions(&self.new) - definitions(&self.old),
        }
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Whether an import gives something a name.
fn binds(import: &[u8]) -> bool {
    let text = String::from_utf8_lossy(import);
    let words = text.trim_start_matches("import").trim_start();
    !words.starts_with(['"', '\'']) && !text.contains("_ \"") && !text.contains("extern crate")
}

/// The one of `cuts` that stands in for `cut`.
fn counterpart<'c, 's>(cut: &Cut, cuts: &'c [&'c Cut<'s>]) -> Option<&'c Cut<'s>> {
    let is_it = |it: &&&Cut| {
        it.piece.kind == cut.piece.kind
            && it.piece.inside == cut.piece.inside
            && it.piece.names == cut.piece.names
    };
    cuts.iter().find(is_it).copied()
}

fn has_same_head(one: &Cut, other: &Cut) -> bool {
    one.tokens.all.get(..one.tokens.head) == other.tokens.all.get(..other.tokens.head)
}

fn surface(gone: &[Cut], come: &[Cut]) -> Surface {
    let refs: Vec<&Cut> = come.iter().collect();
    let old: Vec<&Cut> = gone.iter().collect();
    let differs = |cut: &Cut, others: &[&Cut]| {
        is_seen(&cut.piece)
            && counterpart(cut, others)
                .is_none_or(|it| !is_seen(&it.piece) || !has_same_head(cut, it))
    };
    let is_changed =
        gone.iter().any(|it| differs(it, &refs)) || come.iter().any(|it| differs(it, &old));
    if is_changed { Surface::Changed } else { Surface::Unchanged }
}

/// Visible outside, or called from there by its name: what a trait asks for,
/// and what the language does.
fn is_seen(piece: &Piece) -> bool {
    let is_special = |it: &String| it.starts_with("__") && it.ends_with("__");
    piece.is_public
        || piece.inside.starts_with('<') && piece.kind.is_definition()
        || piece.kind.is_definition() && piece.names.iter().any(is_special)
}

/// Of what nothing is proved: what kind of piece it is that differs.
fn kind_of_difference(gone: &[&Cut], come: &[&Cut]) -> Step {
    if gone.is_empty() && come.is_empty() {
        return Step::ImportsOnly;
    }
    let (mut has_public, mut has_definitions, mut has_heads, mut has_bodies) =
        (false, false, false, false);
    for (cut, others) in gone.iter().map(|it| (*it, come)).chain(come.iter().map(|it| (*it, gone)))
    {
        if !cut.piece.kind.is_definition() && cut.piece.kind != Kind::Export {
            continue;
        }
        let other = counterpart(cut, others);
        let head = other.is_some_and(|it| has_same_head(cut, it));
        has_public |= cut.piece.is_public && !head;
        has_definitions |= other.is_none();
        has_heads |= other.is_some() && !head;
        has_bodies |= head;
    }
    if has_public {
        Step::PublicSurface
    } else if has_definitions {
        Step::PrivateDefinitions
    } else if has_heads {
        Step::PrivateSignature
    } else if has_bodies {
        Step::BodyOnly
    } else {
        Step::ModuleLevel
    }
}

fn touched(gone: &[Cut], come: &[Cut], renamed: &HashMap<&str, &str>) -> Vec<Touched> {
    let old: Vec<&Cut> = gone.iter().collect();
    let new: Vec<&Cut> = come.iter().collect();
    let touched = |cut: &Cut, change| Touched {
        name: cut.piece.path(),
        kind: cut.piece.kind,
        change,
        lines: cut.piece.lines,
        public: cut.piece.is_public,
    };
    let is_definition = |it: &&Cut| it.piece.kind.is_definition() && !it.piece.names.is_empty();
    // A renamed definition is there still.
    let is_new_name = |cut: &Cut| {
        cut.piece.names.iter().any(|name| renamed.values().any(|it| it == name))
            || !renamed.is_empty()
    };
    let is_old_name = |_: &Cut| !renamed.is_empty();
    let mut res = Vec::new();
    for cut in come.iter().filter(is_definition) {
        let is_there = counterpart(cut, &old).is_some() || is_new_name(cut);
        // Below what was renamed, or in another place in the same words.
        if renamed.is_empty() || !old.iter().any(|it| it.piece.raw == cut.piece.raw) {
            res.push(touched(cut, if is_there { How::Modified } else { How::Added }));
        }
    }
    for cut in gone.iter().filter(is_definition) {
        if counterpart(cut, &new).is_none() && !is_old_name(cut) {
            res.push(touched(cut, How::Removed));
        }
    }
    res
}
