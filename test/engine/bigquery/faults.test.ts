import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  brokenAnswers,
  done,
  endlessAnswers,
  inTurn,
  type Play,
  refuses,
  sends,
  silence,
  unfinished,
} from '../../support/fake-bigquery.ts';
import { type OnFake, openOnFake } from './open-fake.ts';

const told = (error: unknown) => {
  expect(error).toBeInstanceOf(GatewayError);
  expect(String(error)).not.toMatch(/secret|our-project|select|bigquery|a:b/i);
  return error;
};

/** What a server of its own is told with, so that tests that wait do so together. */
const refusalOf = async (play: Play) => {
  const on = await openOnFake();
  on.fake.plays(play);
  const error = told(await on.refusal());
  const received = [...on.fake.received];
  await on.close();
  return { error, received };
};

describe('what BigQuery refuses', () => {
  let on: OnFake;
  beforeAll(async () => {
    on = await openOnFake();
  });
  afterAll(() => on.close());

  test.each([
    [400, 'invalidQuery', 'ENGINE_FAILED'],
    [400, 'invalid', 'ENGINE_FAILED'],
    [403, 'accessDenied', 'ENGINE_MISCONFIGURED'],
    [403, 'billingNotEnabled', 'ENGINE_MISCONFIGURED'],
    [403, 'blocked', 'ENGINE_MISCONFIGURED'],
    [404, 'notFound', 'ENGINE_MISCONFIGURED'],
    [403, 'quotaExceeded', 'ENGINE_QUOTA_EXCEEDED'],
    [400, 'timeout', 'ENGINE_TIMEOUT'],
    [200, 'stopped', 'ENGINE_TIMEOUT'],
    [403, 'responseTooLarge', 'QUERY_TOO_EXPENSIVE'],
    [400, 'resourcesExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'billingTierLimitExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'bytesBilledLimitExceeded', 'QUERY_TOO_EXPENSIVE'],
    [400, 'aReasonOfTomorrow', 'ENGINE_FAILED'],
    [403, 'aReasonOfTomorrow', 'ENGINE_MISCONFIGURED'],
  ])('%i %s is %s, and is not tried again', async (status, reason, code) => {
    on.fake.plays(
      status === 200
        ? sends(done([], { errors: [{ reason, message: 'Job a:b.secret was stopped' }] }))
        : refuses(status, reason),
    );
    expect(told(await on.refusal())).toMatchObject({ code });
    expect(on.fake.received).toHaveLength(1);
  });

  test.concurrent.each([
    [403, 'rateLimitExceeded', 'ENGINE_BUSY'],
    [400, 'jobRateLimitExceeded', 'ENGINE_BUSY'],
    [429, 'aReasonOfTomorrow', 'ENGINE_BUSY'],
    [500, 'backendError', 'ENGINE_UNAVAILABLE'],
    [503, 'backendError', 'ENGINE_UNAVAILABLE'],
    [500, 'internalError', 'ENGINE_UNAVAILABLE'],
    [400, 'jobBackendError', 'ENGINE_UNAVAILABLE'],
    [400, 'jobInternalError', 'ENGINE_UNAVAILABLE'],
    [400, 'tableUnavailable', 'ENGINE_UNAVAILABLE'],
    [504, 'aReasonOfTomorrow', 'ENGINE_UNAVAILABLE'],
  ])('%i %s is %s after some tries, and says when to ask again', async (status, reason, code) => {
    const { error, received } = await refusalOf(refuses(status, reason));
    expect(error).toMatchObject({ code, status: 503, retryAfterSeconds: 5 });
    expect(received).toHaveLength(5);
    expect(new Set(received.map(({ body }) => body.requestId)).size).toBe(1);
  });

  test('a quota says to come back after minutes', async () => {
    on.fake.plays(refuses(403, 'quotaExceeded'));
    expect(await on.refusal()).toMatchObject({ status: 503, retryAfterSeconds: 600 });
  });

  test('credentials that an OAuth server refuses are a matter of configuration', async () => {
    on.fake.plays(sends({ error: 'invalid_grant', error_description: 'secret' }, 401));
    expect(told(await on.refusal())).toMatchObject({ code: 'ENGINE_MISCONFIGURED', status: 502 });
  });

  test.each([
    ['Bad int64 value: twelve', { word: 'twelve' }, 'word'],
    ["Could not parse 'twelve' as a timestamp", { word: 'twelve' }, 'word'],
    ['Cannot parse regular expression: missing ]: [', { where: 'a' }, 'where'],
  ])('%s is told as the parameter that it is', async (message, parameters, parameter) => {
    on.fake.plays(refuses(400, 'invalidQuery', message));
    expect(await on.refusal(parameters)).toMatchObject({ code: 'INVALID_PARAMETER', status: 400, parameter });
  });

  test('what is wrong at a place in the SQL is no matter of values', async () => {
    on.fake.plays(refuses(400, 'invalidQuery', 'Unrecognized name "twelve" at [1:8]'));
    expect(await on.refusal({ word: 'twelve' })).toMatchObject({ code: 'ENGINE_FAILED' });
  });

  test('a failure that passes costs no more than a pause', async () => {
    on.fake.plays(inTurn(refuses(503, 'backendError'), refuses(403, 'rateLimitExceeded'), sends(done([7]))));
    expect(await on.run()).toMatchObject({ rows: ['{"x":7}'] });
    expect(on.fake.received).toHaveLength(3);
  });

  test('BigQuery is not asked again before it said so; where there is no time for that, not at all', async () => {
    on.fake.plays(inTurn(sends('{}', 503, { 'retry-after': '1' }), sends(done())));
    const started = performance.now();
    await on.run();
    expect(performance.now() - started).toBeGreaterThan(990);

    on.fake.plays(sends('{}', 503, { 'retry-after': '60' }));
    expect(await on.refusal()).toMatchObject({ code: 'ENGINE_UNAVAILABLE', retryAfterSeconds: 60 });
    expect(on.fake.received).toHaveLength(1);
  });

  test.concurrent.each(Object.entries(brokenAnswers))('%s is an error', async (_, play) => {
    const { error } = await refusalOf(play);
    expect(error).toMatchObject({ code: 'ENGINE_UNAVAILABLE', status: 503 });
  });

  test('an integer beyond 2^53 is an error, and so are columns that were not declared', async () => {
    on.fake.plays(sends(done([], { rows: [{ f: [{ v: '9007199254740993' }] }] })));
    expect(await on.refusal()).toMatchObject({
      code: 'ENGINE_FAILED',
      message: expect.stringContaining('2^53'),
    });
    on.fake.plays(sends(done([1], { schema: { fields: [{ name: 'x', type: 'STRING' }] } })));
    expect(await on.refusal()).toMatchObject({ code: 'ENGINE_FAILED' });
  });

  test('an engine that nobody answers for is unavailable', async () => {
    const gone = await openOnFake({ ENGINE_TIMEOUT_MS: '2000' });
    await gone.fake.close();
    expect(told(await gone.refusal())).toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    await gone.engine.close();
  });
});

