import { type Rules, rule } from './rule.ts';

/** Changes of parameters. */
export const parameterRules = {
  'parameter-added': {
    ...rule('safe', 'safe', 'an optional parameter is new', 'nothing, as long as it is left out'),
    isStricterInSchema: true,
  },
  'parameter-added-required': rule(
    'breaking',
    'breaking',
    'a required parameter is new',
    'requests without it get 400',
  ),
  'parameter-removed': rule(
    'dangerous',
    'breaking',
    'a parameter is removed',
    'REST ignores parameters that are not declared, so that the rows are no longer restricted by it; the argument is invalid in GraphQL',
  ),
  'parameter-required': rule(
    'breaking',
    'breaking',
    'a parameter became required',
    'requests without it get 400',
  ),
  'parameter-optional': {
    ...rule('safe', 'safe', 'a parameter became optional', 'nothing: each request has it'),
    isStricterInSchema: true,
  },
  'parameter-type-widened': rule(
    'safe',
    'breaking',
    'a type that accepts every former value: `integer` to `float`, an `enum` to `string`',
    'REST accepts the same texts; variables and literals of GraphQL have the old type',
  ),
  'parameter-type-text': rule(
    'dangerous',
    'breaking',
    'a type that accepts every former value, but gives it to the SQL in another spelling: `date` to `timestamp`, others to `string`',
    'REST accepts the same texts, but rows may differ; variables and literals of GraphQL have the old type',
  ),
  'parameter-type-changed': rule(
    'breaking',
    'breaking',
    'a type that refuses former values',
    'requests with other values get 400',
  ),
  'parameter-list': rule(
    'safe',
    'breaking',
    'a parameter became a list',
    'REST accepts one value as before; variables of GraphQL have the old type',
  ),
  'parameter-single': rule(
    'breaking',
    'breaking',
    'a list became one value',
    'requests with several values get 400',
  ),
  'parameter-tightened': rule(
    'breaking',
    'breaking',
    '`min`, `max`, `max_length` or `max_items` allow less, `pattern` is added or changed, or `bind` is a type of fewer digits',
    'requests with values outside get 400',
  ),
  'parameter-loosened': rule(
    'safe',
    'safe',
    '`min`, `max`, `max_length` or `max_items` allow more, or `pattern` is removed',
    'nothing',
  ),
  'parameter-bind': rule(
    'dangerous',
    'dangerous',
    'a parameter has another type in the SQL',
    'the same values are accepted, but rows may differ',
  ),
  'parameter-pattern-literal': rule(
    'dangerous',
    'dangerous',
    'a `pattern` became a `string`',
    'characters with a meaning in regular expressions mean themselves',
  ),
  'parameter-default': rule(
    'dangerous',
    'dangerous',
    'a default is added, changed or removed',
    'requests without the parameter get other rows',
  ),
} as const satisfies Rules;
