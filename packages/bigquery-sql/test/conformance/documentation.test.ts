import { expect, test } from 'vitest';
import { loadCases } from '../../conformance/cases.ts';
import { documentDialect } from '../../conformance/documentation.ts';
import { caseGroup, type Score } from '../../conformance/report.ts';

const scoreOf = (subject: string, kind: Score['kind'], group: string): Score => ({
  subject,
  kind,
  group,
  cases: 1,
  agreeing: 1,
  unsupported: 0,
  accepted: 0,
  statedReference: false,
  differences: [],
  invalid: [],
});

const page = documentDialect(
  loadCases()
    .filter(
      ({ subject, kind }, at, all) =>
        all.findIndex((one) => one.subject === subject && one.kind === kind) === at,
    )
    .map(({ subject, kind, template }) => scoreOf(subject, kind, caseGroup(template.file))),
);

/** The names of a section in lower case. */
const namesOf = (section: string) => {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [body = ''] = text.split('\n## ');
  return [...body.matchAll(/`(.+?)`/g)].map(([, name = '']) => name.toLowerCase());
};

test('nothing is listed twice, or both as supported and as unsupported', () => {
  const sections = ['Supported functions', 'Supported constructs', 'Unsupported functions'].map(namesOf);
  expect(sections.map((names) => names.length > 15)).toEqual([true, true, true]);
  const names = sections.flat();
  expect(names).toEqual(expect.arrayContaining(['cast format', 'abs', 'pi', 'st_…']));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('a function is in the row of the file that has its cases', () => {
  const row = page.split('\n').find((line) => line.startsWith('| mathematical | '));
  expect(row).toContain('`ABS`');
  expect(row).not.toContain('`CONCAT`');
});
