import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  completeBody,
  endlessResponses,
  errorReply,
  incompleteBody,
  inSequence,
  malformedResponses,
  neverRespond,
  type Responder,
  reply,
} from '../../support/fake-bigquery.ts';
import { type FakeSetup, openWithFake } from './open-with-fake.ts';

/** An error as callers see it, which must not reveal names or SQL. */
const publicError = (error: unknown) => {
  expect(error).toBeInstanceOf(GatewayError);
  expect(String(error)).not.toMatch(/secret|our-project|select|bigquery|a:b/i);
  return error;
};

/** The error on a server of its own, so that tests that wait can run concurrently. */
const errorOn = async (responder: Responder) => {
  const setup = await openWithFake();
  setup.fake.respondWith(responder);
  const error = publicError(await setup.runError());
  const received = [...setup.fake.received];
  await setup.close();
  return { error, received };
};

describe('an error that BigQuery reports', () => {
  let setup: FakeSetup;
  beforeAll(async () => {
    setup = await openWithFake();
  });
  afterAll(() => setup.close());

  test.each([
    [400, 'invalidQuery', 'ENGINE_FAILED'],
    [400, 'invalid', 'ENGINE_FAILED'],
    [403, 'accessDenied', 'ENGINE_MISCONFIGURED'],
    [403, 'billingNotEnabled', 'ENGINE_MISCONFIGURED'],
    [403, 'blocked', 'ENGINE_MISCONFIGURED'],
    [404, 'notFound', 'ENGINE_MISCONFIGURED'],
    [403, 'quotaExceeded', 'ENGINE_QUOTA_EXCEEDED'],
    [403, 'dailyLimitExceeded', 'ENGINE_QUOTA_EXCEEDED'],
    [400, 'timeout', 'ENGINE_TIMEOUT'],
    [200, 'stopped', 'ENGINE_TIMEOUT'],
    [403, 'responseTooLarge', 'QUERY_TOO_EXPENSIVE'],
    [400, 'resourcesExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'billingTierLimitExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'bytesBilledLimitExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'aReasonOfTomorrow', 'ENGINE_FAILED'],
    [403, 'aReasonOfTomorrow', 'ENGINE_MISCONFIGURED'],
  ])('%i %s is %s, and is not retried', async (status, reason, code) => {
    setup.fake.respondWith(
      status === 200
        ? reply(completeBody([], { errors: [{ reason, message: 'Job a:b.secret was stopped' }] }))
        : errorReply(status, reason),
    );
    expect(publicError(await setup.runError())).toMatchObject({ code });
    expect(setup.fake.received).toHaveLength(1);
  });

  test.concurrent.each([
    [403, 'rateLimitExceeded', 'ENGINE_BUSY'],
    [403, 'userRateLimitExceeded', 'ENGINE_BUSY'],
    [403, 'concurrentLimitExceeded', 'ENGINE_BUSY'],
    [400, 'jobRateLimitExceeded', 'ENGINE_BUSY'],
    [429, 'aReasonOfTomorrow', 'ENGINE_BUSY'],
    [500, 'backendError', 'ENGINE_UNAVAILABLE'],
    [503, 'backendError', 'ENGINE_UNAVAILABLE'],
    [500, 'internalError', 'ENGINE_UNAVAILABLE'],
    [400, 'jobBackendError', 'ENGINE_UNAVAILABLE'],
    [400, 'jobInternalError', 'ENGINE_UNAVAILABLE'],
    [400, 'tableUnavailable', 'ENGINE_UNAVAILABLE'],
    [504, 'aReasonOfTomorrow', 'ENGINE_UNAVAILABLE'],
  ])('%i %s is %s after retries, with the time of the next attempt', async (status, reason, code) => {
    const { error, received } = await errorOn(errorReply(status, reason));
    expect(error).toMatchObject({ code, status: 503, retryAfterSeconds: 5 });
    expect(received).toHaveLength(5);
    expect(new Set(received.map(({ body }) => body.requestId)).size).toBe(1);
  });

  test('an error without a list of errors has the reason of its status', async () => {
    const error = { code: 403, message: 'secret', status: 'RESOURCE_EXHAUSTED' };
    setup.fake.respondWith(inSequence(reply({ error }, 403), reply(completeBody())));
    await setup.run();
    expect(setup.fake.received).toHaveLength(2);
  });

  test('fields of null are absent', async () => {
    const fields = [{ name: 'x', type: 'INTEGER', mode: null, fields: null }];
    setup.fake.respondWith(reply(completeBody([7], { schema: { fields } })));
    expect(await setup.run()).toMatchObject({ rows: ['{"x":7}'] });
    setup.fake.respondWith(
      reply({ error: { message: null, errors: null, status: 'RESOURCE_EXHAUSTED' } }, 403),
    );
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_BUSY' });
  });

  test('a job that fails while it is polled is polled no more', async () => {
    setup.fake.respondWith(inSequence(reply(incompleteBody), errorReply(400, 'jobBackendError')));
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfterSeconds: 5 });
    expect(setup.fake.received.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('an exceeded quota has a long Retry-After', async () => {
    setup.fake.respondWith(errorReply(403, 'quotaExceeded'));
    expect(await setup.runError()).toMatchObject({ status: 503, retryAfterSeconds: 600 });
  });

  test('credentials that an OAuth server rejects are ENGINE_MISCONFIGURED', async () => {
    setup.fake.respondWith(reply({ error: 'invalid_grant', error_description: 'secret' }, 401));
    expect(publicError(await setup.runError())).toMatchObject({ code: 'ENGINE_MISCONFIGURED', status: 502 });
  });

  test.each([
    ['Bad int64 value: twelve', { word: 'twelve' }, 'word'],
    ["Could not parse 'twelve' as a timestamp", { word: 'twelve' }, 'word'],
    ['Cannot parse regular expression: missing ]: [', { where: 'a' }, 'where'],
  ])('%s names the parameter', async (message, parameters, parameter) => {
    setup.fake.respondWith(errorReply(400, 'invalidQuery', message));
    expect(await setup.runError(parameters)).toMatchObject({
      code: 'INVALID_PARAMETER',
      status: 400,
      parameter,
    });
  });

  test('an error with a position in the SQL is not blamed on a parameter', async () => {
    setup.fake.respondWith(errorReply(400, 'invalidQuery', 'Unrecognized name "twelve" at [1:8]'));
    expect(await setup.runError({ word: 'twelve' })).toMatchObject({ code: 'ENGINE_FAILED' });
  });

  test('a temporary failure is retried', async () => {
    setup.fake.respondWith(
      inSequence(
        errorReply(503, 'backendError'),
        errorReply(403, 'rateLimitExceeded'),
        reply(completeBody([7])),
      ),
    );
    expect(await setup.run()).toMatchObject({ rows: ['{"x":7}'] });
    expect(setup.fake.received).toHaveLength(3);
  });

  test('Retry-After delays the next attempt; without enough time it is not made', async () => {
    setup.fake.respondWith(inSequence(reply('{}', 503, { 'retry-after': '1' }), reply(completeBody())));
    const started = performance.now();
    await setup.run();
    expect(performance.now() - started).toBeGreaterThan(990);

    setup.fake.respondWith(reply('{}', 503, { 'retry-after': '60' }));
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfterSeconds: 60 });
    expect(setup.fake.received).toHaveLength(1);

    const date = new Date(Date.now() + 600_000).toUTCString();
    setup.fake.respondWith(reply('{}', 503, { 'retry-after': date }));
    expect(await setup.runError()).toMatchObject({ retryAfterSeconds: expect.closeTo(600, -1) });
    expect(setup.fake.received).toHaveLength(1);

    setup.fake.respondWith(reply('{}', 503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }));
    expect(await setup.runError()).toMatchObject({ retryAfterSeconds: 3_600 });
  });

  test.concurrent.each(Object.entries(malformedResponses))('%s is an error', async (_, responder) => {
    const { error } = await errorOn(responder);
    expect(error).toMatchObject({ code: 'ENGINE_UNAVAILABLE', status: 503 });
  });

  test('an integer beyond 2^53 is an error, and so is a column of another type than declared', async () => {
    setup.fake.respondWith(reply(completeBody([], { rows: [{ f: [{ v: '9007199254740993' }] }] })));
    expect(await setup.runError()).toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('2^53'),
    });
    setup.fake.respondWith(reply(completeBody([1], { schema: { fields: [{ name: 'x', type: 'STRING' }] } })));
    expect(await setup.runError()).toMatchObject({ code: 'ENGINE_FAILED' });
  });

  test('a server that refuses connections is ENGINE_UNAVAILABLE', async () => {
    // Its deadline is later than all attempts.
    const stopped = await openWithFake();
    await stopped.fake.close();
    expect(publicError(await stopped.runError())).toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    await stopped.engine.close();
  });
});

