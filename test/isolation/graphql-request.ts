import type { Caller } from './callers.ts';
import type { Compared, Endpoint } from './endpoints.ts';
import type { Question } from './oracle.ts';
import { endpointOf, type GraphqlStep, othersOf, textOf } from './steps.ts';
import type { World } from './world.ts';

export interface GraphqlRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What each alias asks for. */
  readonly questions: ReadonlyMap<string, Question>;
  /** True if it has to be refused as a whole, or may be. */
  readonly isUnusual: boolean;
}

export function buildGraphql(step: GraphqlStep, world: World, caller: Caller): GraphqlRequest {
  const variables: Record<string, string> = {};
  const declarations: string[] = [];
  const questions = new Map<string, Question>();
  const selections = step.fields.map((field, at) => {
    const endpoint = endpointOf(field.endpoint);
    const tenant = textOf(field.value, world, caller);
    const others = othersOf(endpoint, field.others);
    const parameters = new Map([
      ...(endpoint.tenant === undefined ? [] : [[endpoint.tenant, tenant] as const]),
      ...others,
    ]);
    questions.set(`a${at}`, { endpoint, parameters });
    const texts = others.map(([name, text]) => `${camelCase(name)}: ${literalOf(endpoint, name, text)}`);
    if (endpoint.tenant !== undefined) {
      const variable = `v${at}`;
      const literal = JSON.stringify(tenant);
      if (field.how === 'variable') {
        variables[variable] = tenant;
        declarations.push(`$${variable}: String!`);
      }
      if (field.how === 'default') declarations.push(`$${variable}: String! = ${literal}`);
      texts.unshift(`${camelCase(endpoint.tenant)}: ${field.how === 'literal' ? literal : `$${variable}`}`);
    }
    const args = texts.length > 0 ? `(${texts.join(', ')})` : '';
    return `a${at}: ${endpoint.field}${args} { rows { ${endpoint.columns.map(camelCase).join(' ')} } rowCount }`;
  });
  const query = documentOf(step, declarations.length > 0 ? `(${declarations.join(', ')})` : '', selections);
  const values = [...questions.values()].flatMap(({ parameters }) => [...parameters.values()]);
  const sent = { query, variables, ...(step.shape === 'two operations' && { operationName: 'Wanted' }) };
  const isGet = step.method === 'GET' && step.shape !== 'batch';
  const search = new URLSearchParams({ ...sent, variables: JSON.stringify(variables) });
  const path = isGet ? `/graphql?${search}` : '/graphql';
  return {
    method: isGet ? 'GET' : 'POST',
    path,
    headers: isGet ? { accept: 'application/json' } : { 'content-type': 'application/json' },
    ...(!isGet && { body: JSON.stringify(step.shape === 'batch' ? [sent, sent] : sent) }),
    questions,
    isUnusual:
      step.shape === 'batch' ||
      // They name a field that does not exist for such a caller.
      (['two operations', 'skipped'].includes(step.shape) && caller.endpoints !== undefined) ||
      path.length > 3_000 ||
      values.some((text) => !text.isWellFormed() || text.length > 1_000),
  };
}

function documentOf({ shape }: GraphqlStep, declarations: string, selections: readonly string[]): string {
  const all = selections.join('\n');
  switch (shape) {
    case 'fragment':
      return `query Q${declarations} { ...F } fragment F on Query { ${all} }`;
    case 'inline fragment':
      return `query Q${declarations} { ... on Query { ${all} } ... { ${selections[0]} } }`;
    case 'two operations':
      return `query Wanted${declarations} { ${all} } query Other { other: ownByRecord { rows { id } } }`;
    case 'skipped':
      return `query Q${declarations} { ${all} skipped: ownByRecord(ref: "abc") @skip(if: true) { rows { id } } }`;
    default:
      return `query Q${declarations} { ${all} }`;
  }
}

function literalOf({ enums }: Endpoint, name: string, text: string): string {
  return enums?.[name]?.[text] ?? JSON.stringify(text);
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A row of GraphQL as REST has it: NULL left out, moments in microseconds. */
export function asInRest(endpoint: Endpoint, row: Readonly<Record<string, unknown>>): Compared {
  return Object.fromEntries(
    endpoint.columns.flatMap((column) => {
      const cell = row[camelCase(column)];
      if (cell === null || cell === undefined) return [];
      const isMoment = typeof cell === 'string' && /^\d{4}-.*Z$/.test(cell) && column === 'timestamp';
      return [[column, isMoment ? Date.parse(cell) * 1000 : cell]];
    }),
  );
}
