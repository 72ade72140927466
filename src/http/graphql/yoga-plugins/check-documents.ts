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

/** Reports endpoints that a document names but the key's schema hides: the caller sees an unknown field, or the refusal. */
export const reportHiddenFields = (findHidden: FindHidden, audit: Audit): YogaPlugin => ({
  onValidate({ context }) {
    const { head, admission } = contextOf(context).operation;
    const { principal } = admission;
    return ({ result, setResult }) => {
      const queries = new Set(result.flatMap((error: Error) => findHidden(error) ?? []));
      const refusals = [...queries].map((query) => refusedEndpoint(principal, query));
      for (const refusal of refusals) audit(refusal, head, principal.id);
      if (refusals.length === 0 || principal.hidesEndpoints) return;
      setResult(refusals.map(({ code, message }) => requestError(code, message)));
    };
  },
});

/** Yoga does not say that its context has the server's. */
const contextOf = (context: unknown) => context as ServerContext & YogaInitialContext;
