// Both passes over a circuit in typed arrays, for all components of a mixture at once: lanes side by side.
//
// Numbers are linear as long as the evidence is more probable than 2^-700. All values of a normalised circuit are at
// most 1, so what underflows then (below 2^-1022) is less than 2^-300 of the answer. Rarer evidence is done in logs.

const LEAST_LINEAR = 2 ** -700;
const KINDS = { float64: Float64Array, uint32: Uint32Array, int32: Int32Array, uint8: Uint8Array };

export function unpacked(buffer, places) {
  return Object.fromEntries(
    Object.entries(places).map(([name, [kind, at, size]]) => [name, new KINDS[kind](buffer, at, size)]),
  );
}

function logAdd(a, b) {
  if (a < b) [a, b] = [b, a];
  return b === -Infinity ? a : a + Math.log1p(Math.exp(b - a));
}

export class Engine {
  constructor(arities, arrays, isDeterministic) {
    Object.assign(this, arrays, { arities, isDeterministic });
    this.starts = [0];
    for (const arity of arities) this.starts.push(this.starts.at(-1) + arity);
    this.nIndicators = this.starts.at(-1);
    this.nLanes = this.weights.length;
    this.nParameters = this.parameters.length / this.nLanes;
    this.firstInner = this.nIndicators + this.nParameters;
    this.nNodes = this.firstInner + this.isSum.length;
    this.values = new Float64Array(this.nNodes * this.nLanes);
    this.slopes = new Float64Array(this.nNodes * this.nLanes);
    let most = 0;
    for (let i = 0; i < this.isSum.length; i++) most = Math.max(most, this.offsets[i + 1] - this.offsets[i]);
    this.before = new Float64Array((most + 1) * this.nLanes);
    this.prior = this.nothingKnown();
  }

  // Indicators of a situation: its evidence, and the parameters with its interventions.
  // A situation has an entry for each variable: null, {is}, {likelihoods} or {sets}.
  indicators(situation) {
    const weights = new Float64Array(this.nIndicators).fill(1);
    situation.forEach((known, variable) => {
      if (known === null) return;
      const start = this.starts[variable];
      for (let value = 0; value < this.arities[variable]; value++) {
        if (known.likelihoods) weights[start + value] = known.likelihoods[value];
        else weights[start + value] = value === (known.is ?? known.sets) ? 1 : 0;
      }
    });
    return weights;
  }

  // The intervened variable's own parameters become 1 for its value, and 0 for the others.
  parametersAfter(situation) {
    const sets = situation.map((known) => known?.sets ?? -1);
    if (sets.every((value) => value < 0)) return this.parameters;
    const changed = this.parameters.slice();
    for (let p = 0; p < this.nParameters; p++) {
      const value = sets[this.origins[2 * p]];
      if (value >= 0) changed.fill(value === this.origins[2 * p + 1] ? 1 : 0, p * this.nLanes, (p + 1) * this.nLanes);
    }
    return changed;
  }

  // What is known: log-probability, posteriors, and by indicator P(value, all other evidence) as a share of all values.
  answer(situation) {
    const indicators = this.indicators(situation);
    const parameters = this.parametersAfter(situation);
    let logProbability = Math.log(this.upward(indicators, parameters));
    let sums;
    if (logProbability > Math.log(LEAST_LINEAR)) {
      this.downward();
      sums = this.lanesAdded(this.slopes);
    } else {
      logProbability = this.logUpward(indicators, parameters);
      if (logProbability === -Infinity) return { logProbability, posteriors: null, others: null };
      this.logDownward();
      sums = this.lanesLogAdded();
    }
    const posteriors = new Float64Array(this.nIndicators), others = new Float64Array(this.nIndicators);
    const logOthers = new Float64Array(this.arities.length);
    for (let variable = 0; variable < this.arities.length; variable++) {
      const [start, end] = [this.starts[variable], this.starts[variable + 1]];
      let own = 0, all = 0;
      for (let i = start; i < end; i++) {
        own += indicators[i] * sums[i];
        all += sums[i];
      }
      for (let i = start; i < end; i++) {
        posteriors[i] = (indicators[i] * sums[i]) / own;
        others[i] = sums[i] / all;
      }
      logOthers[variable] = logProbability + Math.log(all / own);
    }
    return { logProbability, posteriors, others, logOthers };
  }

