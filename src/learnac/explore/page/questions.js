// What can be asked beyond posteriors. Each takes an engine and a situation; long ones are generators, which yield
// how far they are, so that whoever runs them can stop.

import { pieces } from "./answer.js";
import { Engine } from "./engine.js";

export const MOST_SHAPLEY = 10;

const withKnown = (situation, variable, known) => situation.map((was, v) => (v === variable ? known : was));

function logOdds(engine, situation, target) {
  const { others } = engine.answer(situation);
  const own = others.slice(engine.starts[target], engine.starts[target + 1]);
  return Array.from(own, (p, value) => {
    let rest = 0;
    own.forEach((q, other) => (rest += other === value ? 0 : q));
    return Math.log(p) - Math.log(rest);
  });
}

const less = (a, b) => a.map((x, i) => (x === b[i] ? 0 : x - b[i]));

// By piece of evidence: leave-one-out and, if there are few, Shapley contributions to the log-odds of each value.
export function* explain(engine, situation, target) {
  const known = pieces(situation).filter((v) => v !== target);
  const withAll = withKnown(situation, target, null);
  const all = logOdds(engine, withAll, target);
  const alone = {};
  for (const piece of known) {
    alone[piece] = less(all, logOdds(engine, withKnown(withAll, piece, null), target));
    yield 0;
  }
  if (known.length > MOST_SHAPLEY) return { pieces: known, alone, shares: null };
  const n = known.length, odds = [];
  for (let subset = 0; subset < 1 << n; subset++) {
    const some = withAll.map((was, v) => (known.includes(v) && !((subset >> known.indexOf(v)) & 1) ? null : was));
    odds.push(logOdds(engine, some, target));
    yield subset / (1 << n);
  }
  const factorial = [1];
  for (let i = 1; i <= n; i++) factorial.push(factorial[i - 1] * i);
  const size = (subset) => known.reduce((count, _, i) => count + ((subset >> i) & 1), 0);
  const shares = {};
  known.forEach((piece, place) => {
    const sum = all.map(() => 0);
    for (let subset = 0; subset < 1 << n; subset++) {
      if ((subset >> place) & 1) continue;
      const weight = (factorial[size(subset)] * factorial[n - size(subset) - 1]) / factorial[n];
      less(odds[subset | (1 << place)], odds[subset]).forEach((change, v) => (sum[v] += weight * change));
    }
    shares[piece] = sum;
  });
  return { pieces: known, alone, shares };
}

// For each unknown variable: expected information gain about the target, and the target's posterior for each answer.
export function* nextQuestion(engine, situation, target) {
  const free = withKnown(situation, target, null);
  const now = engine.answer(free).posteriors.slice();
  const arity = engine.arities[target], start = engine.starts[target];
  const given = [];
  for (let value = 0; value < arity; value++) {
    const weight = now[start + value];
    given.push(weight > 0 ? engine.answer(withKnown(free, target, { is: value })).posteriors.slice() : null);
    yield value / arity;
  }
  const found = [];
  free.forEach((known, variable) => {
    if (known !== null || variable === target) return;
    let gain = 0;
    const answers = [];
    for (let i = engine.starts[variable]; i < engine.starts[variable + 1]; i++) {
      let mixed = 0;
      for (let v = 0; v < arity; v++) if (given[v]) mixed += now[start + v] * given[v][i];
      const posterior = [];
      for (let v = 0; v < arity; v++) {
        const p = given[v] ? given[v][i] : 0;
        if (p > 0) gain += now[start + v] * p * Math.log(p / mixed);
        posterior.push(mixed > 0 ? (now[start + v] * p) / mixed : null);
      }
      answers.push({ probability: mixed, posterior });
    }
    found.push({ variable, gain: Math.max(0, gain), answers });
  });
  return found.sort((a, b) => b.gain - a.gain || a.variable - b.variable);
}

