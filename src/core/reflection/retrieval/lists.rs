//! Words that say little about what a text is about. Chosen from what tickets
//! and prompts look like anywhere, before there was a set to measure with.

/// Whether a word (in lower case) is left out of queries and of the index.
pub(super) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// Whether a stem is at home in any ticket of any project: it counts as if
/// many other texts had it as well.
pub(super) fn is_generic(stem: &str) -> bool {
    GENERIC.binary_search(&stem).is_ok()
}

/// One stem for what developers write in several ways.
pub(super) fn canonical(stem: &str) -> Option<&'static str> {
    let at = SAME.binary_search_by(|(other, _)| (*other).cmp(stem)).ok()?;
    SAME.get(at).map(|(_, one)| *one)
}

/// Function words, and the chatter of prompts. Sorted.
#[rustfmt::skip]
static STOP: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "along", "already", "also", "although",
    "always", "am", "an", "and", "any", "anyone", "anything", "are", "aren", "as", "at", "away",
    "back", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by",
    "can", "cannot", "could", "couldn", "did", "didn", "do", "does", "doesn", "doing", "don",
    "done", "down", "due", "during", "each", "either", "else", "enough", "etc", "even", "ever",
    "every", "everything", "few", "first", "for", "from", "further", "get", "gets", "getting",
    "give", "go", "goes", "going", "gone", "got", "had", "hadn", "has", "hasn", "have", "haven",
    "having", "he", "hello", "help", "hence", "her", "here", "hers", "hey", "hi", "him", "his",
    "how", "however", "i", "if", "in", "instead", "into", "is", "isn", "it", "its", "itself",
    "just", "keep", "keeps", "kind", "know", "last", "later", "least", "less", "let", "lets",
    "like", "likely", "ll", "look", "looking", "looks", "lot", "made", "make", "makes", "making",
    "many", "may", "maybe", "me", "mean", "means", "might", "more", "most", "much", "must", "my",
    "need", "needed", "needs", "neither", "never", "new", "next", "no", "nor", "not", "nothing",
    "now", "of", "off", "ok", "okay", "on", "once", "one", "ones", "only", "onto", "or", "other",
    "others", "otherwise", "our", "out", "over", "own", "per", "perhaps", "please", "possible",
    "put", "quite", "rather", "re", "really", "right", "s", "said", "same", "say", "says", "see",
    "seem", "seems", "seen", "shall", "she", "should", "shouldn", "since", "so", "some", "someone",
    "something", "soon", "still", "such", "sure", "take", "taken", "takes", "tell", "than", "thank",
    "thanks", "that", "the", "their", "them", "then", "there", "these", "they", "thing", "things",
    "think", "this", "those", "though", "through", "thus", "to", "together", "too", "toward", "try",
    "trying", "two", "under", "until", "up", "upon", "us", "use", "used", "uses", "using",
    "usually", "ve", "very", "via", "want", "wanted", "wants", "was", "wasn", "way", "we", "well",
    "went", "were", "weren", "what", "whatever", "when", "whenever", "where", "whether", "which",
    "while", "who", "whole", "whose", "why", "will", "with", "within", "without", "won", "would",
    "wouldn", "yes", "yet", "you", "your", "yours",
];

