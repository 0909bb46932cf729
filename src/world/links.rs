//! Where paths lead: as they say, and once links are followed.

use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

const MAX_LINKS: usize = 40;

/// `.` and `..` taken for what they say.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut res = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(res.pop()),
            Component::CurDir => (),
            part => res.push(part),
        }
    }
    res
}

/// Where paths lead once links are followed. Many have their beginning in
/// common: each part is looked at once.
#[derive(Debug, Default)]
pub(crate) struct Links {
    seen: BTreeMap<PathBuf, Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Link(PathBuf),
    Other,
    Absent,
}

impl Links {
    /// As far as the path is there; the rest as it says. A link that leads
    /// nowhere yet is followed, too: writing through it makes the file.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        // The system does it at a tenth of the price, where all of it is there.
        if let Ok(real) = path.canonicalize() {
            return real;
        }
        let mut links = MAX_LINKS;
        let mut todo: Vec<PathBuf> = vec![path.to_owned()];
        let mut res = PathBuf::new();
        let mut is_there = true;
        while let Some(path) = todo.pop() {
            let mut parts = path.components();
            let Some(part) = parts.next() else { continue };
            todo.push(parts.as_path().to_owned());
            match part {
                Component::ParentDir => {
                    res.pop();
                    // Whatever was missing is left again.
                    is_there = true;
                }
                Component::Normal(name) => {
                    res.push(name);
                    if !is_there {
                        continue;
                    }
                    match self.part(&res) {
                        Part::Link(target) if links > 0 => {
                            links -= 1;
                            res.pop();
                            todo.push(target);
                        }
                        Part::Link(_) | Part::Other => (),
                        Part::Absent => is_there = false,
                    }
                }
                // An absolute link begins anew.
                part => res.push(part),
            }
        }
        res
    }

    fn part(&mut self, path: &Path) -> Part {
        if let Some(part) = self.seen.get(path) {
            return part.clone();
        }
        let part = match path.read_link() {
            Ok(target) => Part::Link(target),
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => Part::Absent,
            Err(_) => Part::Other,
        };
        self.seen.insert(path.to_owned(), part.clone());
        part
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_yet_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let real = |path: &str| Links::default().real(&root.join(path));
        symlink("b/new", root.join("a")).unwrap();
        std::fs::create_dir(root.join("c")).unwrap();
        symlink("c", root.join("b")).unwrap();
        assert_eq!(real("a"), root.join("c/new"));
        assert_eq!(real("b/../x"), root.join("x"));
        assert_eq!(real("none/../b/none/../y"), root.join("c/y"));
        assert_eq!(real("b/none/deep"), root.join("c/none/deep"));
        symlink(root.join("c"), root.join("absolute")).unwrap();
        assert_eq!(real("absolute/z"), root.join("c/z"));
        symlink("e", root.join("d")).unwrap();
        symlink("d", root.join("e")).unwrap();
        assert!(real("d").starts_with(&root), "a circle ends");
        for name in ["", "c", "b", "absolute"] {
            assert_eq!(real(name), root.join(name).canonicalize().unwrap(), "{name}");
        }
    }
}
