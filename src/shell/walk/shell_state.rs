//! The state of the shell: variables, functions, aliases, directories.
//!
//! There may be several values, one for each way that the line may have taken. Changes are
//! journaled, so that those of a subshell or a branch can be undone without copying everything.

use super::paths::join;
use crate::shell::syntax::Node;
use crate::shell::{HOLE, limit};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// Keys and values; an indexed array has numbers for keys.
    Array(Vec<(String, String)>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Variable {
    /// At least one; several after a branch.
    pub(super) values: Vec<Value>,
    /// Whether programs see it.
    pub(super) exported: bool,
}

/// A function's bodies, one for each definition that may be in effect.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) bodies: Vec<Rc<Node>>,
    /// Whether it is certainly defined; otherwise the program of that name may run.
    pub(super) certain: bool,
}

#[derive(Debug, Default)]
pub(super) struct Env {
    variables: BTreeMap<String, Variable>,
    functions: BTreeMap<String, Function>,
    aliases: BTreeMap<String, String>,
    /// `git config alias.p push`. A subshell does not end them.
    git_aliases: BTreeMap<String, String>,
    /// The directories that the line may be in, relative to where it starts ("").
    directories: Vec<String>,
    /// The directories that `popd` goes back to.
    stack: Vec<Vec<String>>,
    /// The directories that `cd -` goes back to.
    previous: Vec<String>,
    /// One for each way that the line may have taken.
    positional: Vec<Positional>,
    journal: Vec<Undo>,
}

#[derive(Debug)]
enum Undo {
    Variable(String, Option<Variable>),
    Function(String, Option<Function>),
    Alias(String, Option<String>),
    Directories(Vec<String>),
    Positional(Vec<Positional>),
}

/// `$1` and so on; `None` if they are unknown.
pub(super) type Positional = Option<Vec<String>>;

#[derive(Debug, Default)]
pub(super) struct Changes {
    variables: BTreeMap<String, Option<Variable>>,
    functions: BTreeMap<String, Option<Function>>,
    aliases: BTreeMap<String, Option<String>>,
    pub(super) directories: Option<Vec<String>>,
    positional: Option<Vec<Positional>>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.variables.is_empty()
            && self.functions.is_empty()
            && self.aliases.is_empty()
            && self.directories.is_none()
            && self.positional.is_none()
    }
}

impl Value {
    pub(super) fn hole() -> Self {
        Self::Text(HOLE.to_string())
    }

    /// The elements of an array; a text is the first one.
    pub(super) fn into_elements(self) -> Vec<(String, String)> {
        match self {
            Self::Text(text) => vec![("0".to_owned(), text)],
            Self::Array(elements) => elements,
        }
    }

    /// The text, or that of element 0 of an array.
    pub(super) fn scalar(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Array(elements) => {
                elements.iter().find(|(key, _)| key == "0").map_or("", |(_, text)| text)
            }
        }
    }
}

