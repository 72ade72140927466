import { unfinishedTexts } from 'querygate/catalog';
import type { SqlDescription } from '../proposals/describe-sql.ts';

interface NotesOptions {
  readonly file: string;
  /** Of the written file. */
  readonly text: string;
  readonly description: SqlDescription;
}

const usualConversion =
  "a parameter without bind is a STRING, which is '' if it is absent, and an absent list is empty";

/** The notes for the author of a new file, for standard error: what to know and what to decide. */
export function notesOf({ file, text, description }: NotesOptions): string {
  const { columns, conversions, names, others, parameters, proposals, replacements, sql } = description;
  const sqlLine = text.slice(0, text.indexOf('---*/\n')).split('\n').length + 1;
  const lineOf = (offset: number) => sqlLine + sql.slice(0, offset).split('\n').length - 1;
  const lines = [
    `Wrote ${file}: ${count(columns.length, 'column')}, ${count(parameters.length, 'parameter')}.`,
    ...list(
      'Named in the SQL, because every column needs a name of its own, of letters, digits and _:',
      names.map(
        ({ line, before, after }) =>
          `${file}:${sqlLine + line - 1} ${before === '' ? after.trim() : `${before} → ${after}`}`,
      ),
    ),
    ...list(
      'Parameters now, with the literal as default:',
      replacements.map(
        ({ line, before, after }) => `${file}:${sqlLine + line - 1} ${oneLine(before)} → ${after}`,
      ),
    ),
    ...list(
      `Changed in the SQL, because ${usualConversion}:`,
      conversions.map(({ line, before, after }) => `${file}:${sqlLine + line - 1} ${before} → ${after}`),
    ),
    ...tenantNotes(description),
    ...list(
      `Could be parameters (${optionsText(proposals)}):`,
      proposals.map(
        ({ start, text: literal, instead }) => `${file}:${lineOf(start)} ${oneLine(literal)} → ${instead}`,
      ),
    ),
    ...list(
      'On request, by --parameter and the name:',
      others.map(({ start, text: literal, name }) => `${file}:${lineOf(start)} ${oneLine(literal)}: ${name}`),
    ),
  ];
  const open = unfinishedTexts(file, text);
  if (open.length > 0) {
    lines.push(`To be filled in by you, which querygate check lists: ${count(open.length, 'text')}.`);
  }
  return `${lines.join('\n')}\n`;
}

/** How the command makes the proposed literals parameters. */
function optionsText(proposals: SqlDescription['proposals']): string {
  const names = [...new Set(proposals.map(({ name }) => name))];
  const options = [...names, ...(names.length > 1 ? ['all'] : [])].map((name) => `--parameter ${name}`);
  return `with ${options.join(' or ')}`;
}

function tenantNotes({ parameters, tenant: name, tenants }: SqlDescription): readonly string[] {
  const tenant = tenants.find((one) => one.parameter === name);
  if (tenant === undefined)
    return name === undefined && parameters.some(({ type }) => type === 'string')
      ? ['No parameter is a tenant: write tenant: true at the one that names whose rows are returned.']
      : [];
  const { column, parameter, unfiltered } = tenant;
  const notes = [
    `@${parameter} is the tenant, because it is compared with ${column}: keys can be restricted to it.`,
  ];
  for (const table of unfiltered) {
    notes.push(
      `  ${table} is read without such a comparison: the query is refused until it has one, or tenant_unchecked.`,
    );
  }
  for (const other of tenants.filter((one) => one !== tenant))
    notes.push(
      `  @${other.parameter} is compared with ${other.column}, but only one parameter can be the tenant.`,
    );
  return notes;
}

const list = (title: string, items: readonly string[]): readonly string[] =>
  items.length === 0 ? [] : [title, ...items.map((item) => `  ${item}`)];

const count = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

const oneLine = (text: string) => text.replace(/\s+/g, ' ');
