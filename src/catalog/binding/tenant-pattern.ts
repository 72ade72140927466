import { RE2JS } from 're2js';

/** The place of the tenant in a `tenant_pattern`, as in `{project}`. */
export function placeholderOf(parameter: string): string {
  return `{${parameter}}`;
}

/** The pattern that runs for one tenant: its value stands for itself, whatever characters it has. */
export function fillTenantPattern(pattern: string, parameter: string, value: string): string {
  // A function: in a text, `$&` would mean something.
  return pattern.replaceAll(placeholderOf(parameter), () => escapeForRe2(value));
}

/**
 * RE2 takes a backslash before any ASCII character that is no letter and no digit for that character.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
function escapeForRe2(text: string): string {
  return text.replace(/[^A-Za-z0-9_\u0080-\u{10FFFF}]/gu, (character) => `\\${character}`);
}

/**
 * What is wrong with a pattern that must not match another tenant's rows. It is judged by its text, which is read as
 * strictly as makes that possible: from the start on, without alternatives around the placeholder, and with a character
 * before and behind it that ends a name, so that a tenant whose name is a part of another's does not match it.
 *
 * @returns undefined where it is right
 */
export function wrongTenantPattern(pattern: string, parameter: string): string | undefined {
  const placeholder = placeholderOf(parameter);
  const tokens = tokensOf(pattern, placeholder);
  const places = tokens.flatMap((token, at) => (token === placeholder ? [at] : []));

  if (tokens[0] !== '^' || isQuantifier(tokens[1]))
    return 'must begin with ^, so that it is matched from the start';
  if (!pattern.includes(placeholder)) return `must hold ${placeholder}, where the tenant stands`;
  if (tokens.some((token, at) => token === '(' && tokens[at + 1] === '?' && tokens[at + 2] !== ':')) {
    return 'must have no groups but ( ) and (?: ), and no flags';
  }
  if (/\\[QEC]/.test(pattern)) return 'must not have \\Q, \\E or \\C';
  const depths = depthsOf(tokens);
  if (tokens.some((token, at) => token === '|' && depths[at] === 0)) {
    return 'must not have | outside of a group: another alternative need not hold the tenant';
  }
  if (!places.some((at) => depths[at] === 0)) {
    return `must hold ${placeholder} outside of groups and [ ]`;
  }
  const before = tokens.slice(0, places[0]).find(reachesFar);
  if (before !== undefined) {
    return `must not have ${before} before ${placeholder}: it reaches into other parts of a URL`;
  }
  if (places.some((at) => !endsName(tokens, at - 1, depths) || !endsName(tokens, at + 1, depths))) {
    return `must have a character before and behind ${placeholder} that ends a name, as in /${placeholder}\\.`;
  }
  return doesNotCompile(fillTenantPattern(pattern, parameter, 'tenant'));
}

/** Whether a token can stand for text of many kinds or of any length; characters and groups of them may be left out. */
function reachesFar(token: string): boolean {
  return /^(?:[.*+{]|\\[a-z\d]|\[.*)$/is.test(token);
}

/** Escapes, classes and the placeholder as one token each; every other character is one. */
function tokensOf(pattern: string, placeholder: string): readonly string[] {
  const tokens: string[] = [];
  const other = /\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|[\s\S]/uy;
  while (other.lastIndex < pattern.length) {
    const at = other.lastIndex;
    if (pattern.startsWith(placeholder, at)) {
      tokens.push(placeholder);
      other.lastIndex = at + placeholder.length;
    } else {
      tokens.push(other.exec(pattern)?.[0] ?? '');
    }
  }
  return tokens;
}

/** In how many groups each token stands. */
function depthsOf(tokens: readonly string[]): readonly number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (token === ')') depth -= 1;
    const here = depth;
    if (token === '(') depth += 1;
    return here;
  });
}

/** True for the start, the end, and a character that no name has and that must be there. */
function endsName(tokens: readonly string[], at: number, depths: readonly number[]): boolean {
  const token = tokens[at] ?? '';
  if (depths[at] !== 0) return false;
  if (token === '^' || token === '$') return true;
  return !isQuantifier(tokens[at + 1]) && /^(?:\\[^\w\s]|[/:=@&#,;<>"'~%!])$/.test(token);
}

function isQuantifier(token = ''): boolean {
  return /^[?*+{]$/.test(token);
}

function doesNotCompile(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch {
    return 'must be a regular expression in RE2 syntax';
  }
}