describe('what never ends', () => {
  let on: OnFake;
  beforeAll(async () => {
    on = await openOnFake({ ENGINE_TIMEOUT_MS: '1000' });
  });
  afterAll(() => on.close());

  test.each(Object.entries(endlessAnswers))('%s ends as ENGINE_TIMEOUT', async (_, play) => {
    on.fake.plays(play);
    expect(told(await on.refusal())).toMatchObject({ code: 'ENGINE_TIMEOUT', status: 504 });
    on.fake.plays(sends(done()));
    expect(await on.run()).toMatchObject({ rows: ['{"x":1}'] });
  });

  test('a lost connection is noticed while there is time to ask again', async () => {
    const patient = await openOnFake({ ENGINE_TIMEOUT_MS: '4000' });
    patient.fake.plays(inTurn(silence, sends(done())));
    expect(await patient.run()).toMatchObject({ rows: ['{"x":1}'] });
    expect(new Set(patient.fake.received.map(({ body }) => body.requestId)).size).toBe(1);
    await patient.close();
  });

  test('a job is cancelled when the deadline passes', async () => {
    on.fake.plays(sends(unfinished));
    await on.refusal();
    await expect
      .poll(() => on.fake.received.at(-1))
      .toMatchObject({
        method: 'POST',
        path: '/jobs/job_1/cancel',
      });
    expect(on.fake.received.at(-1)?.parameters.get('location')).toBe('EU');
  });
});
