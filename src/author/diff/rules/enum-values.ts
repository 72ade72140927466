import { type Rules, rule } from './rule.ts';

/** Changes of the values of enums. */
export const enumValueRules = {
  'enum-value-added': {
    ...rule('safe', 'safe', 'an enum value is new', 'nothing: the enum is only a type of arguments'),
    isStricterInSchema: true,
  },
  'enum-value-removed': rule('breaking', 'breaking', 'an enum value is removed', 'requests with it get 400'),
  'enum-value-merged': rule(
    'dangerous',
    'breaking',
    'an enum value is removed, and its text means another value or the default',
    'REST answers with rows of the other value; the value is invalid in GraphQL',
  ),
  'enum-name-changed': rule(
    'safe',
    'breaking',
    'an enum value has another name in GraphQL',
    'operations with the old name are invalid',
  ),
  'enum-name-moved': rule(
    'safe',
    'dangerous',
    'a name in GraphQL is that of another enum value',
    'operations with it get other rows',
  ),
  'enum-type-renamed': rule(
    'safe',
    'breaking',
    'the enum has another name in GraphQL',
    'operations that declare variables of the old type are invalid',
  ),
  'enum-text-added': rule('safe', 'safe', 'a further spelling of an enum value', 'nothing'),
  'enum-text-removed': rule(
    'breaking',
    'safe',
    'a spelling of an enum value is removed',
    'REST requests with it get 400',
  ),
  'enum-text-changed': rule(
    'dangerous',
    'safe',
    'a text means another enum value than before',
    'REST requests with it get other rows',
  ),
  'unknown-refused': rule(
    'breaking',
    'safe',
    '`unknown: default` became `refuse`',
    'REST requests with values that are not listed get 400; GraphQL refused them before',
  ),
  'unknown-accepted': rule(
    'safe',
    'safe',
    '`unknown: refuse` became `default`',
    'REST requests with values that are not listed get rows of the default',
  ),
} as const satisfies Rules;
