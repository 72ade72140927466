import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import {
  exampleTenantPattern,
  fillTenantPattern,
  tenantPatternProblem,
} from '../../../src/catalog/binding/patterns/tenant-pattern.ts';
import { parseSavedQuery } from '../../../src/catalog/header/parse-saved-query.ts';
import { times } from '../../support/nightly.ts';

/** With a text that each matches for the tenant `abc`. */
const validPatterns = [
  ['^https?://{p}\\.[^/?#@\\\\\\s]*(?:[/?#]|$)', 'https://abc.example.com/x'],
  ['^https?://{p}\\.[^/?#@]*(?:[/?#]|$)', 'http://abc.example.com?x'],
  ['^https?://{p}\\.[\\w.-]+(?::\\d+)?/', 'https://abc.example.com:80/'],
  ['^https?://{p}(?::\\d+)?(?:[/?#]|$)', 'https://abc:80'],
  ['^https:\\/\\/{p}:\\d{1,5}\\?', 'https://abc:443?'],
  ['^https://www\\.{p}\\.example\\.com/', 'https://www.abc.example.com/'],
  ['^https://{p}$', 'https://abc'],
  ['^https://api\\.example\\.com/{p}/', 'https://api.example.com/abc/x'],
  ['^{p}$', 'abc'],
  ['^{p}/', 'abc/'],
  ['^a=x&p={p}&', 'a=x&p=abc&'],
  ['^(?:a|ab)/{p}\\?', 'ab/abc?'],
  ['^/{p}/{p}/', '/abc/abc/'],
  ['^\\|/{p}/', '|/abc/'],
];

