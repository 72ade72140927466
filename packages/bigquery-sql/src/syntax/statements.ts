import { foldName } from '@querygate/text';
import { parseString } from './expressions/literals.ts';
import { startsQuery } from './expressions/parentheses.ts';
import { parsePath, parseTablePath, splitPath } from './names.ts';
import type {
  Assert,
  CreateFunction,
  CreateTempTable,
  CreateView,
  Expression,
  ForeignBody,
  FunctionParameter,
  Identifier,
  ScriptStatement,
  Statement,
} from './nodes.ts';
import { parseOptions } from './option-list.ts';
import type { Parser } from './parser.ts';
import { parseScriptStatement, parseTableLayout, parseTempTable } from './script.ts';

/** A whole text: temporary functions, a query, and nothing after it. */
export function parseStatement(p: Parser): Statement {
  const { start } = p;
  const functions: CreateFunction[] = [];
  const script: ScriptStatement[] = [];
  for (let next = parseBefore(p); next; next = parseBefore(p)) {
    if (next.kind === 'CreateFunction') functions.push(next);
    else script.push(next);
  }
  if (!startsQuery(p) && !p.at('(')) failStatement(p);
  const query = p.query();
  const { end } = p;
  // Where a list of columns ends without FROM, a comma is often missing.
  const isInList = query.body.kind === 'Select' && !query.body.from && query.pipes.length === 0 && p.atName();
  const isAnother = p.accept(';') && (startsQuery(p) || p.token.kind === 'word');
  if (isAnother) p.fail('the end of the query, which is one statement');
  if (p.token.kind !== 'end')
    p.fail(isInList ? 'a comma, "FROM" or the end of the query' : 'the end of the query');
  return { kind: 'Statement', start, end, functions, script, query };
}

/** A statement before the query. */
function parseBefore(p: Parser): CreateFunction | ScriptStatement | undefined {
  return p.at('CREATE') ? parseCreate(p) : parseScriptStatement(p);
}

/** The words with which other statements of a script begin. */
const scriptWords: ReadonlySet<string> = new Set(
  'BEGIN CASE LOOP WHILE REPEAT FOR LEAVE BREAK CONTINUE ITERATE EXECUTE CALL ASSERT RAISE RETURN COMMIT ROLLBACK'.split(
    ' ',
  ),
);
const writingWords: ReadonlySet<string> = new Set(
  'INSERT UPDATE DELETE MERGE TRUNCATE DROP UNDROP ALTER RENAME CLONE EXPORT LOAD GRANT REVOKE'.split(' '),
);

/** Statements of other databases, or of the console. */
const commandWords: ReadonlySet<string> = new Set(
  'EXPLAIN DESCRIBE DESC SHOW USE ANALYZE VALUES TABLE DEFINE IMPORT'.split(' '),
);

function failStatement(p: Parser): never {
  if (p.atOneOf(scriptWords)) {
    const what = p.at('EXECUTE', 'IMMEDIATE') ? 'EXECUTE IMMEDIATE' : p.token.key;
    return p.problem(
      p.start,
      `${what} is not supported: of a script, only DECLARE, SET, IF and CREATE TEMP TABLE before one query can become that query`,
    );
  }
  if (p.at('GRAPH')) return p.problem(p.start, 'GRAPH is not supported: property graphs are not tables here');
  if (p.atOneOf(commandWords))
    return p.problem(
      p.start,
      `${p.token.key} is not supported: expected a query, "SELECT", "WITH" or "FROM"`,
    );
  if (p.atOneOf(writingWords)) return p.fail('a query, which only reads');
  return p.fail('a query: "SELECT", "WITH" or "FROM", with functions or a script before it');
}

