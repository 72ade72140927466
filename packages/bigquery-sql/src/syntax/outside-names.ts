import type {
  CreateFunction,
  CreateView,
  FromItem,
  FunctionCall,
  NamedParameter,
  Node,
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

/** Finds the tables, the calls and the parameters of a text: common tables hide tables of their name. */
export function outsideNames(root: Statement | CreateFunction | CreateView): OutsideNames {
  const tables: OutsideTable[] = [];
  const calls: FunctionCall[] = [];
  const parameters: NamedParameter[] = [];

  const scanAll = (nodes: readonly Node[], scope: Scope) => {
    for (const node of nodes) scan(node, scope);
  };
  const scan = (node: Node, scope: Scope): void => {
    if (node.kind === 'Query') scanQuery(node, scope);
    else if (node.kind === 'Select') scanSelect(node, scope);
    else if (node.kind === 'PipeCall') scanArguments(node.call, scope);
    else if (node.kind === 'TableFunction') {
      tables.push({ node, isArgument: false, host: scope.host });
      scanArguments(node, scope);
    } else {
      if (node.kind === 'FunctionCall') calls.push(node);
      if (node.kind === 'NamedParameter') parameters.push(node);
      if (node.kind === 'Table') scanTable(node, scope, false);
      scanAll(childrenOf(node), scope);
    }
  };
  const scanTable = (node: Table, { common, ranges, host }: Scope, isArgument: boolean) => {
    const [first, ...rest] = node.path.parts.map(({ name }) => name.toLowerCase());
    const isKnown = has(rest.length === 0 ? common : ranges, first ?? '');
    if (!isKnown) tables.push({ node, isArgument, host });
  };
  const scanArguments = ({ args }: TableFunction, scope: Scope) => {
    for (const arg of args) {
      if (arg.kind === 'Table') scanTable(arg, scope, true);
      else scan(arg, scope);
    }
  };
  const scanWith = ({ recursive, tables: own }: With, scope: Scope): Scope => {
    const inner: Scope = { ...scope, common: within(scope.common) };
    const add = (name: string) => inner.common.own.add(name.toLowerCase());
    if (recursive) for (const { name } of own) add(name.name);
    for (const { name, query } of own) {
      scan(query, inner);
      add(name.name);
    }
    return inner;
  };
  const scanQuery = (node: Query, outer: Scope) => {
    let scope: Scope = { ...outer, ranges: within(outer.ranges) };
    if (node.with) scope = scanWith(node.with, scope);
    if (node.body.kind === 'FromQuery') scanFrom(node.body.from, scope);
    const inner = node.body.kind === 'Select' ? scanSelect(node.body, scope) : scope;
    if (node.body.kind === 'Query' || node.body.kind === 'SetOperation') scan(node.body, scope);
    scanAll([...node.orderBy, ...(node.limit ? [node.limit] : [])], inner);
    for (const pipe of node.pipes) {
      if (pipe.kind === 'PipeWith') scope = scanWith(pipe.with, scope);
      else if (pipe.kind === 'PipeJoin') {
        scanFrom(pipe.right, scope);
        if (pipe.condition) scan(pipe.condition, scope);
      } else scan(pipe, scope);
      if (pipe.kind === 'PipeAs') scope.ranges.own.add(pipe.alias.name.toLowerCase());
    }
  };
  const scanSelect = ({ from, ...select }: Select, outer: Scope): Scope => {
    const scope: Scope = { ...outer, ranges: within(outer.ranges) };
    if (from) scanFrom(from, scope);
    scanAll(childrenOf({ ...select, from: undefined }), scope);
    return scope;
  };
  /** Adds the names of an item to those that items to its right may begin with. */
  const scanFrom = (item: FromItem, scope: Scope): void => {
    if (item.kind === 'Join') {
      scanFrom(item.left, scope);
      scanFrom(item.right, scope);
      if (item.condition) scan(item.condition, scope);
      return;
    }
    if (item.kind === 'TableSample' || item.kind === 'Pivot' || item.kind === 'Unpivot') {
      scanFrom(item.source, scope);
      scan(item.spec, scope);
    } else scan(item, scope);
    const name = rangeName(item);
    if (name !== undefined) scope.ranges.own.add(name.toLowerCase());
  };

  const root0: Scope = { common: within(undefined), ranges: within(undefined), host: undefined };
  if (root.kind === 'CreateView') scan(root.query, { ...root0, host: root.query });
  else if (root.kind === 'CreateFunction') scanAll(childrenOf(root), root0);
  else {
    scanAll(root.functions, root0);
    for (const statement of root.script) {
      if (statement.kind !== 'CreateTempTable') scan(statement, root0);
      else {
        scan(statement.query, { ...root0, host: statement.query });
        root0.common.own.add(statement.name.name.toLowerCase());
      }
    }
    scan(root.query, { ...root0, host: root.query });
  }
  return { tables, calls, parameters };
}

function rangeName(item: FromItem): string | undefined {
  if (item.kind === 'Join' || item.kind === 'TableSample') return undefined;
  if (item.alias) return item.alias.name;
  if (item.kind === 'Table') return item.path.parts.at(-1)?.name;
  return item.kind === 'TableFunction' ? item.name.parts.at(-1)?.name : undefined;
}