describe('a tenant_pattern', () => {
  test.each(validPatterns)('%s is valid, and matches %s', (pattern = '', row = '') => {
    expect(tenantPatternProblem(pattern, 'p')).toBeUndefined();
    for (const [tenant, isMatched] of [
      ['abc', true],
      ['ab', false],
      ['bc', false],
      ['abcd', false],
    ] as const) {
      const regexp = RE2JS.compile(fillTenantPattern(pattern, 'p', tenant));
      expect(regexp.matcher(row).find(), tenant).toBe(isMatched);
    }
  });

  test('that messages show as an example is valid', () => {
    expect(tenantPatternProblem(exampleTenantPattern('p'), 'p')).toBeUndefined();
    expect(validPatterns.map(([pattern]) => pattern)).toContain(exampleTenantPattern('p'));
  });

  test.each(['-', '.', '~', '%', '!', "'", '+', '$', '@', '*', '(', ')', '^', '{', ' ', '_', 'x'])(
    'in which only %s ends or begins the name is rejected, escaped or not',
    (character) => {
      for (const end of [character, `\\${character}`]) {
        for (const pattern of [`^{p}${end}`, `^logs${end}{p}${end}`, `^${end}{p}/`, `^https://{p}${end}`]) {
          if (['^{p}$', '^https://{p}$', '^^{p}/'].includes(pattern)) continue;
          expect(tenantPatternProblem(pattern, 'p'), pattern).toBeDefined();
        }
      }
    },
  );

  test.each([
    ['not anchored', 'https?://{p}\\.', 'must begin with ^'],
    ['an optional anchor', '^?https://{p}\\.', 'must begin with ^'],
    ['an anchor in a group', '(?:^)https://{p}\\.', 'must begin with ^'],
    ['no placeholder', '^https?://', 'must contain {p}'],
    ['the placeholder of another parameter', '^https?://{q}\\.', 'must contain {p}'],
    ['an alternative without the placeholder', '^https://{p}\\.|.*', 'must not have |'],
    ['an alternative in a group', '^(?:/{p}\\.|.*)', 'must contain {p} outside of groups'],
    ['the placeholder in a class', '^/[{p}]\\.', 'must contain {p} outside of groups'],
    ['the placeholder in a negated class', '^/[^]{p}]\\.', 'must contain {p} outside of groups'],
    ['a second placeholder in a group', '^/{p}/(?:{p}\\.)?', 'must have a character before and after'],
    ['an optional placeholder', '^https://{p}?\\.', 'must end the host'],
    ['a repeated placeholder', '^https://{p}*/', 'must end the host'],
    ['nothing after it', '^/{p}', 'must have a character before and after'],
    ['an end in the middle of a host', '^https?://{p}\\.', 'must end the host after {p}, as in ^https?://'],
    ['nothing after it in a host', '^https://{p}', 'must end the host'],
    ['a password after it', '^https://{p}:', 'must end the host'],
    ['an optional port after it', '^https?://{p}:(\\d+)?', 'must end the host'],
    ['an @ after it', '^https://{p}@', 'must end the host'],
    ['more of the host, and no end', '^https://{p}\\.[^/?#@]*', 'must end the host'],
    ['an optional end of the host', '^https://{p}\\.[^/?#@]*(?:[/?#]|$)?', 'must end the host'],
    ['an empty end of the host', '^https://{p}\\.[^/?#@]*(?:[/?#]|)', 'must end the host'],
    ['an @ in the rest of the host', '^https://{p}\\.[^/?#]*(?:[/?#]|$)', 'must end the host'],
    ['anything in the rest of the host', '^https://{p}\\.\\S*(?:[/?#]|$)', 'must end the host'],
    ['a host in a group', '^https:(?://){p}\\.', 'must end the host'],
    ['a host after one slash', '^https:/{p}\\.', 'must end the host'],
    ['a host after backslashes', '^https:\\\\\\\\{p}\\.', 'must end the host'],
    ['an optional segment before it', '^(?:/v1)?/{p}/', 'of which one begins with the other'],
    ['a short alternative before it', '^(?:a|a/b)/{p}/', 'of which one begins with the other'],
    ['an end of the text before it', '^/$?{p}/', 'must have only characters, groups'],
    ['many texts before it', `^${'(?:a|b)'.repeat(7)}/{p}/`, 'for at most 64 texts'],
    ['any character after it', '^https://{p}.', 'must end the host'],
    ['a letter after it', '^https://{p}x', 'must end the host'],
    ['an optional end', '^https://{p}\\.?', 'must end the host'],
    ['an optional end of the text', '^{p}$?', 'must have a character before and after'],
    ['an end with the count zero', '^https://{p}\\.{0,1}', 'must end the host'],
    ['an optional start', '^https://x/?{p}\\.', 'must end the host'],
    ['any text before it', '^.*/{p}\\.', 'must not have . before'],
    ['any non-space before it', '^\\S+/{p}\\.', 'must not have \\S before'],
    ['a negated class before it', '^[^?]*/{p}\\.', 'must not have [^?] before'],
    ['a wide class before it', '^https?://[!-~]*/{p}/', 'must not have [!-~] before'],
    ['a class of all characters before it', '^[\\s\\S]*/{p}\\.', 'must not have [\\s\\S] before'],
    ['a class by code points before it', '^[\\x00-\\x7f]*/{p}\\.', 'must not have [\\x00-\\x7f] before'],
    ['a named class before it', '^[[:graph:]]*/{p}\\.', 'must not have [[:graph:]] before'],
    ['letters and slashes before it', '^https?://[a-z./]*/{p}/', 'must not have [a-z./] before'],
    ['a repeated group before it', '^https://(?:x|y/z/)*{p}/', 'must not have * before'],
    ['a repeated character before it', '^https:/+{p}/', 'must not have + before'],
    ['a small class before it', '^[(|)]/{p}\\.', 'must not have [(|)] before'],
    ['a count of characters before it', '^/a{2}/{p}/', 'must not have {2} before'],
    ['a count before it', '^https:(?:/){2}{p}/', 'must not have {2} before'],
    ['an escaped brace', '^/{p}/\\{p}/', 'outside of groups, [ ] and escapes'],
    ['the placeholder as a Unicode class', '^/{p}/\\p{p}/', 'outside of groups, [ ] and escapes'],
    ['flags', '^(?i)https://{p}\\.', 'must have no groups but'],
    ['flags in a group', '^(?i:https)://{p}\\.', 'must have no groups but'],
    ['quoting', '^\\Qhttps://\\E/{p}\\.', 'must not have \\Q'],
    ['quoting before it', '^/\\Q/{p}\\.', 'must not have \\Q'],
    ['invalid syntax', '^/{p}/(', 'must be a regular expression'],
  ])('with %s is rejected', (_, pattern, message) => {
    expect(tenantPatternProblem(pattern, 'p')).toContain(message);
  });

  test('matches only the tenant, for all characters', () => {
    const tenant = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 8 })
      .filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(tenant, tenant, (one, other) => {
        const pattern = RE2JS.compile(fillTenantPattern('^/{p}/$', 'p', one));
        expect(pattern.matcher(`/${one}/`).find()).toBe(true);
        expect(pattern.matcher(`/${other}/`).find()).toBe(one === other);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a valid tenant_pattern on hostile rows', () => {
  /** Names that contain each other, and everything that does not end a name or a label of a host. */
  const names = [
    ...['abc', 'abc-other', 'abc~x', 'abc%', 'abc%2e', "abc'", 'abc!', 'abc+x', 'abc$', 'abc_', 'äbc'],
    ...['bc', 'x-abc', 'www', 'https', 'v1', 'a', 'ab', 'evil', '127', '::1'],
  ];
  const pieces = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom(
      '/',
      '//',
      '.',
      ':',
      '@',
      '?',
      '#',
      '\\',
      '&',
      '=',
      '%',
      '%2e',
      '%40',
      '%2f',
      '-',
      '~',
      '|',
    ),
    fc.constantFrom(
      'https://',
      'http://',
      'www.',
      ':80',
      ':pw@',
      '.example.com',
      '\n',
      '\t',
      '\0',
      ' ',
      '＠',
      '。',
      '／',
    ),
    fc.string({ unit: 'binary', maxLength: 2 }),
  );
  const starts = [
    'https://',
    'http://',
    'https://www.',
    'https://api.example.com/',
    '/',
    '|/',
    'a/',
    'ab/',
    'a=x&p=',
    '',
  ];
  const rows = fc
    .tuple(
      fc.constantFrom(...starts),
      fc.option(fc.constantFrom(...names), { nil: '' }),
      fc.array(pieces, { minLength: 1, maxLength: 6 }),
    )
    .map(([start, name, parts]) => start + name + parts.join(''));
  const matching = (pattern: string) =>
    names.map((name) => ({ name, regexp: RE2JS.compile(fillTenantPattern(pattern, 'p', name)) }));

  test.each(validPatterns.map(([pattern]) => [pattern]))(
    '%s matches a row for one tenant at most, that of its host',
    (pattern = '') => {
      const tenants = matching(pattern);
      const isFirstLabel = /^\^https\??:\/\/\{p\}/.test(pattern);
      fc.assert(
        fc.property(rows, (row) => {
          const found = tenants.filter(({ regexp }) => regexp.matcher(row).find()).map(({ name }) => name);
          expect(found.length, JSON.stringify([row, found])).toBeLessThanOrEqual(1);
          const [name] = found;
          if (name === undefined || !isFirstLabel) return;
          // The host as RFC 3986 reads it, and as browsers do, who take most of these for no URL.
          const authority = /^[^:]*:\/\/([^/?#]*)/s.exec(row)?.[1] ?? '';
          const host = authority.slice(authority.lastIndexOf('@') + 1);
          expect(host.startsWith(name), row).toBe(true);
          expect(host.slice(name.length), row).toMatch(/^([.:]|$)/);
          const url = URL.parse(row);
          if (url !== null && /^[a-z][\w-]*$/.test(name)) expect(url.hostname.split('.')[0]).toBe(name);
        }),
        { numRuns: 3_000 },
      );
    },
  );

  test('whatever it is made of, no row belongs to two tenants', () => {
    const parts = [
      ...[
        'https?://',
        'https:',
        '/',
        '//',
        '(?:a|b)',
        '(?:/v1)?',
        'x',
        '-',
        '\\-',
        '\\.',
        '@',
        ':',
        '&p=',
        '\\|',
        '?',
      ],
      ...[
        '[^/?#@]*',
        '[^/]*',
        '\\S+',
        '.*',
        '(?:[/?#]|$)',
        '(?:/|$)',
        '[/?#]',
        '$',
        '\\?',
        '%',
        '~',
        ':\\d+',
        '{p}',
      ],
    ];
    const piece = fc.constantFrom(...parts);
    const list = fc.array(piece, { maxLength: 4 });
    let valid = 0;
    fc.assert(
      fc.property(list, list, fc.array(rows, { minLength: 20, maxLength: 20 }), (before, after, texts) => {
        const pattern = `^${before.join('')}{p}${after.join('')}`;
        if (tenantPatternProblem(pattern, 'p') !== undefined) return;
        valid += 1;
        const tenants = matching(pattern);
        for (const row of texts) {
          const found = tenants.filter(({ regexp }) => regexp.matcher(row).find());
          expect(found.length, JSON.stringify([pattern, row])).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: times(8_000) },
    );
    expect(valid).toBeGreaterThan(200);
  }, 300_000);
});

describe('a saved query', () => {
  const problems = (...parameters: string[]) => {
    const text = [
      '/*---',
      'id: 3b241101-e2bb-4255-8caf-4136c566a962',
      'description: About it.',
      'max_rows: 10',
      'caching: disabled',
      'columns: { x: { type: string, description: X. } }',
      'parameters:',
      ...parameters.map((line) => `  ${line}`),
      '---*/',
      `select concat(${parameters.map((line) => `@${line.split(':')[0]}`).join(', ')}) as x`,
    ].join('\n');
    return parseSavedQuery('draft', 'draft.sql', text).problems.map(
      ({ line, message }) => `${line} ${message}`,
    );
  };
  const described = 'description: D.';

  test.each([
    [
      'two tenants',
      [`a: { type: string, tenant: true, ${described} }`, `b: { type: string, tenant: true, ${described} }`],
      ['9 parameters.b.tenant: a is already the tenant; only one parameter can be'],
    ],
    [
      'a tenant that is not text',
      [`a: { type: integer, tenant: true, ${described} }`],
      ['8 parameters.a.tenant: must be a string or a pattern'],
    ],
    [
      'a pattern as tenant but no tenant_pattern',
      [`a: { type: pattern, tenant: true, ${described} }`],
      [
        "8 parameters.a.tenant: a pattern needs a tenant_pattern, as in '^https?://{a}\\.[^/?#@\\\\\\s]*(?:[/?#]|$)'",
      ],
    ],
    [
      'a tenant_pattern without a tenant',
      [`a: { type: pattern, tenant_pattern: '^/{a}/', ${described} }`],
      ['8 parameters.a.tenant_pattern: needs type: pattern and tenant: true'],
    ],
    [
      'a tenant_pattern for a string',
      [`a: { type: string, tenant: true, tenant_pattern: '^/{a}/', ${described} }`],
      ['8 parameters.a.tenant_pattern: needs type: pattern and tenant: true'],
    ],
    [
      'a tenant_pattern that can match other tenants',
      [`a: { type: pattern, tenant: true, tenant_pattern: '{a}', ${described} }`],
      ['8 parameters.a.tenant_pattern: must begin with ^, so that it matches from the start'],
    ],
    [
      'a parameter named like an API key',
      [`api_key: { type: string, ${described} }`],
      ['8 parameters.api_key: is a name for API keys, which must not be in a URL; choose another name'],
    ],
  ])('with %s is rejected, with the line', (_, parameters, expected) => {
    expect(problems(...parameters)).toEqual(expected);
  });

  test('with a tenant is valid', () => {
    expect(problems(`a: { type: pattern, tenant: true, tenant_pattern: '^/{a}/', ${described} }`)).toEqual(
      [],
    );
    expect(problems(`a: { type: string, tenant: true, ${described} }`)).toEqual([]);
  });
});
