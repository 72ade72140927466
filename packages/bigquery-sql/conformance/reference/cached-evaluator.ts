import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Answer } from '../values.ts';
import { type Evaluator, openEvaluator } from './evaluator.ts';
import { hasLibrary } from './processes.ts';

/** Changed whenever the form of answers, or the evaluator, changes: the older one has answers of its own. */
const version = hasLibrary() ? 3 : 2;

const file = join(import.meta.dirname, '..', '.cache', `answers-${version}.json`);

/** An evaluator without tables that keeps its answers on disk; its process starts at the first new statement. */
export function openCachedEvaluator(): Evaluator {
  const answers = new Map<string, Answer>(Object.entries(readAnswers()));
  const known = answers.size;
  let evaluator: Promise<Evaluator> | undefined;
  return {
    async evaluate(sql) {
      const key = createHash('sha256').update(sql).digest('base64url');
      const cached = answers.get(key);
      if (cached !== undefined) return cached;
      evaluator ??= openEvaluator();
      const answer = await (await evaluator).evaluate(sql);
      if (!isVolatile.test(sql)) answers.set(key, answer);
      return answer;
    },
    async close() {
      await (await evaluator)?.close();
      if (answers.size === known) return;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(answers)));
      renameSync(`${file}.new`, file);
    },
  };
}

const isVolatile = /\b(rand|generate_uuid|current_\w+)\b/i;

function readAnswers(): Readonly<Record<string, Answer>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Answer>>;
  } catch {
    return {};
  }
}
