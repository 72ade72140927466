import { expect, test } from 'vitest';
import { loadCases } from '../../conformance/cases.ts';
import { documentDialect } from '../../conformance/documentation.ts';
import type { Score } from '../../conformance/report.ts';

const scoreOf = (subject: string, kind: Score['kind']): Score => ({
  subject,
  kind,
  cases: 1,
  agreeing: 1,
  unsupported: 0,
  accepted: 0,
  statedReference: false,
  differences: [],
  invalid: [],
});

test('nothing is listed both as supported and as unsupported', () => {
  const subjects = new Map(
    loadCases().map(({ subject, kind }) => [`${kind} ${subject}`, scoreOf(subject, kind)]),
  );
  const names = [...documentDialect([...subjects.values()]).matchAll(/^\| `(.+?)` \|/gm)].map(
    ([, name = '']) => name.toLowerCase(),
  );
  expect(names).toContain('cast format');
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
