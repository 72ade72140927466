import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AttackedGateway, openAttackedGateway } from '../attacks/attacked-gateway.ts';
import { keysOfCallers, killProcesses, programs } from '../attacks/kills.ts';
import { knownTexts } from '../attacks/texts.ts';
import { nightly } from '../support/nightly.ts';

// `npx node test/attacks/run.ts` sends all texts, also by GraphQL, and compares times and memory; it needs a machine of its own.
let gateway: AttackedGateway;
beforeAll(async () => {
  gateway = await openAttackedGateway(keysOfCallers);
}, 120_000);
afterAll(() => gateway.close());

const [crash, silence] = knownTexts;
const memory = knownTexts.find(({ kind }) => kind === 'memory');
const noInterrupt = knownTexts.find(({ kind }) => kind === 'no interrupt');

test.each([crash, silence, memory, noInterrupt].filter((text) => text !== undefined))(
  'a text that once stopped the gateway ($kind) does so no more: $sql',
  async (text) => {
    const { isAlive, coldMs } = await gateway.attack(text, 'REST');
    expect({ isAlive, isAnswered: Number.isFinite(coldMs) }).toEqual({ isAlive: true, isAnswered: true });
  },
  120_000,
);

nightly(
  'processes that are killed while SQL runs in them change no row, and no request waits for ever',
  async () => {
    const { wrong, answers, kills } = await killProcesses(gateway, 4, Object.values(programs));
    expect({ wrong, kills }).toEqual({ wrong: [], kills: 4 });
    expect(answers).toBeGreaterThan(0);
  },
  120_000,
);
