//! The write gate: is it specific, and is the claimed criterion plausible?
//!
//! What can be read off a summary and a detail is counted:
//!
//! ```text
//! score = named + plain − stock
//! bar   = 0.5 + words / 80, at most 2      (+ 0.5 if no claimed criterion is plausible)
//! ```
//!
//! | | what counts | weight, each distinct one once |
//! |---|---|---|
//! | named | code in backticks, identifiers, paths and file names, flags, numbers of two digits or with a unit, versions | 1 |
//! | | proper terms: a capital that begins no sentence; acronyms; a lone digit | 0.5 |
//! | plain | other words that carry meaning: neither `COMMON` nor `GENERIC` | 0.12, at most 1.5 in all |
//! | stock | phrases of `STOCK` | 0.5, at most 2 in all |
//!
//! A candidate is rejected if its score is below the bar, or if it reports what was done (`Added
//! …`, `Fixed …`) without a word of what follows from it. Weights, bar and lists were tuned on the
//! labelled examples in the tests. Text that is not English (fewer than one word in twelve is one
//! of `COMMON`) needs a score of 1 and nothing else, because the lists do not know its words.

use std::collections::BTreeSet;

use super::learning::{Criterion, Learning, Scope};
use crate::core::bounded;

#[derive(Debug, Clone, PartialEq)]
pub struct Specificity {
    pub score: f64,
    pub bar: f64,
    pub named: Vec<String>,
    pub stock: Vec<&'static str>,
    /// Claimed criteria that the text does not support.
    pub implausible: Vec<Criterion>,
    is_mere_report: bool,
}

/// One sentence each.
pub fn objections(candidate: &Learning) -> Vec<String> {
    let specificity = measure(candidate);
    let mut reasons = Vec::new();
    let all_implausible = specificity.implausible.len() == candidate.criteria.len();
    if specificity.is_mere_report && all_implausible {
        reasons.push(
            "it reports what was done, and the commit does that already: say what to do, to avoid \
             or to expect next time, and why"
                .to_owned(),
        );
    }
    if specificity.score < specificity.bar - NOISE {
        let named = specificity.named.iter().take(3).map(|name| bounded::line(name, 40));
        let named: Vec<String> = named.collect();
        let named = match &named[..] {
            [] => String::new(),
            named => format!(", it names only {}", named.join(", ")),
        };
        let stock = match &specificity.stock[..] {
            [] => String::new(),
            stock => format!(", and says what is true of anything (`{}`)", stock.join("`, `")),
        };
        reasons.push(bounded::plain_line(&format!(
            "too vague{named}{stock}: name the file, function, command, version, number or error \
             that it is about"
        )));
    }
    if all_implausible && !reasons.is_empty() {
        let claimed: Vec<String> =
            specificity.implausible.iter().map(ToString::to_string).collect();
        reasons.push(format!(
            "nothing in it speaks for `{}`: say what to do and when, why it was decided so, what \
             holds beyond this ticket, or who asked for it",
            claimed.join("`, `")
        ));
    }
    reasons
}

/// Rounding errors of added tenths.
const NOISE: f64 = 1e-9;

