import { GraphQLError } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCheckDocument, type CheckDocument } from '../../../../src/http/graphql/check-document.ts';
import { parseDocument } from '../../../../src/http/graphql/document/parse-document.ts';
import { buildSchema } from '../../../../src/http/graphql/schema/schema.ts';
import { apiKey, openTestApp, type TestApp } from '../../../support/test-app.ts';

describe('a rejected document', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openTestApp({});
  });
  afterAll(() => app.close());

  const send = async (query: string, accept: string, operationName?: string) => {
    const headers = { 'x-api-key': apiKey, accept, 'content-type': 'application/json' };
    const body = JSON.stringify({ query, operationName });
    const response = await app.fetch('/graphql', { method: 'POST', headers, body });
    return { status: response.status, text: await response.text() };
  };

  test.each([
    ['that cannot be parsed', '{ a(', undefined, 400, 'GRAPHQL_PARSE_FAILED', [{ line: 1, column: 5 }]],
    ['that is empty', ' ', undefined, 400, 'GRAPHQL_PARSE_FAILED', undefined],
    ['that is invalid', '{\n nope }', undefined, 400, 'GRAPHQL_VALIDATION_FAILED', [{ line: 2, column: 2 }]],
    ['that is too large', '{ a '.repeat(60), undefined, 400, 'OPERATION_TOO_LARGE', undefined],
    [
      'with too long a name',
      `{ ${'a'.repeat(301)}: endpoints { name } }`,
      undefined,
      400,
      'OPERATION_TOO_LARGE',
      undefined,
    ],
    ['without the operation', 'query A { nope }', 'B', 400, 'OPERATION_RESOLUTION_FAILURE', undefined],
    [
      'with the operation',
      'query A { nope } query B { nope }',
      'B',
      400,
      'GRAPHQL_VALIDATION_FAILED',
      [{ line: 1, column: 11 }],
    ],
    [
      'of two operations',
      'query A { nope } query B { nope }',
      undefined,
      400,
      'OPERATION_RESOLUTION_FAILURE',
      undefined,
    ],
    ['that is no query', 'mutation { nope }', undefined, 400, 'BAD_REQUEST', undefined],
  ])('%s is rejected in the same way again', async (_, query, operationName, status, code, locations) => {
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      const first = await send(query, accept, operationName);
      expect(JSON.parse(first.text).errors[0].extensions).toEqual({ code });
      expect(JSON.parse(first.text).errors[0].locations).toEqual(locations);
      if (accept !== 'application/json') expect(first.status).toBe(status);
      for (let again = 0; again < 3; again += 1) {
        expect(await send(query, accept, operationName)).toEqual(first);
      }
    }
  });
});

test('an empty document is named as one', () => {
  expect(() => parseDocument('\n')).toThrow(/^query: is empty; send an operation$/);
});

describe('checking a document', () => {
  const check: CheckDocument = buildCheckDocument(buildSchema({ queries: [], tables: [] }), true);

  test('gives each request errors of its own, without the syntax tree', () => {
    const errors = () => check('{ nope }').errors;
    const [error] = errors();
    expect(error).toBeInstanceOf(GraphQLError);
    expect(error?.nodes).toBeUndefined();
    Object.assign(error?.extensions ?? {}, { http: { status: 500 } });
    expect(errors()[0]?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' });
  });
});
