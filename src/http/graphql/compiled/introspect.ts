import {
  type DocumentNode,
  executeSync,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  OperationTypeNode,
} from 'graphql';
import {
  type CollectedField,
  collectFields,
  type Fragments,
  selectionsBelow,
} from '../document/collect-fields.ts';

/** How many types, or fields of the root type, are executed in one step, which takes about a millisecond. */
const perSlice = 20;

/**
 * Executes one root field that queries the schema, without variables. `__schema` of a large catalog has megabytes: each of
 * its fields is executed by itself, and the list of types in slices.
 *
 * @returns the JSON text of the field in parts; undefined if it has errors
 */
export function* introspect(
  schema: GraphQLSchema,
  fragments: Fragments,
  field: CollectedField,
): Generator<void, readonly string[] | undefined> {
  const run = (part: GraphQLSchema, nodes: readonly FieldNode[]) => execute(part, fragments, nodes);
  if (field.name !== '__schema') {
    const data = run(schema, field.nodes);
    return data && [JSON.stringify(data[field.responseKey])];
  }
  const texts: string[] = [];
  for (const inner of collectFields(selectionsBelow(field), { fragments, conditions: {} })) {
    const { responseKey } = inner;
    const nodes = [schemaNode(inner)];
    const resultOf = (part: GraphQLSchema) =>
      (run(part, nodes)?.__schema as Result | undefined)?.[responseKey];
    texts.push(`${texts.length === 0 ? '{' : ','}${JSON.stringify(responseKey)}:`);
    if (inner.name === 'types') {
      const list = yield* listTypes(schema, fieldKeysOf(inner, fragments), resultOf);
      if (list === undefined) return undefined;
      texts.push(...list);
    } else {
      const value = resultOf(schema);
      if (value === undefined) return undefined;
      texts.push(JSON.stringify(value));
      yield;
    }
  }
  texts.push('}');
  return texts;
}

type Result = Readonly<Record<string, unknown>>;

/** The response keys under which types have their fields. */
const fieldKeysOf = (types: CollectedField, fragments: Fragments) =>
  collectFields(selectionsBelow(types), { fragments, conditions: {} })
    .filter(({ name }) => name === 'fields')
    .map(({ responseKey }) => responseKey);

/** The list of types as text in parts. */
function* listTypes(
  schema: GraphQLSchema,
  fieldKeys: readonly string[],
  resultOf: (part: GraphQLSchema) => unknown,
): Generator<void, readonly string[] | undefined> {
  const texts: string[] = [];
  for (const types of slicesOf(schema)) {
    texts.push(texts.length === 0 ? '[' : ',');
    const answers: (readonly Result[])[] = [];
    for (const part of types) {
      const answer = resultOf(withTypes(schema, part)) as readonly Result[] | undefined;
      if (answer === undefined) return undefined;
      answers.push(answer);
      yield;
    }
    const [first = [], ...others] = answers;
    if (others.length === 0) texts.push(itemsText(first));
    else yield* addJoined(texts, answers.flat(), fieldKeys);
  }
  return [...texts, ']'];
}

/** The JSON text of a list, without its brackets. */
const itemsText = (items: readonly unknown[]): string => JSON.stringify(items).slice(1, -1);

/** Adds the text of one type, whose lists of fields are in parts. */
function* addJoined(
  texts: string[],
  parts: readonly Result[],
  fieldKeys: readonly string[],
): Generator<void> {
  for (const [at, [key, value]] of Object.entries(parts[0] ?? {}).entries()) {
    texts.push(`${at === 0 ? '{' : ','}${JSON.stringify(key)}:`);
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

/** The schema with other types in its list, but all of them are found by their names. */
function withTypes(schema: GraphQLSchema, types: readonly GraphQLNamedType[]): GraphQLSchema {
  return Object.create(schema, {
    getTypeMap: { value: () => types },
    getType: { value: (name: string) => schema.getType(name) },
  }) as GraphQLSchema;
}

/** `__schema` with one of the fields below it. */
const schemaNode = ({ nodes }: CollectedField): FieldNode => ({
  kind: Kind.FIELD,
  name: { kind: Kind.NAME, value: '__schema' },
  selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
});

function execute(schema: GraphQLSchema, fragments: Fragments, selections: readonly FieldNode[]) {
  const operation = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  } as const;
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [operation, ...fragments.values()],
  };
  const { data, errors } = executeSync({ schema, document });
  return errors === undefined ? (data ?? undefined) : undefined;
}
