import { nearestName } from '@querygate/text';
import { isThenable } from '../../concurrency/thenable.ts';
import {
  isObject,
  kindOf,
  type OptionRule,
  type OptionRules,
  optionRule,
  required,
  wrongKinds,
} from '../../config/option-rules.ts';
import { type Problem, StartError } from '../../errors.ts';
import type { Renderer } from '../../formats/renderer.ts';
import type { PluginRoute } from '../../http/message/route.ts';
import { metricName } from '../../names/prometheus-names.ts';
import type { GatewayPlugin, MetricFamily } from '../plugin.ts';

const list = { is: Array.isArray, must: 'a list' };

const rules: OptionRules<GatewayPlugin> = {
  name: { ...optionRule.text, isRequired: true },
  open: optionRule.function,
  routes: optionRule.function,
  extendSchema: optionRule.function,
  onCatalog: optionRule.function,
  onReload: optionRule.function,
  translate: optionRule.function,
  onRequest: optionRule.function,
  onResult: optionRule.function,
  onReply: optionRule.function,
  logFields: optionRule.function,
  onSent: optionRule.function,
  onStreamed: optionRule.function,
  onRun: optionRule.function,
  aroundRun: optionRule.function,
  paceOf: optionRule.function,
  refreshesTogether: optionRule.function,
  mayRefresh: optionRule.function,
  onImport: optionRule.function,
  renderers: list,
  metrics: list,
  following: optionRule.object,
  endStreams: optionRule.function,
  close: optionRule.function,
};

/** The members of those that a plug-in has in lists. */
const listed: Readonly<Record<string, Readonly<Record<string, OptionRule>>>> = {
  metrics: {
    name: required(textLike(metricName, 'a name of Prometheus, as in costs_bytes_total')),
    help: required(optionRule.text),
    type: required(textLike(/^(?:counter|gauge|histogram)$/, "'counter', 'gauge' or 'histogram'")),
    samples: required(optionRule.function),
  } satisfies OptionRules<MetricFamily>,
  renderers: {
    names: {
      ...required(listLike(/^[^/\s\p{Cc}]+$/u, "a list of names without blanks and slashes, as in ['tsv']")),
      problemOf: (value) => ((value as readonly string[]).length > 0 ? undefined : 'must have a name'),
    },
    contentType: required(
      textLike(/^[\x21-\x7e][\x20-\x7e]*$/, 'a media type, as in text/tab-separated-values'),
    ),
    mediaTypes: required(
      listLike(/^[a-z\d.+_-]+\/[a-z\d.+_-]+$/, "a list of media types, as in ['text/tab-separated-values']"),
    ),
    version: optionRule.text,
    fileExtension: textLike(/^[\w.-]+$/, 'an extension, as in tsv'),
    isCompressed: optionRule.boolean,
    unavailable: optionRule.function,
    settings: optionRule.function,
    parts: optionRule.function,
    isWhole: optionRule.boolean,
    whole: optionRule.function,
  } satisfies OptionRules<Renderer>,
};

const routeRules: OptionRules<PluginRoute> = {
  path: required({ is: isRoutePath, must: 'a path as URLs have it, as in /costs, /costs/* or /costs/**' }),
  methods: {
    // GET answers HEAD too.
    is: (value) =>
      Array.isArray(value) &&
      value.some((one) => one === 'GET' || (one === 'POST' && !value.includes('HEAD'))) &&
      value.every((one) => /^(?:GET|HEAD|POST)$/.test(one)),
    must: "a list of 'GET' and 'POST'",
  },
  access: required(textLike(/^(?:key|public)$/, "'key' or 'public'")),
  answer: required(optionRule.function),
  browsersOnly: optionRule.boolean,
  isFallback: optionRule.boolean,
  allowsCors: optionRule.boolean,
  replyError: optionRule.function,
  isKept: optionRule.function,
  loggedPath: optionRule.function,
};

const hooks = Object.entries(rules).filter(([name]) => name !== 'name');

/** @throws StartError with every value that is not a plug-in, and every member that would be ignored */
export function checkPlugins(plugins: readonly unknown[]): void {
  const problems = Array.from(plugins, (plugin, at) => problemsOf(plugin, `plugins[${at}]`)).flat();
  const following = plugins.filter((plugin) => isObject(plugin) && plugin.following !== undefined);
  const names = (following as readonly GatewayPlugin[]).map(({ name }) => name);
  if (names.length > 1)
    problems.push({
      message: `plugins: ${names.join(' and ')} have following, which only one may have; leave the others out`,
    });
  if (problems.length > 0) throw new StartError('The options of the gateway have problems', problems);
}

/** @throws StartError with every route that would never be found, or never answer */
export function checkRoutes({ name }: GatewayPlugin, routes: readonly unknown[]): void {
  const problems = entryProblems(routes, routeRules, `${name}, routes`);
  if (problems.length > 0) throw new StartError('A plug-in has failed', problems);
}

