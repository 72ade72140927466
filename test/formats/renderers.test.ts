import { expect, test } from 'vitest';
import { Renderers } from '../../src/formats/renderers.ts';

const form = (more: object) => ({
  names: ['own'] as [string],
  contentType: 'text/plain',
  mediaTypes: [],
  fileExtension: undefined,
  ...more,
});
const open = (more: object) => new Renderers([{ name: 'mine', renderers: [form(more)] }]);

test.each([
  [{ names: ['csv'] }, 'the name csv'],
  [{ names: ['own', 'own'] }, 'the name own'],
])('a form cannot take the names of another: %j', (more, what) => {
  const message = `plugins[0] (mine): ${what} is taken; give the renderer another one`;
  expect(() => open(more)).toThrow(expect.objectContaining({ problems: [{ message }] }));
});

test.each([
  { mediaTypes: ['text/plain'] },
  { mediaTypes: ['text/x-own', 'text/x-own'] },
  { mediaTypes: ['application/json'] },
  { mediaTypes: ['text/csv'], version: '2' },
  { mediaTypes: ['text/csv'], unavailable: () => 'not here' },
])('a media type may be that of two forms: %j', (more) => {
  expect(open(more).names).toContain('own');
});
