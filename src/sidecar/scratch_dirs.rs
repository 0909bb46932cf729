//! Folders that no scope and no ledger covers: the client's scratchpad, its plans, memory and todos
//! in the user's home, and the system's folder for temporary files.

use std::path::{Path, PathBuf};

use crate::{
    core::intent::target::{Place, Target},
    world::links::{normal, real},
};

/// Where systems keep temporary files. On some systems these are links.
pub const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];

/// A folder as written, and with links resolved.
type Spelt = [PathBuf; 2];

#[derive(Debug, Default)]
pub struct Scratch {
    places: Vec<Spelt>,
    /// A temporary folder that contains the project, and the folder in it with the project.
    around: Option<(Spelt, PathBuf)>,
    /// The folder in which each project of the client has a folder `memory`.
    memories: Option<Spelt>,
}

impl Scratch {
    /// For a session of the project at `root`. `scratchpad` comes from the client, `tmpdir` from
    /// the user's environment.
    ///
    /// A folder that contains the project, or is in it, does not count, because it would free the
    /// project's own files; a temporary folder still counts apart from the folder in it that
    /// contains the project. `scratchpad` and `tmpdir` do not count if they are above the user's
    /// home, and `tmpdir` not if it is in the home, because a setting of the project may have named
    /// it.
    pub fn new(
        root: &Path,
        home: Option<&Path>,
        scratchpad: Option<&Path>,
        tmpdir: Option<&Path>,
    ) -> Self {
        let spelt = |path: &Path| [normal(path), real(path)];
        let root = spelt(root);
        let home = home.map(spelt);
        let is_fit = |place: &Spelt| {
            let is_folder = place.iter().all(|path| path.is_absolute() && path.parent().is_some());
            is_folder && !is_above(place, &root) && !is_above(&root, place)
        };
        let is_above_home = |place: &Spelt| home.as_ref().is_some_and(|home| is_above(place, home));
        let is_in_home = |place: &Spelt| home.as_ref().is_some_and(|home| is_above(home, place));
        let known = TEMPORARY.iter().map(|path| spelt(Path::new(path)));
        let around = known.clone().find_map(|place| {
            let name = root[1].strip_prefix(&place[1]).ok()?.iter().next()?;
            let own = place[1].join(name);
            Some((place, own))
        });
        let scratchpad = scratchpad.map(spelt).filter(|place| !is_above_home(place));
        let tmpdir = tmpdir.map(spelt);
        let tmpdir = tmpdir.filter(|place| !is_above_home(place) && !is_in_home(place));
        // The client makes an agent write its plan there before it may do anything else.
        let of_client = |name: &str| {
            home.as_ref().map(|home| home.each_ref().map(|path| path.join(".claude").join(name)))
        };
        let own = ["plans", "todos"].into_iter().filter_map(of_client);
        let places = known.chain(scratchpad).chain(tmpdir).chain(own);
        let places = places.filter(is_fit).collect();
        Self { places, around, memories: of_client("projects").filter(is_fit) }
    }

    /// Whether the target is in such a folder, both as written and with links resolved. A file with
    /// several hard links does not count, because another of its names may be in a project.
    pub fn holds(&self, target: &Target) -> bool {
        let [Place::Outside(written), Place::Outside(real)] = target.places() else {
            return false;
        };
        let is_in = |path: &str, spelling: usize| {
            let path = Path::new(path);
            let memories = self.memories.as_ref();
            let inside = memories.and_then(|place| path.strip_prefix(&place[spelling]).ok());
            let is_memory =
                inside.and_then(|rest| rest.iter().nth(1)).is_some_and(|name| name == "memory");
            let is_below = |place: &Spelt| path.starts_with(&place[spelling]);
            let is_beside = |(place, own): &(Spelt, PathBuf)| {
                is_below(place) && !Path::new(real).starts_with(own)
            };
            is_memory
                || self.places.iter().any(is_below)
                || self.around.as_ref().is_some_and(is_beside)
        };
        target.links <= 1 && (is_in(written, 0) || is_in(written, 1)) && is_in(real, 1)
    }
}

fn is_above(place: &Spelt, other: &Spelt) -> bool {
    place.iter().any(|folder| other.iter().any(|path| path.starts_with(folder)))
}
