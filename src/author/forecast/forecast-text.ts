import { textsOf } from '../../catalog/binding/list-values.ts';
import type { Forecast, RunForecast } from './forecast.ts';
import type { ForecastLimits } from './forecast-limits.ts';

/** A forecast in lines. */
export function forecastLines({
  runs,
  tenants,
  isShared,
  bytesPerMonth,
  usdPerMonth,
  notes,
}: Forecast): readonly string[] {
  const month = { bytesPerMonth, usdPerMonth };
  const followed = runs[0]?.bytesBilled === undefined ? undefined : runs[0].followed;
  return [
    ...runs.flatMap((run, at) => (run.bytesBilled === undefined ? [] : [runLine(run, at)])),
    ...(followed === undefined ? [] : [`${followedText(followed)}: ${monthText(followed)}`]),
    ...(bytesPerMonth !== undefined && (tenants > 1 || runs.length > 2)
      ? [`${tenants === 1 ? 'together' : `for ${allOf({ tenants, isShared })}`}: ${monthText(month)}`]
      : []),
    ...notes,
  ];
}

/** The month, and the run with the examples, in a line; undefined if they are not known. */
export function summaryOf({
  runs,
  tenants,
  isShared,
  bytesPerMonth,
  usdPerMonth,
}: Forecast): string | undefined {
  const [example] = runs;
  if (example?.bytesBilled === undefined) return undefined;
  const each = `${bytesText(example)} with its examples`;
  if (example.runsPerDay === undefined) return `${each}, each request is a run`;
  const forAll = tenants === 1 ? '' : ` for ${allOf({ tenants, isShared })}`;
  const followed = example.followed === undefined ? '' : `, ${followedText(example.followed)}`;
  return `${monthText({ bytesPerMonth, usdPerMonth })}${forAll} while warm (${each}, ${count(example.runsPerDay)} runs a day${fullText(example)}${followed})`;
}

const followedText = ({ runsPerDay = 0 }: NonNullable<RunForecast['followed']>): string =>
  `${count(runsPerDay)} runs a day while a client follows it`;

function runLine(run: RunForecast, at: number): string {
  const { parameters, runsPerDay } = run;
  const values = Object.entries(parameters).flatMap(([name, value]) => {
    const text = textsOf(value).join(', ');
    return text === '' ? [] : [`${name}=${text}`];
  });
  const shown = [at === 0 ? 'example' : 'warm', ...(values.length === 0 ? [] : [`(${values.join('; ')})`])];
  const often =
    runsPerDay === undefined
      ? 'each request is a run'
      : `${count(runsPerDay)} runs a day while warm${fullText(run)}: ${monthText(run)}`;
  return `${shown.join(' ')}: ${bytesText(run)}, ${often}`;
}

/** Of a refresh that reads what has changed, with those of a run that reads all beside it. */
function bytesText({ bytesBilled = 0, increments }: RunForecast): string {
  if (increments === undefined) return `${count(bytesBilled)} bytes a run`;
  return `${count(increments.bytesBilled)} bytes a refresh of what has changed and ${count(bytesBilled)} bytes a full run`;
}

const fullText = ({ runsPerDay = 0, increments }: RunForecast): string =>
  increments === undefined ? '' : `, ${count(runsPerDay - increments.runsPerDay)} of them full`;

const allOf = ({ tenants, isShared }: Pick<Forecast, 'tenants' | 'isShared'>): string =>
  `${count(tenants)} tenants${isShared ? ' in one run' : ''}`;

const monthText = ({ bytesPerMonth, usdPerMonth }: Pick<RunForecast, 'bytesPerMonth' | 'usdPerMonth'>) =>
  bytesPerMonth === undefined
    ? 'not known'
    : `${count(bytesPerMonth)} bytes ${usdPerMonth === undefined ? 'a month in a reservation' : `and ${usd(usdPerMonth)} a month`}`;

const count = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });

/** An amount of money in words. */
const usd = (value: number): string =>
  `${value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })} USD`;

/** The problem of a forecast above a limit; undefined below it. */
export function limitProblem(
  { tenants, isShared, usdPerMonth }: Forecast,
  { maximumUsd }: ForecastLimits,
): string | undefined {
  if (maximumUsd === undefined || usdPerMonth === undefined || usdPerMonth <= maximumUsd) return undefined;
  const forAll = tenants === 1 ? '' : ` for ${allOf({ tenants, isShared })}`;
  return `would cost ${usd(usdPerMonth)} a month while warm${forAll}; at most ${usd(maximumUsd)} are allowed`;
}
