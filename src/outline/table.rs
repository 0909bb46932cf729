//! The languages: which nodes define something, which hold definitions, which
//! only wrap one.

use std::sync::OnceLock;

use tree_sitter::Language as Grammar;

use super::{Kind, token::Classes};

#[derive(Debug)]
pub struct Language {
    pub name: &'static str,
    pub(super) extensions: &'static [&'static str],
    pub(super) grammar: fn() -> Grammar,
    pub(super) classes: OnceLock<Classes>,
    /// Between a definition and its container: `::` in `Session::renew`.
    pub(super) separator: &'static str,
    pub(super) roles: &'static [(&'static str, Role)],
    pub(super) visibility: Visibility,
    /// Comments that begin like this are code to some tool: `//go:build`.
    pub(super) directives: &'static [&'static str],
    /// `'a'` and `"a"` are the same string.
    pub(super) has_two_quotes: bool,
    pub(super) has_optional_semicolons: bool,
    /// Whether a definition has to come before its use, as in Python.
    pub runs_in_order: bool,
}

/// What a node is, at the top of a file or directly in a container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Defines(Kind, Name, Order),
    /// A definition with other definitions in the child of this field.
    Holds(Kind, Name, &'static str),
    /// Wraps one definition: `export`.
    Wraps,
    /// Wraps several: `type ( … )`.
    Groups,
    /// Belongs to the definition after it: an attribute.
    Precedes,
    Imports,
}

/// Where the name of a definition is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Name {
    /// The field `name`.
    Field,
    /// `impl Trait for Type`.
    Impl,
    /// The field `name`, qualified by the receiver's type: `Session.renew`.
    Receiver,
    /// The field `name` of each child.
    Each,
    /// The left side of the `=`.
    Left,
}

/// Whether the place of a definition among its neighbours matters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    Free,
    Fixed,
    /// Free where its head evaluates nothing: no decorators, no computed
    /// default values.
    FreeIfPlain,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Visibility {
    /// `pub`.
    Modifier,
    /// `export`, and in an exported class all that is not private.
    Export,
    /// No underscore at the beginning.
    Underscore,
    /// A capital letter at the beginning.
    Capital,
    /// `public`, and all that is in an interface.
    Public,
}

use self::{
    Kind::{Function, Impl, Macro, Method, Module, Type, Value},
    Name::{Each, Field, Left, Receiver},
    Order::{Fixed as O, Free as F, FreeIfPlain as P},
    Role::{Defines, Groups, Holds, Imports, Precedes, Wraps},
};

pub(super) static LANGUAGES: [Language; 7] = [
    Language {
        name: "rust",
        extensions: &["rs"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        classes: OnceLock::new(),
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
        has_two_quotes: false,
        has_optional_semicolons: false,
        runs_in_order: true,
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
        classes: OnceLock::new(),
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
        has_two_quotes: true,
        has_optional_semicolons: true,
        runs_in_order: true,
    },
    Language {
        name: "go",
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        classes: OnceLock::new(),
        separator: ".",
        roles: &[
            ("function_declaration", Defines(Function, Field, F)),
            ("method_declaration", Defines(Method, Receiver, F)),
            ("type_declaration", Groups),
            ("type_spec", Defines(Type, Field, F)),
            ("type_alias", Defines(Type, Field, F)),
            ("const_declaration", Defines(Value, Each, F)),
            ("var_declaration", Defines(Value, Each, O)),
            ("import_declaration", Imports),
        ],
        visibility: Visibility::Capital,
        directives: &["//go:", "// +build", "//export ", "//line ", "// #", "/*\n#"],
        has_two_quotes: false,
        has_optional_semicolons: true,
        runs_in_order: false,
    },
    Language {
        name: "java",
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        classes: OnceLock::new(),
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
        has_two_quotes: false,
        has_optional_semicolons: false,
        runs_in_order: false,
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
        classes: OnceLock::new(),
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
        has_two_quotes: true,
        has_optional_semicolons: true,
        runs_in_order: false,
    }
}
