// What a situation comes to: its posteriors, and how well its pieces go together.

import { Engine, unpacked } from "./engine.js";

export const pieces = (situation) => [...situation.keys()].filter((v) => situation[v] !== null && situation[v].sets === undefined);

export function engineOf(document, buffer) {
  const arities = document.variables.map((variable) => variable.categories.length);
  return new Engine(arities, unpacked(buffer, document.arrays), document.isDeterministic);
}

export function answerOf(engine, situation) {
  requireWhole(engine, situation);
  const found = engine.answer(situation);
  return found.posteriors === null ? found : { ...found, ...conflict(engine, situation, found) };
}

// A circuit that leaves out impossible worlds may lack those that an intervention makes possible.
function requireWhole(engine, situation) {
  const onlySet = situation.map((known) => (known?.sets === undefined ? null : known));
  if (onlySet.some(Boolean) && !(Math.abs(engine.logProbability(onlySet)) < 1e-6))
    throw new Error("this circuit cannot answer for this intervention: it leaves out worlds that were impossible before");
}

// Log P(e) less the sum of log P(piece), and by piece how much more probable the others make it.
function conflict(engine, situation, found) {
  const onlySet = situation.map((known) => (known?.sets === undefined ? null : known));
  const base = onlySet.some((known) => known !== null) ? engine.answer(onlySet) : engine.prior;
  const indicators = engine.indicators(situation);
  const support = {};
  let alone = 0;
  for (const variable of pieces(situation)) {
    let mass = 0;
    for (let i = engine.starts[variable]; i < engine.starts[variable + 1]; i++) mass += indicators[i] * base.posteriors[i];
    alone += Math.log(mass);
    support[variable] = found.logProbability - found.logOthers[variable] - Math.log(mass);
  }
  return { conflict: found.logProbability - alone, support };
}