impl Env {
    pub(super) fn new(variables: &[(String, String)]) -> Self {
        let mut env =
            Self { directories: vec![String::new()], positional: vec![None], ..Self::default() };
        let defaults =
            [("HOME", "~"), ("IFS", " \t\n"), ("SHELL", "/bin/bash"), ("BASH", "/bin/bash")];
        for (name, text) in defaults {
            env.set(name, vec![Value::Text(text.to_owned())]);
        }
        for (name, text) in variables {
            env.set(name, vec![Value::Text(text.clone())]);
            env.export(name);
        }
        env.export("HOME");
        env.journal.clear();
        env
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// The text of a variable; empty if it is not set.
    pub(super) fn known(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", |variable| variable.values[0].scalar())
    }

    pub(super) fn set(&mut self, name: &str, mut values: Vec<Value>) {
        values.dedup();
        for value in &mut values {
            if let Value::Text(text) = value
                && text.len() > limit::TEXT
            {
                *value = Value::hole();
            }
        }
        if values.is_empty() || values.len() > limit::VALUES {
            values = vec![Value::hole()];
        }
        let exported = self.variables.get(name).is_some_and(|variable| variable.exported);
        self.put(name, Some(Variable { values, exported }));
    }

    /// Restores what [`Self::variable`] returned.
    pub(super) fn put(&mut self, name: &str, variable: Option<Variable>) {
        let before = match variable {
            Some(variable) => self.variables.insert(name.to_owned(), variable),
            None => self.variables.remove(name),
        };
        self.journal.push(Undo::Variable(name.to_owned(), before));
    }

    pub(super) fn export(&mut self, name: &str) {
        if let Some(variable) = self.variables.get(name)
            && !variable.exported
        {
            let variable = Variable { exported: true, ..variable.clone() };
            self.put(name, Some(variable));
        }
    }

    /// The cost of [`Self::keep_exported`].
    pub(super) fn size(&self) -> usize {
        self.variables.len() + self.functions.len()
    }

    /// Leaves only what a new process sees.
    pub(super) fn keep_exported(&mut self) {
        let inner: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| !variable.exported && *name != "IFS")
            .map(|(name, _)| name.clone())
            .collect();
        for name in inner {
            self.put(&name, None);
        }
        for (name, function) in self.functions.clone() {
            // `export -f` may have exported it.
            self.put_function(&name, Some(Function { certain: false, ..function }));
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    pub(super) fn put_function(&mut self, name: &str, function: Option<Function>) {
        let before = match function {
            Some(function) => self.functions.insert(name.to_owned(), function),
            None => self.functions.remove(name),
        };
        self.journal.push(Undo::Function(name.to_owned(), before));
    }

    pub(super) fn alias(&self, name: &str) -> Option<&String> {
        self.aliases.get(name)
    }

    pub(super) fn put_alias(&mut self, name: &str, text: Option<String>) {
        let before = match text {
            Some(text) => self.aliases.insert(name.to_owned(), text),
            None => self.aliases.remove(name),
        };
        self.journal.push(Undo::Alias(name.to_owned(), before));
    }

    pub(super) fn directories(&self) -> &[String] {
        &self.directories
    }

    pub(super) fn put_directories(&mut self, directories: Vec<String>) {
        let before = std::mem::replace(&mut self.directories, directories);
        self.journal.push(Undo::Directories(before));
    }

    /// A path relative to where the line starts, once for each directory that the line may be in.
    pub(super) fn located(&self, path: &str) -> Vec<String> {
        self.directories.iter().map(|directory| join(directory, path)).collect()
    }

    /// `pushd`: [`Self::pop_directories`] returns to the current directory.
    pub(super) fn push_directories(&mut self) {
        if self.stack.len() < limit::DEPTH {
            self.stack.push(self.directories.clone());
        }
    }

    pub(super) fn pop_directories(&mut self) {
        if let Some(directories) = self.stack.pop() {
            self.put_directories(directories);
        }
    }

    pub(super) fn stack_depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn truncate_stack(&mut self, depth: usize) {
        self.stack.truncate(depth);
    }

    /// The directories that `cd -` goes back to; empty before the first `cd`.
    pub(super) fn previous(&self) -> &[String] {
        &self.previous
    }

    /// Changes directory, so that `cd -` returns.
    pub(super) fn leave_for(&mut self, directories: Vec<String>) {
        self.previous = self.directories.clone();
        self.put_directories(directories);
    }

    pub(super) fn git_alias(&self, name: &str) -> Option<&String> {
        self.git_aliases.get(name)
    }

    pub(super) fn put_git_alias(&mut self, name: String, text: String) {
        self.git_aliases.insert(name, text);
    }

    /// At least one.
    pub(super) fn positional(&self) -> &[Positional] {
        &self.positional
    }

    pub(super) fn put_positional(&mut self, ways: Vec<Positional>) {
        let before = std::mem::replace(&mut self.positional, ways);
        self.journal.push(Undo::Positional(before));
    }

    /// A point to go back to.
    pub(super) fn mark(&self) -> usize {
        self.journal.len()
    }

    /// Undoes all changes since `mark`, and returns them.
    pub(super) fn take_back(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::default();
        while self.journal.len() > mark {
            let Some(undo) = self.journal.pop() else { break };
            match undo {
                Undo::Variable(name, before) => {
                    let now = restore(&mut self.variables, &name, before);
                    changes.variables.entry(name).or_insert(now);
                }
                Undo::Function(name, before) => {
                    let now = restore(&mut self.functions, &name, before);
                    changes.functions.entry(name).or_insert(now);
                }
                Undo::Alias(name, before) => {
                    let now = restore(&mut self.aliases, &name, before);
                    changes.aliases.entry(name).or_insert(now);
                }
                Undo::Directories(before) => {
                    let now = std::mem::replace(&mut self.directories, before);
                    changes.directories.get_or_insert(now);
                }
                Undo::Positional(before) => {
                    let now = std::mem::replace(&mut self.positional, before);
                    changes.positional.get_or_insert(now);
                }
            }
        }
        changes
    }

    /// Merges the changes of several branches. `exhaustive` says that one of them was certainly
    /// taken, so that the previous state is not possible any more.
    pub(super) fn merge(&mut self, branches: &[Changes], exhaustive: bool) {
        self.merge_variables(branches, exhaustive);
        for branch in branches {
            for (name, function) in &branch.functions {
                let mut bodies =
                    self.functions.get(name).map(|f| f.bodies.clone()).unwrap_or_default();
                bodies.extend(function.iter().flat_map(|f| f.bodies.clone()));
                bodies.truncate(limit::VALUES);
                let certain = exhaustive
                    && branches.iter().all(|branch| {
                        branch
                            .functions
                            .get(name)
                            .is_some_and(|f| f.as_ref().is_some_and(|function| function.certain))
                    });
                self.put_function(name, Some(Function { bodies, certain }));
            }
            for (name, alias) in &branch.aliases {
                if alias.is_some() {
                    self.put_alias(name, alias.clone());
                }
            }
        }
        if branches.iter().any(|branch| branch.positional.is_some()) {
            let after = branches.iter().map(|branch| branch.positional.as_ref());
            self.put_positional(union(&self.positional, after, exhaustive, None));
        }
        if branches.iter().any(|branch| branch.directories.is_some()) {
            let after = branches.iter().map(|branch| branch.directories.as_ref());
            self.put_directories(union(&self.directories, after, exhaustive, HOLE.to_string()));
        }
    }

    fn merge_variables(&mut self, branches: &[Changes], exhaustive: bool) {
        let mut names: Vec<&String> = branches.iter().flat_map(|b| b.variables.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let before = self.variables.get(name).cloned();
            let mut values = Vec::new();
            let mut exported = before.as_ref().is_some_and(|variable| variable.exported);
            let mut add = |variable: Option<&Variable>| match variable {
                Some(variable) => {
                    exported |= variable.exported;
                    for value in &variable.values {
                        if !values.contains(value) {
                            values.push(value.clone());
                        }
                    }
                }
                None if !values.contains(&Value::hole()) => values.push(Value::hole()),
                None => {}
            };
            if !exhaustive {
                add(before.as_ref());
            }
            for branch in branches {
                match branch.variables.get(name) {
                    Some(variable) => add(variable.as_ref()),
                    None => add(before.as_ref()),
                }
            }
            if values.len() > limit::VALUES {
                values = vec![Value::hole()];
            }
            self.put(name, Some(Variable { values, exported }));
        }
    }
}

/// The possible values after several branches. A branch without a value keeps the previous one.
fn union<'a, T: Clone + PartialEq>(
    before: &'a Vec<T>,
    after: impl Iterator<Item = Option<&'a Vec<T>>>,
    exhaustive: bool,
    unknown: T,
) -> Vec<T> {
    let mut union = if exhaustive { Vec::new() } else { before.clone() };
    for value in after.flat_map(|values| values.unwrap_or(before)) {
        if !union.contains(value) {
            union.push(value.clone());
        }
    }
    if union.len() > limit::VALUES { vec![unknown] } else { union }
}

/// Restores `before` under `name`, and returns what had replaced it.
fn restore<T>(map: &mut BTreeMap<String, T>, name: &str, before: Option<T>) -> Option<T> {
    match before {
        Some(before) => map.insert(name.to_owned(), before),
        None => map.remove(name),
    }
}
