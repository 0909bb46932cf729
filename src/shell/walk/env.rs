//! What a line has set so far: variables, functions, aliases, the directory, the files it wrote.
//!
//! A value may be one of several, one for each way that the line may have taken. Changes are
//! journaled, so that a subshell or a branch can be taken back without copying everything.
//!
//! Long because it is one state: what changes it, what takes that back, what merges branches.

use super::super::syntax::Node;
use super::super::{HOLE, limit};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Variables that hold a shell where nobody has set them. Which one it is makes no difference.
const SHELLS: &[&str] = &["SHELL", "BASH", "0"];
/// What every shell sets for itself.
const OF_EVERY_SHELL: &[&str] = &["IFS", "BASH", "0"];

/// Those that the shell keeps as numbers itself: what they are given is arithmetic.
const INTEGERS: &[&str] = &[
    "OPTIND",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "HISTCMD",
    "SRANDOM",
    "EPOCHSECONDS",
    "BASHPID",
    "BASH_SUBSHELL",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// Keys and values; an indexed array has numbers for keys.
    Array(Vec<(String, String)>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Variable {
    /// At least one; which one holds depends on the way taken.
    pub(super) values: Vec<Value>,
    /// Whether programs see it.
    pub(super) exported: bool,
}

/// A function's bodies, one for each definition that may hold.
#[derive(Debug, Clone)]
pub(super) struct Function {
    pub(super) bodies: Vec<Rc<Node>>,
    /// Whether it is defined whatever way was taken; else the program of that name may run.
    pub(super) certain: bool,
}

/// What is known about a file that the line has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Made {
    Text(String),
    /// What was at this path when the line began: a copy of it, a link to it, or itself moved.
    File(String),
    Unknown,
}

/// What `declare` has said of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Attribute {
    Lower,
    Upper,
    /// The keys of its elements are texts: `declare -A`.
    Keyed,
    /// What it is given is arithmetic.
    Integer,
    /// It stands for another name, which it is not given yet: `declare -n p`.
    Reference,
}

/// Attributes of names, names that stand for others, and those that may keep what they have.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    attributes: BTreeMap<String, BTreeSet<Attribute>>,
    references: BTreeMap<String, String>,
    fixed: BTreeSet<String>,
    takes_keywords: bool,
}

/// The same of one name.
pub(super) type DeclaredOf = (Option<BTreeSet<Attribute>>, Option<String>);

#[derive(Debug, Default)]
pub(super) struct Env {
    variables: BTreeMap<String, Variable>,
    /// Those that are declared with one.
    attributes: BTreeMap<String, BTreeSet<Attribute>>,
    /// Names that stand for other names: `declare -n p=q`.
    references: BTreeMap<String, String>,
    /// How many values a variable may have. In a loop they are fewer, where each round makes more.
    pub(super) most: usize,
    /// For each function that is open where in the journal it may have returned.
    returned: Vec<Option<usize>>,
    /// Names that may not have the attribute that they have here.
    doubtful: BTreeSet<String>,
    /// Names that may not be given anything else.
    fixed: BTreeSet<String>,
    /// `set -k`: assignments stand anywhere among a command's words.
    pub(super) takes_keywords: bool,
    /// That may hold, and may not.
    pub(super) doubts_keywords: bool,
    functions: BTreeMap<String, Function>,
    aliases: BTreeMap<String, String>,
    /// Files are not taken back: a subshell writes the same disk.
    pub(super) files: BTreeMap<String, Made>,
    /// The directories that the line may be in, relative to where it starts ("").
    directories: Vec<String>,
    /// The directories that `popd` goes back to.
    pub(super) stack: Vec<Vec<String>>,
    /// The directories that `cd -` goes back to.
    pub(super) previous: Vec<String>,
    /// One for each way that may have been taken.
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

/// `$1` and on; `None` where they are unknown.
pub(super) type Positional = Option<Vec<String>>;

/// What one branch has changed.
#[derive(Debug, Default)]
pub(super) struct Changes {
    variables: BTreeMap<String, Option<Variable>>,
    functions: BTreeMap<String, Option<Function>>,
    aliases: BTreeMap<String, Option<String>>,
    directories: Option<Vec<String>>,
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

impl Changes {
    pub(super) fn take_directories(&mut self) -> Option<Vec<String>> {
        self.directories.take()
    }
}

impl Value {
    pub(super) fn hole() -> Self {
        Self::Text(HOLE.to_string())
    }

