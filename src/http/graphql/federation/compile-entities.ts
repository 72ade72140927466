import { type GraphQLObjectType, getArgumentValues, isObjectType } from 'graphql';
import { type Entity, type EntityField, entitiesOf } from '../../../catalog/model/entities.ts';
import { publicNames } from '../../../catalog/model/versions.ts';
import { getOrAdd } from '../../../get-or-add.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { compileSelection, type QueryOutput } from '../compiled/compile-selection.ts';
import type { BuildCompileEntities } from '../compiled/operation-request.ts';
import { type ConstantField, entitiesField, type QueryField } from '../compiled/prepare-operation.ts';
import type { VariableValues } from '../compiled/row-tasks.ts';
import { type BinaryText, toBinaryText } from '../compiled/rows/binary-text.ts';
import type { KeyValue } from '../compiled/rows/key-value.ts';
import {
  type CollectedField,
  collectFields,
  type SelectionScope,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { rawArguments } from '../schema/arguments.ts';
import { countQueries } from './count-queries.ts';
import { type EntityValue, entityRequest, keyOf, readRepresentation } from './representation.ts';

const { maxEntityFields, maxRepresentations } = httpLimits;

/** Compiles `_entities`: routers send many of them, and most of their results are in the cache. */
export const buildCompileEntities: BuildCompileEntities = (schema, catalog, outputs) => {
  const definition = schema.getQueryType()?.getFields()[entitiesField];
  if (definition === undefined) return undefined;
  const entities = new Map(entitiesOf(catalog).map((entity) => [entity.name, entity]));
  const rootFields = new Map(publicNames(catalog).map(({ field, query }) => [query, field]));
  return (root, scope) => {
    const compiled = new Map(
      [...entities].flatMap(([name, entity]) => {
        const type = schema.getType(name);
        if (entity.fields.length === 0 || !isObjectType(type)) return [];
        const fields = collectFields(selectionsBelow(root), { ...scope, type: name });
        const outputOf = ({ query }: EntityField) => outputs(rootFields.get(query) ?? '');
        const binders = fields.map((field) => compileField(entity, type, field, scope, outputOf));
        return [[name, { binders, queries: countQueries(entity, fields) }] as const];
      }),
    );
    const [node] = root.nodes;
    return (variables) => {
      if (node === undefined) return undefined;
      const given = getArgumentValues(definition, node, variables).representations as readonly unknown[];
      if (given.length > maxRepresentations) return undefined;
      const bound = new Map<string, readonly BindField[]>();
      const bindersOf = (name: string) =>
        getOrAdd(bound, name, () => (compiled.get(name)?.binders ?? []).map((bind) => bind(variables)));
      const values = given.map((one) => readRepresentation(entities, one));
      const queries = values.reduce((sum, { entity }) => sum + (compiled.get(entity.name)?.queries ?? 0), 0);
      if (queries > maxEntityFields) return undefined;
      const list = values.map((value, at) => {
        const path = [root.responseKey, at];
        return bindersOf(value.entity.name).map((bind) => bind(value, path));
      });
      return { responseKey: root.responseKey, entities: list };
    };
  };
};

type BindField = (value: EntityValue, path: readonly (string | number)[]) => QueryField | ConstantField;

/** @throws TypeError for what only an executor can do */
function compileField(
  entity: Entity,
  type: GraphQLObjectType,
  field: CollectedField,
  scope: SelectionScope,
  outputOf: (field: EntityField) => QueryOutput | undefined,
): (variables: VariableValues) => BindField {
  const { responseKey, name, nodes } = field;
  const extension = entity.fields.find((one) => one.field === name);
  if (extension === undefined)
    return () => {
      // One variable may be the key of many representations, and the request is kept.
      const texts = new Map<KeyValue, BinaryText>();
      return ({ values }) => {
        const value = name === '__typename' ? entity.name : values.get(name);
        if (value === undefined) throw new TypeError('a part of another key');
        return {
          responseKey,
          text: getOrAdd(texts, value, () => toBinaryText(JSON.stringify(value))),
        };
      };
    };
  const output = outputOf(extension);
  const definition = type.getFields()[name];
  const [node] = nodes;
  if (output === undefined || definition === undefined || node === undefined)
    throw new TypeError('no such field');
  const { query } = extension;
  const writer = compileSelection(output, field, scope);
  return (variables) => {
    const given = rawArguments(query, getArgumentValues(definition, node, variables));
    const rowTasks = writer.rowTasks(variables);
    return (value, path) => {
      if (keyOf(extension, value).some(({ column }) => column !== undefined))
        throw new TypeError('a run for several entities');
      const endpoint = entityRequest(extension, value, given);
      return { responseKey, path: [...path, responseKey], nodes, endpoint, writer, rowTasks };
    };
  };
}