  nothingKnown() {
    return this.answer(this.arities.map(() => null));
  }

  logProbability(situation) {
    const indicators = this.indicators(situation);
    const parameters = this.parametersAfter(situation);
    const value = this.upward(indicators, parameters);
    return value > LEAST_LINEAR ? Math.log(value) : this.logUpward(indicators, parameters);
  }

  fill(values, indicators, parameters) {
    const lanes = this.nLanes;
    for (let i = 0; i < indicators.length; i++) values.fill(indicators[i], i * lanes, (i + 1) * lanes);
    values.set(parameters, indicators.length * lanes);
  }

  // The logarithms of parameters are kept, unless an intervention has changed some.
  fillLogs(values, indicators, parameters) {
    let logs = this.logParameters;
    if (!logs || parameters !== this.parameters) logs = parameters.map(Math.log);
    if (parameters === this.parameters) this.logParameters = logs;
    this.fill(values, indicators.map(Math.log), logs);
  }

  upward(indicators, parameters) {
    const { values, offsets, children, isSum, firstInner, nLanes } = this;
    this.fill(values, indicators, parameters);
    if (nLanes === 1) {
      for (let inner = 0, node = firstInner; inner < isSum.length; inner++, node++) {
        const end = offsets[inner + 1];
        let edge = offsets[inner], found = values[children[edge]];
        if (isSum[inner]) while (++edge < end) found += values[children[edge]];
        else while (++edge < end) found *= values[children[edge]];
        values[node] = found;
      }
      return values[this.nNodes - 1];
    }
    for (let inner = 0, at = firstInner * nLanes; inner < isSum.length; inner++, at += nLanes) {
      const end = offsets[inner + 1];
      let edge = offsets[inner];
      values.copyWithin(at, children[edge] * nLanes, children[edge] * nLanes + nLanes);
      while (++edge < end) {
        const from = children[edge] * nLanes;
        if (isSum[inner]) for (let lane = 0; lane < nLanes; lane++) values[at + lane] += values[from + lane];
        else for (let lane = 0; lane < nLanes; lane++) values[at + lane] *= values[from + lane];
      }
    }
    return this.weights.reduce((sum, weight, lane) => sum + weight * values[(this.nNodes - 1) * nLanes + lane], 0);
  }

  // Derivatives of the value by all nodes but parameters. Products pass on the product of the other factors, found
  // from those before and those after: no division, so that a factor may be zero.
  downward() {
    const { values, slopes, offsets, children, isSum, firstInner, nIndicators, nLanes, before } = this;
    slopes.fill(0);
    slopes.set(this.weights, (this.nNodes - 1) * nLanes);
    if (nLanes > 1) return this.downwardLanes();
    for (let inner = isSum.length - 1, node = this.nNodes - 1; inner >= 0; inner--, node--) {
      const slope = slopes[node];
      if (slope === 0) continue;
      const first = offsets[inner], end = offsets[inner + 1];
      if (isSum[inner]) {
        for (let edge = first; edge < end; edge++) slopes[children[edge]] += slope;
        continue;
      }
      let product = slope;
      for (let edge = first; edge < end; edge++) {
        before[edge - first] = product;
        product *= values[children[edge]];
      }
      let after = 1;
      for (let edge = end - 1; edge >= first; edge--) {
        const child = children[edge];
        if (child < nIndicators || child >= firstInner) slopes[child] += before[edge - first] * after;
        after *= values[child];
      }
    }
  }

