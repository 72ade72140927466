import { camelCase } from 'querygate/catalog';
import type { EnumParameter, Parameter } from '../../catalog-types.ts';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';
import type { Kind } from '../verdicts.ts';
import { compareEnums } from './enum-values.ts';
import { compareLimits, sameTexts } from './limits.ts';

/** Changes of the parameters. */
export function compareParameters(pair: Pair): readonly Change[] {
  const { before, after } = pair;
  const { both, removed, added } = matchBy(before.parameters, after.parameters, ({ name }) => name);
  return [
    ...removed.map((parameter) =>
      removal(
        'parameter-removed',
        pathOf(parameter),
        `parameter ${parameter.name} removed${successor(parameter, added)}`,
      ),
    ),
    ...added.map((parameter) =>
      parameter.required
        ? change('parameter-added-required', pathOf(parameter), `required parameter ${parameter.name} added`)
        : change('parameter-added', pathOf(parameter), `optional parameter ${parameter.name} added`),
    ),
    ...added.filter(({ name }) => isRowArgument(name, pair)).map(hidesRowArgument),
    ...both.flatMap(([old, now]) => compareParameter(old, now)),
  ];
}

const pathOf = ({ name }: Parameter, ...keys: readonly string[]) => ['parameters', name, ...keys];

const hidesRowArgument = (parameter: Parameter): Change =>
  change(
    'row-argument-hidden',
    pathOf(parameter),
    `${parameter.name} in REST is the new parameter, no longer a row argument`,
  );

/** True if REST requests may have the name for an argument on rows, in both versions. */
const isRowArgument = (name: string, { before, after }: Pair): boolean =>
  [before, after].every(({ rowArguments }) => {
    if (rowArguments === undefined) return false;
    const { filter, order } = rowArguments;
    const words = [
      ...(filter.length > 0 ? ['and', 'or'] : []),
      ...(order.length > 0 ? ['order'] : []),
      ...['limit', 'offset', 'select'],
    ];
    return words.includes(name) || filter.some((column) => column.name === name);
  });

/** Names the new parameter that is perhaps a renamed one. */
function successor(removed: Parameter, added: readonly Parameter[]): string {
  const found = added.find(
    ({ name, type, description }) =>
      type === removed.type &&
      (description === removed.description ||
        camelCase(name).toLowerCase() === camelCase(removed.name).toLowerCase()),
  );
  return found === undefined ? '' : `; perhaps it is ${found.name} now`;
}

function compareParameter(before: Parameter, after: Parameter): readonly Change[] {
  const changes: Change[] = [];
  const add = (kind: Kind, key: string, text: string) =>
    void changes.push(change(kind, pathOf(after, key), `parameter ${after.name}: ${text}`));

  const kind = typeChange(before, after);
  if (kind !== undefined) add(kind, 'type', `type ${fromTo(before.type, after.type)}`);
  const isList = after.repeated === true;
  if ((before.repeated === true) !== isList)
    add(
      isList ? 'parameter-list' : 'parameter-single',
      'repeated',
      isList ? 'a list now' : 'one value instead of a list',
    );
  for (const { key, kind, text } of compareLimits(before, after)) add(kind, key, text);
  const [oldBind, bind] = [before, after].map((parameter) => parameter.bind ?? 'STRING');
  if (oldBind !== bind) add('parameter-bind', 'bind', `bind ${fromTo(oldBind, bind)}`);
  if (before.required !== after.required)
    add(
      after.required ? 'parameter-required' : 'parameter-optional',
      'required',
      after.required ? 'required now' : 'optional now',
    );
  if (!before.required && !after.required && !sameTexts(after, before.default, after.default))
    add('parameter-default', 'default', `default ${fromTo(before.default, after.default)}`);
  if (before.type === 'enum' && after.type === 'enum') changes.push(...compareEnums(before, after));
  if (before.description !== after.description) add('description', 'description', 'description changed');
  if (!sameTexts(after, before.example, after.example))
    add('description', 'example', `example ${fromTo(before.example, after.example)}`);
  return changes;
}

/** Types that accept every text that another one accepts, but spell it for the SQL in another way, or not at all. */
const widerTypes: Partial<Record<Parameter['type'], readonly Parameter['type'][]>> = {
  integer: ['string'],
  float: ['string'],
  boolean: ['string'],
  timestamp: ['string'],
  date: ['datetime', 'timestamp', 'string'],
  datetime: ['timestamp', 'string'],
};

function typeChange(before: Parameter, after: Parameter): Kind | undefined {
  if (before.type === after.type) return undefined;
  if (before.type === 'pattern' && after.type === 'string') return 'parameter-pattern-literal';
  if (before.type === 'integer' && after.type === 'float') return 'parameter-type-widened';
  if (before.type === 'enum' && after.type === 'string' && hasOnlyItsTexts(before))
    return 'parameter-type-widened';
  return widerTypes[before.type]?.includes(after.type) ? 'parameter-type-text' : 'parameter-type-changed';
}

/** True if each accepted text reached the SQL unchanged. */
const hasOnlyItsTexts = ({ unknown, values }: EnumParameter): boolean =>
  unknown === 'refuse' && values.every(({ also }) => also.length === 0);
