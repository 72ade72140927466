import {
  executeSync,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  Kind,
  OperationTypeNode,
} from 'graphql';
import type { YogaInitialContext } from 'graphql-yoga';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { ownerOf } from '../../../keys/principal.ts';
import type { Context } from '../context.ts';
import {
  type CollectedField,
  collectFields,
  selectionOf,
  selectionsBelow,
} from '../document/collect-fields.ts';
import { NeedsObjects } from '../execution/needs-objects.ts';
import { writtenTexts } from '../execution/written.ts';

/** How many types, or fields of a type, are executed in one step, which takes about a millisecond. */
const perSlice = 20;

type Result = Readonly<Record<string, unknown>>;

/** Executes root fields over some part of a schema, with the variables and fragments of an operation. */
type Run = (part: GraphQLSchema, selections: readonly FieldNode[]) => Result;

type Introspect = (
  schema: GraphQLSchema,
  info: GraphQLResolveInfo,
  run: Run,
  args: Readonly<Record<string, unknown>>,
) => Generator<void, readonly string[]>;

/** graphql-js has errors, which it must give itself. */
class FailedIntrospection extends NeedsObjects {}

/**
 * The fields that query the schema, as leaves: of a large catalog they have megabytes, and graphql-js executes each in one turn
 * of the event loop. Here it executes a few types, or fields of a type, at a time.
 */
export function introspectionLeaves(schema: GraphQLSchema, turns: LoopTurns) {
  const leaf =
    (introspect: Introspect) =>
    async (
      _root: unknown,
      args: Readonly<Record<string, unknown>>,
      { principal, params }: Context & YogaInitialContext,
      info: GraphQLResolveInfo,
    ) => {
      const steps = introspect(schema, info, runOf(info, params.variables), args);
      return writtenTexts(await turns.run(ownerOf(principal), steps));
    };
  return { __schema: leaf(introspectSchema), __type: leaf(introspectType) };
}

function runOf({ operation, fragments }: GraphQLResolveInfo, variableValues: Result | undefined): Run {
  const { variableDefinitions } = operation;
  return (schema, selections) => {
    const query = {
      kind: Kind.OPERATION_DEFINITION,
      operation: OperationTypeNode.QUERY,
      variableDefinitions,
      selectionSet: { kind: Kind.SELECTION_SET, selections },
    } as const;
    const definitions = [query, ...Object.values(fragments)];
    const { data, errors } = executeSync({
      schema,
      document: { kind: Kind.DOCUMENT, definitions },
      variableValues,
    });
    if (errors !== undefined || data == null) throw new FailedIntrospection();
    return data;
  };
}

/** Each field of the schema by itself, and the list of types in slices. */
const introspectSchema: Introspect = function* (schema, info, run) {
  const [fields, scope] = selectionOf(info);
  const texts: string[] = [];
  for (const field of fields) {
    const { responseKey } = field;
    const nodes = [schemaNode(field)];
    const valueIn = (part: GraphQLSchema) => (run(part, nodes).__schema as Result)[responseKey];
    texts.push(`${texts.length === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`);
    if (field.name !== 'types') {
      texts.push(JSON.stringify(valueIn(schema)));
      yield;
      continue;
    }
    const fieldKeys = fieldKeysOf(collectFields(selectionsBelow(field), scope));
    let before = '[';
    for (const types of slicesOf(schema)) {
      texts.push(before);
      before = ',';
      const answers: Result[] = [];
      for (const part of types) {
        answers.push(...(valueIn(withTypes(schema, part)) as Result[]));
        yield;
      }
      if (types.length === 1) texts.push(itemsText(answers));
      else yield* addJoined(texts, answers, fieldKeys);
    }
    texts.push(']');
  }
  return texts.length === 0 ? ['{}'] : [...texts, '}'];
};

/** The fields of a type in slices. */
const introspectType: Introspect = function* (schema, info, run, { name }) {
  const { fieldNodes, path } = info;
  const type = schema.getType(String(name));
  const parts = isObjectType(type) ? partsOf(type) : [];
  const valueIn = (part: GraphQLSchema) => run(part, fieldNodes)[path.key];
  if (parts.length < 2) return [JSON.stringify(valueIn(schema))];
  const answers: Result[] = [];
  for (const part of parts) {
    answers.push(valueIn(withTypes(schema, [part])) as Result);
    yield;
  }
  const texts: string[] = [];
  yield* addJoined(texts, answers, fieldKeysOf(selectionOf(info)[0]));
  return texts;
};

/** The response keys under which types have their fields. */
const fieldKeysOf = (fields: readonly CollectedField[]) =>
  fields.filter(({ name }) => name === 'fields').map(({ responseKey }) => responseKey);

/** The JSON text of a list, without its brackets. */
const itemsText = (items: readonly unknown[]): string => JSON.stringify(items).slice(1, -1);

/** Adds the text of one type, whose lists of fields are in parts. */
function* addJoined(
  texts: string[],
  parts: readonly Result[],
  fieldKeys: readonly string[],
): Generator<void> {
  texts.push('{');
  for (const [at, [key, value]] of Object.entries(parts[0] ?? {}).entries()) {
    texts.push(`${at === 0 ? '' : ','}${JSON.stringify(key)}:`);
    if (!fieldKeys.includes(key)) {
      texts.push(JSON.stringify(value));
      continue;
    }
    let before = '[';
    for (const part of parts) {
      const items = itemsText(part[key] as readonly unknown[]);
      yield;
      // Its fields may all be deprecated, which the query leaves out.
      if (items === '') continue;
      texts.push(before, items);
      before = ',';
    }
    texts.push(before === '[' ? '[]' : ']');
  }
  texts.push('}');
}

/**
 * The types in their order, some in each slice. A type with many fields, as the root types have one for each saved query, is
 * a slice of several parts.
 */
function* slicesOf(schema: GraphQLSchema): Generator<readonly (readonly GraphQLNamedType[])[]> {
  let types: GraphQLNamedType[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    const parts = isObjectType(type) ? partsOf(type) : [type];
    if (types.length > 0 && (parts.length > 1 || types.length === perSlice)) {
      yield [types];
      types = [];
    }
    if (parts.length > 1) yield parts.map((part) => [part]);
    else types.push(type);
  }
  if (types.length > 0) yield [types];
}

/** An object type, each with some of its fields. */
function partsOf(type: GraphQLObjectType): readonly GraphQLObjectType[] {
  const fields = Object.entries(type.getFields());
  if (fields.length <= perSlice) return [type];
  const starts = Array.from({ length: Math.ceil(fields.length / perSlice) }, (_, at) => at * perSlice);
  return starts.map((at) => {
    const some = Object.fromEntries(fields.slice(at, at + perSlice));
    return Object.create(type, { getFields: { value: () => some } }) as GraphQLObjectType;
  });
}

/** The schema with other types in its list; those that are not in it are found by their names. */
function withTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  const [only] = types;
  return Object.create(schema, {
    getTypeMap: { value: () => types },
    getType: { value: (name: string) => (name === only?.name ? only : schema.getType(name)) },
  }) as GraphQLSchema;
}

/** `__schema` with one of the fields below it. */
const schemaNode = ({ nodes }: CollectedField): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__schema' },
  selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
});
