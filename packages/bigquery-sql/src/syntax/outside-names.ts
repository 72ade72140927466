import { foldName } from '@querygate/text';
import type {
  CreateFunction,
  CreateView,
  FromItem,
  FunctionCall,
  NamedParameter,
  Node,
  Path,
  Query,
  Select,
  Statement,
  Table,
  TableFunction,
  With,
} from './nodes.ts';
import { childrenOf } from './walk.ts';

/** A table in FROM that the text does not define itself. */
export interface OutsideTable {
  readonly node: Table | TableFunction;
  /** Its name. */
  readonly path: Path;
  /** True for `TABLE name` among the arguments of a table function, which has no alias. */
  readonly isArgument: boolean;
  /** The query before which a WITH clause makes it a common table; undefined in functions, and in values of a script. */
  readonly host: Query | undefined;
}

/** The names in a text whose meaning is outside of it, in the order of the text but for FROM, which precedes its SELECT. */
export interface OutsideNames {
  readonly tables: readonly OutsideTable[];
  /** All calls, also of the text's own functions. */
  readonly calls: readonly FunctionCall[];
  readonly parameters: readonly NamedParameter[];
}

interface Scope {
  /** Names of common tables, in lower case. */
  readonly common: Names;
  /** Names of FROM items, in lower case: a path that begins with one is an array. */
  readonly ranges: Names;
  readonly host: Query | undefined;
}

/** Names of a clause, which are added in the order of the text, and those around it. */
interface Names {
  readonly own: Set<string>;
  readonly around: Names | undefined;
}

const within = (around: Names | undefined): Names => ({ own: new Set(), around });

const has = ({ own, around }: Names, name: string): boolean =>
  own.has(name) || (around !== undefined && has(around, name));

/** A query in FROM reads no arrays of the items beside it, but of those of the queries around. */
const withoutSiblings = (scope: Scope): Scope => ({
  ...scope,
  ranges: scope.ranges.around ?? within(undefined),
});

/** Finds the tables, the calls and the parameters of a text: common tables hide tables of their name. */
export function outsideNames(root: Statement | CreateFunction | CreateView): OutsideNames {
  const finder = new NameFinder();
  const scope: Scope = { common: within(undefined), ranges: within(undefined), host: undefined };
  if (root.kind === 'CreateView') finder.scan(root.query, { ...scope, host: root.query });
  else if (root.kind === 'CreateFunction') finder.scanAll(childrenOf(root), scope);
  else finder.scanStatement(root, scope);
  return finder;
}

class NameFinder implements OutsideNames {
  readonly tables: OutsideTable[] = [];
  readonly calls: FunctionCall[] = [];
  readonly parameters: NamedParameter[] = [];

  scanStatement({ functions, script, query }: Statement, scope: Scope): void {
    this.scanAll(functions, scope);
    for (const statement of script) {
      if (statement.kind !== 'CreateTempTable') this.scan(statement, scope);
      else {
        this.scan(statement.query, { ...scope, host: statement.query });
        scope.common.own.add(foldName(statement.name.name));
      }
    }
    this.scan(query, { ...scope, host: query });
  }

  scanAll(nodes: readonly Node[], scope: Scope): void {
    for (const node of nodes) this.scan(node, scope);
  }

  scan(node: Node, scope: Scope): void {
    if (node.kind === 'Query') this.#scanQuery(node, scope);
    else if (node.kind === 'Select') this.#scanSelect(node, scope);
    else if (node.kind === 'PipeCall') this.#scanArguments(node.call, scope);
    else if (node.kind === 'TableFunction') {
      this.tables.push({ node, path: node.name, isArgument: false, host: scope.host });
      this.#scanArguments(node, scope);
    } else {
      if (node.kind === 'FunctionCall') this.calls.push(node);
      if (node.kind === 'NamedParameter') this.parameters.push(node);
      if (node.kind === 'Table') this.#scanTable(node, scope, false);
      this.scanAll(childrenOf(node), scope);
    }
  }

  #scanTable(node: Table, { common, ranges, host }: Scope, isArgument: boolean): void {
    const [first, ...rest] = node.path.parts.map(({ name }) => foldName(name));
    const isKnown = has(rest.length === 0 ? common : ranges, first ?? '');
    if (!isKnown) this.tables.push({ node, path: node.path, isArgument, host });
  }

  #scanArguments({ args }: TableFunction, scope: Scope): void {
    for (const arg of args) {
      if (arg.kind === 'Table') this.#scanTable(arg, scope, true);
      else this.scan(arg, withoutSiblings(scope));
    }
  }

  /** @returns the scope of what follows the clause */
  #scanWith({ recursive, tables }: With, scope: Scope): Scope {
    const inner: Scope = { ...scope, common: within(scope.common) };
    const add = (name: string) => inner.common.own.add(foldName(name));
    if (recursive) for (const { name } of tables) add(name.name);
    for (const { name, query } of tables) {
      this.scan(query, inner);
      add(name.name);
    }
    return inner;
  }

  #scanQuery(node: Query, outer: Scope): void {
    let scope: Scope = { ...outer, ranges: within(outer.ranges) };
    if (node.with) scope = this.#scanWith(node.with, scope);
    if (node.body.kind === 'FromQuery') this.#scanFrom(node.body.from, scope);
    const inner = node.body.kind === 'Select' ? this.#scanSelect(node.body, scope) : scope;
    if (node.body.kind === 'Query' || node.body.kind === 'SetOperation') this.scan(node.body, scope);
    this.scanAll([...node.orderBy, ...(node.limit ? [node.limit] : [])], inner);
    for (const pipe of node.pipes) {
      if (pipe.kind === 'PipeWith') scope = this.#scanWith(pipe.with, scope);
      else if (pipe.kind === 'PipeJoin') {
        this.#scanFrom(pipe.right, scope);
        if (pipe.condition) this.scan(pipe.condition, scope);
      } else this.scan(pipe, pipe.kind === 'PipeSetOperation' ? withoutSiblings(scope) : scope);
      if (pipe.kind === 'PipeAs') scope.ranges.own.add(foldName(pipe.alias.name));
    }
  }

  /** @returns the scope of its ORDER BY */
  #scanSelect({ from, ...select }: Select, outer: Scope): Scope {
    const scope: Scope = { ...outer, ranges: within(outer.ranges) };
    if (from) this.#scanFrom(from, scope);
    this.scanAll(childrenOf({ ...select, from: undefined }), scope);
    return scope;
  }

  /** Adds the names of an item to those that items to its right may begin with. */
  #scanFrom(item: FromItem, scope: Scope): void {
    if (item.kind === 'Join') {
      this.#scanFrom(item.left, scope);
      this.#scanFrom(item.right, scope);
      if (item.condition) this.scan(item.condition, scope);
      return;
    }
    if (item.kind === 'TableSample' || item.kind === 'Pivot' || item.kind === 'Unpivot') {
      this.#scanFrom(item.source, scope);
      this.scan(item.spec, scope);
    } else this.scan(item, item.kind === 'DerivedTable' ? withoutSiblings(scope) : scope);
    const name = rangeName(item);
    if (name !== undefined) scope.ranges.own.add(foldName(name));
  }
}

function rangeName(item: FromItem): string | undefined {
  if (item.kind === 'Join' || item.kind === 'TableSample') return undefined;
  if (item.alias) return item.alias.name;
  if (item.kind === 'Table') return item.path.parts.at(-1)?.name;
  return item.kind === 'TableFunction' ? item.name.parts.at(-1)?.name : undefined;
}