// Mutual information of all pairs of unknown variables: one answer for each value of each.
export function* information(engine, situation) {
  const now = engine.answer(situation).posteriors?.slice();
  if (now === undefined) return [];
  const free = [...situation.keys()].filter((v) => situation[v] === null);
  const pairs = [];
  for (const [place, a] of free.entries()) {
    const gains = new Map(free.slice(place + 1).map((b) => [b, 0]));
    for (let value = 0; value < engine.arities[a]; value++) {
      const weight = now[engine.starts[a] + value];
      if (!(weight > 0)) continue;
      const given = engine.answer(withKnown(situation, a, { is: value })).posteriors;
      for (const b of gains.keys()) {
        let gain = 0;
        for (let i = engine.starts[b]; i < engine.starts[b + 1]; i++)
          if (given[i] > 0) gain += given[i] * Math.log(given[i] / now[i]);
        gains.set(b, gains.get(b) + weight * gain);
      }
      yield place / free.length;
    }
    for (const [b, gain] of gains) if (gain > 1e-6) pairs.push([a, b, gain]);
  }
  return pairs.sort((x, y) => y[2] - x[2]).slice(0, 2000);
}

// The most probable explanation and the runner-up: exact for a deterministic circuit, the best found for a mixture.
export function mpe(engine, situation) {
  return engine.isDeterministic ? exactMpe(engine, situation) : foundMpe(engine, situation);
}

function exactMpe(engine, situation) {
  const best = maximum(engine, situation);
  if (best === null) return null;
  const slopes = maximalSlopes(engine);
  let second = null;
  best.world.forEach((value, variable) => {
    if (situation[variable]?.is !== undefined || situation[variable]?.sets !== undefined) return;
    const indicators = engine.indicators(situation);
    for (let other = 0; other < engine.arities[variable]; other++) {
      const i = engine.starts[variable] + other;
      if (other === value || indicators[i] === 0) continue;
      const log = slopes[i] + Math.log(indicators[i]);
      if (log > -Infinity && (second === null || log > second.log)) second = { variable, other, log };
    }
  });
  const other = second && maximum(engine, withKnownValue(engine, situation, second.variable, second.other));
  return { best, second: other && { ...other, log: second.log }, isProven: true };
}

// One value of a variable, at its likelihood if it has likelihoods.
function withKnownValue(engine, situation, variable, value) {
  const known = situation[variable];
  if (!known?.likelihoods) return withKnown(situation, variable, { is: value });
  return withKnown(situation, variable, { likelihoods: known.likelihoods.map((l, v) => (v === value ? l : 0)) });
}

// Maxima in place of sums, in logs, then the way back down. Leaves the values for `maximalSlopes`.
function maximum(engine, situation, lane = 0) {
  const { values, offsets, children, isSum, firstInner, nLanes } = engine;
  engine.fillLogs(values, engine.indicators(situation), engine.parametersAfter(situation));
  for (let inner = 0, node = firstInner; inner < isSum.length; inner++, node++) {
    let found = values[children[offsets[inner]] * nLanes + lane];
    for (let edge = offsets[inner] + 1; edge < offsets[inner + 1]; edge++) {
      const value = values[children[edge] * nLanes + lane];
      found = isSum[inner] ? Math.max(found, value) : found + value;
    }
    values[node * nLanes + lane] = found;
  }
  const log = values[(engine.nNodes - 1) * nLanes + lane];
  if (log === -Infinity) return null;
  const world = new Array(engine.arities.length).fill(0), pending = [engine.nNodes - 1];
  while (pending.length > 0) {
    const node = pending.pop();
    if (node < engine.nIndicators) {
      const variable = variableOf(engine, node);
      world[variable] = node - engine.starts[variable];
    } else if (node >= firstInner) {
      const inner = node - firstInner;
      const own = children.subarray(offsets[inner], offsets[inner + 1]);
      if (isSum[inner]) {
        let best = own[0];
        for (const child of own) if (values[child * nLanes + lane] > values[best * nLanes + lane]) best = child;
        pending.push(best);
      } else pending.push(...own);
    }
  }
  return { world, log };
}

function variableOf(engine, indicator) {
  let low = 0, high = engine.arities.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (engine.starts[middle] <= indicator) low = middle;
    else high = middle;
  }
  return low;
}

