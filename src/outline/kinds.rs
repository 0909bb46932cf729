//! What the kinds of nodes mean. Grammars that mean the same mostly use the
//! same name, so one list serves all languages.

/// Nodes that can take the control flow two ways.
pub(super) const FLOW: &str = "if_statement if_expression elif_clause if_clause while_statement \
    while_expression do_statement for_statement for_expression for_in_statement for_in_clause \
    enhanced_for_statement loop_expression match_arm case_clause expression_case type_case \
    communication_case default_case switch_case switch_default switch_rule \
    switch_block_statement_group ternary_expression conditional_expression try_expression \
    try_statement try_with_resources_statement catch_clause except_clause finally_clause && || ?? \
    and or defer_statement go_statement";

/// White space counts in these.
pub(super) const TEXTS: &str = "string string_literal raw_string_literal char_literal \
    character_literal interpreted_string_literal rune_literal text_block regex string_content \
    string_fragment template_string jsx_text";

/// `PARENT.FIELD`: a child of this field is bound. No field: each child is.
pub(super) const BINDERS: &str = "let_declaration.pattern let_condition.pattern parameter.pattern \
    closure_parameters. for_expression.pattern match_arm.pattern type_parameter.name \
    const_parameter.name variable_declarator.name required_parameter.pattern \
    optional_parameter.pattern formal_parameters. arrow_function.parameter for_in_statement.left \
    catch_clause.parameter parameters. lambda_parameters. assignment.left for_statement.left \
    for_in_clause.left as_pattern.alias named_expression.name short_var_declaration.left \
    parameter_declaration.name var_spec.name const_spec.name range_clause.left \
    formal_parameter.name enhanced_for_statement.name catch_formal_parameter.name \
    lambda_expression.parameters resource.name";

/// Nodes in a pattern that bind nothing.
pub(super) const UNBOUND: &str = "attribute subscript member_expression field_expression \
    selector_expression index_expression call type_annotation type scoped_identifier";

pub(super) fn is_in(list: &str, word: &str) -> bool {
    list.split(' ').any(|part| part == word)
}

pub(super) fn is_comment(kind: &str) -> bool {
    matches!(kind, "comment" | "line_comment" | "block_comment")
}
