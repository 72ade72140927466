import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Case, isQuery, loadCases } from '../cases.ts';
import { loadShipped } from '../load-shipped.ts';
import { loadTables } from '../load-tables.ts';
import type { Table } from '../table.ts';
import type { Statement } from './forms.ts';

export interface Statements {
  readonly statements: readonly Statement[];
  readonly tables: readonly Table[];
}

/** Constants of one expression differ in little: that many inputs of each line are tried. */
const inputsOfExpression = 3;

/** The conformance cases that are not wrong on purpose, and the shipped queries. */
export function loadOwnStatements(): Statements {
  const shipped = loadShipped();
  const cases = [...Map.groupBy(loadCases(), ({ template }) => `${template.file}:${template.line}`).values()];
  return {
    statements: [...cases.flatMap(spread), ...shipped.cases]
      .filter(({ wrong }) => !wrong)
      .map(({ subject, sql, parameters, template, kind }) => ({
        subject,
        sql,
        parameters,
        isExpression: kind !== 'query' && !isQuery(template.text),
      })),
    tables: [...loadTables(join(import.meta.dirname, '../cases/tables.yaml')), ...shipped.tables],
  };
}

const spread = (cases: readonly Case[]): readonly Case[] => {
  const [first] = cases;
  if (!first || isQuery(first.template.text)) return cases;
  const step = Math.max(1, Math.ceil(cases.length / inputsOfExpression));
  return cases.filter((_, at) => at % step === 0);
};

/** The statements of a JSON file of `{ sql, source? }`, which bring their own rows. */
export const loadSuite = (file: string): Statements => ({
  statements: (JSON.parse(readFileSync(file, 'utf8')) as readonly { sql: string; source?: string }[]).map(
    ({ sql, source = '' }) => ({ subject: source, sql, parameters: {}, isExpression: false }),
  ),
  tables: [],
});
