/** How the options of a plug-in are checked at the start. @module */
export { agentLimits } from '../../config/engine-limits.ts';
export { type Budget, type BudgetInput, type BudgetLimit, budgetOf } from '../../config/budget.ts';
export { isTimeZone } from '../../config/time-zone.ts';
export { checkOptions, optionRule, required, wholeNumber } from '../../config/option-rules.ts';
