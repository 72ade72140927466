/** What every engine must do, as tests. @module */

export type { CaseName } from '../engine/test-suite/cases.ts';
export { type EngineTestOptions, testEngine } from '../engine/test-suite/test-engine.ts';
