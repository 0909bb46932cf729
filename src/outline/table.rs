//! The languages, a row each: which nodes define something, which hold
//! definitions, which only stand around one.

use tree_sitter::Language as Grammar;

use super::Kind;

#[derive(Debug)]
pub struct Language {
    pub name: &'static str,
    pub(super) extensions: &'static [&'static str],
    pub(super) grammar: fn() -> Grammar,
    /// Between a definition and what it stands in.
    pub(super) separator: &'static str,
    pub(super) roles: &'static [(&'static str, Role)],
    pub(super) visibility: Visibility,
    /// A comment that begins so is read by tools that make code of it.
    pub(super) directives: &'static [&'static str],
    /// `'a'` and `"a"` are the same text.
    pub quotes_are_alike: bool,
    /// Statements end where they end, with a `;` or without.
    pub(super) semicolons: Semicolons,
    /// A text in front of a body tells about it.
    pub(super) has_docstrings: bool,
}

/// What a node is, at the top or directly in a definition.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Defines(Kind, Name, Free),
    /// A definition with others in the child of that field.
    Holds(Kind, Name, &'static str),
    /// Stands around one definition.
    Wraps,
    /// Stands around several.
    Groups,
    /// Belongs to the definition behind it.
    Precedes,
    Imports,
}

/// How a node tells what it defines.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name {
    /// In the field `name`.
    Field,
    /// `Tr for Type`.
    Impl,
    /// In the field `name`, and in what is the receiver's type.
    Receiver,
    /// Each of its children that has a `name`.
    Each,
    /// What stands left of the `=`.
    Left,
}

