/** Settings of SQLFluff that fit saved queries: `.sqlfluff` beside the queries folder. */
export const sqlfluffSettings = `[sqlfluff]
dialect = bigquery
# The SQL is not a template: values are bound as @name.
templater = raw
max_line_length = 120
exclude_rules = layout.cte_newline, layout.select_targets, references.qualification, references.keywords, structure.column_order, structure.using, ambiguous.join, ambiguous.order_by

[sqlfluff:indentation]
tab_space_size = 2
indented_ctes = True
indented_then = False
indented_then_contents = False

[sqlfluff:rules:layout.long_lines]
# The header is a comment.
ignore_comment_lines = True
`;
