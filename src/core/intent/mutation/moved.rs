//! Proves that what some files of a call have lost others have gained:
//! definitions that went from one to another, as they were.
//!
//! A file is proved where every piece of it that differs went elsewhere, came
//! from elsewhere, or says nothing but where a moved name now is; and where its
//! imports differ in nothing but what that takes. What a moved definition names
//! has to be the same thing where it stands now: what the old file defined is
//! imported from there, what it imported is imported from the same place, and
//! nothing of the new file goes by a name that the old one knew as another's.
//!
//! It may have become visible: else the old place could not use it.

mod imports;
mod places;

use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) use self::places::{is_go_of_one_folder, is_one_scope};
use self::{
    imports::{mentions, source_of},
    places::{says_of_build, target},
};
use super::{Cut, File, Pair, counterpart, evidence::Moved, extract::is_called_from_elsewhere};
use crate::outline::{
    self, Kind, Outline, Source,
    token::{Token, What},
};

/// Longer texts, and more pieces that differ, are not looked through: a hook
/// waits for this.
const MOST_BYTES: usize = 2 << 20;
const MOST_PIECES: usize = 2000;

/// Of each file that is proved, by its number: what went and what came.
pub(super) fn proved(files: &[(usize, File)]) -> Vec<(usize, Vec<Moved>)> {
    let size = |it: Option<&[u8]>| it.map_or(0, <[u8]>::len);
    if files.iter().map(|(_, it)| size(it.before) + size(it.after)).sum::<usize>() > MOST_BYTES {
        return Vec::new();
    }
    let mut by_language: HashMap<&str, Vec<(usize, File)>> = HashMap::new();
    for (at, file) in files {
        if let Some(language) = outline::language_of(file.path) {
            by_language.entry(language.name).or_default().push((*at, *file));
        }
    }
    let several = by_language.into_values().filter(|it| it.len() > 1);
    several.flat_map(|it| of_one_language(&it)).collect()
}

fn of_one_language(files: &[(usize, File)]) -> Vec<(usize, Vec<Moved>)> {
    let parsed: Vec<(usize, &str, Source, Source)> = files
        .iter()
        .filter_map(|(at, file)| {
            let language = outline::language_of(file.path)?;
            let before = Source::parse(file.before.unwrap_or_default(), language).ok()?;
            let after = Source::parse(file.after.unwrap_or_default(), language).ok()?;
            Some((*at, file.path, before, after))
        })
        .collect();
    let pairs: Vec<Pair> =
        parsed.iter().map(|(_, _, before, after)| Pair::new(before, after)).collect();
    let sides = pairs.iter().zip(&parsed);
    let all: Vec<Changed> = sides.map(|(pair, (_, path, ..))| Changed::of(path, pair)).collect();
    if all.iter().map(|it| it.gone.len() + it.come.len()).sum::<usize>() > MOST_PIECES {
        return Vec::new();
    }
    let moves = Moves::among(&all);
    if moves.all.is_empty() {
        return Vec::new();
    }
    let is_explained: Vec<bool> = (0..all.len()).map(|it| moves.explain(it)).collect();
    let told: Vec<Vec<Moved>> = (0..all.len()).map(|it| moves.told_of(it)).collect();
    // Who only follows follows to the same thing, or to another.
    let are_all = told.iter().zip(&is_explained).all(|(told, is)| *is || told.is_empty());
    let found = told.into_iter().enumerate();
    let found = found.filter(|(at, told)| is_explained[*at] && (are_all || !told.is_empty()));
    found.map(|(at, told)| (parsed[at].0, told)).collect()
}

/// A file, and what differs in it.
struct Changed<'p, 's> {
    path: &'p str,
    pair: &'p Pair<'s>,
    gone: Vec<Cut<'s>>,
    come: Vec<Cut<'s>>,
    old_imports: Vec<String>,
    new_imports: Vec<String>,
    is_in_order: bool,
}

