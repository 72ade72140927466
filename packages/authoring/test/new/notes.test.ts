import { expect, test } from 'vitest';
import { notesOf } from '../../src/new/notes.ts';
import { describeText } from './describe-text.ts';

const notes = async (condition: string) => {
  const description = await describeText(`select ts from logs where ${condition}`);
  return notesOf({ file: 'a.sql', text: '/*---\n---*/\n', description });
};

test('the notes say which parameter is the tenant, or that none is where a text could be one', async () => {
  const none =
    'No parameter is a tenant: write tenant: true at the one that names whose rows are returned.\n';
  expect(await notes('request.path = @path')).toContain(none);
  expect(await notes('project = @path')).toContain('@path is the tenant');
  for (const condition of ['project = @path', 'status = @n', "project = 'abc'"])
    expect(await notes(condition)).not.toContain(none);
});
