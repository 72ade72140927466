import { problem, type SchemaProblem } from '../../../files/schema-problems.ts';
import { camelCase } from '../../../names/graphql-names.ts';
import type { KeyField, ParameterKeyField } from '../../model/entity-keys.ts';
import type { Header } from '../header-schema.ts';
import { keysOf } from './to-federation.ts';

/** Checks `federation`: parameters and columns of keys, and names of fields. */
export function checkFederation(header: Header): readonly SchemaProblem[] {
  if (header.federation === undefined) return [];
  return [...checkExtension(header), ...checkReferences(header)];
}

const at = (...path: readonly (string | number)[]) => ['federation', ...path];

function checkExtension(header: Header): readonly SchemaProblem[] {
  const { federation } = header;
  if (federation === undefined) return [];
  const { extends: entity, key, field } = federation;
  if (entity === undefined)
    return [
      ...(key === undefined ? [] : [problem(at('key'), 'needs extends, the name of the entity')]),
      ...(field === undefined ? [] : [problem(at('field'), 'needs extends, the name of the entity')]),
    ];
  if (key === undefined)
    return [problem(at('extends'), `needs key, as in { extends: ${entity}, key: { ref: project } }`)];
  const keys = keysOf(federation);
  const places = keys.map((_, index) => (Array.isArray(key) ? at('key', index) : at('key')));
  const names = new Set(keys.flat().map(({ name }) => name));
  return [
    ...keys.flatMap((fields, index) => checkKey(header, fields, places[index] ?? at('key'))),
    ...checkTypes(keys),
    ...(field !== undefined && names.has(field)
      ? [problem(at('field'), `${field} is a field of the key; choose another name`)]
      : []),
    ...checkRequired(header, keys),
  ];
}

function checkKey(
  { parameters, columns }: Header,
  fields: readonly ParameterKeyField[],
  path: readonly (string | number)[],
): readonly SchemaProblem[] {
  const lists = fields.filter(({ parameter }) => parameters[parameter]?.repeated);
  return fields.flatMap(({ name, parameter, column }, index) => {
    const add = (message: string) => [problem([...path, name], message)];
    const declared = Object.hasOwn(parameters, parameter) ? parameters[parameter] : undefined;
    if (declared === undefined) return add(`no parameter is named ${parameter}`);
    if (fields.findIndex((other) => other.parameter === parameter) < index)
      return add(`${parameter} is another field of the key`);
    if (declared.type === 'pattern' && !declared.tenant)
      return add(`${parameter} is a pattern, which would match other entities too; it must be compared`);
    if (declared.type === 'enum' && declared.unknown === 'default')
      return add(`${parameter} takes an unlisted value for its default, which is another entity`);
    if (!declared.repeated)
      return column === undefined ? [] : add(`column is for a list; ${parameter} is not a list`);
    if (lists.length > 1) return add('a key can have one list only');
    if (column === undefined)
      return add(
        `${parameter} is a list; name the column that says to which value a row belongs, as in { parameter: ${parameter}, column: ${parameter} }`,
      );
    const found = columns[column];
    if (found === undefined) return add(`no column is named ${column}`);
    return found.repeated || !['string', 'integer'].includes(found.type)
      ? add(`the column ${column} must be a text or an integer`)
      : [];
  });
}

/** A field has one type, also if several keys have it. */
function checkTypes(keys: readonly (readonly KeyField[])[]): readonly SchemaProblem[] {
  const types = new Map<string, string>();
  return keys.flat().flatMap(({ name, type }) => {
    const other = types.get(name) ?? type;
    types.set(name, type);
    return other === type
      ? []
      : [problem(at('key'), `${name} is ${other} in one key and ${type} in another`)];
  });
}

/** A representation has the fields of one key. */
function checkRequired(
  { parameters }: Header,
  keys: readonly (readonly ParameterKeyField[])[],
): readonly SchemaProblem[] {
  const ofKeys = new Set(keys.flat().map(({ parameter }) => parameter));
  const missing = [...ofKeys].filter(
    (name) =>
      parameters[name]?.required && !keys.every((key) => key.some(({ parameter }) => parameter === name)),
  );
  return missing.map((name) =>
    problem(at('key'), `the parameter ${name} is required, but not each of the keys has it`),
  );
}

function checkReferences({ federation, columns }: Header): readonly SchemaProblem[] {
  const taken = new Set(Object.keys(columns).map(camelCase));
  return Object.entries(federation?.references ?? {}).flatMap(([field, { key }]) => {
    const path = at('references', field);
    const problems = Object.entries(key).flatMap(([name, from]) => {
      const { column, type } = typeof from === 'string' ? { column: from, type: 'ID' } : from;
      const found = columns[column];
      const add = (message: string) => [problem([...path, 'key', name], message)];
      if (found === undefined) return add(`no column is named ${column}`);
      const fitting = {
        ID: ['string', 'integer'],
        String: ['string'],
        Int: ['integer'],
        Boolean: ['boolean'],
      };
      const types = fitting[type as keyof typeof fitting];
      return found.repeated || !types.includes(found.type)
        ? add(`${type} needs a column of the type ${types.join(' or ')}`)
        : [];
    });
    return taken.has(field)
      ? [problem(path, `${field} is the field of a column; choose another name`), ...problems]
      : problems;
  });
}
