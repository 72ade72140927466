/** The requirements of every engine, as tests. @module */

export type { CaseName } from '../engine-contract/test-suite/cases.ts';
export { type EngineTestOptions, testEngine } from '../engine-contract/test-suite/test-engine.ts';
