import { isDeepStrictEqual } from 'node:util';
import { keyText } from 'querygate/catalog';
import type { ColumnKeyField, EntityExtension, ParameterKeyField } from '../../catalog-types.ts';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';

/** Changes of what a query is in a graph of several subgraphs. */
export function compareFederation({ before, after }: Pair): readonly Change[] {
  const [old, now] = [before.federation, after.federation];
  const references = matchBy(old?.references ?? [], now?.references ?? [], ({ field, entity, key }) =>
    JSON.stringify([field, entity, keyText(key), sourcesOf(key)]),
  );
  const describe = ({ field, entity }: { readonly field: string; readonly entity: string }) =>
    `field ${field} of rows, which is a ${entity},`;
  const path = (field: string) => ['federation', 'references', field];
  return [
    ...compareExtension(old?.extension, now?.extension),
    ...references.removed.map((one) =>
      removal('reference-removed', path(one.field), `${describe(one)} removed or changed`),
    ),
    ...references.added.map((one) => change('reference-added', path(one.field), `${describe(one)} added`)),
    ...(isDeepStrictEqual(old?.directives ?? noDirectives, now?.directives ?? noDirectives)
      ? []
      : [change('federation-directives', ['federation'], 'shareable, inaccessible or override changed')]),
  ];
}

const noDirectives = { shareable: false, inaccessible: false, override: undefined };

function compareExtension(
  old: EntityExtension | undefined,
  now: EntityExtension | undefined,
): readonly Change[] {
  const nameOf = ({ entity, field }: EntityExtension) => `${entity}.${field}`;
  if (old === undefined)
    return now ? [change('entity-field-added', ['federation'], `field ${nameOf(now)} added`)] : [];
  if (now === undefined)
    return [removal('entity-field-removed', ['federation'], `field ${nameOf(old)} removed`)];
  if (nameOf(old) !== nameOf(now))
    return [change('entity-field-removed', ['federation'], `field ${fromTo(nameOf(old), nameOf(now))}`)];
  const keys = matchBy(old.keys, now.keys, keyText);
  const path = ['federation', 'key'];
  const { entity } = now;
  return [
    ...keys.removed.map((key) =>
      removal('entity-key-removed', path, `key ${keyText(key)} of ${entity} removed`),
    ),
    ...keys.added.map((key) => change('entity-key-added', path, `key ${keyText(key)} of ${entity} added`)),
    ...keys.both
      .filter(([one, other]) => sourcesOf(one) !== sourcesOf(other))
      .map(([one, other]) =>
        change('entity-key-parameter', path, `key of ${entity} ${fromTo(sourcesOf(one), sourcesOf(other))}`),
      ),
  ];
}

/** Where the values of a key are, equal for equal places. */
const sourcesOf = (key: readonly (ParameterKeyField | ColumnKeyField)[]): string =>
  key
    .map((field) =>
      [
        field.name,
        ...('parameter' in field ? [field.parameter] : []),
        ...(field.column ? [field.column] : []),
      ].join(' = '),
    )
    .sort()
    .join(', ');