/// Stems, sorted.
#[rustfmt::skip]
static GENERIC: &[&str] = &[
    "abil", "accept", "access", "action", "actual", "add", "allow", "answer", "app", "appli",
    "applic", "approach", "area", "around", "ask", "avail", "avoid", "bad", "base", "basic",
    "becom", "begin", "behav", "behavior", "better", "bit", "block", "break", "bring", "broken",
    "bug", "build", "call", "case", "caus", "certain", "chang", "check", "choos", "class", "clean",
    "clear", "close", "code", "come", "common", "compar", "complet", "consid", "contain", "content",
    "control", "copi", "correct", "cover", "creat", "current", "custom", "data", "date", "day",
    "deal", "decid", "default", "defin", "delet", "depend", "describ", "design", "detail",
    "develop", "differ", "direct", "disabl", "display", "do", "document", "drop", "earli", "easi",
    "edit", "effect", "element", "empti", "enabl", "end", "ensur", "entir", "entri", "error",
    "event", "exact", "exampl", "exist", "expect", "explain", "extra", "fact", "fail", "failur",
    "fall", "fast", "featur", "field", "figur", "file", "fill", "find", "fine", "finish", "fix",
    "flow", "follow", "forc", "form", "format", "found", "full", "function", "general", "generat",
    "good", "great", "group", "grow", "handl", "happen", "hard", "hide", "hold", "hour", "idea",
    "ignor", "implement", "import", "improv", "includ", "increas", "inform", "insid", "introduc",
    "investig", "issu", "item", "job", "keep", "key", "larg", "late", "lead", "leav", "left",
    "length", "level", "line", "link", "list", "littl", "live", "load", "local", "log", "long",
    "longer", "lose", "low", "main", "maintain", "manag", "manual", "match", "matter", "method",
    "migrat", "miss", "mode", "model", "modifi", "modul", "move", "multipl", "name", "nice",
    "normal", "note", "number", "object", "occur", "old", "open", "oper", "option", "order",
    "output", "page", "pars", "part", "pass", "peopl", "perform", "person", "place", "plan",
    "point", "prepar", "present", "prevent", "previous", "print", "problem", "process", "produc",
    "product", "program", "project", "proper", "provid", "pull", "purpos", "push", "question",
    "quick", "rais", "random", "reach", "read", "readi", "real", "reason", "receiv", "recent",
    "reduc", "refactor", "relat", "releas", "remain", "remov", "renam", "repeat", "replac",
    "report", "request", "requir", "reset", "resolv", "respons", "rest", "result", "return",
    "review", "rewrit", "run", "save", "screen", "script", "second", "section", "select", "send",
    "separ", "seri", "serv", "servic", "set", "setup", "sever", "share", "short", "show", "side",
    "similar", "simpl", "singl", "slow", "small", "solv", "sometim", "sourc", "special", "specif",
    "split", "stage", "stand", "start", "state", "status", "step", "stop", "store", "strang",
    "string", "structur", "stuff", "style", "suggest", "suppli", "support", "switch", "system",
    "tabl", "task", "team", "temporari", "test", "text", "ticket", "time", "today", "togeth", "top",
    "total", "track", "trigger", "true", "turn", "type", "unabl", "understand", "unit", "updat",
    "usag", "user", "valid", "valu", "version", "view", "visibl", "wait", "watch", "week", "whole",
    "wide", "wish", "word", "work", "write", "wrong", "year",
];

/// A stem, and the one that stands for it. Sorted.
#[rustfmt::skip]
static SAME: &[(&str, &str)] = &[
    ("addr", "address"), ("arg", "argument"), ("asynchron", "async"), ("authent", "auth"),
    ("behaviour", "behavior"), ("broke", "break"), ("broken", "break"), ("btn", "button"),
    ("buf", "buffer"), ("built", "build"), ("catalogu", "catalog"), ("cert", "certif"),
    ("cfg", "config"), ("cmd", "command"), ("colour", "color"), ("conf", "config"),
    ("configur", "config"), ("ctx", "context"), ("databas", "db"), ("dep", "depend"),
    ("dev", "develop"), ("dir", "directori"), ("doc", "document"), ("environ", "env"),
    ("err", "error"), ("favourit", "favorit"), ("fn", "function"), ("freez", "frozen"),
    ("froze", "frozen"), ("func", "function"), ("held", "hold"), ("hung", "hang"),
    ("identifi", "id"), ("img", "imag"), ("initi", "init"), ("initialis", "init"),
    ("internation", "i18n"), ("irq", "interrupt"), ("isr", "interrupt"), ("javascript", "js"),
    ("kept", "keep"), ("kubernet", "k8s"), ("l10n", "i18n"), ("lib", "librari"),
    ("licenc", "licens"), ("localis", "i18n"), ("lost", "lose"), ("mem", "memori"),
    ("msg", "messag"), ("nav", "navig"), ("panick", "panic"), ("param", "paramet"),
    ("passwd", "password"), ("perf", "perform"), ("pkg", "packag"), ("postgr", "pg"),
    ("postgresql", "pg"), ("prod", "product"), ("pwd", "password"), ("py", "python"),
    ("qty", "quantiti"), ("ran", "run"), ("ref", "refer"), ("repositori", "repo"),
    ("req", "request"), ("resp", "respons"), ("sent", "send"), ("slept", "sleep"),
    ("spec", "specif"), ("synchron", "sync"), ("synchronis", "sync"), ("threw", "throw"),
    ("thrown", "throw"), ("tmp", "temporari"), ("tz", "timezon"), ("var", "variabl"),
    ("ver", "version"), ("vuln", "vulner"), ("written", "write"), ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_name_nothing_twice() {
        assert!(STOP.is_sorted_by(|a, b| a < b));
        assert!(GENERIC.is_sorted_by(|a, b| a < b));
        assert!(SAME.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn what_stands_for_another_stands_for_itself() {
        assert_eq!(SAME.iter().find(|(_, one)| canonical(one).is_some()), None);
    }
}
