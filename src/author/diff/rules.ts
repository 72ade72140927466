import { columnRules } from './rules/columns.ts';
import { endpointRules } from './rules/endpoints.ts';
import { enumValueRules } from './rules/enum-values.ts';
import { parameterRules } from './rules/parameters.ts';
import { policyRules } from './rules/policy.ts';
import { type Rule, type Rules, rule } from './rules/rule.ts';
import { sqlRules } from './rules/sql.ts';
import { tenantRules } from './rules/tenant.ts';

/** Every kind of change with its verdict. `docs/diff.md` has the same table. */
export const rules = {
  ...endpointRules,
  ...parameterRules,
  ...enumValueRules,
  ...tenantRules,
  ...columnRules,
  ...policyRules,
  ...sqlRules,

  description: rule(
    'safe',
    'safe',
    'descriptions, examples or stated units are changed',
    'other documentation',
  ),
  'schema-changed': rule(
    'safe',
    'safe',
    'anything else that a comparison of the GraphQL schemas finds',
    'in GraphQL as severe as GraphQL Inspector says',
  ),
} as const satisfies Rules;

export type Kind = keyof typeof rules;

export const ruleOf = (kind: Kind): Rule => rules[kind];
