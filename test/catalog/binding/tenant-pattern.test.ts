import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { fillTenantPattern, tenantPatternProblem } from '../../../src/catalog/binding/tenant-pattern.ts';
import { parseQuery } from '../../../src/catalog/header/parse-query.ts';

describe('a tenant_pattern', () => {
  test.each([
    '^https?://{p}\\.',
    '^https?://{p}\\.[^/?#@]*(?:[/?#]|$)',
    '^{p}$',
    '^{p}/',
    '^(?:http|https)://{p}:(\\d+)?',
    '^a=x&p={p}&',
    '^https://www\\.{p}\\.',
    '^/{p}/{p}/',
    '^\\|/{p}\\.',
  ])('%s is taken', (pattern) => {
    expect(tenantPatternProblem(pattern, 'p')).toBeUndefined();
  });

  test.each([
    ['not anchored', 'https?://{p}\\.', 'must begin with ^'],
    ['an anchor that need not be there', '^?https://{p}\\.', 'must begin with ^'],
    ['an anchor in a group', '(?:^)https://{p}\\.', 'must begin with ^'],
    ['no placeholder', '^https?://', 'must contain {p}'],
    ['the placeholder of another', '^https?://{q}\\.', 'must contain {p}'],
    ['an alternative without it', '^https://{p}\\.|.*', 'must not have |'],
    ['an alternative in a group', '^(?:/{p}\\.|.*)', 'must contain {p} outside of groups'],
    ['it in a class', '^/[{p}]\\.', 'must contain {p} outside of groups'],
    ['it in a class that is negated', '^/[^]{p}]\\.', 'must contain {p} outside of groups'],
    ['a second one in a group', '^/{p}/(?:{p}\\.)?', 'must have a character before and after'],
    ['it once or not at all', '^https://{p}?\\.', 'must have a character before and after'],
    ['it with any number', '^https://{p}*/', 'must have a character before and after'],
    ['nothing behind it', '^https://{p}', 'must have a character before and after'],
    ['anything behind it', '^https://{p}.', 'must have a character before and after'],
    ['a letter behind it', '^https://{p}x', 'must have a character before and after'],
    ['an end that need not be there', '^https://{p}\\.?', 'must have a character before and after'],
    ['an end that may be there no times', '^https://{p}\\.{0,1}', 'must have a character before and after'],
    ['a start that need not be there', '^https://x/?{p}\\.', 'must have a character before and after'],
    ['anything before it', '^.*/{p}\\.', 'must not have . before'],
    ['what is no slash before it', '^\\S+/{p}\\.', 'must not have \\S before'],
    ['a negated class before it', '^[^?]*/{p}\\.', 'must not have [^?] before'],
    ['a wide class before it', '^https?://[!-~]*/{p}/', 'must not have [!-~] before'],
    ['a class of everything before it', '^[\\s\\S]*/{p}\\.', 'must not have [\\s\\S] before'],
    ['a class by numbers before it', '^[\\x00-\\x7f]*/{p}\\.', 'must not have [\\x00-\\x7f] before'],
    ['a named class before it', '^[[:graph:]]*/{p}\\.', 'must not have [[:graph:]] before'],
    ['letters and slashes before it', '^https?://[a-z./]*/{p}/', 'must not have [a-z./] before'],
    ['a group any number of times before it', '^https://(?:x|y/z/)*{p}/', 'must not have * before'],
    ['a character any number of times before it', '^https:/+{p}/', 'must not have + before'],
    ['any class before it', '^[(|)]/{p}\\.', 'must not have [(|)] before'],
    ['a count of characters before it', '^/a{2}/{p}/', 'must not have {2} before'],
    ['a count before it', '^https:(?:/){2}{p}/', 'must not have {2} before'],
    ['an escaped brace', '^/{p}/\\{p}/', 'outside of groups, [ ] and escapes'],
    ['it as the name of a Unicode class', '^/{p}/\\p{p}/', 'outside of groups, [ ] and escapes'],
    ['flags', '^(?i)https://{p}\\.', 'must have no groups but'],
    ['flags in a group', '^(?i:https)://{p}\\.', 'must have no groups but'],
    ['quoting', '^\\Qhttps://\\E/{p}\\.', 'must not have \\Q'],
    ['quoting around it', '^/\\Q/{p}\\.', 'must not have \\Q'],
    ['no regular expression', '^/{p}\\.(', 'must be a regular expression'],
  ])('with %s is refused', (_, pattern, told) => {
    expect(tenantPatternProblem(pattern, 'p')).toContain(told);
  });

  test('matches the tenant and nobody else, whatever its characters are', () => {
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
    return parseQuery('draft', 'draft.sql', text).problems.map(({ line, message }) => `${line} ${message}`);
  };
  const described = 'description: D.';

  test.each([
    [
      'two tenants',
      [`a: { type: string, tenant: true, ${described} }`, `b: { type: string, tenant: true, ${described} }`],
      ['9 parameters.b.tenant: a is the tenant already; there is one'],
    ],
    [
      'a tenant that is no text',
      [`a: { type: integer, tenant: true, ${described} }`],
      ['8 parameters.a.tenant: must be a string or a pattern'],
    ],
    [
      'a tenant that is a pattern without one of its own',
      [`a: { type: pattern, tenant: true, ${described} }`],
      ["8 parameters.a.tenant: a pattern needs a tenant_pattern, as in '^https?://{a}\\.'"],
    ],
    [
      'a pattern without a tenant',
      [`a: { type: pattern, tenant_pattern: '^/{a}/', ${described} }`],
      ['8 parameters.a.tenant_pattern: only for a parameter that is a tenant and a pattern'],
    ],
    [
      'a pattern for a string',
      [`a: { type: string, tenant: true, tenant_pattern: '^/{a}/', ${described} }`],
      ['8 parameters.a.tenant_pattern: only for a parameter that is a tenant and a pattern'],
    ],
    [
      'a pattern that may match others',
      [`a: { type: pattern, tenant: true, tenant_pattern: '{a}', ${described} }`],
      ['8 parameters.a.tenant_pattern: must begin with ^, so that it matches from the start'],
    ],
    [
      'a parameter with a name for keys',
      [`api_key: { type: string, ${described} }`],
      ['8 parameters.api_key: is a name for keys, which no URL may hold'],
    ],
  ])('with %s is refused, with the line', (_, parameters, told) => {
    expect(problems(...parameters)).toEqual(told);
  });

  test('with a tenant is taken', () => {
    expect(problems(`a: { type: pattern, tenant: true, tenant_pattern: '^/{a}/', ${described} }`)).toEqual(
      [],
    );
    expect(problems(`a: { type: string, tenant: true, ${described} }`)).toEqual([]);
  });
});
