//! Rules about places: what of what a call touches is protected.

use super::{
    Scene,
    apart::{
        is_copy_kept_apart, is_nobodys, is_sidecar_elsewhere, is_sidecar_kept_apart, is_temporary,
    },
    code::{may_change_elsewhere, names_binary, names_binary_in, names_home},
    left_out::only_left_out,
    nearby::{MANAGED, is_startup, lists_clients},
    place::{Before, Ground, Lies, Touched, fits, has_hole, known_parts, lies, parts, same_place},
    settings::{self, Content},
    touch::{Act, takes_unknown},
};
use crate::{
    core::{event::ToolCall, review},
    shell::{self, HOLE, How, Run, TextOf},
};

/// In the client's folder `plugins`: what it has installed, and from where.
pub const INSTALLED_PLUGINS: &str = "installed_plugins.json";
pub const KNOWN_MARKETPLACES: &str = "known_marketplaces.json";

/// Whether a rule wants to know a file's text before it is written.
pub fn wants_text(touched: &Touched, ground: &Ground) -> bool {
    matches!(touched.touch.act, Act::Write(_))
        && touched.at.iter().any(|it| {
            is_settings(it, ground)
                || is_agent_file(it, ground)
                || is_sidecar_elsewhere(it, ground)
                || touched.touch.act == Act::Write(How::Edit) && is_configuration(it)
        })
}

pub(super) fn touches_home(scene: Scene) -> Option<String> {
    const NAMES: &[&str] = &["ls", "echo", "printf", "realpath", "readlink"];
    let Scene { ground, call, .. } = scene;
    let telling = |it: &str| {
        let parts = known_parts(it);
        // A project's folder of that name is free, but for its configuration.
        let is_projects = matches!(parts.last(), Some(&("learnings.md" | "stats.log")));
        has_hole(it) && parts.contains(&".roz") && !is_projects
    };
    let found = first(scene, |it| {
        it.changes(&ground.home, call) || it.writes_or_may() && telling(&it.touch.path)
    });
    if found.is_some() {
        return found;
    }
    let in_home = |it: &Touched| it.lies(&ground.home, Lies::Inside);
    // `exec 9< lock; flock 9`, and names that one program gives to another.
    let runs = || call.runs();
    let locks = runs().any(|it| it.program == "flock");
    let read = ground.touched.iter().find(|it| it.touch.act == Act::Read && in_home(it));
    if let (true, Some(read)) = (locks, read) {
        return Some(read.touch.path.clone());
    }
    let lists = |it: &Touched| {
        let near = it.lies(&ground.home, Lies::Inside) || it.lies(&ground.home, Lies::Above);
        it.touch.act == Act::Names && near && it.may_find(&ground.home, call)
    };
    if let Some(found) = first(scene, lists) {
        return Some(found);
    }
    let removes_unknown = call.readings.iter().any(takes_unknown);
    // Of those whose finds are followed, what they come to is known.
    let mut finds = call.readings.iter().flat_map(|it| &it.finds);
    let is_lost = finds.any(|it| it.acts.is_empty() && !it.is_text);
    let prints = |it: &&Run| match it.program.as_str() {
        "find" | "fd" | "fdfind" => is_lost,
        program => NAMES.contains(&program),
    };
    let printed = runs().filter(prints).flat_map(|it| it.argv.iter().skip(1)).find(|word| {
        let word = word.trim_end_matches('/');
        ground.home.iter().any(|home| lies(word, home) == Lies::Inside)
            || word.split('/').any(|it| it == ".roz")
    });
    if let (true, Some(path)) = (removes_unknown, printed) {
        return Some(path.clone());
    }
    code_changes(scene, |code| {
        code.contains("ROZ_HOME")
            || ground.home.iter().any(|home| code.contains(home.as_str()))
            || names_home(code)
    })
}

pub(super) fn touches_notes(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    let is_note = |path: &str| {
        let in_client = has_hole(path)
            || ground
                .config_dirs
                .iter()
                .any(|it| lies(path, &format!("{it}/projects")) == Lies::Inside);
        in_client && known_parts(path).contains(&"subagents")
    };
    first(scene, |it| {
        it.changes(&ground.notes, call)
            || it.writes_or_may() && it.is(is_note) && {
                let parts = known_parts(&it.touch.path);
                !has_hole(&it.touch.path)
                    || parts.iter().any(|it| it.starts_with("agent-") || *it == "workflows")
            }
    })
}

fn is_settings(path: &str, ground: &Ground) -> bool {
    const NAMES: &[&str] = &["settings.json", "settings.local.json"];
    let of_user = ground
        .config_dirs
        .iter()
        .any(|dir| NAMES.iter().any(|it| same_place(path, &format!("{dir}/{it}"))));
    let is_one = |parts: &[&str]| match parts {
        [.., folder, name] => {
            // A name that nobody knows, in that very folder: `rm .claude/$f`.
            let is_open = *folder == ".claude" && name.chars().all(|it| it == HOLE);
            (is_open || fits(folder, ".claude") && NAMES.iter().any(|it| fits(name, it)))
                && !is_nobodys(path, ground)
        }
        _ => false,
    };
    // A hole may end with a slash.
    let of_project = is_one(&parts(path).collect::<Vec<&str>>()) || is_one(&known_parts(path));
    of_user || of_project || MANAGED.iter().any(|it| lies(path, it) == Lies::Inside)
}