/** The path of some URL, or such a one with a pattern at its end. */
function isRoutePath(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^\/(?!\/)[^*]*\*{0,2}$/.test(value) &&
    URL.parse(value, 'http://gateway')?.href === `http://gateway${value}` &&
    !/[?#]/.test(value)
  );
}

function problemsOf(plugin: unknown, place: string): readonly Problem[] {
  if (!isObject(plugin) || Array.isArray(plugin) || isThenable(plugin))
    return [{ message: `${place}: ${kindProblem(plugin)}` }];
  const name = typeof plugin.name === 'string' ? ` (${plugin.name})` : '';
  const unknown = misspeltMembers(plugin).map(([member, nearest]) => ({
    message: `${place}${name}: there is no hook ${member}; ${nearest === undefined ? `those of requests and results are ${onHooks.join(', ')}` : `did you mean ${nearest}?`}`,
  }));
  const ofLists = Object.entries(listed).flatMap(([list, members]) => {
    const given = plugin[list];
    return entryProblems(Array.isArray(given) ? given : [], members, `${place}${name}: ${list}`);
  });
  return [...unknown, ...wrongKinds(plugin, rules, `${place}${name}: `), ...ofLists];
}

const entryProblems = (
  entries: readonly unknown[],
  members: Readonly<Record<string, OptionRule>>,
  place: string,
): readonly Problem[] =>
  entries.flatMap((one, at) =>
    isObject(one)
      ? wrongKinds(one, members, `${place}[${at}].`)
      : [{ message: `${place}[${at}]: ${kindOf(one)}; must be an object` }],
  );

function textLike(pattern: RegExp, must: string): OptionRule {
  const problemOf = (value: unknown) => (pattern.test(String(value)) ? undefined : `must be ${must}`);
  return { is: (value) => typeof value === 'string', must, problemOf };
}

function listLike(pattern: RegExp, must: string): OptionRule {
  return {
    is: (value) =>
      optionRule.texts.is(value) && (value as readonly string[]).every((one) => pattern.test(one)),
    must,
  };
}

function kindProblem(value: unknown): string {
  if (typeof value === 'function') {
    const isClass = /^class\b/.test(Function.prototype.toString.call(value));
    const call = `${isClass ? 'new ' : ''}${value.name || 'plugin'}()`;
    return `is a ${isClass ? 'class' : 'function'}, and must be the plug-in that it makes, as in ${call}`;
  }
  if (Array.isArray(value)) return 'is a list; join it to the other plug-ins, as in [...these, metrics()]';
  if (isObject(value)) return 'is a promise; await it';
  const shown = typeof value === 'string' ? 'a text' : String(value);
  return `is ${shown}, and must be a plug-in, as in metrics(); leave out what is turned off`;
}

/** The hooks whose names say that the gateway calls them. */
const onHooks = hooks.map(([name]) => name).filter((name) => name.startsWith('on'));

/**
 * Members that a plug-in probably means as hooks. An object has no reason for other functions whose names begin so, but
 * a class may have methods and fields of its own: only those that are nearly a hook are taken for one.
 */
function misspeltMembers(plugin: object): readonly (readonly [string, string | undefined])[] {
  const prototype: unknown = Object.getPrototypeOf(plugin);
  const isPlain = prototype === Object.prototype || prototype === null;
  return [...membersOf(plugin)].flatMap(([name, value]) => {
    const fitting = hooks.filter(([hook, { is }]) => is(value) && isNear(name, hook, isPlain));
    const nearest = nearestName(
      name.toLowerCase(),
      fitting.map(([hook]) => hook.toLowerCase()),
    );
    const hook = fitting.find(([one]) => one.toLowerCase() === nearest)?.[0];
    const isHook = hook !== undefined || (isPlain && typeof value === 'function' && /^on[A-Z]/.test(name));
    return isHook ? [[name, hook] as const] : [];
  });
}

/** Short names have many neighbors, such as a flag `closed`: in a class, only their case may differ. */
function isNear(name: string, hook: string, isPlain: boolean): boolean {
  const [given, known] = [name, hook].map((one) => one.toLowerCase().replace(/_/g, '')) as [string, string];
  if (given === known) return true;
  const most = known.length < 6 ? Number(isPlain) : 2;
  const isLonger = !isPlain && given.startsWith(known) && !known.startsWith('on');
  return most > 0 && !isLonger && nearestName(given, [known], most) !== undefined;
}

/** The members of an object and of its classes that are not hooks; accessors are not called. */
function membersOf(plugin: object): ReadonlyMap<string, unknown> {
  const members = new Map<string, unknown>();
  for (
    let owner: unknown = plugin;
    isObject(owner) && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  )
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner)))
      if (!Object.hasOwn(rules, name) && name !== 'constructor' && !members.has(name))
        members.set(name, value);
  return members;
}
