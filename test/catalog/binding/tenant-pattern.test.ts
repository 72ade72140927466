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
  ])('%s is valid', (pattern) => {
    expect(tenantPatternProblem(pattern, 'p')).toBeUndefined();
  });

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
    ['an optional placeholder', '^https://{p}?\\.', 'must have a character before and after'],
    ['a repeated placeholder', '^https://{p}*/', 'must have a character before and after'],
    ['nothing after it', '^https://{p}', 'must have a character before and after'],
    ['any character after it', '^https://{p}.', 'must have a character before and after'],
    ['a letter after it', '^https://{p}x', 'must have a character before and after'],
    ['an optional end', '^https://{p}\\.?', 'must have a character before and after'],
    ['an end with the count zero', '^https://{p}\\.{0,1}', 'must have a character before and after'],
    ['an optional start', '^https://x/?{p}\\.', 'must have a character before and after'],
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
    ['invalid syntax', '^/{p}\\.(', 'must be a regular expression'],
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
      ["8 parameters.a.tenant: a pattern needs a tenant_pattern, as in '^https?://{a}\\.'"],
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
