import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { StartError } from '../../../src/errors.ts';
import { checkPlugins, checkRoutes } from '../../../src/gateway/plugin-checks/check-plugins.ts';
import { live } from '../../../src/plugins/live/live.ts';
import { metrics } from '../../../src/plugins/metrics/metrics.ts';
import { pages } from '../../../src/plugins/pages/pages.ts';

const problemsOf = (...plugins: readonly unknown[]) => problemsIn(() => checkPlugins(plugins));

function problemsIn(check: () => void): readonly string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.problems.map(({ message }) => message);
  }
}

describe('a hook that is misspelt', () => {
  test.each([
    ['onRequset', 'onRequest'],
    ['onrequest', 'onRequest'],
    ['on_reply', 'onReply'],
    ['onRequests', 'onRequest'],
    ['onResults', 'onResult'],
    ['Open', 'open'],
    ['route', 'routes'],
    ['extendShema', 'extendSchema'],
    ['logfields', 'logFields'],
    ['endStream', 'endStreams'],
    ['cloze', 'close'],
  ])('%s is refused with the nearest name', (name, hook) => {
    const problem = `plugins[1] (mine): there is no hook ${name}; did you mean ${hook}?`;
    expect(problemsOf(metrics(), { name: 'mine', [name]: () => {} })).toEqual([problem]);
  });

  test.each(['metric', 'renderer'])('%s is a list', (name) => {
    const [problem] = problemsOf({ name: 'mine', [name]: [] });
    expect(problem).toBe(`plugins[0] (mine): there is no hook ${name}; did you mean ${name}s?`);
  });

  test('folowing is an object', () => {
    expect(problemsOf({ name: 'mine', folowing: {} })).toEqual([
      'plugins[0] (mine): there is no hook folowing; did you mean following?',
    ]);
  });

  test('that is near none is refused with those that there are', () => {
    expect(problemsOf({ name: 'mine', onError: () => {}, async onClientGone() {} })).toEqual([
      expect.stringMatching(/^plugins\[0\] \(mine\): there is no hook onError; those of .* are onCatalog, /),
      expect.stringMatching(/^plugins\[0\] \(mine\): there is no hook onClientGone; /),
    ]);
  });

  test('in a class, in one that it extends, and as a field, is refused too', () => {
    class Base {
      onReplay() {}
    }
    class Mine extends Base {
      name = 'mine';
      onResutl = () => {};
      onRequset() {}
      Close() {}
    }
    expect(problemsOf(new Mine()).map((text) => text.slice('plugins[0] (mine): '.length))).toEqual([
      'there is no hook onResutl; did you mean onResult?',
      'there is no hook onRequset; did you mean onRequest?',
      'there is no hook Close; did you mean close?',
      'there is no hook onReplay; did you mean onReply?',
    ]);
  });
});

describe('members of the plug-in itself', () => {
  class Counting extends EventEmitter {
    readonly name = 'counting';
    closed = false;
    opened = 0;
    route = '/counts';
    readonly #seen = new Set<string>();
    static onRequests() {}
    get onReplays() {
      throw new Error('it must not be called');
    }
    onData() {}
    reopen() {}
    closing() {}
    translated() {}
    protected metric() {}
    onRequest() {
      this.#seen.add('x');
    }
    [Symbol.asyncDispose]() {}
  }

  test.each([
    ['of a class', new Counting()],
    [
      'of an object',
      { name: 'a', state: {}, options: [], closed: true, helper: () => {}, [Symbol('onRequset')]() {} },
    ],
    ['that are undefined', { name: 'a', onReply: undefined, onReplyy: undefined }],
    ['of an object without a prototype', Object.assign(Object.create(null), { name: 'a', names: ['a'] })],
  ])('%s are not refused', (_title, plugin) => {
    expect(problemsOf(plugin)).toEqual([]);
  });
});

describe('values that are not plug-ins', () => {
  class Mine {}
  test.each([
    ['is a function, and must be the plug-in that it makes, as in metrics()', metrics],
    ['is a function, and must be the plug-in that it makes, as in plugin()', (() => () => {})()],
    ['is a class, and must be the plug-in that it makes, as in new Mine()', Mine],
    ['is a list; join it to the other plug-ins, as in [...these, metrics()]', [metrics()]],
    ['is a promise; await it', Promise.resolve(metrics())],
    ['is undefined, and must be a plug-in, as in metrics(); leave out what is turned off', undefined],
    ['is null, and must be', null],
    ['is false, and must be', false],
    ['is a text, and must be', 'metrics'],
  ])('%s', (problem, plugin) => {
    expect(problemsOf(pages(), plugin)).toEqual([expect.stringContaining(`plugins[1]: ${problem}`)]);
  });

  test('is refused in a gap of the list', () => {
    // biome-ignore lint/suspicious/noSparseArray: a comma too many makes one
    expect(problemsOf(...[metrics(), , pages()])).toEqual([
      'plugins[1]: is undefined, and must be a plug-in, as in metrics(); leave out what is turned off',
    ]);
  });
});

test('a member of the wrong kind says what it must be', () => {
  expect(problemsOf({ name: 'mine', routes: [], metrics: () => [], close: 'x' }, { open() {} })).toEqual([
    'plugins[0] (mine): routes: is a list; must be a function',
    'plugins[0] (mine): metrics: is a function; must be a list',
    'plugins[0] (mine): close: is a text; must be a function',
    'plugins[1]: name: is missing; must be a text',
  ]);
});