pub(super) fn changes_settings(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    let found = ground.touched.iter().find(|it| {
        let Act::Write(how) = it.touch.act else { return false };
        // A folder takes no file's place, and a mode is said of what is named.
        let is_free = how == How::Touch
            || matches!(how, How::Directory | How::Chmod) && it.touch.path.ends_with(HOLE);
        if !it.is(|path| is_settings(path, ground)) || is_free {
            return false;
        }
        if it.before == Before::Absent && is_copy_kept_apart(it, scene) {
            return false;
        }
        let before = match &it.before {
            // A pattern is no file, what it finds is.
            Before::Absent if it.touch.path.contains(['*', '?', '[', HOLE]) => Content::Unknown,
            Before::Absent => Content::Absent,
            Before::Text(text) => Content::Text(text.clone()),
            Before::NotAsked | Before::Unreadable => Content::Unknown,
        };
        let after = match how {
            How::Remove => Content::Absent,
            _ => match &it.brought {
                Some(text) => Content::Text(text.clone()),
                None => match written(it, call) {
                    Some(text) => Content::Text(text),
                    None => settings::after(call, &before),
                },
            },
        };
        !settings::stays(&before, &after)
    });
    found.map(|it| it.touch.path.clone()).or_else(|| {
        code_changes(scene, |it| {
            it.contains(".claude")
                && !only_left_out(it)
                && (it.contains("settings") || lists_clients(it))
                || it.contains("rglob(") && it.contains("settings.json")
        })
    })
}

pub(super) fn touches_plugin(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    let is_ours = |path: &str| {
        ground.config_dirs.iter().any(|dir| {
            let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
            let depth = dir.split('/').filter(|it| !it.is_empty()).count() + 1;
            lies(path, &format!("{dir}/plugins")) == Lies::Inside
                && parts.iter().skip(depth).any(|it| it.starts_with("roz"))
        })
    };
    let telling = |path: &str| {
        let parts = known_parts(path);
        has_hole(path)
            && parts.contains(&"plugins")
            && parts.last().is_some_and(|it| [INSTALLED_PLUGINS, KNOWN_MARKETPLACES].contains(it))
    };
    first(scene, |it| {
        it.changes(&ground.plugin, call)
            || it.writes_or_may() && (it.is(is_ours) || telling(&it.touch.path))
    })
}

fn is_agent_file(path: &str, ground: &Ground) -> bool {
    let is_one =
        |parts: &[&str]| parts.windows(2).any(|it| fits(it[0], ".claude") && fits(it[1], "agents"));
    let in_folder = is_one(&parts(path).collect::<Vec<&str>>()) || is_one(&known_parts(path));
    in_folder
        || ground.config_dirs.iter().any(|it| lies(path, &format!("{it}/agents")) == Lies::Inside)
}

pub(super) fn makes_a_reviewer(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    first(scene, |it| {
        let Act::Write(how) = it.touch.act else { return false };
        if !it.is(|path| is_agent_file(path, ground))
            || matches!(how, How::Remove | How::Touch | How::Directory | How::Chmod)
        {
            return false;
        }
        let before = match &it.before {
            Before::Text(text) => Content::Text(text.clone()),
            Before::Absent => Content::Absent,
            Before::NotAsked | Before::Unreadable => Content::Unknown,
        };
        let after = match &it.brought {
            Some(text) => Content::Text(text.clone()),
            None => settings::after(call, &before),
        };
        match after {
            Content::Text(text) => review::names_reviewer(&text),
            // Of a command line: what it says it would write, else its own words.
            Content::Absent | Content::Unknown => {
                // The file's own name counts where its text does not say who it is.
                let is_known = texts(it, call).next().is_some()
                    && texts(it, call).all(|text| text.text.is_some() && !text.added);
                texts(it, call).any(|text| {
                    let old = match (&before, text.added) {
                        (Content::Text(old), true) => old.as_str(),
                        _ => "",
                    };
                    let new = text.text.as_deref().unwrap_or_default();
                    review::names_reviewer(&format!("{old}{new}"))
                }) || call.json.contains(review::REVIEWER)
                    || !is_known
                        && it.is(|path| {
                            let name = shell::last_part(path);
                            name.starts_with("roz")
                        })
            }
        }
    })
}

pub(super) fn makes_an_unknown_agent(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    first(scene, |it| {
        matches!(it.touch.act, Act::Write(How::Write | How::Append))
            && it.is(|path| is_agent_file(path, ground) && path.to_lowercase().ends_with(".md"))
            && texts(it, call).any(|text| text.text.is_none())
    })
}

/// What a file would be given by a call's command lines.
fn texts<'a>(touched: &'a Touched, call: &'a ToolCall) -> impl Iterator<Item = &'a TextOf> {
    let all = call.readings.iter().flat_map(|it| &it.texts);
    all.filter(|it| it.path == touched.touch.path)
}