/// Imports, and what tells the compiler of another file.
fn is_import(kind: Kind, raw: &[u8]) -> bool {
    kind == Kind::Import || kind == Kind::Module && raw.trim_ascii_end().ends_with(b";")
}

fn imports(outline: &Outline) -> Vec<String> {
    let all = outline.pieces.iter().filter(|it| is_import(it.kind, it.raw));
    all.map(|it| String::from_utf8_lossy(it.raw).into_owned()).collect()
}

impl<'p, 's> Changed<'p, 's> {
    fn of(path: &'p str, pair: &'p Pair<'s>) -> Self {
        let (numbers, gone, come) = pair.differences();
        let is_in_order = pair.rest_is_in_order(&numbers, &gone, &come);
        let without_imports = |cuts: Vec<Cut<'s>>| -> Vec<Cut<'s>> {
            cuts.into_iter().filter(|it| !is_import(it.piece.kind, it.piece.raw)).collect()
        };
        Self {
            path,
            pair,
            gone: without_imports(gone),
            come: without_imports(come),
            old_imports: imports(&pair.old),
            new_imports: imports(&pair.new),
            is_in_order,
        }
    }

    fn language(&self) -> &'static str {
        self.pair.before.language.name
    }

    fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// What imports call it: by its name, or by its folder's.
    fn module(&self) -> &str {
        let file = self.path.rsplit('/').next().unwrap_or(self.path);
        let stem = file.split('.').next().unwrap_or(file);
        let is_folders = matches!(stem, "mod" | "index" | "__init__" | "lib" | "main");
        if is_folders || self.language() == "go" {
            self.folder().rsplit('/').next().unwrap_or_default()
        } else {
            stem
        }
    }
}

/// By their places: the file, and the piece that is gone or has come.
type Place = (usize, usize);

struct Moves<'c, 'p, 's> {
    files: &'c [Changed<'p, 's>],
    /// What is gone, and where it came.
    all: Vec<(Place, Place)>,
    /// What the moved ones are called.
    names: HashSet<&'c [u8]>,
}

