//! The commands of a line as the crate `shuck-parser` parses it.

use super::{Found, Syntax, unquoted};
use shuck_ast::{
    Assignment, AssignmentValue, BuiltinCommand, Command, CompoundCommand, DeclOperand,
    HeredocBodyPart, ParameterExpansionSyntax, Redirect, RedirectTarget, Stmt, StmtSeq, Word,
    WordPart, WordPartNode,
};
use shuck_parser::parser::Parser;

pub(super) fn find(line: &str) -> Result<Syntax, String> {
    let parsed = Parser::new(line).parse();
    if parsed.is_err() {
        return Err(parsed.strict_error().to_string());
    }
    let mut finder = Finder { line, syntax: Syntax::default(), within: Vec::new() };
    finder.list(&parsed.file.body);
    Ok(finder.syntax)
}

struct Finder<'a> {
    line: &'a str,
    syntax: Syntax,
    within: Vec<String>,
}

impl Finder<'_> {
    fn list(&mut self, list: &StmtSeq) {
        for statement in list.iter() {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        self.redirects(&statement.redirects);
        match &statement.command {
            Command::Simple(simple) => {
                let words: Vec<&Word> = std::iter::once(&simple.name).chain(&simple.args).collect();
                self.assignments(&simple.assignments);
                // An assignment or a redirection alone is a command with an empty name.
                if simple.name.span.start.offset() < simple.name.span.end.offset() {
                    self.found(words.iter().map(|word| self.text(word)).collect());
                }
                self.words(words);
            }
            Command::Builtin(builtin) => self.builtin(builtin),
            Command::Decl(clause) => {
                self.assignments(&clause.assignments);
                self.found(vec![Some(clause.variant.to_string()), None]);
                for operand in &clause.operands {
                    match operand {
                        DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => self.word(word),
                        DeclOperand::Name(_) => {}
                        DeclOperand::Assignment(assignment) => {
                            self.assignments(std::slice::from_ref(assignment));
                        }
                    }
                }
            }
            Command::Binary(binary) => {
                self.statement(&binary.left);
                self.statement(&binary.right);
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => {
                let names: Vec<String> = function.static_names().map(ToString::to_string).collect();
                let depth = self.within.len();
                self.syntax.functions.extend_from_slice(&names);
                self.within.extend(names);
                self.statement(&function.body);
                self.within.truncate(depth);
            }
            Command::AnonymousFunction(function) => self.statement(&function.body),
        }
    }

    fn found(&mut self, words: Vec<Option<String>>) {
        self.syntax.commands.push(Found { words, within: self.within.clone() });
    }

    fn builtin(&mut self, builtin: &BuiltinCommand) {
        let (name, first, others, assignments) = match builtin {
            BuiltinCommand::Break(it) => ("break", &it.depth, &it.extra_args, &it.assignments),
            BuiltinCommand::Continue(it) => {
                ("continue", &it.depth, &it.extra_args, &it.assignments)
            }
            BuiltinCommand::Return(it) => ("return", &it.code, &it.extra_args, &it.assignments),
            BuiltinCommand::Exit(it) => ("exit", &it.code, &it.extra_args, &it.assignments),
        };
        let words: Vec<&Word> = first.iter().chain(others).collect();
        let texts = words.iter().map(|word| self.text(word));
        self.found(std::iter::once(Some(name.to_owned())).chain(texts).collect());
        self.assignments(assignments);
        self.words(words);
    }

    fn compound(&mut self, compound: &CompoundCommand) {
        match compound {
            CompoundCommand::If(it) => {
                self.list(&it.condition);
                self.list(&it.then_branch);
                for (condition, branch) in &it.elif_branches {
                    self.list(condition);
                    self.list(branch);
                }
                it.else_branch.iter().for_each(|branch| self.list(branch));
            }
            CompoundCommand::For(it) => {
                self.words(it.words.iter().flatten());
                self.list(&it.body);
            }
            CompoundCommand::Select(it) => {
                self.words(&it.words);
                self.list(&it.body);
            }
            CompoundCommand::ArithmeticFor(it) => self.list(&it.body),
            CompoundCommand::While(it) => {
                self.list(&it.condition);
                self.list(&it.body);
            }
            CompoundCommand::Until(it) => {
                self.list(&it.condition);
                self.list(&it.body);
            }
            CompoundCommand::Case(it) => {
                self.word(&it.word);
                it.cases.iter().for_each(|case| self.list(&case.body));
            }
            CompoundCommand::Subshell(list) | CompoundCommand::BraceGroup(list) => self.list(list),
            CompoundCommand::Time(it) => {
                it.command.iter().for_each(|statement| self.statement(statement));
            }
            CompoundCommand::Coproc(it) => self.statement(&it.body),
            // Arithmetic and tests run what is substituted in them only, and the rest is zsh's.
            CompoundCommand::Arithmetic(_)
            | CompoundCommand::Conditional(_)
            | CompoundCommand::Repeat(_)
            | CompoundCommand::Foreach(_)
            | CompoundCommand::Always(_) => {}
        }
    }

    fn assignments(&mut self, assignments: &[Assignment]) {
        for assignment in assignments {
            match &assignment.value {
                AssignmentValue::Scalar(word) => self.word(word),
                AssignmentValue::Compound(array) => {
                    self.words(array.elements.iter().map(|element| &element.value().word));
                }
            }
        }
    }

    fn redirects(&mut self, redirects: &[Redirect]) {
        for redirect in redirects {
            match &redirect.target {
                RedirectTarget::Word(word) => self.word(word),
                RedirectTarget::Heredoc(document) => {
                    for part in &document.body.parts {
                        if let HeredocBodyPart::CommandSubstitution { body, .. } = &part.kind {
                            self.list(body);
                        }
                    }
                }
            }
        }
    }

    fn words<'w>(&mut self, words: impl IntoIterator<Item = &'w Word>) {
        for word in words {
            self.word(word);
        }
    }

    fn word(&mut self, word: &Word) {
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &[WordPartNode]) {
        for part in parts {
            match &part.kind {
                WordPart::DoubleQuoted { parts, .. } => self.parts(parts),
                WordPart::CommandSubstitution { body, .. }
                | WordPart::ProcessSubstitution { body, .. } => self.list(body),
                WordPart::ParameterExpansion { operand_word_ast: Some(word), .. }
                | WordPart::IndirectExpansion { operand_word_ast: Some(word), .. } => {
                    self.word(word);
                }
                WordPart::Parameter(parameter) => {
                    if let ParameterExpansionSyntax::Bourne(parameter) = &parameter.syntax {
                        self.words(parameter.operand_word_ast());
                    }
                }
                _ => {}
            }
        }
    }

    /// A word's text, if nothing in it is expanded.
    fn text(&self, word: &Word) -> Option<String> {
        if word.has_active_brace_expansion() {
            return None;
        }
        let mut text = String::new();
        for part in &word.parts {
            match &part.kind {
                WordPart::Literal(literal) => {
                    text.push_str(&unquoted(literal.syntax_str(self.line, part.span))?);
                }
                WordPart::SingleQuoted { value, .. } => text.push_str(value.slice(self.line)),
                WordPart::DoubleQuoted { parts, .. } => {
                    for part in parts {
                        let WordPart::Literal(literal) = &part.kind else { return None };
                        let raw = literal.syntax_str(self.line, part.span);
                        text.push_str(&unquoted(&format!("\"{raw}\""))?);
                    }
                }
                _ => return None,
            }
        }
        Some(text)
    }
}