test('a second plug-in that answers followers is refused', () => {
  const [problem, ...others] = problemsOf(live(), { ...live(), name: 'relay' });
  expect(problem).toBe(
    'plugins: live and relay have following, which only one may have; leave the others out',
  );
  expect(others).toEqual([]);
});

test('a metric must have a name of Prometheus, a help, a type and samples', () => {
  const right = { name: 'a_total', help: 'All.', type: 'counter', samples: () => [] };
  const given = [right, null, { ...right, name: 'a b' }, { ...right, type: 'count', help: undefined }, {}];
  expect(problemsOf({ name: 'mine', metrics: given })).toEqual(
    [
      '[1]: is null; must be an object',
      '[2].name: must be a name of Prometheus, as in costs_bytes_total',
      '[3].help: is missing; must be a text',
      "[3].type: must be 'counter', 'gauge' or 'histogram'",
      '[4].name: is missing; must be a name of Prometheus, as in costs_bytes_total',
      '[4].help: is missing; must be a text',
      "[4].type: is missing; must be 'counter', 'gauge' or 'histogram'",
      '[4].samples: is missing; must be a function',
    ].map((problem) => `plugins[0] (mine): metrics${problem}`),
  );
});

describe('a renderer', () => {
  const right = { names: ['tsv'], contentType: 'text/tsv; charset=utf-8', mediaTypes: ['text/tsv'] };
  const name = "names: is a list; must be a list of names without blanks and slashes, as in ['tsv']";
  const type = 'must be a media type, as in text/tab-separated-values';
  const types = "must be a list of media types, as in ['text/tab-separated-values']";
  test.each([
    [right, undefined],
    [{ ...right, mediaTypes: [], fileExtension: 'tsv', *parts() {} }, undefined],
    [{ ...right, names: ['TSV', 'a.b', 'a+b', '_a'] }, undefined],
    [{ ...right, names: [''] }, name],
    [{ ...right, names: ['a/b'] }, name],
    [{ ...right, names: ['a b'] }, name],
    [{ ...right, names: [] }, 'names: must have a name'],
    [{ ...right, names: 'tsv' }, name.replace('is a list', 'is a text')],
    [{ ...right, contentType: undefined }, `contentType: is missing; ${type}`],
    [{ ...right, contentType: 'a\nb' }, `contentType: ${type}`],
    [{ ...right, mediaTypes: undefined }, `mediaTypes: is missing; ${types}`],
    [{ ...right, mediaTypes: ['text/tsv; charset=utf-8'] }, `mediaTypes: is a list; ${types}`],
    [{ ...right, fileExtension: 'a/b"c' }, 'fileExtension: must be an extension, as in tsv'],
    [{ ...right, parts: [] }, 'parts: is a list; must be a function'],
  ])('%j', (renderer, problem) => {
    const problems = problem === undefined ? [] : [`plugins[0] (mine): renderers[0].${problem}`];
    expect(problemsOf({ name: 'mine', renderers: [renderer] })).toEqual(problems);
  });

  test('that is null is no renderer', () => {
    const [problem] = problemsOf({ name: 'mine', renderers: [null] });
    expect(problem).toBe('plugins[0] (mine): renderers[0]: is null; must be an object');
  });
});

describe('a route', () => {
  const right = { path: '/r', access: 'key', answer: () => {} };
  const path = 'must be a path as URLs have it, as in /costs, /costs/* or /costs/**';
  const cases: readonly (readonly [object, string | undefined])[] = [
    [right, undefined],
    ...['/', '/*', '/a/**', '/a-*', "/a.b~-!$&'()+,;=:@%20"].map(
      (one) => [{ ...right, path: one }, undefined] as const,
    ),
    ...['r', '', '//r', '/r?x', '/r#x', '/ä', '/a b', '/a/../r', '/*/r', '/r/***'].map(
      (one) =>
        [{ ...right, path: one }, `path: ${one === '' ? 'is an empty text' : 'is a text'}; ${path}`] as const,
    ),
    [{ ...right, path: undefined }, `path: is missing; ${path}`],
    [{ ...right, methods: ['GET', 'HEAD', 'POST'] }, undefined],
    [{ ...right, methods: ['HEAD'] }, "methods: is a list; must be a list of 'GET' and 'POST'"],
    [{ ...right, methods: 'POST' }, "methods: is a text; must be a list of 'GET' and 'POST'"],
    [{ ...right, methods: ['PUT'] }, "methods: is a list; must be a list of 'GET' and 'POST'"],
    [{ ...right, methods: [] }, "methods: is a list; must be a list of 'GET' and 'POST'"],
    [{ ...right, access: 'always' }, "access: must be 'key' or 'public'"],
    [{ ...right, access: undefined }, "access: is missing; must be 'key' or 'public'"],
    [{ ...right, answer: undefined }, 'answer: is missing; must be a function'],
    [{ ...right, isKept: true }, 'isKept: is a boolean; must be a function'],
  ];
  test.each(cases)('%j', (route, problem) => {
    const problems = problem === undefined ? [] : [`mine, routes[1].${problem}`];
    expect(problemsIn(() => checkRoutes({ name: 'mine' }, [right, route]))).toEqual(problems);
  });
});
