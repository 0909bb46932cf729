//! What nodes are, by the names of their kinds: grammars that mean the same
//! call it the same, so one list does for all languages.

/// Statements stand in these, one behind the other.
pub(super) const BLOCKS: &[&str] = &[
    "block",
    "statement_block",
    "statement_list",
    "constructor_body",
    "class_body",
    "declaration_list",
    "switch_block_statement_group",
    "case_clause",
    "switch_case",
    "expression_case",
];

/// Nodes that a tree may say the same without.
pub(super) const THIN: &[&str] = &["parenthesized_expression", "expression_list"];

/// A part's name, by where it stands.
pub(super) const MEMBERS: &[(&str, &str)] = &[
    ("attribute", "attribute"),
    ("keyword_argument", "name"),
    ("field_access", "field"),
    ("method_invocation", "name"),
    ("element_value_pair", "key"),
];

pub(super) const FIELDS: &[&str] = &["field_declaration", "enum_variant"];

pub(super) const FLOW: &[&str] = &[
    "if_statement",
    "if_expression",
    "elif_clause",
    "if_clause",
    "while_statement",
    "while_expression",
    "do_statement",
    "for_statement",
    "for_expression",
    "for_in_statement",
    "for_in_clause",
    "enhanced_for_statement",
    "loop_expression",
    "match_arm",
    "case_clause",
    "expression_case",
    "type_case",
    "communication_case",
    "default_case",
    "switch_case",
    "switch_default",
    "switch_rule",
    "switch_block_statement_group",
    "ternary_expression",
    "conditional_expression",
    "try_expression",
    "try_statement",
    "try_with_resources_statement",
    "catch_clause",
    "except_clause",
    "finally_clause",
    "&&",
    "||",
    "??",
    "and",
    "or",
    "defer_statement",
    "go_statement",
];

pub(super) const CALLS: &[&str] = &[
    "call_expression",
    "call",
    "macro_invocation",
    "method_invocation",
    "new_expression",
    "object_creation_expression",
];

/// Blanks count in these.
pub(super) const TEXTS: &[&str] = &[
    "string",
    "string_literal",
    "raw_string_literal",
    "char_literal",
    "character_literal",
    "interpreted_string_literal",
    "rune_literal",
    "text_block",
    "regex",
    "string_content",
    "string_fragment",
    "template_string",
    "jsx_text",
];

/// A child of these is bound: of that field, or any where there is none.
pub(super) const BINDERS: &[(&str, &str)] = &[
    ("let_declaration", "pattern"),
    ("let_condition", "pattern"),
    ("parameter", "pattern"),
    ("closure_parameters", ""),
    ("for_expression", "pattern"),
    ("match_arm", "pattern"),
    ("type_parameter", "name"),
    ("const_parameter", "name"),
    ("variable_declarator", "name"),
    ("required_parameter", "pattern"),
    ("optional_parameter", "pattern"),
    ("formal_parameters", ""),
    ("arrow_function", "parameter"),
    ("for_in_statement", "left"),
    ("catch_clause", "parameter"),
    ("parameters", ""),
    ("lambda_parameters", ""),
    ("assignment", "left"),
    ("for_statement", "left"),
    ("for_in_clause", "left"),
    ("as_pattern", "alias"),
    ("named_expression", "name"),
    ("short_var_declaration", "left"),
    ("parameter_declaration", "name"),
    ("var_spec", "name"),
    ("const_spec", "name"),
    ("range_clause", "left"),
    ("formal_parameter", "name"),
    ("enhanced_for_statement", "name"),
    ("catch_formal_parameter", "name"),
    ("lambda_expression", "parameters"),
    ("resource", "name"),
];

/// What stands in a pattern and is not bound by it.
pub(super) const UNBOUND: &[&str] = &[
    "attribute",
    "subscript",
    "member_expression",
    "field_expression",
    "selector_expression",
    "index_expression",
    "call",
    "type_annotation",
    "type",
    "scoped_identifier",
];

/// Names in these are not the piece's own, whatever is set in it.
pub(super) const SHARED: &[&str] = &["global_statement", "nonlocal_statement"];

pub(super) fn is_literal(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "literal", "string", "number", "integer", "float", "regex", "char", "escape", "text",
        "content", "fragment",
    ];
    const WORDS: &[&str] = &["true", "false", "none", "null", "nil", "iota", "undefined"];
    WORDS.contains(&name) || PARTS.iter().any(|it| name.contains(it))
}
