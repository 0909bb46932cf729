//! Words that say nothing in other languages than English: who asks in German is not asking about
//! `und`. They are left out of a query that is in that language, and only there: `die` and `was`
//! are words of English, too.

use std::collections::BTreeMap;

/// A set of languages, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Languages(u8);

/// German, French, Spanish, Portuguese, Italian, Dutch.
const COUNT: u32 = 6;
/// A word that English text has as well, so that it tells less.
const IN_ENGLISH: u8 = 128;

/// The languages that words may be in: two different ones tell, or three of which two may be
/// English.
pub(super) fn spoken<'a>(words: impl Iterator<Item = &'a str>) -> Languages {
    let mut told: BTreeMap<String, u8> = BTreeMap::new();
    for word in words.map(str::to_lowercase) {
        if let Some(of) = languages_of(&word) {
            told.insert(word, of);
        }
    }
    let is_spoken = |bit: &u32| {
        let of = told.values().filter(|it| *it & (1 << bit) != 0);
        let sure = of.clone().filter(|it| *it & IN_ENGLISH == 0).count();
        sure >= 2 || sure == 1 && of.count() >= 3
    };
    Languages((0..COUNT).filter(is_spoken).fold(0, |all, bit| all | 1 << bit))
}

impl Languages {
    /// Whether a word says nothing in one of them.
    pub(super) fn pass_over(self, word: &str) -> bool {
        self.0 != 0 && languages_of(&word.to_lowercase()).is_some_and(|it| it & self.0 != 0)
    }
}

fn languages_of(word: &str) -> Option<u8> {
    let at = WORDS.binary_search_by(|(it, _)| (*it).cmp(word)).ok()?;
    WORDS.get(at).map(|it| it.1)
}