    /// The elements of what is an array.
    pub(super) fn elements(&self) -> &[(String, String)] {
        match self {
            Self::Array(elements) => elements,
            Self::Text(_) => &[],
        }
    }

    /// The elements of an array; a text is the one with the number 0.
    pub(super) fn into_elements(self) -> Vec<(String, String)> {
        match self {
            Self::Array(elements) => elements,
            Self::Text(text) => vec![("0".to_owned(), text)],
        }
    }

    /// The text of a scalar, or the element of an array with the number 0. Where there is none, one
    /// whose key is a word may be it.
    pub(super) fn scalar(&self) -> &str {
        let elements = match self {
            Self::Text(text) => return text,
            Self::Array(elements) => elements,
        };
        let first = elements.iter().find(|(key, _)| key == "0");
        let is_word = |it: &&(String, String)| !it.0.bytes().all(|byte| byte.is_ascii_digit());
        // Words stand behind all numbers.
        let word = || elements.last().filter(is_word).and(elements.iter().find(is_word));
        first.or_else(word).map_or("", |(_, text)| text)
    }
}

impl Variable {
    /// It may have these values as well.
    pub(super) fn add(&mut self, others: Vec<Value>, most: usize) {
        for value in others {
            if !self.values.contains(&value) {
                self.values.push(value);
            }
        }
        few(&mut self.values, most);
    }
}

impl Env {
    pub(super) fn new(variables: &[(String, String)]) -> Self {
        let mut env = Self {
            directories: vec![String::new()],
            positional: vec![None],
            most: limit::CHOICES,
            ..Self::default()
        };
        let shells = SHELLS.iter().map(|name| (*name, "/bin/bash", *name == "SHELL"));
        let own = [("HOME", "~", true), ("IFS", " \t\n", false)].into_iter().chain(shells);
        let given = variables.iter().map(|(name, text)| (name.as_str(), text.as_str(), true));
        for (name, text, exported) in own.chain(given) {
            let value =
                if text.len() > limit::TEXT { Value::hole() } else { Value::Text(text.to_owned()) };
            env.variables.insert(name.to_owned(), Variable { values: vec![value], exported });
        }
        env
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(self.meant(name))
    }

    /// The name that a name stands for.
    pub(super) fn meant<'a>(&'a self, name: &'a str) -> &'a str {
        if self.references.is_empty() {
            return name;
        }
        let next = |it: &&'a str| self.references.get(*it).map(String::as_str);
        std::iter::successors(Some(name), next).take(limit::VALUES).last().unwrap_or(name)
    }

    pub(super) fn refer(&mut self, name: &str, target: &str) {
        if self.references.len() < limit::BRACES && name != target {
            self.references.insert(name.to_owned(), target.to_owned());
        }
    }

    /// A name may not have its attribute.
    pub(super) fn doubt_attribute(&mut self, name: &str) {
        if self.doubtful.len() < limit::BRACES {
            self.doubtful.insert(name.to_owned());
        }
    }

    pub(super) fn is_doubtful(&self, name: &str) -> bool {
        !self.doubtful.is_empty() && self.doubtful.contains(name)
    }

    /// A function begins. What it does behind a `return` may not be done.
    pub(super) fn enter_function(&mut self) {
        self.returned.push(None);
    }

    pub(super) fn returns(&mut self) {
        let mark = self.mark();
        if let Some(returned) = self.returned.last_mut() {
            returned.get_or_insert(mark);
        }
    }

    /// Whether a function may have ended before here.
    pub(super) fn has_returned(&self) -> bool {
        self.returned.last().is_some_and(Option::is_some)
    }

    /// The function ends: where in the journal it may have returned before.
    pub(super) fn leave_function(&mut self) -> Option<usize> {
        self.returned.pop().flatten()
    }

    /// A variable may have these values as well, or be what it is not set to.
    pub(super) fn also(&mut self, name: &str, other: Variable) {
        if self.variables.contains_key(name) {
            self.add(vec![(name.to_owned(), other)]);
        } else {
            self.put(name, Some(other));
        }
    }

    /// What `declare` has said, for a subshell to take back.
    pub(super) fn declared(&self) -> Declared {
        Declared {
            attributes: self.attributes.clone(),
            references: self.references.clone(),
            fixed: self.fixed.clone(),
            takes_keywords: self.takes_keywords,
        }
    }

    pub(super) fn put_declared(&mut self, declared: Declared) {
        (self.attributes, self.references) = (declared.attributes, declared.references);
        (self.fixed, self.takes_keywords) = (declared.fixed, declared.takes_keywords);
    }