pub fn measure(candidate: &Learning) -> Specificity {
    let text = format!("{}\n{}", candidate.summary, candidate.detail);
    let named = named(&text);
    let words = bounded::words(&text);
    let is_common = |word: &String| COMMON.split(' ').any(|part| part == word);
    let common = words.iter().filter(|word| is_common(word)).count();
    let is_english = common * 12 >= words.len();
    let lower = format!(" {} ", words.join(" "));
    let is_plain = |word: &&String| word.len() > 2 && !is_common(word) && !is_generic(word);
    let mut met = BTreeSet::new();
    let plain = words.iter().filter(is_plain).filter(|word| met.insert(word.as_str()));
    let plain = plain.count();
    let mut score: f64 = named.iter().map(|(_, weight)| weight).sum();
    score += (count(plain) * 0.12).min(1.5);
    let mut bar = 1.0;
    let mut stock = Vec::new();
    let mut implausible = Vec::new();
    let mut is_mere_report = false;
    if is_english {
        let is_said = |text: &&str| lower.contains(&format!(" {text}"));
        stock = STOCK.split('|').filter(is_said).collect();
        score -= (count(stock.len()) * 0.5).min(2.0);
        is_mere_report = is_report(&candidate.summary) && !says_one_of(&lower, LESSON);
        // A wish of the user's need not say that they asked for it.
        let is_wish =
            candidate.scope == Scope::Personal && !is_mere_report && says_one_of(&lower, WISH);
        let is_so = |criterion| {
            criterion == Criterion::ExplicitRequest && is_wish
                || is_plausible(criterion, &lower, is_mere_report)
        };
        implausible =
            candidate.criteria.iter().copied().filter(|criterion| !is_so(*criterion)).collect();
        bar = (0.5 + count(words.len()) / 80.0).min(2.0);
        if implausible.len() == candidate.criteria.len() {
            bar += 0.5;
        }
    }
    let named = named.into_iter().map(|(text, _)| text).collect();
    Specificity { score, bar, named, stock, implausible, is_mere_report }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
fn count(n: usize) -> f64 {
    n as f64
}

fn is_plausible(criterion: Criterion, lower: &str, is_mere_report: bool) -> bool {
    match criterion {
        Criterion::BehaviorChanging => says_one_of(lower, LESSON),
        Criterion::DecisionRationale => says_one_of(lower, RATIONALE),
        Criterion::StableFact => !is_mere_report && !says_one_of(lower, TRANSIENT),
        Criterion::ExplicitRequest => !is_mere_report && says_one_of(lower, REQUEST),
    }
}

/// `cues` are separated by `|`.
fn says_one_of(lower: &str, cues: &str) -> bool {
    cues.split('|').any(|part| lower.contains(&format!(" {part} ")))
}

fn is_report(summary: &str) -> bool {
    let words = bounded::words(summary);
    let mut words = words.iter().map(String::as_str);
    let first =
        words.find(|word| !["i", "we", "have", "just", "successfully", "now"].contains(word));
    first.is_some_and(|first| REPORT.split(' ').any(|verb| verb == first))
}

fn is_generic(word: &str) -> bool {
    GENERIC.split(' ').any(|part| {
        let rest = word.strip_prefix(part);
        rest.is_some_and(|text| matches!(text, "" | "s" | "d" | "es" | "ed" | "ing" | "ly"))
    })
}

/// Each once, in order, with its weight.
fn named(text: &str) -> Vec<(String, f64)> {
    let mut named: Vec<(String, f64)> = Vec::new();
    let mut add = |word: &str, weight| {
        if !named.iter().any(|(text, _)| text.eq_ignore_ascii_case(word)) {
            named.push((word.to_owned(), weight));
        }
    };
    let mut parts = text.split('`').enumerate().peekable();
    while let Some((at, part)) = parts.next() {
        // Text after an unpaired backtick is not code.
        let is_code = at % 2 == 1 && parts.peek().is_some();
        let code = part.trim();
        if is_code && !code.is_empty() && code.chars().any(char::is_alphanumeric) {
            add(code, 1.0);
            continue;
        }
        // Text after code does not begin a sentence.
        let mut begins = at == 0;
        for (at, token) in part.lines().flat_map(|line| line.split_whitespace().enumerate()) {
            begins |= at == 0 && part.contains('\n');
            let word = token.trim_matches(|c: char| {
                c.is_ascii_punctuation() && !matches!(c, '_' | '$' | '-' | '/' | '@' | '~' | '%')
            });
            let word = word.trim_end_matches(['-', '/']);
            if !word.is_empty() {
                let weight = weight(word, begins);
                if weight > 0.0 {
                    add(word, weight);
                }
            }
            begins = token.ends_with(['.', '!', '?', ':', ';']) || word.is_empty();
        }
    }
    named
}

/// How much a word looks like a name.
fn weight(word: &str, begins_sentence: bool) -> f64 {
    const ALMOST: &[&str] = &["e.g", "i.e", "and/or", "either/or", "yes/no", "etc", "vs", "a.k.a"];
    if ALMOST.contains(&word.to_lowercase().as_str()) {
        return 0.0;
    }
    let chars: Vec<char> = word.chars().collect();
    let has_letter = chars.iter().any(|c| c.is_alphabetic());
    let has_digit = chars.iter().any(char::is_ascii_digit);
    let has_hump = chars.windows(2).any(|two| two[0].is_lowercase() && two[1].is_uppercase());
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_joined = inner.contains(['.', '_', '/']) || inner.contains("::");
    let is_marked = word.starts_with(['-', '$', '@', '/', '~']) || word.ends_with("()");
    if has_letter && (has_hump || is_joined || is_marked) {
        return 1.0;
    }
    if has_digit {
        return if chars.len() > 1 { 1.0 } else { 0.5 };
    }
    let capitals = chars.iter().filter(|c| c.is_uppercase()).count();
    let is_acronym = capitals >= 2 && chars.iter().all(|c| c.is_uppercase() || *c == '-');
    let is_proper = capitals >= 1 && chars[0].is_uppercase() && !begins_sentence && chars.len() > 1;
    if is_acronym || is_proper { 0.5 } else { 0.0 }
}

/// How reports of finished work begin.
const REPORT: &str = "\
    added fixed implemented updated refactored removed created completed changed renamed moved \
    wrote merged finished resolved improved extended cleaned migrated introduced converted \
    deleted replaced built closed shipped deployed did";

/// Nearly every lesson contains one of these.
const LESSON: &str = "\
    must|should|shouldnt|always|never|avoid|use|instead|when|whenever|if|unless|before|after\
    |otherwise|because|since|so that|so|need|needs|require|requires|only|cannot|cant|dont\
    |do not|does not|doesnt|wont|not|fails|fail|failed|breaks|broke|causes|caused|hangs|panics\
    |until|without|prefer|wrap|ensure|expect|expects|remember|rather|silently";

const RATIONALE: &str = "\
    because|since|so that|so|chose|chosen|decided|rather|instead|tradeoff|trade off|due to\
    |reason|avoids|avoid|in order to|therefore|why|picked|prefer|preferred|keeps|allows|lets\
    |costs|cheaper|faster|slower|simpler|safer|would|without|than|otherwise|needed|needs\
    |requires|rejected|to keep|as it|guarantees";

/// Information that is useless once the ticket is closed.
const TRANSIENT: &str = "\
    for now|temporarily|today|yesterday|this session|this ticket|this pr|just fixed|i fixed\
    |we fixed|i added|we added|tests pass|tests are passing|all green|is done|work in progress\
    |in progress";

const REQUEST: &str = "\
    user|users|asked|asks|requested|request|wants|wanted|told|prefers|insisted|insists|please\
    |maintainer|maintainers|reviewer|team|lead|customer|owner|explicitly|demanded|instructed\
    |requires|said";

/// How users state wishes.
const WISH: &str = "i want|i prefer|i like|my|me|mine|never|always|ask|ask me|no|not without";

/// True of any project. Compared at the beginnings of words.
const STOCK: &str = "\
    best practice|clean code|make sure|be careful|pay attention|important to|is important\
    |it is crucial|is crucial|is essential|is key|thorough|high quality|code quality\
    |maintainab|readab|scalab|robust|in the future|in future|going forward|keep in mind\
    |double check|properly|as needed|as expected|works well|work well|working well|edge case\
    |error handling|handle errors|handle all errors|existing pattern|existing code|consisten\
    |lessons learned|learned that|learned a lot|communicat|well documented|meaningful\
    |descriptive|various|and so on|step by step|take time|take your time|think before\
    |understand the|read the code|plan ahead|good practice|single responsibility\
    |keep it simple|keep things simple|keep functions small|small functions|dry principle\
    |solid principle|write tests|more tests|good tests|test coverage|test your|test everything\
    |helps to|is helpful|better results|saves time|went smoothly|smooth|successful|up to date|technical debt";

const COMMON: &str = "\
    a an the and or but if then else of in on at to for from by with without into onto over \
    under as is are was were be been being it its this that these those there here i we you they \
    he she them their our your my me us not no nor so too very can could will would shall should \
    may might must do does did done has have had having when while where which who whom what why \
    how than all any both each few more most other some such only own same just also about after \
    before again between because since until up down out off every always never once even still \
    yet now one two many much well dont doesnt cant isnt wont lets let per via like";

const GENERIC: &str = "\
    code test project important careful carefully ensure proper quality good better best \
    practice understand understanding thing something everything anything change changing \
    improve improving issue problem work approach handle handling clean write writing written \
    read make making made need follow feature bug fix fixing task ticket session development \
    develop developer software implementation implement function file system application app \
    solution solve solving time way help helpful useful use using new old right wrong correct \
    correctly easy easier hard simple complex complexity clear clearly key essential crucial \
    future avoid consider check review learn lesson know knowledge remember keep detail detailed \
    step process start starting end first last next part case great nice success successful \
    complete completely completed careless mistake error sure look think thinking plan planning \
    design pattern structure add adding update updating refactor thorough thoroughly different \
    various several lot really quick quickly overall general generally team user document \
    documentation comment requirement goal result value performance security reliable \
    reliability stable stability possible potential existing current currently related relevant \
    necessary needed specific often sometimes usually module component logic behavior codebase \
    repository library tool maintain maintainable readable robust consistent efficient effective \
    meaningful descriptive smoothly forward attention mind deal dealing get getting give take \
    taking go going went put come see try trying debug debugging break cause reduce increase \
    save run running merge merging commit committing production deploy deploying methodical \
    investigate investigating explore communication communicate collaboration successfully \
    thought focus small large big long short idea people everyone become becomes difficult later \
    instead within across around";

#[cfg(test)]
mod tests;
