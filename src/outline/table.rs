//! The languages, a row each: what the nodes of their grammars define.

use tree_sitter::Language as Grammar;

use super::Kind;

#[derive(Debug)]
pub struct Language {
    pub name: &'static str,
    pub(super) extensions: &'static [&'static str],
    pub(super) grammar: fn() -> Grammar,
    /// Between a definition and its container: `::` in `Session::renew`.
    pub(super) separator: &'static str,
    /// (role, node kinds that have it)
    pub(super) roles: &'static [(Role, &'static str)],
    pub(super) visibility: Visibility,
    /// Comments that begin like this are code to some tool: `//go:build`.
    pub(super) directives: &'static [&'static str],
    /// Whether a definition has to come before its use, as in Python.
    pub runs_in_order: bool,
}

/// What a node is, at the top of a file or directly in a container.
#[derive(Debug, Clone, Copy)]
pub(super) enum Role {
    Defines(Kind),
    /// Defines a container: there are definitions in its `body`.
    Holds(Kind),
    /// Wraps one definition: `export`.
    Wraps,
    /// Wraps several: `type ( … )`.
    Groups,
    /// Belongs to the definition after it: an attribute.
    Precedes,
    Imports,
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
    Role::{Defines, Groups, Holds, Imports, Precedes, Wraps},
};

pub(super) static LANGUAGES: [Language; 7] = [
    Language {
        name: "rust",
        extensions: &["rs"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        separator: "::",
        roles: &[
            (Defines(Function), "function_item function_signature_item"),
            (Defines(Type), "struct_item union_item enum_item type_item associated_type"),
            (Defines(Value), "const_item static_item"),
            (Defines(Macro), "macro_definition"),
            (Holds(Impl), "impl_item foreign_mod_item"),
            (Holds(Type), "trait_item"),
            (Holds(Module), "mod_item"),
            (Precedes, "attribute_item"),
            (Imports, "use_declaration extern_crate_declaration"),
        ],
        visibility: Visibility::Modifier,
        directives: &[],
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
        separator: ".",
        roles: &[
            (Defines(Function), "function_definition"),
            (Holds(Type), "class_definition"),
            (Wraps, "decorated_definition expression_statement"),
            (Defines(Value), "assignment"),
            (Defines(Type), "type_alias_statement"),
            (Imports, "import_statement import_from_statement future_import_statement"),
        ],
        visibility: Visibility::Underscore,
        directives: &["#!", "# -*- coding", "# coding"],
        runs_in_order: true,
    },
    Language {
        name: "go",
        extensions: &["go"],
        grammar: || tree_sitter_go::LANGUAGE.into(),
        separator: ".",
        roles: &[
            (Defines(Function), "function_declaration"),
            (Defines(Method), "method_declaration"),
            (Groups, "type_declaration"),
            (Defines(Type), "type_spec type_alias"),
            (Defines(Value), "const_declaration var_declaration"),
            (Imports, "import_declaration"),
        ],
        visibility: Visibility::Capital,
        directives: &["//go:", "// +build", "//export ", "//line ", "// #", "/*\n#"],
        runs_in_order: false,
    },
    Language {
        name: "java",
        extensions: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        separator: ".",
        roles: &[
            (
                Defines(Method),
                "method_declaration constructor_declaration compact_constructor_declaration \
                annotation_type_element_declaration",
            ),
            (Defines(Value), "field_declaration constant_declaration enum_constant"),
            (Groups, "enum_body_declarations"),
            (
                Holds(Type),
                "class_declaration interface_declaration enum_declaration \
                record_declaration annotation_type_declaration",
            ),
            (Imports, "import_declaration"),
        ],
        visibility: Visibility::Public,
        directives: &[],
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
        separator: ".",
        roles: &[
            (
                Defines(Function),
                "function_declaration generator_function_declaration function_signature",
            ),
            (Defines(Type), "interface_declaration type_alias_declaration enum_declaration"),
            (
                Defines(Value),
                "lexical_declaration variable_declaration public_field_definition \
                field_definition",
            ),
            (Defines(Method), "method_definition method_signature abstract_method_signature"),
            (Holds(Type), "class_declaration abstract_class_declaration"),
            (Holds(Module), "internal_module module"),
            (Wraps, "export_statement ambient_declaration expression_statement"),
            (Precedes, "decorator"),
            (Imports, "import_statement"),
        ],
        visibility: Visibility::Export,
        directives: &["/** @jsx", "/* @jsx", "// @jsx"],
        runs_in_order: false,
    }
}