  downwardLanes() {
    const { values, slopes, offsets, children, isSum, firstInner, nIndicators, nLanes, before } = this;
    const after = new Float64Array(nLanes);
    for (let inner = isSum.length - 1, at = (this.nNodes - 1) * nLanes; inner >= 0; inner--, at -= nLanes) {
      let isLive = false;
      for (let lane = 0; lane < nLanes && !isLive; lane++) isLive = slopes[at + lane] !== 0;
      if (!isLive) continue;
      const first = offsets[inner], end = offsets[inner + 1];
      if (isSum[inner]) {
        for (let edge = first; edge < end; edge++) {
          const to = children[edge] * nLanes;
          for (let lane = 0; lane < nLanes; lane++) slopes[to + lane] += slopes[at + lane];
        }
        continue;
      }
      for (let lane = 0; lane < nLanes; lane++) before[lane] = slopes[at + lane];
      for (let edge = first; edge < end; edge++) {
        const from = children[edge] * nLanes, here = (edge - first) * nLanes;
        for (let lane = 0; lane < nLanes; lane++) before[here + nLanes + lane] = before[here + lane] * values[from + lane];
      }
      after.fill(1);
      for (let edge = end - 1; edge >= first; edge--) {
        const child = children[edge], to = child * nLanes, here = (edge - first) * nLanes;
        if (child < nIndicators || child >= firstInner)
          for (let lane = 0; lane < nLanes; lane++) slopes[to + lane] += before[here + lane] * after[lane];
        for (let lane = 0; lane < nLanes; lane++) after[lane] *= values[to + lane];
      }
    }
  }

  lanesAdded(slopes) {
    const { nLanes } = this;
    const sums = new Float64Array(this.nIndicators);
    for (let i = 0; i < sums.length; i++) for (let lane = 0; lane < nLanes; lane++) sums[i] += slopes[i * nLanes + lane];
    return sums;
  }

  logUpward(indicators, parameters) {
    const { values, offsets, children, isSum, firstInner, nLanes } = this;
    this.fillLogs(values, indicators, parameters);
    for (let inner = 0, at = firstInner * nLanes; inner < isSum.length; inner++, at += nLanes) {
      const first = offsets[inner], end = offsets[inner + 1];
      for (let lane = 0; lane < nLanes; lane++) {
        let found = values[children[first] * nLanes + lane];
        if (isSum[inner]) for (let e = first + 1; e < end; e++) found = logAdd(found, values[children[e] * nLanes + lane]);
        else for (let e = first + 1; e < end; e++) found += values[children[e] * nLanes + lane];
        values[at + lane] = found;
      }
    }
    let total = -Infinity;
    const root = (this.nNodes - 1) * nLanes;
    for (let lane = 0; lane < nLanes; lane++) total = logAdd(total, Math.log(this.weights[lane]) + values[root + lane]);
    return total;
  }

  logDownward() {
    const { values, slopes, offsets, children, isSum, firstInner, nIndicators, nLanes, before } = this;
    slopes.fill(-Infinity);
    for (let lane = 0; lane < nLanes; lane++)
      slopes[(this.nNodes - 1) * nLanes + lane] = Math.log(this.weights[lane]);
    for (let inner = isSum.length - 1, at = (this.nNodes - 1) * nLanes; inner >= 0; inner--, at -= nLanes) {
      const first = offsets[inner], end = offsets[inner + 1];
      for (let lane = 0; lane < nLanes; lane++) {
        const slope = slopes[at + lane];
        if (slope === -Infinity) continue;
        if (isSum[inner]) {
          for (let e = first; e < end; e++) {
            const to = children[e] * nLanes + lane;
            slopes[to] = logAdd(slopes[to], slope);
          }
          continue;
        }
        let product = slope;
        for (let e = first; e < end; e++) {
          before[e - first] = product;
          product += values[children[e] * nLanes + lane];
        }
        let after = 0;
        for (let e = end - 1; e >= first; e--) {
          const child = children[e], to = child * nLanes + lane;
          if (child < nIndicators || child >= firstInner) slopes[to] = logAdd(slopes[to], before[e - first] + after);
          after += values[to];
        }
      }
    }
  }

  // The evidence's probability is too small for a number of its own.
  lanesLogAdded() {
    const { nLanes, slopes } = this;
    const sums = new Float64Array(this.nIndicators).fill(-Infinity);
    for (let i = 0; i < sums.length; i++)
      for (let lane = 0; lane < nLanes; lane++) sums[i] = logAdd(sums[i], slopes[i * nLanes + lane]);
    // Scaled by variable: without one improbable value, the rest may be far more probable than all evidence.
    for (let variable = 0; variable < this.arities.length; variable++) {
      const [start, end] = [this.starts[variable], this.starts[variable + 1]];
      let most = -Infinity;
      for (let i = start; i < end; i++) most = Math.max(most, sums[i]);
      for (let i = start; i < end; i++) sums[i] = Math.exp(sums[i] - most);
    }
    return sums;
  }
}
