// Answers the page, in a thread of its own. A newer question about the same thing ends the one before it.

import { answerOf, engineOf } from "./answer.js";
import { densest, logDensityOfSet } from "./numbers.js";
import { explain, information, mpe, nextQuestion, asSituation, rowDetails, scores } from "./questions.js";

const AT_ONCE_MS = 12;
let engine = null, variables = null;
const newest = {};

const operations = {
  load({ document, buffer }) {
    engine = engineOf(document, buffer);
    ({ variables } = document);
    return { prior: engine.prior };
  },
  answer: ({ situation }) => answerOf(engine, situation),
  mpe: ({ situation }) => explained(situation),
  explain: ({ situation, target }) => explain(engine, situation, target),
  nextQuestion: ({ situation, target }) => nextQuestion(engine, situation, target),
  information: ({ situation }) => information(engine, situation),
  scores: ({ rows }) => scores(engine, rows),
  rowDetails: ({ row }) => ({ ...rowDetails(engine, row), filled: explained(asSituation(row))?.best.world ?? null }),
};

// The most probable explanation, with numbers of the highest density.
function explained(situation) {
  const found = mpe(engine, densest(variables, situation)), more = logDensityOfSet(variables, situation);
  const withDensity = (world) => world && { ...world, log: world.log + more };
  return found && { ...found, best: withDensity(found.best), second: withDensity(found.second) };
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
