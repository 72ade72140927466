import { type ExecutionResult, locatedError } from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { refusedEndpoint } from '../../../call/gate.ts';
import type { Audit } from '../../access/audit.ts';
import { isRead } from '../../message/head.ts';
import type { ServerContext } from '../context.ts';
import type { CheckDocument } from '../check-document.ts';
import { errorOfGet } from '../document/parse-document.ts';
import { requireOperation } from '../document/require-operation.ts';
import { requestError } from '../errors.ts';
import type { FindHidden } from '../hidden-fields.ts';

type YogaPlugin = Plugin<object, ServerContext>;

/** Parses and validates documents in one step, within the limits. */
export const checkDocuments = (checkDocument: CheckDocument): YogaPlugin => ({
  onParse({ setParseFn, context }) {
    const { operation, params } = contextOf(context);
    setParseFn((source) => {
      const text = typeof source === 'string' ? source : source.body;
      try {
        operation.checked = checkDocument(text);
      } catch (error) {
        throw isRead(operation.head) ? errorOfGet(error, text, params.operationName) : error;
      }
      return operation.checked.document;
    });
    // Yoga says of each of these that it could not determine the operation.
    return ({ result }) => {
      if (result !== null && !(result instanceof Error)) requireOperation(result, params.operationName);
    };
  },
  onValidate({ context, setResult }) {
    const { checked } = contextOf(context).operation;
    if (checked === undefined) throw new Error('a document that was not checked');
    setResult([...checked.errors]);
  },
});

/** Reports root fields of endpoints that a key may not query: the caller sees an unknown field, or the refusal. */
export const reportHiddenFields = (findHidden: FindHidden, audit: Audit): YogaPlugin => ({
  onExecutionResult({ result, setResult, context: { operation } }) {
    const { errors = [], ...others } = (result ?? {}) as ExecutionResult;
    const { principal } = operation.admission;
    const refused = new Set<unknown>();
    const shown = errors.flatMap((error) => {
      const query = findHidden(error, principal);
      const { nodes, path } = error;
      // The schema that is shown to the key answers the document again.
      if (query === undefined || (path === undefined && operation.answerShown !== undefined)) return [error];
      if (path === undefined && refused.has(query)) return [];
      refused.add(query);
      const refusal = refusedEndpoint(principal, query);
      audit(refusal, operation.head, principal.id);
      return [path ? locatedError(refusal, nodes, path) : requestError(refusal.code, refusal.message)];
    });
    if (refused.size === 0 || principal.hidesEndpoints) return;
    // Their types are unknown as well.
    setResult({ errors: shown.filter(({ message }) => !message.startsWith('Unknown type ')), ...others });
  },
});

/** Yoga does not say that its context has the server's. */
const contextOf = (context: unknown) => context as ServerContext & YogaInitialContext;
