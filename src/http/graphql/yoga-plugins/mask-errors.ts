import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Logger } from 'pino';
import { logOf } from '../../message/request-trace.ts';
import type { ServerContext } from '../context.ts';
import { addNearestNames, isOfUnknownName } from '../document/nearest-names.ts';
import { maskError } from '../errors.ts';

type YogaPlugin = Plugin<object, ServerContext>;

/** Shows callers what they may know of errors; the rest is logged with the id of the request. */
export const maskErrors = (log: Logger): YogaPlugin => ({
  onExecutionResult({ result, setResult, context: { operation } }) {
    const { errors, ...others } = (result ?? {}) as ExecutionResult;
    if (errors === undefined) return;
    const ownLog = logOf(operation.head, log);
    // Root fields fail in any order; equal requests get equal responses.
    const fields = Object.keys(others.data ?? {});
    const placeOf = ({ path }: GraphQLError) => fields.indexOf(String(path?.[0]));
    const inOrder = errors.toSorted((one, other) => placeOf(one) - placeOf(other));
    setResult({ errors: inOrder.map((error) => maskError(error, ownLog)), ...others });
  },
});

/** Says in errors about unknown names what is probably meant, of what introspection shows the caller. */
export const suggestNames: YogaPlugin = {
  async onExecutionResult({ result, context: { operation } }) {
    const { errors } = (result ?? {}) as ExecutionResult;
    if (operation.shownSchema === undefined || !errors?.some(({ message }) => isOfUnknownName(message)))
      return;
    addNearestNames(errors, await operation.shownSchema());
  },
};