function parseCreate(p: Parser): CreateFunction | CreateTempTable {
  const { start } = p;
  p.expect('CREATE');
  if (p.accept('OR')) p.expect('REPLACE');
  const isTemporary = p.acceptOneOf(['TEMP', 'TEMPORARY']) !== undefined;
  if (isTemporary && p.at('TABLE')) return parseTempTable(p, start);
  const aggregate = p.accept('AGGREGATE');
  if (!isTemporary || !p.at('FUNCTION')) {
    const kind = aggregate ? 'AGGREGATE FUNCTION' : createdKind(p);
    p.problem(
      start,
      `CREATE ${kind} is not supported: before a query, only CREATE TEMP FUNCTION and CREATE TEMP TABLE are`,
    );
  }
  p.expect('FUNCTION');
  acceptIfNotExists(p);
  const name = splitPath(p, parsePath(p, 'the name of the function'));
  const definition = parseFunctionAfter(p, start, { aggregate, name });
  p.expect(';', '";" after the function');
  return definition;
}

function acceptIfNotExists(p: Parser, replaces = false): void {
  if (replaces && p.at('IF', 'NOT')) p.problem(p.start, 'IF NOT EXISTS and OR REPLACE exclude each other');
  if (!p.accept('IF')) return;
  p.expect('NOT');
  p.expect('EXISTS');
}

/** The rest of a function, after its name. */
function parseFunctionAfter(
  p: Parser,
  start: number,
  { aggregate, name }: Pick<CreateFunction, 'aggregate' | 'name'>,
): CreateFunction {
  const parameters = parseParameters(p);
  const returns = p.accept('RETURNS') ? p.type() : undefined;
  const changes = p.accept('NOT', 'DETERMINISTIC');
  const deterministic = changes ? false : p.accept('DETERMINISTIC') || undefined;
  const language = p.accept('LANGUAGE') ? p.name('the name of a language') : undefined;
  if (deterministic !== undefined && !language) p.fail('"LANGUAGE"');
  if (language && p.at('WITH', 'CONNECTION'))
    p.problem(language.start, `functions in ${language.name} are not supported, only in SQL and js`);
  const ofAnyType = parameters.find(({ type }) => type === 'ANY TYPE');
  if (language && ofAnyType && foldName(language.name) === 'js')
    p.problem(ofAnyType.start, 'JavaScript takes no parameter of ANY TYPE');
  const optionsBefore = parseOptions(p);
  p.expect('AS');
  const body = language ? parseForeignBody(p, language) : parseSqlBody(p);
  const options = optionsBefore.length > 0 ? optionsBefore : parseOptions(p);
  return {
    kind: 'CreateFunction',
    start,
    end: p.end,
    aggregate,
    name,
    parameters,
    returns,
    deterministic,
    body,
    options,
  };
}

/** A text of definitions: views and functions, temporary or not. Queries and ASSERT after the first one test them. */
export const parseDefinitionList = (p: Parser): readonly (CreateFunction | CreateView)[] =>
  parseList(
    p,
    (isFirst) => (!isFirst && skipTest(p) ? undefined : parseDefinition(p)),
    '";" after the definition',
  );

/** A text of ASSERT statements. */
export const parseAssertList = (p: Parser): readonly Assert[] =>
  parseList(p, () => parseAssert(p), '"AS" and a text, or ";" after the condition');

/** @param parseOne returns undefined for a statement that does not count */
function parseList<Node>(
  p: Parser,
  parseOne: (isFirst: boolean) => Node | undefined,
  between: string,
): readonly Node[] {
  const nodes: Node[] = [];
  const isAtEnd = () => p.token.kind === 'end';
  while (!isAtEnd()) {
    const node = parseOne(nodes.length === 0);
    if (node !== undefined) nodes.push(node);
    if (!isAtEnd()) p.expect(';', between);
  }
  return nodes;
}

/** Skips a query or ASSERT, if one comes next. */
function skipTest(p: Parser): boolean {
  if (!p.at('ASSERT') && !p.at('(') && !startsQuery(p)) return false;
  while (p.token.kind !== 'end' && !p.at(';')) p.next();
  return true;
}