describe('a response that never ends', () => {
  let setup: FakeSetup;
  beforeAll(async () => {
    setup = await openWithFake({ ENGINE_TIMEOUT_MS: '1000' });
  });
  afterAll(() => setup.close());

  test.each(Object.entries(endlessResponses))('%s is ENGINE_TIMEOUT', async (_, responder) => {
    setup.fake.respondWith(responder);
    expect(publicError(await setup.runError())).toMatchObject({ code: 'ENGINE_TIMEOUT', status: 504 });
    setup.fake.respondWith(reply(completeBody()));
    expect(await setup.run()).toMatchObject({ rows: ['{"x":1}'] });
  });

  test('a lost connection is noticed in time for another attempt', async () => {
    const retrying = await openWithFake({ ENGINE_TIMEOUT_MS: '8000' });
    retrying.fake.respondWith(inSequence(neverRespond, reply(completeBody())));
    expect(await retrying.run()).toMatchObject({ rows: ['{"x":1}'] });
    expect(new Set(retrying.fake.received.map(({ body }) => body.requestId)).size).toBe(1);
    await retrying.close();
  });

  test('a body that stops is noticed in time for another attempt', async () => {
    setup.fake.respondWith(
      inSequence((response) => response.writeHead(200).write('{'), reply(completeBody([7]))),
    );
    expect(await setup.run()).toMatchObject({ rows: ['{"x":7}'] });
    expect(setup.fake.received).toHaveLength(2);
  });

  test('a body that takes longer than a response may take to begin is read to its end', async () => {
    const text = JSON.stringify(completeBody([7]));
    setup.fake.respondWith((response) => {
      response.writeHead(200);
      for (const at of [0, 1, 2, 3, 4]) setTimeout(() => response.write(text.charAt(at)), 170 * at);
      setTimeout(() => response.end(text.slice(5)), 850);
    });
    expect(await setup.run()).toMatchObject({ rows: ['{"x":7}'] });
    expect(setup.fake.received).toHaveLength(1);
  });

  test('a job is cancelled when the deadline passes', async () => {
    setup.fake.respondWith(reply(incompleteBody));
    await setup.runError();
    await expect
      .poll(() => setup.fake.received.at(-1))
      .toMatchObject({
        method: 'POST',
        path: '/jobs/job_1/cancel',
      });
    expect(setup.fake.received.at(-1)?.parameters.get('location')).toBe('EU');
  });
});
