import { ownerOf } from '../../../keys/principal.ts';
import { type FieldNode, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { CachedResult } from '../../../results/get-result.ts';
import type { RequestHead } from '../../message/head.ts';
import { httpLimits } from '../../message/http-limits.ts';
import type { Reply } from '../../message/reply.ts';
import type { Admission } from '../../../call/caller.ts';
import type { CollectedField } from '../document/collect-fields.ts';
import { rowListBytes } from '../document/row-size.ts';
import { maskError, responseTooLarge, withNodes } from '../errors.ts';
import { cachingOf, replyGraphql } from '../graphql-reply.ts';
import { chooseMediaType } from '../media-type.ts';
import type { Outcome } from '../outcomes.ts';
import type { OperationRequest } from './operation-request.ts';
import type { QueryField } from './prepare-operation.ts';
import type { RenderBody } from './render-body.ts';
import { toBinaryText } from './rows/binary-text.ts';

/** A response in which some root fields are null, each with its error, as an executor gives it. */
export async function replyPartial(
  request: OperationRequest,
  outcomes: readonly Outcome[],
  head: RequestHead,
  { principal }: Admission,
  renderBody: RenderBody,
  log: Logger,
): Promise<Reply | undefined> {
  const chargeRows = buildChargeRows();
  const failures: {
    readonly error: unknown;
    readonly nodes: readonly FieldNode[];
    readonly path: readonly (string | number)[];
  }[] = [];
  const results = request.fields.map((field, at) => {
    const outcome = outcomes[at];
    if (outcome === undefined || 'error' in outcome) {
      failures.push({ error: outcome?.error, nodes: field.nodes, path: field.path });
      return undefined;
    }
    const exceeding = chargeRows(field, outcome.result);
    if (exceeding === undefined) return outcome.result;
    const path = [...field.path, exceeding.responseKey];
    failures.push({ error: responseTooLarge(), nodes: exceeding.nodes, path });
    return undefined;
  });
  let errors: readonly GraphQLError[] = [];
  const errorText = () => {
    // Logs what only operators may know.
    errors = failures.map(({ error, nodes, path }) => errorAt(error, nodes, path, log));
    return toBinaryText(JSON.stringify(errors.map(withoutHttp)));
  };
  const body = await renderBody({
    request,
    results,
    errors: errorText,
    ...{ head, owner: ownerOf(principal) },
    allocate: Buffer.allocUnsafeSlow,
  });
  if (body === undefined) return undefined;
  const retry = errors.map(
    ({ extensions }) => (extensions.http as { headers?: Reply['headers'] } | undefined)?.headers,
  );
  const mediaType = chooseMediaType(head.headers.accept);
  const headers = Object.assign({ 'content-type': `${mediaType}; charset=utf-8` }, ...retry);
  const failure = { fields: request.members.map(({ responseKey }) => responseKey), errors };
  return replyGraphql({ body, headers, failure }, cachingOf(head.method, [], undefined));
}

/** @returns gives the first list of rows with which the response becomes too large, if there is one */
function buildChargeRows() {
  let bytes = 0;
  return ({ writer }: QueryField, { document }: CachedResult): CollectedField | undefined =>
    writer.rowLists.find(({ size }) => {
      bytes += rowListBytes(size, document);
      return bytes > httpLimits.maxResponseBytes;
    });
}

/** What a field has thrown, as callers see it, with what it adds to the headers of the response. */
export function errorAt(
  thrown: unknown,
  nodes: readonly FieldNode[],
  path: readonly (string | number)[],
  log: Logger,
): GraphQLError {
  const originalError = thrown instanceof Error ? thrown : new Error(String(thrown));
  const error = withNodes(new GraphQLError(originalError.message, { path, originalError }), nodes);
  const masked = maskError(error, log);
  return masked instanceof GraphQLError ? masked : new GraphQLError(masked.message, { nodes, path });
}

/** Headers of the response are not part of its body. */
export function withoutHttp(error: GraphQLError): GraphQLError {
  const { http: _, ...extensions } = error.extensions;
  return new GraphQLError(error.message, { nodes: error.nodes, path: error.path, extensions });
}