/// Whether the order matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Free {
    Yes,
    No,
    /// As long as nothing that is evaluated stands in its head: defaults,
    /// decorators, what a class inherits from.
    IfPlain,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Visibility {
    /// A child that says so.
    Modifier,
    /// What `export` stands before, and what is not private in it.
    Export,
    /// No underscore before it.
    Underscore,
    /// A capital letter.
    Capital,
    /// `public`, and whatever stands in an interface.
    Public,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Semicolons {
    Matter,
    /// But in the head of a loop.
    AreOptional,
}

use self::{
    Free::{IfPlain as P, No as O, Yes as F},
    Kind::{Function, Impl, Macro, Method, Module, Type, Value},
    Name::{Each, Field, Left, Receiver},
    Role::{Defines, Groups, Holds, Imports, Precedes, Wraps},
};

pub(super) static LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        extensions: &["rs"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        separator: "::",
        roles: &[
            ("function_item", Defines(Function, Field, F)),
            ("function_signature_item", Defines(Function, Field, F)),
            ("struct_item", Defines(Type, Field, F)),
            ("union_item", Defines(Type, Field, F)),
            ("enum_item", Defines(Type, Field, F)),
            ("type_item", Defines(Type, Field, F)),
            ("associated_type", Defines(Type, Field, F)),
            ("const_item", Defines(Value, Field, F)),
            ("static_item", Defines(Value, Field, F)),
            ("macro_definition", Defines(Macro, Field, O)),
            ("impl_item", Holds(Impl, Name::Impl, "body")),
            ("trait_item", Holds(Type, Field, "body")),
            ("mod_item", Holds(Module, Field, "body")),
            ("foreign_mod_item", Holds(Impl, Name::Impl, "body")),
            ("attribute_item", Precedes),
            ("use_declaration", Imports),
            ("extern_crate_declaration", Imports),
        ],
        visibility: Visibility::Modifier,
        directives: &[],
        quotes_are_alike: false,
        semicolons: Semicolons::Matter,
        has_docstrings: false,
    },
    ecmascript("typescript", &["ts", "mts", "cts"], || {
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
    }),
    ecmascript("tsx", &["tsx"], || tree_sitter_typescript::LANGUAGE_TSX.into()),
    ecmascript("javascript", &["js", "mjs", "cjs", "jsx"], || {
        tree_sitter_javascript::LANGUAGE.into()
    }),
    Language {
        name: "python",
        extensions: &["py", "pyi"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
        separator: ".",
        roles: &[
            ("function_definition", Defines(Function, Field, P)),
            ("class_definition", Holds(Type, Field, "body")),
            ("decorated_definition", Wraps),
            ("expression_statement", Wraps),
            ("assignment", Defines(Value, Left, O)),
            ("type_alias_statement", Defines(Type, Left, O)),
            ("import_statement", Imports),
            ("import_from_statement", Imports),
            ("future_import_statement", Imports),
        ],
        visibility: Visibility::Underscore,
        directives: &["#!", "# -*- coding", "# coding"],
        quotes_are_alike: true,
        semicolons: Semicolons::AreOptional,
        has_docstrings: true,
    },
    Language {
        name: "go",
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        separator: ".",
        roles: &[
            ("function_declaration", Defines(Function, Field, F)),
            ("method_declaration", Defines(Method, Receiver, F)),
            ("type_declaration", Groups),
            ("type_spec", Defines(Type, Field, F)),
            ("type_alias", Defines(Type, Field, F)),
            // In a group, `iota` counts.
            ("const_declaration", Defines(Value, Each, F)),
            ("var_declaration", Defines(Value, Each, O)),
            ("import_declaration", Imports),
        ],
        visibility: Visibility::Capital,
        directives: &["//go:", "// +build", "//export ", "//line ", "// #", "/*\n#"],
        quotes_are_alike: false,
        semicolons: Semicolons::AreOptional,
        has_docstrings: false,
    },
    Language {
        name: "java",
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        separator: ".",
        roles: &[
            ("method_declaration", Defines(Method, Field, F)),
            ("constructor_declaration", Defines(Method, Field, F)),
            ("compact_constructor_declaration", Defines(Method, Field, F)),
            ("annotation_type_element_declaration", Defines(Method, Field, F)),
            ("field_declaration", Defines(Value, Each, O)),
            ("constant_declaration", Defines(Value, Each, O)),
            ("enum_constant", Defines(Value, Field, O)),
            ("enum_body_declarations", Groups),
            ("class_declaration", Holds(Type, Field, "body")),
            ("interface_declaration", Holds(Type, Field, "body")),
            ("enum_declaration", Holds(Type, Field, "body")),
            ("record_declaration", Holds(Type, Field, "body")),
            ("annotation_type_declaration", Holds(Type, Field, "body")),
            ("import_declaration", Imports),
        ],
        visibility: Visibility::Public,
        directives: &[],
        quotes_are_alike: false,
        semicolons: Semicolons::Matter,
        has_docstrings: false,
    },
];

const fn ecmascript(
    name: &'static str,
    extensions: &'static [&'static str],
    grammar: fn() -> Grammar,
) -> Language {
    Language {
        name,
        extensions,
        grammar,
        separator: ".",
        roles: &[
            ("function_declaration", Defines(Function, Field, F)),
            ("generator_function_declaration", Defines(Function, Field, F)),
            ("function_signature", Defines(Function, Field, O)),
            ("interface_declaration", Defines(Type, Field, F)),
            ("type_alias_declaration", Defines(Type, Field, F)),
            ("enum_declaration", Defines(Type, Field, O)),
            ("lexical_declaration", Defines(Value, Each, O)),
            ("variable_declaration", Defines(Value, Each, O)),
            ("method_definition", Defines(Method, Field, P)),
            ("method_signature", Defines(Method, Field, O)),
            ("abstract_method_signature", Defines(Method, Field, O)),
            ("public_field_definition", Defines(Value, Field, O)),
            ("field_definition", Defines(Value, Name::Field, O)),
            ("class_declaration", Holds(Type, Field, "body")),
            ("abstract_class_declaration", Holds(Type, Field, "body")),
            ("internal_module", Holds(Module, Field, "body")),
            ("module", Holds(Module, Field, "body")),
            ("export_statement", Wraps),
            ("ambient_declaration", Wraps),
            ("expression_statement", Wraps),
            ("decorator", Precedes),
            ("import_statement", Imports),
        ],
        visibility: Visibility::Export,
        directives: &["/** @jsx", "/* @jsx", "// @jsx"],
        quotes_are_alike: true,
        semicolons: Semicolons::AreOptional,
        has_docstrings: false,
    }
}