/// The text that a call's command lines put into a file, if that is all that they do with it.
fn written(touched: &Touched, call: &ToolCall) -> Option<String> {
    let writes = call.readings.iter().flat_map(|it| &it.writes);
    let mut writes = writes.filter(|it| it.path == touched.touch.path);
    let (Some(only), None) = (writes.next(), writes.next()) else { return None };
    let mut texts = texts(touched, call);
    let (Some(text), None) = (texts.next(), texts.next()) else { return None };
    // What a shell makes of these, another one may make otherwise: the `echo` of zsh decodes.
    let is_plain = call.text("command").is_some_and(|it| !it.contains(['$', '`', '\\']));
    let is_known = is_plain && only.how == How::Write && !text.added && call.unread.is_empty();
    text.text.clone().filter(|it| is_known && !it.contains(HOLE))
}

pub(super) fn touches_binary(scene: Scene) -> Option<String> {
    let Scene { ground, call, .. } = scene;
    let is_on_path = |path: &str| {
        path.rsplit_once('/').is_some_and(|(folder, name)| {
            name == "roz" && ground.path.iter().any(|it| same_place(folder, it))
        })
    };
    let found = first(scene, |it| {
        let changes = it.writes() && it.lies(&ground.binary, Lies::Inside);
        let takes = it.takes_away(call) && it.lies(&ground.binary, Lies::Above);
        changes || takes || it.writes() && it.is(is_on_path)
    });
    let startup = || first(scene, |it| it.writes() && it.is(is_startup));
    let startup = || startup().filter(|_| defines_roz(call));
    let own = ground.binary.iter().filter_map(|it| it.rsplit_once('/')).map(|it| it.0);
    let folders: Vec<&str> = own.chain(ground.path.iter().map(String::as_str)).collect();
    let is_named = |code: &str| names_binary(code) || names_binary_in(code, &folders);
    found.or_else(startup).or_else(|| code_changes(scene, is_named))
}

/// Whether a call says that `roz` is to be something else.
fn defines_roz(call: &ToolCall) -> bool {
    let text = call.json;
    ["alias roz", "function roz", "roz()", "roz ()", "hash -p"].iter().any(|it| text.contains(it))
}

pub(super) fn writes_orchestration(scene: Scene) -> Option<String> {
    // Roz itself named the command, word for word; whether it led back to what
    // was there before is looked at afterwards.
    let command = scene.call.text("command").filter(|_| scene.call.name == "Bash");
    if command.is_some_and(|it| scene.session.intent.is_way_back(it)) {
        return None;
    }
    first(scene, |it| {
        it.writes()
            && !is_sidecar_kept_apart(it, scene.ground)
            && it.is(|path| {
                let is_pattern =
                    !path.ends_with("/.orchestration") && !path.contains("/.orchestration/");
                path.split('/').any(|it| fits(it, ".orchestration"))
                    && !is_temporary(path, ".orchestration", scene.ground)
                    && !(is_pattern && is_nobodys(&format!("{path}/x"), scene.ground))
            })
    })
}

/// `.roz/config.toml`, as it is named where roz looks for it.
fn is_configuration(path: &str) -> bool {
    path.ends_with("/.roz/config.toml") || path.ends_with("/.grove/config.toml")
}

/// Whether an edit is known to leave the file as it is: a substitution that finds nothing in it.
fn leaves_as_it_is(touched: &Touched, call: &ToolCall) -> bool {
    let Before::Text(text) = &touched.before else { return false };
    let after = settings::after(call, &Content::Text(text.clone()));
    touched.touch.act == Act::Write(How::Edit) && after == Content::Text(text.clone())
}

pub(super) fn writes_project_config(scene: Scene) -> Option<String> {
    let is_folder = |it: &str| fits(it, ".roz") || fits(it, ".grove");
    first(scene, |it| {
        let takes = it.takes_away(scene.call);
        it.writes()
            && !leaves_as_it_is(it, scene.call)
            && it.is(|path| {
                let parts = known_parts(path);
                match parts[..] {
                    [.., folder, name] if is_folder(folder) => {
                        fits(name, "config.toml")
                            && !is_nobodys(path, scene.ground)
                            && !is_temporary(path, folder, scene.ground)
                    }
                    [.., name] => {
                        takes
                            && is_folder(name)
                            && !is_nobodys(&format!("{path}/x"), scene.ground)
                            && !is_temporary(path, name, scene.ground)
                    }
                    [] => false,
                }
            })
    })
}

pub(super) fn first(scene: Scene, is_it: impl Fn(&Touched) -> bool) -> Option<String> {
    scene.ground.touched.iter().find(|it| is_it(it)).map(|it| it.touch.path.clone())
}

/// Code in another language that names a place and has a word of changing: the
/// reading follows literal paths, and not what a program makes of them.
fn code_changes(scene: Scene, names_place: impl Fn(&str) -> bool) -> Option<String> {
    let mut codes = scene.call.readings.iter().flat_map(|it| &it.code);
    codes.find(|it| names_place(it) && may_change_elsewhere(it)).map(|it| it.text.clone())
}
