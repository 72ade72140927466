import {
  type DirectiveNode,
  type DocumentNode,
  type ExecutableDefinitionNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import type { RowTask } from '../../../row-arguments/row-task.ts';
import { httpLimits } from '../../message/http-limits.ts';
import { EndpointRequest } from '../../../call/endpoint-request.ts';
import {
  type CollectedField,
  type Conditions,
  collectFields,
  fragmentsOf,
  type SelectionScope,
} from '../document/collect-fields.ts';
import { rawArguments } from '../schema/arguments.ts';
import { compileSelection, type QueryOutput, type SelectionWriter } from './compile-selection.ts';
import { introspect } from './introspect.ts';
import type { VariableValues } from './row-tasks.ts';
import type { BinaryText } from './rows/binary-text.ts';
import type { QueryOutputs } from './query-outputs.ts';

/**
 * One root field with its arguments: what is to be queried, and how its result is written. Equal requests share what
 * binding it gave.
 */
export interface QueryField {
  readonly responseKey: string;
  /** Where the response has it. */
  readonly path: readonly (string | number)[];
  /** Where the document has the field, for errors. */
  readonly nodes: readonly FieldNode[];
  readonly endpoint: EndpointRequest;
  readonly writer: SelectionWriter;
  /** In the order of the writer. */
  readonly rowTasks: readonly (RowTask | undefined)[];
}

/** The members of `data`, in order: a root field, a constant such as `__typename`, or a query of the schema. */
export type RootMember = QueryField | ConstantField | IntrospectionField | EntitiesField;

export interface ConstantField {
  readonly responseKey: string;
  readonly text: BinaryText;
}

/** A list of entities with the fields of each. */
export interface EntitiesField {
  readonly responseKey: string;
  readonly entities: readonly (readonly (QueryField | ConstantField)[])[];
}

interface IntrospectionField {
  readonly responseKey: string;
  /** Executes it in steps: the same for all callers, but megabytes for a large catalog. @returns undefined if it has errors */
  readonly introspect: () => Generator<void, readonly string[] | undefined>;
}

/** A valid operation that needs no GraphQL executor. */
export interface PreparedOperation {
  readonly type: 'query' | 'subscription';
  /** @returns undefined where the variables do not fit: the executor says why */
  bind(variables: Readonly<Record<string, unknown>>): readonly RootMember[] | undefined;
}

export interface PrepareOptions {
  readonly schema: GraphQLSchema;
  readonly outputs: QueryOutputs;
  /** undefined if the schema has no entities. */
  readonly compileEntities: CompileEntities | undefined;
}

/**
 * Compiles what an operation selects below a root field of entities.
 *
 * @returns gives the fields by the values of variables; undefined where an executor must say what is wrong
 */
export type CompileEntities = (
  root: CollectedField,
  scope: SelectionScope,
) => (variables: VariableValues) => EntitiesField | undefined;

/** The root field of entities. */
export const entitiesField = '_entities';

/** The queries that some members need. */
export const queryFieldsOf = (members: readonly RootMember[]): readonly QueryField[] =>
  members.flatMap((member): readonly QueryField[] => {
    if ('entities' in member) return member.entities.flatMap(queryFieldsOf);
    return 'endpoint' in member ? [member] : [];
  });

/**
 * Prepares one operation of a document that is valid.
 *
 * @param operationName undefined where the request names none
 * @returns undefined for what only an executor can do: the catalog's fields, SQL of callers, introspection with variables, other directives; or no such operation
 */
export function prepareOperation(
  { schema, outputs, compileEntities }: PrepareOptions,
  document: DocumentNode,
  operationName: string | undefined,
): PreparedOperation | undefined {
  const operation = findOperation(document, operationName);
  const isKnown = (name: string) =>
    outputs(name) !== undefined || (name === entitiesField && compileEntities !== undefined);
  if (operation === undefined || !isCompilable(document, operation, isKnown)) return undefined;
  const fragments = fragmentsOf(document);
  const conditionNames = conditionVariables(document);
  const definitions = operation.variableDefinitions ?? [];
  const type = operation.operation === 'subscription' ? 'subscription' : 'query';
  const rootType = type === 'query' ? schema.getQueryType() : schema.getSubscriptionType();
  const compiled = new Map<string, readonly CompiledMember[]>();

  const compile = (conditions: Conditions): readonly CompiledMember[] => {
    const key = conditionNames.map((name) => String(conditions[name])).join();
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const members = collectFields([operation.selectionSet], { fragments, conditions }).map((field) => {
      const { responseKey } = field;
      const scope = { fragments, conditions };
      if (field.name === entitiesField && compileEntities !== undefined)
        return { responseKey, bindEntities: compileEntities(field, scope) };
      const output = outputs(field.name);
      if (introspectionFields.has(field.name)) {
        return { responseKey, introspect: () => introspect(schema, fragments, field) };
      }
      if (output === undefined) return { responseKey, text: JSON.stringify(rootType?.name) };
      return { field, output, writer: compileSelection(output, field, scope) };
    });
    // A document with many conditions has few values that are sent.
    if (compiled.size >= maxVariants) compiled.clear();
    compiled.set(key, members);
    return members;
  };

  return {
    type,
    bind(variables) {
      const { variableValues } = getVariableValues(schema, definitions, variables, { maxErrors: 1 });
      if (variableValues === undefined) return undefined;
      const { coerced } = variableValues;
      // A variable with a default may be null where a directive must not have it.
      if (conditionNames.some((name) => coerced[name] === null)) return undefined;
      try {
        const members = compile(coerced).map((member) => {
          if ('bindEntities' in member) return member.bindEntities(variableValues) ?? unfitting();
          if (!('output' in member)) return member;
          const { field, output, writer } = member;
          const { responseKey, name, nodes } = field;
          const definition = rootType?.getFields()[name];
          const [node] = nodes;
          if (definition === undefined || node === undefined) throw new TypeError('no such field');
          const values = getArgumentValues(definition, node, variableValues);
          const endpoint = new EndpointRequest(output.query, rawArguments(output.query, values));
          const rowTasks = writer.rowTasks(variableValues);
          return { responseKey, path: [responseKey], nodes, endpoint, writer, rowTasks };
        });
        return areFewEntities(members) ? members : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Whether they are within the limits of an operation. */
function areFewEntities(members: readonly RootMember[]): boolean {
  const lists = members.flatMap((member) => ('entities' in member ? [member] : []));
  const count = lists.reduce((sum, { entities }) => sum + entities.length, 0);
  return count <= maxRepresentations && (count === 0 || queryFieldsOf(lists).length <= maxEntityFields);
}

const { maxEntityFields, maxRepresentations } = httpLimits;

function unfitting(): never {
  throw new TypeError('representations that cannot be resolved');
}

type CompiledMember =
  | Exclude<RootMember, QueryField | EntitiesField>
  | { readonly responseKey: string; readonly bindEntities: ReturnType<CompileEntities> }
  | { readonly field: CollectedField; readonly output: QueryOutput; readonly writer: SelectionWriter };

const maxVariants = 4;

export function findOperation(
  { definitions }: DocumentNode,
  name: string | undefined,
): OperationDefinitionNode | undefined {
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.find((operation) => operation.name?.value === name);
}

const introspectionFields: ReadonlySet<string> = new Set(['__schema', '__type']);

/** Only fields of saved queries, of the schema (without variables) and `__typename` at the root, and no directives but `@skip` and `@include`. */
function isCompilable(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  isQueried: (field: string) => boolean,
): boolean {
  const everything = collectFields([operation.selectionSet], {
    fragments: fragmentsOf(document),
    conditions: {},
  });
  const hasVariables = (operation.variableDefinitions ?? []).length > 0;
  const isKnown = ({ name }: CollectedField) =>
    name === '__typename' || isQueried(name) || (introspectionFields.has(name) && !hasVariables);
  if (!everything.every(isKnown)) return false;
  return directivesOf(document).every(({ name: { value } }) => value === 'skip' || value === 'include');
}

/** The variables that directives read. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  for (const { arguments: given = [] } of directivesOf(document)) {
    for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
  }
  return [...names];
}

/** Every directive of a document of operations and fragments. */
function directivesOf({ definitions }: DocumentNode): readonly DirectiveNode[] {
  const found: DirectiveNode[] = [];
  const collect = (node: SelectionNode | ExecutableDefinitionNode) => {
    if (node.directives !== undefined) found.push(...node.directives);
    if ('variableDefinitions' in node) {
      for (const { directives = [] } of node.variableDefinitions ?? []) found.push(...directives);
    }
    if ('selectionSet' in node) node.selectionSet?.selections.forEach(collect);
  };
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION) {
      collect(definition);
    }
  }
  return found;
}
