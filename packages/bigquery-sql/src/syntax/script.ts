import { foldName } from '@querygate/text';
import { parsePath, splitPath } from './names.ts';
import type { CreateTempTable, Declare, IfStatement, ScriptStatement, SetVariable } from './nodes.ts';
import type { Parser } from './parser.ts';

/** A statement of a script that can become a part of the query after it; undefined if another one begins here. */
export function parseScriptStatement(p: Parser): ScriptStatement | undefined {
  if (p.at('DECLARE')) return ended(p, parseDeclare(p));
  if (p.at('SET')) return ended(p, parseSet(p));
  if (p.at('IF')) return ended(p, parseIf(p));
  return undefined;
}

function ended<Node>(p: Parser, statement: Node): Node {
  p.expect(';', '";" after the statement');
  return statement;
}

function parseDeclare(p: Parser): Declare {
  const { start } = p.next();
  const names = p.list(() => p.name('the name of a variable'));
  const type = p.at('DEFAULT') ? undefined : p.type();
  const value = p.accept('DEFAULT') ? p.expression() : undefined;
  return { kind: 'Declare', start, end: p.end, names, type, value };
}

function parseSet(p: Parser): SetVariable {
  const { start } = p.next();
  if (p.at('(')) p.problem(p.start, 'SET of several variables is not supported: write a SET for each');
  if (p.at('@@'))
    p.problem(p.start, `SET of the system variable @@${foldName(p.peek(1).key)} is not supported`);
  const name = p.name('the name of a variable');
  if (p.at('.'))
    p.problem(p.start, `SET of a field is not supported: SET ${name.name} to a STRUCT of all its fields`);
  p.expect('=');
  const value = p.expression();
  return { kind: 'SetVariable', start, end: p.end, name, value };
}

/** `IF condition THEN SET …; ELSEIF … THEN …; ELSE …; END IF`. */
function parseIf(p: Parser): IfStatement {
  const { start } = p.next();
  const branches = [parseBranch(p)];
  while (p.accept('ELSEIF')) branches.push(parseBranch(p));
  const otherwise = p.accept('ELSE') ? parseAssignments(p) : [];
  p.expect('END');
  p.expect('IF');
  return { kind: 'IfStatement', start, end: p.end, branches, otherwise };
}

function parseBranch(p: Parser): IfStatement['branches'][number] {
  const { start } = p;
  const condition = p.expression();
  p.expect('THEN');
  const assignments = parseAssignments(p);
  return { kind: 'IfBranch', start, end: p.end, condition, assignments };
}

function parseAssignments(p: Parser): readonly (SetVariable | IfStatement)[] {
  const statements: (SetVariable | IfStatement)[] = [];
  while (!p.at('ELSEIF') && !p.at('ELSE') && !p.at('END')) {
    if (p.at('IF'))
      statements.push(
        ended(
          p,
          p.nested(() => parseIf(p)),
        ),
      );
    else if (p.at('SET')) statements.push(ended(p, parseSet(p)));
    else if (p.token.kind === 'word')
      p.problem(p.start, `${p.token.key} in IF is not supported: only variables can be SET there`);
    else p.fail('"SET" or "END IF"');
  }
  return statements;
}

/** `[PARTITION BY …] [CLUSTER BY …]`: how rows are stored, which says nothing about them. */
export function parseTableLayout(p: Parser): void {
  if (p.accept('PARTITION', 'BY')) p.expression();
  if (p.accept('CLUSTER', 'BY')) p.list(() => parsePath(p));
}

/** The rest of `CREATE TEMP TABLE name [PARTITION BY …] [CLUSTER BY …] AS query`, from TABLE. */
export function parseTempTable(p: Parser, start: number): CreateTempTable {
  p.expect('TABLE');
  if (p.at('FUNCTION') && p.peek(1).key !== 'AS')
    p.problem(start, 'CREATE TEMP TABLE FUNCTION is not supported: write its query as a WITH query');
  const path = splitPath(p, parsePath(p, 'the name of the table'));
  const name = path.parts.at(-1) ?? path.parts[0];
  if (p.at('('))
    p.problem(p.start, 'CREATE TEMP TABLE with a list of columns is not supported: write AS and a query');
  // How a table is stored does not change its rows.
  parseTableLayout(p);
  if (p.at('OPTIONS')) p.problem(p.start, 'OPTIONS of CREATE TEMP TABLE are not supported: leave them out');
  p.expect('AS', '"AS" and a query, which say the columns');
  const query = p.query();
  return ended(p, { kind: 'CreateTempTable', start, end: p.end, name, query });
}
