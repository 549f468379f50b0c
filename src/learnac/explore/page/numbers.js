// The density of a number within its interval: the twin of `Spread.log_densities` (data/spread.py); and the numbers of
// the highest density.

const TOLERANCE = 1e-6, ROUNDING = 1e-15, MOST_DECIMALS = 6;

const isWhole = (x) => x > 0.5 && Math.abs(x - Math.round(x)) <= 1e-9 * Math.max(x, Math.round(x));

// The largest multiple of a step that is not above a number.
function floored(number, step) {
  if (step === 0) return number;
  let scale = 1 / step;
  for (let d = 0; d <= MOST_DECIMALS; d++)
    if (isWhole(step * 10 ** d)) { scale = 10 ** d; break; }
  const divisor = Math.round(step * scale), count = (number * scale) / divisor;
  return (Math.floor(count + Math.min(TOLERANCE + ROUNDING * Math.abs(count), 1e-3)) * divisor) / scale;
}

function snapped(number, step) {
  if (step === 0) return number;
  const near = floored(number + step / 2, step);
  return Math.abs(number - near) <= Math.min(TOLERANCE * step + ROUNDING * Math.abs(number), 1e-3 * step) ? near : number;
}

export function logDensity({ starts, shares, isPoint, decay, step }, number) {
  const value = snapped(number, step);
  let piece = starts.findIndex((start) => value < start);
  if (piece < 0) piece = starts.length;
  if (piece > 0 && piece < starts.length) return Math.log(shares[piece] / (isPoint[piece] ? 1 : starts[piece] - starts[piece - 1]));
  const away = piece === 0 ? starts[0] - floored(value, step) : floored(value, step) - starts.at(-1);
  if (step === 0) return Math.log(shares[piece]) - away / decay - Math.log(decay);
  return Math.log(shares[piece]) - (piece === 0 ? away - step : away) / decay + Math.log(-Math.expm1(-step / decay) / step);
}

// What is known, with the highest density of an interval as the weight of a number in it: the twin of `Evidence.densest`.
export function densest(variables, situation) {
  return situation.map((known, v) => {
    const peaks = variables[v].number?.peaks;
    if (!peaks || known?.sets !== undefined) return known;
    const weight = (value) => (known === null ? 1 : known.likelihoods ? known.likelihoods[value] : Number(value === known.is));
    return { likelihoods: peaks.logDensities.map((log, value) => Math.exp(log) * weight(value)) };
  });
}

// What numbers that were set add to the logarithm of a density.
export function logDensityOfSet(variables, situation) {
  return situation.reduce((sum, known, v) => sum + (known?.sets === undefined ? 0 : (variables[v].number?.peaks.logDensities[known.sets] ?? 0)), 0);
}

// A value of an explanation: of a number, the one of the highest density.
export const valueText = ({ categories, number }, value) => (number ? number.peaks.texts[value] : categories[value]);