// By indicator: the log of the most probable world with this value, its own weight left out.
function maximalSlopes(engine) {
  const { values, slopes, offsets, children, isSum, firstInner, before } = engine;
  slopes.fill(-Infinity);
  slopes[engine.nNodes - 1] = 0;
  for (let inner = isSum.length - 1, node = engine.nNodes - 1; inner >= 0; inner--, node--) {
    const slope = slopes[node], first = offsets[inner], end = offsets[inner + 1];
    if (slope === -Infinity) continue;
    let product = slope, after = 0;
    for (let edge = first; edge < end; edge++) {
      before[edge - first] = isSum[inner] ? slope : product;
      product += values[children[edge]];
    }
    for (let edge = end - 1; edge >= first; edge--) {
      const child = children[edge], passed = before[edge - first] + (isSum[inner] ? 0 : after);
      if (passed > slopes[child]) slopes[child] = passed;
      after += values[child];
    }
  }
  return slopes;
}

// A mixture's worlds are sums over components: each component's best world is improved value by value.
function foundMpe(engine, situation) {
  const now = engine.answer(situation);
  if (now.posteriors === null) return null;
  const seen = new Map();
  const offer = (world) => {
    const key = world.join();
    if (!seen.has(key)) seen.set(key, { world, log: engine.logProbability(completed(situation, world)) });
    return seen.get(key);
  };
  const modes = engine.arities.map((arity, v) => {
    let best = 0;
    for (let k = 1; k < arity; k++)
      if (now.posteriors[engine.starts[v] + k] > now.posteriors[engine.starts[v] + best]) best = k;
    return best;
  });
  const lanes = [...engine.weights.keys()].sort((a, b) => engine.weights[b] - engine.weights[a]).slice(0, 8);
  const starts = [modes, ...lanes.map((lane) => maximum(engine, situation, lane)?.world).filter(Boolean)];
  for (const start of starts) {
    let here = offer(start);
    for (let step = 0; step < 50; step++) {
      const next = improved(engine, situation, here.world);
      const found = next && offer(next);
      if (!found || found.log <= here.log + 1e-12) break;
      here = found;
    }
  }
  const ranked = () => [...seen.values()].sort((a, b) => b.log - a.log);
  const near = changedOnce(engine, situation, ranked()[0].world);
  if (near) offer(near);
  const [best, second] = ranked();
  return { best, second: second ?? null, isProven: false };
}

// A situation with all values of a world; likelihoods stay as factors.
function completed(situation, world) {
  return situation.map((known, v) => {
    if (!known?.likelihoods) return known ?? { is: world[v] };
    return { likelihoods: known.likelihoods.map((l, value) => (value === world[v] ? l : 0)) };
  });
}

// The world with the one value changed that gains most; none if nothing gains.
const improved = (engine, situation, world) => changedOnce(engine, situation, world, 1e-12);

// The most probable world with one value changed, if it gains more than the least; none if all are impossible.
function changedOnce(engine, situation, world, least = -Infinity) {
  const { others } = engine.answer(completed(situation, world));
  if (others === null) return null;
  let best = { gain: least };
  const weights = engine.indicators(situation);
  situation.forEach((known, v) => {
    if (known && !known.likelihoods) return;
    const here = engine.starts[v] + world[v];
    for (let value = 0; value < engine.arities[v]; value++) {
      if (value === world[v]) continue;
      const i = engine.starts[v] + value;
      const gain = Math.log((others[i] * weights[i]) / (others[here] * weights[here]));
      if (gain > best.gain) best = { gain, v, value };
    }
  });
  return best.v === undefined ? null : world.map((value, v) => (v === best.v ? best.value : value));
}

// Rows of codes, -1 where unknown: the log-likelihood of each.
export function* scores(engine, rows) {
  const logs = new Float64Array(rows.length);
  for (const [place, row] of rows.entries()) {
    logs[place] = engine.logProbability(asSituation(row));
    if (place % 20 === 19) yield place / rows.length;
  }
  return logs;
}

export const asSituation = (row) => row.map((code) => (code < 0 ? null : { is: code }));

// One row: what the rest of it says about each value.
export function rowDetails(engine, row) {
  const { logProbability, others } = engine.answer(asSituation(row));
  return { logProbability, others };
}

