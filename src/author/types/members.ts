/** A member of a TypeScript object type. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional?: boolean;
  readonly description?: string | undefined;
}

/** An object type, each member on lines of its own. */
export function objectType(members: readonly Member[]): string {
  if (members.length === 0) return '{}';
  return `{\n${members.map((member) => indent(memberText(member))).join('\n')}\n}`;
}

function memberText({ name, type, isOptional = false, description }: Member): string {
  return `${comment(description)}${keyText(name)}${isOptional ? '?' : ''}: ${type};`;
}

const keyText = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name));

/** A documentation comment with its line break, or nothing. */
function comment(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  // No description may end the comment.
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  const [line = ''] = lines;
  if (lines.length === 1) return `/** ${line} */\n`;
  return `/**\n${lines.map((one) => ` * ${one}`.trimEnd()).join('\n')}\n */\n`;
}

/** An array type; a union needs parentheses. */
export const arrayOf = (type: string): string => (/[|&]/.test(type) ? `Array<${type}>` : `${type}[]`);

/** A union of the texts as literals. */
export const literalUnion = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(' | ');

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
