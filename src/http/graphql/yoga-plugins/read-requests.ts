import type { Plugin } from 'graphql-yoga';
import type { LoopTurns } from '../../../concurrency/loop-turns.ts';
import { ownerOf } from '../../../keys/principal.ts';
import type { ServerContext } from '../context.ts';
import type { PersistedDocuments } from '../persisted/persisted-query.ts';
import { parseOperation } from '../read-operation.ts';

/** Reads the operation of a request. Yoga's own parsers report some that are malformed as bugs of the server. */
export const readRequests = (
  persisted: PersistedDocuments,
  turns: LoopTurns,
): Plugin<object, ServerContext> => ({
  onParams({ setParams, setResult, context: { operation } }) {
    const { url, body, admission, answerShown } = operation;
    const owner = ownerOf(admission.principal);
    const read = () => {
      const params = parseOperation(url, body, (members) => persisted.documentOf(members, owner));
      setParams(params);
      // It is answered by the schema that is shown.
      const { query } = params;
      if (answerShown !== undefined && typeof query === 'string' && schemaNames.test(query)) setResult({});
    };
    // To parse and validate a document takes about a millisecond.
    const turn = turns.next(owner);
    return turn === undefined ? read() : turn.then(read);
  },
});

const schemaNames = /__schema|__type(?!name)/;