function parseAssert(p: Parser): Assert {
  const { start } = p;
  if (p.at('CREATE') || p.at('DECLARE') || p.at('SET'))
    p.problem(
      start,
      `${p.token.key} is not supported here: only ASSERT statements are, each with its own values`,
    );
  p.expect('ASSERT');
  const condition = p.expression();
  const conditionEnd = p.end;
  const description = p.accept('AS') ? parseString(p, 'the text of ASSERT, a string literal') : undefined;
  return { kind: 'Assert', start, end: p.end, condition, conditionEnd, description };
}

function parseDefinition(p: Parser): CreateFunction | CreateView {
  const { start } = p;
  if (!p.accept('CREATE')) p.fail('"CREATE VIEW" or "CREATE FUNCTION"');
  const replaces = p.accept('OR');
  if (replaces) p.expect('REPLACE');
  p.acceptOneOf(['TEMP', 'TEMPORARY']);
  if (p.accept('VIEW') || p.accept('MATERIALIZED', 'VIEW')) return parseViewAfter(p, start, replaces);
  const aggregate = p.accept('AGGREGATE');
  if (!p.accept('FUNCTION')) {
    const kind = createdKind(p);
    const cure =
      kind === 'TABLE FUNCTION'
        ? 'a saved query with parameters can be read like one'
        : 'only CREATE VIEW and CREATE FUNCTION are';
    p.problem(start, `CREATE ${kind} is not supported: ${cure}`);
  }
  acceptIfNotExists(p, replaces);
  return parseFunctionAfter(p, start, { aggregate, name: parseTablePath(p) });
}

/** The rest of a view, after VIEW. */
function parseViewAfter(p: Parser, start: number, replaces: boolean): CreateView {
  acceptIfNotExists(p, replaces);
  const name = parseTablePath(p);
  const columns = p.accept('(') ? p.list(() => parseViewColumn(p)) : [];
  if (columns.length > 0) p.close();
  parseTableLayout(p);
  const options = parseOptions(p);
  p.expect('AS');
  const query = p.query();
  return { kind: 'CreateView', start, end: p.end, name, columns, options, query };
}

function parseViewColumn(p: Parser): Identifier {
  const name = p.name('the name of a column');
  parseOptions(p);
  return name;
}

/** The kind of object that a CREATE statement makes: the words before its name, as far as they are known. */
function createdKind(p: Parser): string {
  const words: string[] = [];
  while (p.atOneOf(createdWords)) words.push(p.next().key);
  return words.join(' ') || 'of that kind';
}

const createdWords: ReadonlySet<string> = new Set(
  'TABLE EXTERNAL SNAPSHOT VIEW MATERIALIZED MODEL FUNCTION PROCEDURE SCHEMA SEARCH VECTOR INDEX ROW ACCESS POLICY CAPACITY RESERVATION ASSIGNMENT PROPERTY GRAPH CONSTANT'.split(
    ' ',
  ),
);

function parseParameters(p: Parser): readonly FunctionParameter[] {
  p.expect('(');
  const parameters = p.at(')') ? [] : p.list(() => parseParameter(p));
  p.close();
  const lower = parameters.map(({ name }) => foldName(name.name));
  const repeated = parameters.find((_, at) => lower.indexOf(lower[at] ?? '') < at);
  if (repeated) p.problem(repeated.start, `two arguments are named ${repeated.name.name}`);
  return parameters;
}

function parseParameter(p: Parser): FunctionParameter {
  const name = p.name('the name of a parameter');
  const type = p.accept('ANY', 'TYPE') ? 'ANY TYPE' : p.type();
  if (p.at('DEFAULT')) p.problem(p.start, 'DEFAULT of a parameter is not supported: give each argument');
  const ofGroup = p.accept('NOT', 'AGGREGATE');
  return { kind: 'FunctionParameter', start: name.start, end: p.end, name, type, ofGroup };
}

function parseSqlBody(p: Parser): Expression {
  p.expect('(', '"(" and the expression of the function');
  const body = p.expression();
  p.expect(')');
  return body;
}

function parseForeignBody(p: Parser, language: Identifier): ForeignBody {
  const code = parseString(p, 'the code of the function, a string');
  return { kind: 'ForeignBody', start: language.start, end: p.end, language, code };
}