impl<'c, 'p, 's> Moves<'c, 'p, 's> {
    fn among(files: &'c [Changed<'p, 's>]) -> Self {
        type Key<'k> = (Kind, &'k str, &'k [String]);
        fn key<'k>(it: &'k Cut) -> Key<'k> {
            (it.piece.kind, &it.piece.inside, &it.piece.names)
        }
        let mut open: HashMap<Key, Vec<Place>> = HashMap::new();
        for (at, file) in files.iter().enumerate() {
            let gone: Vec<&Cut> = file.gone.iter().collect();
            for (number, cut) in file.come.iter().enumerate() {
                if counterpart(cut, &gone).is_none() && !cut.piece.names.is_empty() {
                    open.entry(key(cut)).or_default().push((at, number));
                }
            }
        }
        let mut all = Vec::new();
        for (at, file) in files.iter().enumerate() {
            let come: Vec<&Cut> = file.come.iter().collect();
            for (number, cut) in file.gone.iter().enumerate() {
                if counterpart(cut, &come).is_some() || !cut.piece.is_free {
                    continue;
                }
                let Some(places) = open.get_mut(&key(cut)) else { continue };
                let is_it = |(file, piece): &Place| {
                    let new = &files[*file].come[*piece];
                    *file != at && new.piece.is_free && hidden(cut) == hidden(new)
                };
                if let Some(found) = places.iter().position(is_it) {
                    all.push(((at, number), places.remove(found)));
                }
            }
        }
        let cut = |(file, piece): Place| &files[file].gone[piece];
        let top = all.iter().map(|it| cut(it.0)).filter(|it| it.piece.inside.is_empty());
        let names = top.flat_map(|it| &it.piece.names).map(String::as_bytes).collect();
        Self { files, all, names }
    }

    /// What went from a file and came to it, for the record.
    fn told_of(&self, file: usize) -> Vec<Moved> {
        let of_it = self.all.iter().filter(|(from, to)| from.0 == file || to.0 == file);
        of_it
            .map(|(from, to)| Moved {
                name: self.files[from.0].gone[from.1].piece.path(),
                from: self.files[from.0].path.to_owned(),
                to: self.files[to.0].path.to_owned(),
            })
            .collect()
    }

    /// Whether all that differs in a file comes of the moves.
    fn explain(&self, at: usize) -> bool {
        let file = &self.files[at];
        let (gone, come): (Vec<&Cut>, Vec<&Cut>) =
            (file.gone.iter().collect(), file.come.iter().collect());
        let is_moved = |place: Place, side: fn(&(Place, Place)) -> Place| {
            let of_it = |it: &&(Place, Place)| side(it) == place;
            self.all
                .iter()
                .find(of_it)
                .is_some_and(|it| self.means_the_same(*it) && self.is_found(*it))
        };
        let refers = |one: &Cut, other: Option<&Cut>| {
            other.is_some_and(|it| self.referring(one) == self.referring(it))
        };
        file.is_in_order
            && gone.iter().enumerate().all(|(piece, cut)| {
                refers(cut, counterpart(cut, &come)) || is_moved((at, piece), |it| it.0)
            })
            && come.iter().enumerate().all(|(piece, cut)| {
                refers(cut, counterpart(cut, &gone)) || is_moved((at, piece), |it| it.1)
            })
            && self.imports_follow(at)
    }

    /// Tokens in which a moved name is the same wherever it is said to be.
    fn referring<'t>(&self, cut: &Cut<'t>) -> Vec<Token<'t>> {
        let modules: HashSet<&[u8]> = self
            .all
            .iter()
            .flat_map(|(from, to)| [self.files[from.0].module(), self.files[to.0].module()])
            .map(str::as_bytes)
            .collect();
        let mut res: Vec<Token> = Vec::with_capacity(cut.tokens.all.len());
        for token in &cut.tokens.all {
            let is_name = matches!(token.what, What::Identifier | What::Member);
            if !is_name || !self.names.contains(token.text) {
                // Around the module and the name there was a node.
                let is_closed = token.what == What::Close
                    && res.last().is_some_and(|it| it.what == What::Shorthand && it.kind == 0)
                    && res.iter().rev().nth(1).is_some_and(|it| {
                        it.what == What::Open && it.kind == token.kind && it.text == b"module"
                    });
                if is_closed {
                    let name = res.pop();
                    res.pop();
                    res.extend(name);
                } else {
                    res.push(*token);
                }
                continue;
            }
            let is_module = |it: &Token| modules.contains(it.text);
            let is_mark = |it: &Token| matches!(it.text, b"." | b"::");
            if let [.., open, module, mark] = res.as_slice()
                && open.what == What::Open
                && is_module(module)
                && is_mark(mark)
            {
                let open = Token { text: b"module", ..*open };
                res.truncate(res.len() - 3);
                res.push(open);
            }
            res.push(Token { what: What::Shorthand, kind: 0, text: token.text });
        }
        res
    }

    /// Whether what a moved definition names is the same thing in both places.
    fn means_the_same(&self, (from, to): (Place, Place)) -> bool {
        /// Words that say where they stand.
        const PLACES: &[&[u8]] =
            &[b"__file__", b"__name__", b"__dirname", b"__filename", b"module_path", b"meta"];
        let (old, new) = (&self.files[from.0], &self.files[to.0]);
        let cut = &old.gone[from.1];
        let says = |word: &[u8]| cut.tokens.all.iter().any(|it| it.text == word);
        let is_placed = PLACES.iter().any(|it| says(it))
            || old.language() == "rust" && (says(b"super") || cut.piece.kind == Kind::Macro);
        // Tests, entries and hooks are looked for by name, in files of a name.
        let is_sought = cut
            .piece
            .names
            .iter()
            .any(|it| is_called_from_elsewhere(it.rsplit('.').next().unwrap_or(it)));
        let is_go = old.language() == "go";
        let is_built_alike = !is_go
            || target(old.path) == target(new.path)
                && ![old, new].iter().any(|it| {
                    says_of_build(&it.pair.before.text) || says_of_build(&it.pair.after.text)
                });
        // Each would have to be there before the other.
        let imports = |one: &Changed, other: &Changed| {
            one.new_imports.iter().any(|it| mentions(it, other.module()))
        };
        let is_circular = matches!(old.language(), "python" | "javascript" | "typescript" | "tsx")
            && imports(old, new)
            && imports(new, old);
        if is_placed
            || is_sought
            || is_circular
            || !is_built_alike
            || !have_the_same_wildcards(old, new)
        {
            return false;
        }
        let goes_along = |name: &[u8]| {
            self.all.iter().any(|(one, other)| {
                let names = &self.files[one.0].gone[one.1].piece.names;
                one.0 == from.0 && other.0 == to.0 && names.iter().any(|it| it.as_bytes() == name)
            })
        };
        let is_one_scope = is_one_scope(old.path, new.path);
        let (defined, redefined) = (top_names(&old.pair.old), top_names(&new.pair.new));
        let is_name = |it: &&Token| {
            it.what == What::Identifier && !cut.tokens.bound.contains(&it.text)
                || it.what == What::Shorthand
        };
        let names: BTreeSet<&[u8]> =
            cut.tokens.all.iter().filter(is_name).map(|it| it.text).collect();
        names.into_iter().filter(|it| !goes_along(it)).all(|name| {
            let Ok(text) = std::str::from_utf8(name) else { return false };
            let of = |imports: &[String]| -> Vec<String> {
                imports.iter().filter(|it| mentions(it, text)).cloned().collect()
            };
            let (old_imports, new_imports) = (of(&old.old_imports), of(&new.new_imports));
            let (is_defined, is_redefined) = (defined.contains(name), redefined.contains(name));
            if is_one_scope && (is_defined || is_redefined) {
                return true;
            }
            if is_defined {
                return !is_redefined && new_imports.iter().any(|it| mentions(it, old.module()));
            }
            if old_imports.is_empty() {
                return !is_redefined && new_imports.is_empty();
            }
            if is_redefined {
                return old_imports.iter().all(|it| mentions(it, new.module()));
            }
            let sources = |imports: &[String]| -> BTreeSet<Option<String>> {
                imports.iter().map(|it| source_of(it, text, old.language())).collect()
            };
            let (was, is) = (sources(&old_imports), sources(&new_imports));
            was.len() == 1 && was == is && !was.contains(&None)
        })
    }

    /// The modules that a moved name was in, or is in.
    fn places_of<'a>(&'a self, name: &'a str, was: bool) -> impl Iterator<Item = &'a str> {
        let of_it = self.all.iter().filter(move |(from, _)| {
            let piece = &self.files[from.0].gone[from.1].piece;
            piece.names.iter().any(|it| it == name)
        });
        of_it.map(move |(from, to)| self.files[if was { from.0 } else { to.0 }].module())
    }

    /// Whether what the old file still says of the moved definition leads to
    /// the new one.
    fn is_found(&self, (from, to): (Place, Place)) -> bool {
        let (old, new) = (&self.files[from.0], &self.files[to.0]);
        let piece = &old.gone[from.1].piece;
        let is_one_scope = is_one_scope(old.path, new.path);
        let leads = |name: &str| {
            let mut all = old.new_imports.iter();
            all.any(|it| mentions(it, name) || mentions(it, new.module()))
        };
        let used = |name: &&String| old.pair.after.has_name(name.as_bytes());
        is_one_scope
            || !piece.inside.is_empty()
            || piece.names.iter().filter(used).all(|it| leads(it))
    }

    /// Imports that differ bring or take what was moved, or what it needs.
    fn imports_follow(&self, at: usize) -> bool {
        let file = &self.files[at];
        let only = |these: &[String], those: &[String]| -> Vec<String> {
            these.iter().filter(|it| !those.contains(it)).cloned().collect()
        };
        let gone = only(&file.old_imports, &file.new_imports);
        let come = only(&file.new_imports, &file.old_imports);
        // One that binds no name is there for what it does.
        let is_plain_go = |it: &str| file.language() == "go" && !it.contains("_ \"");
        let binds = |it: &String| is_plain_go(it) || super::binds(it.as_bytes());
        if !gone.iter().chain(&come).all(|it| binds(it) && !it.contains('*')) {
            return false;
        }
        // What moved definitions say, on the side where they stand.
        let said = |is_gone: bool| -> HashSet<&[u8]> {
            let cuts = self.all.iter().filter_map(|(from, to)| {
                let (place, cuts) = if is_gone { (from, &file.gone) } else { (to, &file.come) };
                (place.0 == at).then(|| &cuts[place.1])
            });
            cuts.flat_map(|it| &it.tokens.all).map(|it| it.text).collect()
        };
        let others: HashSet<&str> = self
            .all
            .iter()
            .flat_map(|(from, to)| [from.0, to.0])
            .map(|it| self.files[it].module())
            .collect();
        let language = file.language();
        let follows = |these: &[String], those: &[String], is_gone: bool| {
            let said = said(is_gone);
            these.iter().all(|it| {
                let mut new = imports::names(it).filter(|name| {
                    // What the other side has from the same place is no news.
                    let source = source_of(it, name, language);
                    let is_theirs = |it: &&String| {
                        mentions(it, name) && source_of(it, name, language) == source
                    };
                    source.is_some() && !those.iter().any(|it| is_theirs(&it))
                });
                new.all(|name| {
                    if self.names.contains(name.as_bytes()) {
                        let mut places = self.places_of(name, is_gone);
                        return places.any(|place| mentions(it, place));
                    }
                    let is_elsewhere = those.iter().any(|it| mentions(it, name));
                    let is_used = is_gone && file.pair.after.has_name(name.as_bytes());
                    let is_needed = said.contains(name.as_bytes()) && !is_elsewhere && !is_used;
                    is_needed || others.contains(name)
                })
            })
        };
        follows(&gone, &come, true) && follows(&come, &gone, false)
    }
}