    /// What has been said of a name, which is a plain one from here on.
    pub(super) fn take_declared(&mut self, name: &str) -> DeclaredOf {
        (self.attributes.remove(name), self.references.remove(name))
    }

    pub(super) fn put_declared_of(&mut self, name: &str, (attributes, reference): DeclaredOf) {
        self.take_declared(name);
        if let Some(attributes) = attributes {
            self.attributes.insert(name.to_owned(), attributes);
        }
        if let Some(target) = reference {
            self.refer(name, &target);
        }
    }

    /// What is set once more has none of what it had.
    pub(super) fn take_attributes(&mut self, name: &str) {
        self.attributes.remove(name);
    }

    /// `declare +u x`
    pub(super) fn take_attribute(&mut self, name: &str, attribute: Attribute) {
        let name = self.meant(name).to_owned();
        if let Some(own) = self.attributes.get_mut(&name) {
            own.remove(&attribute);
        }
    }

    pub(super) fn refers_no_more(&mut self, name: &str) {
        self.references.remove(name);
    }

    pub(super) fn refers(&self, name: &str) -> bool {
        self.references.contains_key(name)
    }

    /// What has been said of a name, in the order in which it holds.
    pub(super) fn attributes(&self, name: &str) -> Vec<Attribute> {
        let name = self.meant(name);
        match self.attributes.get(name) {
            Some(own) => own.iter().copied().collect(),
            None if INTEGERS.contains(&name) => vec![Attribute::Integer],
            None => Vec::new(),
        }
    }

    pub(super) fn has(&self, name: &str, attribute: Attribute) -> bool {
        !self.attributes.is_empty() && self.attributes(name).contains(&attribute)
    }

    pub(super) fn put_attribute(&mut self, name: &str, attribute: Attribute) {
        let other = match attribute {
            Attribute::Lower => Some(Attribute::Upper),
            Attribute::Upper => Some(Attribute::Lower),
            _ => None,
        };
        let name = self.meant(name).to_owned();
        if self.attributes.len() < limit::BRACES {
            let own = self.attributes.entry(name).or_default();
            own.retain(|it| Some(*it) != other);
            own.insert(attribute);
        }
    }

    /// The names and texts of what programs see.
    pub(super) fn exported(&self) -> impl Iterator<Item = (&str, &str)> {
        let exported = self.variables.iter().filter(|(_, variable)| variable.exported);
        exported.map(|(name, variable)| (name.as_str(), variable.values[0].scalar()))
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
        if values.is_empty() {
            values = vec![Value::hole()];
        }
        let name = &*self.meant(name).to_owned();
        if self.is_fixed(name)
            && let Some(before) = self.variables.get(name)
        {
            values.extend(before.values.iter().cloned());
        }
        few(&mut values, self.most);
        let exported = self.variables.get(name).is_some_and(|variable| variable.exported);
        self.put(name, Some(Variable { values, exported }));
    }

    /// Puts back what [`Self::variable`] gave.
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

    /// `export -n x`
    pub(super) fn unexport(&mut self, name: &str) {
        if let Some(variable) = self.variables.get(name).filter(|it| it.exported) {
            let variable = Variable { exported: false, ..variable.clone() };
            self.put(name, Some(variable));
        }
    }

