import { type DocumentNode, GraphQLError } from 'graphql';

/**
 * Requires that a document has operations, and that its request names one of them, or none if there is only one.
 *
 * @param name as the request has it
 * @throws GraphQLError that says what can be written or named
 */
export function requireOperation({ definitions }: DocumentNode, name: unknown): void {
  const operations = definitions.filter((one) => one.kind === 'OperationDefinition');
  if (name == null && operations.length === 1) return;
  if (name != null && operations.some((one) => one.name?.value === name)) return;
  const names = operations.flatMap((one) => one.name?.value ?? []);
  throw new GraphQLError(operations.length === 0 ? noOperation : problemOf(names, operations.length, name), {
    extensions: { code: 'OPERATION_RESOLUTION_FAILURE', http: { status: 400 } },
  });
}

const noOperation = 'query: the document has no operation; write query { … }';

const maxShown = 10;

function problemOf(names: readonly string[], count: number, name: unknown): string {
  const text =
    typeof name === 'object' ? 'a value that is not text' : `${JSON.stringify(name)}`.slice(0, 100);
  const given = name == null ? 'is missing' : `got ${text}`;
  const shown = names.slice(0, maxShown).join(', ') + (names.length > maxShown ? ', …' : '');
  const right =
    count === 1
      ? `leave it out${shown === '' ? ': the operation has no name' : `, or send ${shown}`}`
      : shown === ''
        ? 'the operations of the document need names, of which one is sent'
        : `send one of ${shown}`;
  return `operationName: ${given}; ${right}`;
}
