import { quoteShort } from '@querygate/text';
import type { CallRequest } from '../calls/call-request.ts';
import { nearOf } from '../calls/suggest.ts';
import { isMembers, type JsonMembers } from '../protocol/message.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { resultText } from '../protocol/result-text.ts';
import { placeholder, type Prompt } from './load-prompts.ts';

/** The JSON text of the array that `prompts/list` has. */
export const promptList = (prompts: readonly Prompt[]): string =>
  JSON.stringify(
    prompts.map(({ name, title, description, arguments: declared }) => ({
      name,
      title,
      description,
      ...(declared.length > 0 && { arguments: declared }),
    })),
  );

/** Answers `prompts/get`. @throws ProtocolError invalidParams */
export function getPrompt(
  prompts: readonly Prompt[],
  { name, arguments: sent }: JsonMembers,
  { era }: CallRequest,
): string {
  const prompt = prompts.find((one) => one.fullName === name) ?? prompts.find((one) => one.name === name);
  if (prompt === undefined) {
    const nearest = nearOf(
      typeof name === 'string' ? name : '',
      prompts.map((one) => one.name),
    );
    throw wrong(`name: there is no such prompt${nearest === undefined ? '' : `; the nearest is ${nearest}`}`);
  }
  const given = sent ?? {};
  if (!isMembers(given)) throw wrong('arguments: must be an object of texts');
  const names = prompt.arguments.map((one) => one.name);
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(`arguments: ${quoteShort(other)} is not an argument of the prompt`);
  for (const { name, description, required } of prompt.arguments) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? undefined) : undefined;
    if (value === undefined && required) throw wrong(`arguments.${name}: is required: ${description}`);
    if (value !== undefined && typeof value !== 'string') throw wrong(`arguments.${name}: must be text`);
  }
  const text = prompt.text.replace(placeholder, (_, name: string) =>
    Object.hasOwn(given, name) ? String(given[name] ?? '') : '',
  );
  return resultText(era, {
    description: JSON.stringify(prompt.description),
    messages: JSON.stringify([{ role: 'user', content: { type: 'text', text } }]),
  });
}

const wrong = (what: string) => new ProtocolError('invalidParams', `params.${what}`);