    /// Leaves only what a new process sees.
    pub(super) fn keep_exported(&mut self) {
        let inner: Vec<String> = self
            .variables
            .iter()
            .filter(|(name, variable)| {
                !variable.exported && !OF_EVERY_SHELL.contains(&name.as_str())
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in inner {
            self.put(&name, None);
        }
        let functions: Vec<String> = self.functions.keys().cloned().collect();
        for name in functions {
            // It may have been exported (`export -f`), and may not.
            if let Some(function) = self.functions.get(&name).cloned() {
                self.put_function(&name, Some(Function { certain: false, ..function }));
            }
        }
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    pub(super) fn function_names(&self) -> impl Iterator<Item = &String> {
        self.functions.keys()
    }

    pub(super) fn put_function(&mut self, name: &str, function: Option<Function>) {
        let before = match function {
            Some(function) => self.functions.insert(name.to_owned(), function),
            None => self.functions.remove(name),
        };
        self.journal.push(Undo::Function(name.to_owned(), before));
    }

    /// A function is defined: instead of the one before, but where that may not be replaced.
    pub(super) fn define(&mut self, name: &str, mut function: Function) {
        if self.is_fixed(&format!("{name}()"))
            && let Some(before) = self.functions.get(name)
        {
            function.bodies.extend(before.bodies.iter().cloned());
        }
        self.put_function(name, Some(function));
    }

    /// A function may be gone.
    pub(super) fn doubt_function(&mut self, name: &str) {
        if let Some(function) = self.functions.get(name).filter(|it| it.certain) {
            let function = Function { certain: false, ..function.clone() };
            self.put_function(name, Some(function));
        }
    }

    /// `readonly x`: it may keep what it has. Of a function it is `f()`.
    pub(super) fn fix(&mut self, name: &str) {
        if self.fixed.len() < limit::BRACES {
            self.fixed.insert(name.to_owned());
        }
    }

    pub(super) fn is_fixed(&self, name: &str) -> bool {
        !self.fixed.is_empty() && self.fixed.contains(name)
    }

    pub(super) fn alias(&self, name: &str) -> Option<&String> {
        self.aliases.get(name)
    }

    /// The rest of the names of aliases that begin so, with their texts; a few of them.
    pub(super) fn aliases_from(&self, start: &str) -> Vec<(String, String)> {
        let from = self.aliases.range(start.to_owned()..);
        let from = from.map_while(|(name, text)| Some((name.strip_prefix(start)?, text)));
        from.take(limit::VALUES).map(|(name, text)| (name.to_owned(), text.clone())).collect()
    }

    /// The texts of all aliases.
    pub(super) fn aliases(&self) -> impl Iterator<Item = &String> {
        self.aliases.values().take(limit::VALUES)
    }

    pub(super) fn put_alias(&mut self, name: &str, text: Option<String>) {
        let before = match text {
            Some(text) => self.aliases.insert(name.to_owned(), text),
            None => self.aliases.remove(name),
        };
        self.journal.push(Undo::Alias(name.to_owned(), before));
    }

    /// What a subshell has set of programs' own aliases and settings: they lie on the disk, as files
    /// do. Their names have a blank, which no alias of the shell has.
    pub(super) fn keep_settings(&mut self, changes: Changes) {
        let settings = changes.aliases.into_iter().filter(|(name, _)| name.contains(' '));
        for (name, text) in settings.filter(|(_, text)| text.is_some()) {
            self.put_alias(&name, text);
        }
    }

    pub(super) fn directories(&self) -> &[String] {
        &self.directories
    }

    pub(super) fn put_directories(&mut self, directories: Vec<String>) {
        let before = std::mem::replace(&mut self.directories, directories);
        self.journal.push(Undo::Directories(before));
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

    /// The variables that have been set since `mark`, as they are now: the latest of them.
    pub(super) fn set_since(&self, mark: usize) -> Vec<(String, Variable)> {
        const LATEST: usize = 64;
        let since = self.journal.get(mark..).unwrap_or_default();
        let mut found: Vec<(String, Variable)> = Vec::new();
        for undo in since.iter().rev().take(LATEST) {
            let Undo::Variable(name, _) = undo else { continue };
            if !found.iter().any(|(known, _)| known == name)
                && let Some(variable) = self.variables.get(name)
            {
                found.push((name.clone(), variable.clone()));
            }
        }
        found
    }

    /// Takes back everything since `mark`, and says what it was.
    pub(super) fn take_back(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::default();
        for returned in self.returned.iter_mut().flatten() {
            *returned = (*returned).min(mark);
        }
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

    /// Takes on what one of several branches has changed. `exhaustive` says that one of them was
    /// taken for sure, so that the state before them holds no more.
    pub(super) fn merge(&mut self, branches: &[Changes], exhaustive: bool) {
        self.merge_variables(branches, exhaustive);
        for branch in branches {
            for (name, function) in &branch.functions {
                let mut bodies =
                    self.functions.get(name).map(|f| f.bodies.clone()).unwrap_or_default();
                // Each of them may be the one; what a call of all of them costs is counted there.
                for body in function.iter().flat_map(|f| &f.bodies) {
                    if !bodies.iter().any(|known| Rc::ptr_eq(known, body)) {
                        bodies.push(Rc::clone(body));
                    }
                }
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
        self.merge_positional(branches, exhaustive);
        self.merge_directories(branches, exhaustive);
    }

    /// [`Self::merge`] of one branch, where a variable that was not set before may be empty, too, but
    /// is not taken for unknown.
    pub(super) fn merge_known(&mut self, mut branch: Changes) {
        let fresh: Vec<String> = branch
            .variables
            .keys()
            .filter(|name| !self.variables.contains_key(*name))
            .cloned()
            .collect();
        for name in fresh {
            if let Some(mut variable) = branch.variables.remove(&name).flatten() {
                let is_list = variable.values.iter().all(|it| matches!(it, Value::Array(_)));
                let empty =
                    if is_list { Value::Array(Vec::new()) } else { Value::Text(String::new()) };
                if !variable.values.contains(&empty) {
                    variable.values.push(empty);
                }
                self.put(&name, Some(variable));
            }
        }
        self.merge(&[branch], false);
    }

    /// The variables that were set between `mark` and `begun` and have been set once more since,
    /// as they were at `begun`.
    pub(super) fn overwritten(&self, mark: usize, begun: usize) -> Vec<(String, Variable)> {
        // A chain is longer than this only to be slow.
        const LATEST: usize = 64;
        fn variable(undo: &Undo) -> Option<(&String, &Option<Variable>)> {
            match undo {
                Undo::Variable(name, before) => Some((name, before)),
                _ => None,
            }
        }
        let (Some(since), Some(own)) = (
            self.journal.get(begun..),
            self.journal.get(mark.max(begun.saturating_sub(LATEST))..begun),
        ) else {
            return Vec::new();
        };
        let mut found: Vec<(String, Variable)> = Vec::new();
        for (name, before) in since.iter().take(LATEST).filter_map(variable) {
            let is_own = || own.iter().filter_map(variable).any(|(it, _)| it == name);
            let Some(before) = before else { continue };
            if !found.iter().any(|(known, _)| known == name) && is_own() {
                found.push((name.clone(), before.clone()));
            }
        }
        found
    }

    /// Lets variables have other values, too.
    pub(super) fn add(&mut self, others: Vec<(String, Variable)>) {
        for (name, other) in others {
            let Some(mut variable) = self.variables.get(&name).cloned() else { continue };
            let before = variable.values.len();
            variable.add(other.values, self.most);
            if variable.values.len() != before {
                self.put(&name, Some(variable));
            }
        }
    }

    /// Whether a variable besides `name`, or `$@`, has been set since `mark` to what is known in part.
    pub(super) fn gathers(&self, mark: usize, name: &str) -> bool {
        let since = self.journal.get(mark..).unwrap_or_default();
        since.iter().take(limit::BRACES).any(|undo| match undo {
            Undo::Variable(set, _) if set != name => {
                self.variables.get(set).is_some_and(|it| it.values.len() > 1)
            }
            Undo::Positional(_) => self.positional.len() > 1,
            _ => false,
        })
    }

    /// Makes changes once more that [`Self::take_back`] gave.
    pub(super) fn redo(&mut self, changes: Changes) {
        for (name, variable) in changes.variables {
            self.put(&name, variable);
        }
        for (name, function) in changes.functions {
            self.put_function(&name, function);
        }
        for (name, alias) in changes.aliases {
            self.put_alias(&name, alias);
        }
        if let Some(directories) = changes.directories {
            self.put_directories(directories);
        }
        if let Some(positional) = changes.positional {
            self.put_positional(positional);
        }
    }

    /// Takes on the values of a branch as the first ones that variables may have.
    pub(super) fn put_first(&mut self, branch: Changes) {
        if let Some([Some(words)]) = branch.positional.as_deref()
            && !self.positional.iter().flatten().any(|it| it == words)
        {
            let mut ways = vec![Some(words.clone())];
            ways.extend(self.positional.iter().take(limit::VALUES).cloned());
            self.put_positional(ways);
        }
        for (name, variable) in branch.variables {
            let Some(Variable { mut values, .. }) = variable else { continue };
            if values.len() > 1 || values.contains(&Value::hole()) {
                continue;
            }
            let Some(mut now) = self.variables.get(&name).cloned() else { continue };
            if now.values.contains(&values[0]) {
                continue;
            }
            values.append(&mut now.values);
            few(&mut values, self.most);
            now.values = values;
            self.put(&name, Some(now));
        }
    }

    /// Whether a branch gives a variable a value that it may not have so far.
    pub(super) fn has_new_values(&self, branch: &Changes) -> bool {
        let is_new = |way: &Positional| !self.positional.contains(way);
        branch.positional.iter().flatten().any(is_new)
            || branch.variables.iter().any(|(name, after)| {
                let known = self.variables.get(name).map_or(&[][..], |variable| &variable.values);
                let mut after = after.iter().flat_map(|variable| &variable.values);
                after.any(|value| !known.contains(value))
            })
    }

    /// Lets every text that has been changed since `mark` be any other, too, that begins and ends
    /// like all that are known: after some rounds more it may. `$@` may be anything then.
    pub(super) fn widen(&mut self, mark: usize) {
        let mut before: BTreeMap<String, Option<Variable>> = BTreeMap::new();
        let mut parameters = None;
        for undo in &self.journal[mark.min(self.journal.len())..] {
            match undo {
                Undo::Variable(name, variable) => {
                    before.entry(name.clone()).or_insert_with(|| variable.clone());
                }
                Undo::Positional(ways) if parameters.is_none() => parameters = Some(ways),
                _ => {}
            }
        }
        if parameters.is_some_and(|before| self.positional.iter().any(|it| !before.contains(it)))
            && !self.positional.contains(&None)
        {
            // Taken away one after the other, at the end only the last ones are there.
            let longest = self.positional.iter().flatten().max_by_key(|it| it.len());
            let mut ways = longest.map_or(Vec::new(), |it| ends(it));
            for way in &self.positional {
                if !ways.contains(way) {
                    ways.push(way.clone());
                }
            }
            ways.truncate(limit::VALUES - 1);
            ways.push(None);
            self.put_positional(ways);
        }
        for (name, before) in before {
            let Some(now) = self.variables.get(&name) else { continue };
            let known = before.as_ref().map_or(&[][..], |variable| &variable.values);
            if now.values.iter().all(|value| known.contains(value)) {
                continue;
            }
            let mut texts = known.iter().chain(&now.values).map(Value::scalar);
            let first = texts.next().unwrap_or("").to_owned();
            let (mut start, mut end) = (first.as_str(), first.as_str());
            for text in texts {
                start = &start[..shared(start.chars(), text.chars())];
                end = &end[end.len() - shared(end.chars().rev(), text.chars().rev())..];
            }
            let value = Value::Text(format!("{start}{HOLE}{end}"));
            let is_list = now.values.iter().any(|value| matches!(value, Value::Array(_)));
            if !is_list && !now.values.contains(&value) {
                let mut variable = now.clone();
                variable.values.push(value);
                self.put(&name, Some(variable));
            }
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
            few(&mut values, self.most);
            self.put(name, Some(Variable { values, exported }));
        }
    }

    fn merge_positional(&mut self, branches: &[Changes], exhaustive: bool) {
        if branches.iter().all(|branch| branch.positional.is_none()) {
            return;
        }
        let mut merged = if exhaustive { Vec::new() } else { self.positional.clone() };
        for branch in branches {
            for way in branch.positional.as_ref().unwrap_or(&self.positional) {
                if !merged.contains(way) {
                    merged.push(way.clone());
                }
            }
        }
        if merged.len() > limit::VALUES {
            merged.retain(Option::is_some);
            merged.truncate(limit::VALUES - 1);
            merged.push(None);
        }
        self.put_positional(merged);
    }

    fn merge_directories(&mut self, branches: &[Changes], exhaustive: bool) {
        if branches.iter().all(|branch| branch.directories.is_none()) {
            return;
        }
        let mut merged = if exhaustive { Vec::new() } else { self.directories.clone() };
        for branch in branches {
            for directory in branch.directories.as_ref().unwrap_or(&self.directories) {
                if !merged.contains(directory) {
                    merged.push(directory.clone());
                }
            }
        }
        if merged.len() > limit::VALUES {
            merged = vec![HOLE.to_string()];
        }
        self.put_directories(merged);
    }
}

/// What is left of parameters as they are taken away from the front, the shortest first.
pub(super) fn ends(words: &[String]) -> Vec<Positional> {
    let from = words.len().saturating_sub(limit::VALUES);
    (from..words.len()).rev().map(|from| Some(words[from..].to_vec())).collect()
}

/// Of too many values the first are kept, and the others are anything.
fn few(values: &mut Vec<Value>, most: usize) {
    if values.len() > most {
        values.truncate(most);
        if !values.contains(&Value::hole()) {
            values.pop();
            values.push(Value::hole());
        }
    }
}

/// The length in bytes of what two texts have in common at their beginning.
fn shared(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// Puts `before` back under `name`, and gives what stood there.
fn restore<T>(map: &mut BTreeMap<String, T>, name: &str, before: Option<T>) -> Option<T> {
    match before {
        Some(before) => map.insert(name.to_owned(), before),
        None => map.remove(name),
    }
}