fn have_the_same_wildcards(old: &Changed, new: &Changed) -> bool {
    let of = |imports: &[String]| -> BTreeSet<String> {
        let all = imports.iter().filter(|it| it.contains('*') || it.contains(". \""));
        all.cloned().collect()
    };
    let (was, is) = (of(&old.old_imports), of(&new.new_imports));
    was == is && !was.iter().any(|it| it.contains("super") || it.contains("self::"))
}

/// Names at the top of a file.
fn top_names<'o>(outline: &'o Outline) -> HashSet<&'o [u8]> {
    let all = outline.pieces.iter().filter(|it| it.kind.is_definition() && it.inside.is_empty());
    all.flat_map(|it| &it.names).map(String::as_bytes).collect()
}

/// The tokens of a piece, without what makes it visible.
fn hidden<'s>(cut: &Cut<'s>) -> Vec<Token<'s>> {
    let mut all = cut.tokens.all.clone();
    let is_open = |it: Option<&Token>| it.is_some_and(|it| it.what == What::Open);
    let head = all.get(..cut.tokens.head).unwrap_or(&all);
    let found = head.iter().position(|it| matches!(it.text, b"pub" | b"export"));
    let Some(at) = found.filter(|_| cut.piece.kind != Kind::Method) else { return all };
    if all[at].text == b"export" {
        all.remove(at);
        let wraps = at == 1 && is_open(all.first());
        if wraps && all.last().is_some_and(|it| it.what == What::Close && it.kind == all[0].kind) {
            all.pop();
            all.remove(0);
        }
        return all;
    }
    let Some(open) = at.checked_sub(1).filter(|it| is_open(all.get(*it))) else {
        all.remove(at);
        return all;
    };
    let mut depth = 0_usize;
    let end = all.iter().skip(open).position(|it| {
        match it.what {
            What::Open => depth += 1,
            What::Close => depth = depth.saturating_sub(1),
            _ => (),
        }
        depth == 0
    });
    all.drain(open..=open + end.unwrap_or(0));
    all
}
