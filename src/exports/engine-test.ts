/** What every engine must do, as tests. @module */
export { type EngineTestOptions, testEngine } from '../engine/test-suite/test-engine.ts';
export type { CaseName } from '../engine/test-suite/cases.ts';