/// A word, and whose it is. Sorted.
#[rustfmt::skip]
static WORDS: &[(&str, u8)] = &[
    ("a", 142), ("aan", 32), ("aber", 1), ("agora", 8), ("ahora", 4), ("ai", 146), ("al", 180),
    ("alla", 16), ("alle", 49), ("alles", 33), ("als", 33), ("altra", 16), ("altro", 16),
    ("am", 129), ("an", 129), ("anche", 16), ("ao", 8), ("aos", 8), ("aqui", 8), ("aquí", 4),
    ("as", 138), ("au", 2), ("auch", 1), ("auf", 1), ("aus", 1), ("aussi", 2), ("aux", 2),
    ("avec", 2), ("avez", 2), ("avoir", 2), ("avons", 2), ("bedankt", 32), ("bei", 129),
    ("beim", 1), ("bem", 8), ("bene", 16), ("bien", 6), ("bij", 32), ("bin", 129), ("bist", 1),
    ("bitte", 1), ("ce", 130), ("cela", 2), ("ces", 2), ("cet", 2), ("cette", 2), ("che", 16),
    ("chez", 2), ("chi", 144), ("ci", 16), ("com", 8), ("come", 16), ("comme", 2), ("como", 12),
    ("con", 148), ("cual", 4), ("cuando", 4), ("da", 153), ("daar", 32), ("dal", 16), ("dalla", 16),
    ("dan", 160), ("danke", 1), ("dann", 1), ("dans", 2), ("das", 137), ("dass", 1), ("dat", 32),
    ("de", 174), ("debe", 4), ("degli", 16), ("dei", 16), ("dein", 1), ("deine", 1), ("del", 148),
    ("della", 16), ("delle", 16), ("dem", 1), ("den", 129), ("denn", 1), ("der", 129), ("des", 131),
    ("deve", 24), ("deze", 32), ("di", 144), ("dich", 1), ("die", 161), ("diese", 1), ("diesen", 1),
    ("dieser", 1), ("dieses", 1), ("dir", 1), ("dit", 32), ("do", 136), ("doch", 1), ("doit", 2),
    ("donde", 4), ("dont", 2), ("door", 160), ("dort", 1), ("dos", 136), ("dove", 16), ("du", 3),
    ("durch", 1), ("déjà", 2), ("e", 152), ("een", 32), ("ein", 1), ("eine", 1), ("einem", 1),
    ("einen", 1), ("einer", 1), ("eines", 1), ("einmal", 1), ("el", 132), ("ela", 8), ("ele", 8),
    ("eles", 8), ("ella", 4), ("elle", 2), ("elles", 2), ("ellos", 4), ("em", 8), ("en", 166),
    ("encore", 2), ("entre", 14), ("er", 129), ("era", 156), ("es", 133), ("esa", 4), ("ese", 4),
    ("eso", 4), ("essa", 8), ("esse", 8), ("essere", 16), ("est", 2), ("esta", 12), ("estaba", 4),
    ("estar", 12), ("estas", 12), ("este", 12), ("estes", 8), ("esto", 4), ("estos", 4),
    ("está", 12), ("están", 4), ("estão", 8), ("et", 130), ("eu", 8), ("euch", 1), ("fa", 144),
    ("faire", 2), ("fait", 2), ("fare", 16), ("faut", 2), ("favor", 12), ("favore", 16), ("faz", 8),
    ("fazer", 8), ("foi", 8), ("fra", 16), ("fue", 132), ("für", 1), ("geen", 32), ("gegen", 1),
    ("già", 16), ("gli", 16), ("graag", 32), ("gracias", 4), ("grazie", 16), ("gut", 129),
    ("ha", 148), ("haar", 32), ("habe", 1), ("haben", 1), ("hace", 4), ("hacer", 4), ("had", 160),
    ("han", 4), ("hanno", 16), ("hat", 129), ("hatte", 1), ("hay", 4), ("hebben", 32),
    ("heeft", 32), ("het", 32), ("hier", 161), ("hij", 32), ("ho", 16), ("hoe", 160), ("hun", 32),
    ("há", 8), ("i", 144), ("ich", 1), ("ici", 2), ("ihr", 1), ("ihre", 1), ("ik", 32), ("il", 146),
    ("ils", 2), ("im", 129), ("immer", 1), ("in", 177), ("io", 16), ("is", 160), ("isso", 8),
    ("ist", 1), ("isto", 8), ("je", 34), ("jetzt", 1), ("jij", 32), ("jouw", 32), ("jullie", 32),
    ("já", 8), ("kan", 160), ("kann", 1), ("kannst", 1), ("kein", 1), ("keine", 1), ("keinen", 1),
    ("kunnen", 32), ("können", 1), ("könnte", 1), ("la", 150), ("las", 4), ("le", 150), ("lei", 16),
    ("les", 134), ("leur", 2), ("leurs", 2), ("lhe", 8), ("lo", 148), ("loro", 16), ("los", 4),
    ("lui", 18), ("là", 2), ("ma", 146), ("maar", 32), ("mach", 1), ("machen", 1),
    ("maintenant", 2), ("mais", 10), ("mal", 129), ("man", 129), ("mas", 136), ("me", 174),
    ("mein", 1), ("meine", 1), ("merci", 2), ("mes", 130), ("met", 32), ("meu", 8), ("mi", 148),
    ("mia", 16), ("mich", 1), ("mij", 32), ("mijn", 32), ("minha", 8), ("mio", 16), ("mir", 1),
    ("mis", 4), ("mit", 1), ("moet", 32), ("moeten", 32), ("molto", 16), ("mon", 2), ("muito", 8),
    ("muss", 1), ("muy", 4), ("más", 4), ("müssen", 1), ("na", 136), ("naar", 32), ("nach", 1),
    ("nas", 8), ("ne", 2), ("nel", 16), ("nella", 16), ("nem", 8), ("ni", 134), ("nicht", 1),
    ("niet", 32), ("no", 140), ("noch", 1), ("nog", 32), ("noi", 16), ("non", 144), ("nos", 142),
    ("nosso", 8), ("nostro", 16), ("notre", 2), ("nous", 2), ("nu", 32), ("nuestro", 4), ("nur", 1),
    ("não", 8), ("né", 16), ("nós", 8), ("o", 156), ("obrigado", 8), ("oder", 1), ("of", 160),
    ("ohne", 1), ("om", 32), ("on", 130), ("onde", 8), ("onder", 32), ("ons", 32), ("ont", 2),
    ("ook", 32), ("op", 32), ("ora", 144), ("os", 136), ("otra", 4), ("otro", 4), ("ou", 10),
    ("outra", 8), ("outro", 8), ("over", 160), ("où", 2), ("par", 130), ("para", 12), ("pas", 2),
    ("per", 144), ("perché", 16), ("pero", 4), ("peut", 2), ("peuvent", 2), ("peux", 2),
    ("più", 16), ("plus", 130), ("pode", 8), ("podem", 8), ("por", 12), ("porque", 12),
    ("possono", 16), ("pour", 2), ("pourquoi", 2), ("puede", 4), ("pueden", 4), ("puedes", 4),
    ("puoi", 16), ("può", 16), ("quand", 2), ("quando", 24), ("que", 14), ("quella", 16),
    ("quello", 16), ("quem", 8), ("questa", 16), ("queste", 16), ("questi", 16), ("questo", 16),
    ("qui", 18), ("quien", 4), ("quoi", 2), ("sa", 130), ("sans", 2), ("schon", 1), ("se", 158),
    ("sehr", 1), ("sein", 1), ("seine", 1), ("sem", 8), ("senza", 16), ("ser", 12), ("ses", 2),
    ("seu", 8), ("seus", 8), ("si", 150), ("sich", 1), ("sie", 1), ("sin", 132), ("sind", 1),
    ("so", 129), ("sobre", 12), ("soll", 1), ("sollte", 1), ("son", 134), ("sono", 16), ("sont", 2),
    ("sous", 2), ("stato", 16), ("su", 148), ("sua", 24), ("suas", 8), ("suo", 16), ("sur", 130),
    ("sus", 4), ("são", 8), ("ta", 130), ("también", 4), ("também", 8), ("te", 174), ("tegen", 32),
    ("tem", 8), ("tes", 2), ("ti", 144), ("toda", 12), ("todas", 4), ("todo", 4), ("todos", 12),
    ("ton", 130), ("tous", 2), ("tout", 130), ("toute", 2), ("toutes", 2), ("tra", 16), ("très", 2),
    ("tu", 134), ("tua", 16), ("tudo", 8), ("tuo", 16), ("tus", 4), ("tutta", 16), ("tutti", 16),
    ("tutto", 16), ("têm", 8), ("u", 160), ("uit", 32), ("um", 137), ("uma", 8), ("umas", 8),
    ("un", 150), ("una", 20), ("unas", 4), ("und", 1), ("une", 2), ("uno", 16), ("unos", 4),
    ("uns", 9), ("unser", 1), ("unter", 1), ("van", 160), ("vers", 2), ("vi", 144), ("você", 8),
    ("voi", 16), ("vom", 1), ("von", 1), ("voor", 32), ("vos", 2), ("votre", 2), ("vous", 2),
    ("waar", 32), ("waarom", 32), ("war", 129), ("waren", 161), ("warum", 1), ("was", 161),
    ("wat", 32), ("we", 160), ("weer", 32), ("weil", 1), ("wel", 160), ("welche", 1),
    ("welcher", 1), ("wenn", 1), ("wer", 1), ("werden", 1), ("wie", 33), ("wieder", 1), ("wij", 32),
    ("wir", 1), ("wird", 1), ("wo", 1), ("worden", 32), ("wordt", 32), ("wurde", 1), ("wurden", 1),
    ("y", 134), ("ya", 4), ("yo", 4), ("zal", 32), ("ze", 32), ("zeer", 32), ("zich", 32),
    ("zij", 32), ("zijn", 32), ("zonder", 32), ("zou", 32), ("zu", 1), ("zum", 1), ("zur", 1),
    ("ça", 2), ("è", 16), ("é", 8), ("était", 2), ("été", 2), ("être", 2), ("über", 1),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted_and_of_known_languages() {
        assert!(WORDS.is_sorted_by(|a, b| a.0 < b.0));
        assert!(WORDS.iter().all(|it| it.1 & !IN_ENGLISH < 1 << COUNT && it.1 != IN_ENGLISH));
    }

    #[test]
    fn a_language_is_told_by_some_of_its_words_and_english_is_none_of_them() {
        let of = |text: &str| spoken(text.split(' '));
        for (text, word) in [
            ("Die Steuer auf der Rechnung ist falsch und nicht gerundet", "die"),
            ("ändere die Farbe des Knopfes auf der Startseite", "die"),
            ("mets le guide dans le dossier avec une page", "le"),
            ("el impuesto de la factura está mal, pero hay más", "de"),
            ("o imposto não está certo", "o"),
            ("la fattura è sbagliata, perché", "la"),
            ("de factuur is niet goed voor een klant", "is"),
        ] {
            assert!(of(text).pass_over(word), "{text}");
            assert!(!of(text).pass_over("factuur"), "{text}");
        }
        for text in [
            "what was the war that made him die in so many an hour",
            "add de and fr to the list of locales, and move el.json to i18n",
            "der Fehler",
            "",
        ] {
            assert_eq!(of(text), Languages::default(), "{text}");
        }
    }
}
