import { type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Context, ServerContext } from '../context.ts';
import { errorOptions } from '../errors.ts';
import { causeOf, SelectsMore } from '../execution/needs-objects.ts';

type YogaContext = ServerContext & Context;

/**
 * Executes operations with graphql-js, in which lists of rows are leaves. If one cannot be written as bytes, the operation is
 * executed once more over the public schema.
 *
 * @param contextOf makes a context that has loaded nothing but what the operation has loaded before
 */
export function executeLeaves(
  schema: GraphQLSchema,
  leaves: GraphQLSchema,
  contextOf: (request: ServerContext) => Context,
): Plugin<object, ServerContext> {
  const executeOperation = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    const context = args.contextValue as YogaContext;
    const { checked } = context.operation;
    if (checked?.needsObjects !== true) {
      const result = await execute({ ...args, schema: leaves, ...errorOptions });
      const cause = causeOf(result);
      if (cause === undefined) return result;
      if (checked !== undefined && cause instanceof SelectsMore) checked.needsObjects = true;
      context.operation.loader.isRepeated = true;
    }
    const contextValue = { ...context, ...contextOf(context) };
    return execute({ ...args, schema, contextValue, ...errorOptions });
  };
  return {
    onExecute({ setExecuteFn }) {
      setExecuteFn(executeOperation);
      return { onExecuteDone: ({ result }) => refuseVariables(result as ExecutionResult) };
    },
  };
}

/** A result without data means wrong variables: graphql-js refuses nothing else before it executes an operation. */
function refuseVariables({ data, errors = [] }: ExecutionResult): void {
  if (data === undefined) for (const { extensions } of errors) extensions.http = { status: 400 };
}
