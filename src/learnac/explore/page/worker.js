// Answers the page, in a thread of its own. A newer question about the same thing ends the one before it.

import { Engine, unpacked } from "./engine.js";
import { conflict, explain, information, mpe, nextQuestion, rowDetails, scores } from "./questions.js";

const AT_ONCE_MS = 12;
let engine = null;
const newest = {};

const operations = {
  load({ document, buffer }) {
    engine = new Engine(
      document.variables.map((variable) => variable.categories.length),
      unpacked(buffer, document.arrays),
      document.isDeterministic,
    );
    return { prior: engine.prior };
  },
  answer({ situation }) {
    requireWhole(situation);
    const found = engine.answer(situation);
    return found.posteriors === null ? found : { ...found, ...conflict(engine, situation, found) };
  },
  mpe: ({ situation }) => mpe(engine, situation),
  explain: ({ situation, target }) => explain(engine, situation, target),
  nextQuestion: ({ situation, target }) => nextQuestion(engine, situation, target),
  information: ({ situation }) => information(engine, situation),
  scores: ({ rows }) => scores(engine, rows),
  rowDetails: ({ row }) => rowDetails(engine, row),
};

// A circuit that leaves out impossible worlds may lack those that an intervention makes possible.
function requireWhole(situation) {
  const onlySet = situation.map((known) => (known?.sets === undefined ? null : known));
  if (onlySet.some(Boolean) && !(Math.abs(engine.logProbability(onlySet)) < 1e-6))
    throw new Error("this circuit cannot answer for this intervention: it leaves out worlds that were impossible before");
}

async function run({ id, operation, given }) {
  newest[operation] = id;
  try {
    let found = operations[operation](given);
    if (typeof found?.next === "function") found = await stepped(found, id, operation);
    if (found !== undefined) postMessage({ id, found });
    else postMessage({ id, isDropped: true });
  } catch (error) {
    postMessage({ id, error: String(error?.message ?? error) });
  }
}

// Steps of a long question, with a look at the other messages every few milliseconds; undefined if there is a newer one.
async function stepped(steps, id, operation) {
  let until = performance.now() + AT_ONCE_MS;
  for (;;) {
    const { value, done } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    postMessage({ id, progress: value });
    await new Promise((resume) => setTimeout(resume));
    if (newest[operation] !== id) return undefined;
    until = performance.now() + AT_ONCE_MS;
  }
}

onmessage = (message) => run(message.data);
