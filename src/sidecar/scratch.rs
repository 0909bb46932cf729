//! Places that are nobody's: the client's scratchpad, its plans, memory and todos in the user's
//! home, and the system's folder for temporary files. What is written there is in no scope and no
//! ledger.

use std::path::{Path, PathBuf};

use crate::{
    core::intent::target::{Place, Target},
    world::links::normal,
};

/// Where systems keep temporary files; on some of them it is a link.
pub const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];

/// The places, in both spellings each.
#[derive(Debug, Default)]
pub struct Scratch {
    places: Vec<[PathBuf; 2]>,
    /// A temporary folder in which the project lies, and the folder in it that holds the project.
    around: Option<([PathBuf; 2], PathBuf)>,
    /// Below it each project of the client's has a folder `memory`.
    memories: Option<[PathBuf; 2]>,
}

impl Scratch {
    /// For a session of the project at `root`. `scratchpad` is what the client
    /// calls its own, `tmpdir` what the user's environment names.
    ///
    /// A place in which the project lies, or that lies in the project, is none: it would free the
    /// project's own files. Of a temporary folder only the folder in it is kept out in which the
    /// project lies. Nor is one of the two that are named if it holds or is the user's home, or is
    /// in it without being the client's: a setting of the project may have named it.
    pub fn new(
        root: &Path,
        home: Option<&Path>,
        scratchpad: Option<&Path>,
        tmpdir: Option<&Path>,
    ) -> Self {
        let spelt = |it: &Path| [normal(it), it.canonicalize().unwrap_or_else(|_| normal(it))];
        let root = spelt(root);
        let home = home.map(spelt);
        let meet = |place: &[PathBuf; 2], other: &[PathBuf; 2]| {
            place
                .iter()
                .any(|it| other.iter().any(|its| it.starts_with(its) || its.starts_with(it)))
        };
        let holds = |place: &[PathBuf; 2], other: &[PathBuf; 2]| {
            place.iter().any(|it| other.iter().any(|its| its.starts_with(it)))
        };
        let is_fit = |place: &[PathBuf; 2]| {
            place.iter().all(|it| it.is_absolute() && it.parent().is_some()) && !meet(place, &root)
        };
        let holds_home = |it: &[PathBuf; 2]| home.as_ref().is_some_and(|home| holds(it, home));
        let meets_home = |it: &[PathBuf; 2]| home.as_ref().is_some_and(|home| meet(it, home));
        let known = TEMPORARY.iter().map(|it| spelt(Path::new(it)));
        let around = known.clone().find_map(|place| {
            let name = root[1].strip_prefix(&place[1]).ok()?.iter().next()?;
            let own = place[1].join(name);
            Some((place, own))
        });
        let scratchpad = scratchpad.map(spelt).filter(|it| !holds_home(it));
        let tmpdir = tmpdir.map(spelt).filter(|it| !meets_home(it));
        // Where the client has an agent write its plan, before it may do anything else.
        let of_client = |name: &str| {
            home.as_ref().map(|it| it.each_ref().map(|it| it.join(".claude").join(name)))
        };
        let own = ["plans", "todos"].into_iter().filter_map(of_client);
        let places = known.chain(scratchpad).chain(tmpdir).chain(own);
        let places = places.filter(|it| is_fit(it)).collect();
        let memories = of_client("projects").filter(|it| is_fit(it));
        Self { places, around, memories }
    }

    /// Whether the target is in such a place, as written and as it really is. A
    /// file with other names may be somebody's under one of them.
    pub fn holds(&self, target: &Target) -> bool {
        let [Place::Outside(written), Place::Outside(real)] = target.places() else {
            return false;
        };
        let is_in = |path: &str, spelling: usize| {
            let is_below =
                |place: &[PathBuf; 2]| Path::new(path).strip_prefix(&place[spelling]).is_ok();
            let is_memory = |projects: &[PathBuf; 2]| {
                let rest = Path::new(path).strip_prefix(&projects[spelling]);
                rest.is_ok_and(|rest| rest.iter().nth(1).is_some_and(|it| it == "memory"))
            };
            let is_beside = |(place, own): &([PathBuf; 2], PathBuf)| {
                is_below(place) && !Path::new(real).starts_with(own)
            };
            self.places.iter().any(is_below)
                || self.around.as_ref().is_some_and(is_beside)
                || self.memories.as_ref().is_some_and(is_memory)
        };
        target.links <= 1 && (is_in(written, 0) || is_in(written, 1)) && is_in(real, 1)
    }
}
