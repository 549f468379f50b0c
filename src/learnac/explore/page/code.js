// The situation as Python and as a command, to be copied.

import { rangeOf } from "./situation.js";

export function asPython(model, { known, target, pinned }) {
  const lines = ["from learnac import load", "", `model = load(${quoted(model.title)})`];
  const now = inPython(model, known);
  // Interventions change the model; those of a pinned situation, its own.
  if (pinned && now.sets !== inPython(model, pinned).sets) lines.push(...setLine("pinned_model", inPython(model, pinned).sets));
  lines.push(...setLine("model", now.sets), `given = ${now.given}`, ...(now.soft.length ? [`soft = ${now.softText}`] : []));
  const soft = now.soft.length ? ", soft=soft" : "";
  lines.push(`posteriors = model.marginals(given${soft})`);
  if (pinned) lines.push(...besidePinned(inPython(model, pinned), now));
  if (target !== null) {
    const name = quoted(model.variables[target].name);
    if (known[target] !== null) lines.push(`given.pop(${name}, None)  # Nothing is known of a target.`);
    if (now.soft.includes(target)) lines.push(`soft.pop(${name})`);
    lines.push(`why = model.explain(${name}, given${soft})`, `ask = model.next_question(${name}, given${soft})`);
  }
  return lines.join("\n");
}

const setLine = (name, sets) => (sets === "{}" ? (name === "model" ? [] : [`${name} = model`]) : [`${name} = model.do(${sets})`]);

function besidePinned(pinned, now) {
  const lines = [`pinned = ${pinned.given}`, ...(pinned.soft.length ? [`pinned_soft = ${pinned.softText}`] : [])];
  if (pinned.sets !== now.sets) return [...lines, `pinned_posteriors = pinned_model.marginals(pinned${pinned.soft.length ? ", soft=pinned_soft" : ""})`];
  const softs = [...(now.soft.length ? ["soft_a=soft"] : []), ...(pinned.soft.length ? ["soft_b=pinned_soft"] : [])];
  return [...lines, `differences = model.compare(${["given", "pinned", ...softs].join(", ")})`];
}

// What is known, set and made more likely, as texts of Python; and which variables have likelihoods.
function inPython(model, situation) {
  const name = (v) => quoted(model.variables[v].name);
  const entries = (pick) => situation.flatMap((known, v) => (pick(known) === undefined ? [] : [`${name(v)}: ${model.variables[v].python[pick(known)]}`]));
  const intervals = intervalsOf(model, situation).map(([v, text]) => `${name(v)}: ${quoted(text)}`);
  const soft = softOf(model, situation);
  return {
    given: `{${[...entries((k) => k?.is), ...intervals].join(", ")}}`,
    sets: `{${entries((k) => k?.sets).join(", ")}}`,
    soft,
    softText: `{${soft.map((v) => `${name(v)}: [${situation[v].likelihoods.join(", ")}]`).join(", ")}}`,
  };
}

const softOf = (model, situation) => [...situation.keys()].filter((v) => situation[v]?.likelihoods && !intervalOf(model, situation, v));

export function asCommand(model, { known, target, pinned }) {
  const lines = commandLines(model, known, ["marginals"]), name = target === null ? "" : inShell(model.variables[target].name);
  if (pinned) lines.push(comparison(model, known, pinned));
  // Nothing is known of a target.
  if (target !== null) lines.push(...commandLines(model, known.map((piece, v) => (v === target ? null : piece)), ["explain", "next-question"], `--target ${name}`));
  const softNames = [...new Set([known, pinned ?? []].flatMap((each) => softOf(model, each)))].map((v) => model.variables[v].name);
  // Without it, a command would answer about another situation.
  if (softNames.length) return `# soft evidence needs Python: ${softNames.join(", ")}`;
  return lines.join("\n");
}

function comparison(model, known, pinned) {
  if (doOptions(model, known).join() !== doOptions(model, pinned).join()) return "# a pinned situation with other interventions needs Python";
  const [line] = commandLines(model, known, ["compare"]);
  return [line, ...givenOptions(model, pinned, "--with")].join(" ");
}

const commandLines = (model, situation, names, more = "") =>
  names.map((name) => [`learnac ${name} ${inShell(model.title)}`, more, ...givenOptions(model, situation, "--given"), ...doOptions(model, situation)].filter(Boolean).join(" "));

const typed = (model, situation, pick) => situation.flatMap((known, v) => (pick(known) === undefined ? [] : [assignment(model.variables[v], pick(known))]));
const doOptions = (model, situation) => typed(model, situation, (k) => k?.sets).map((text) => `--do ${inShell(text)}`);
const givenOptions = (model, situation, option) => [
  ...typed(model, situation, (k) => k?.is),
  ...intervalsOf(model, situation).map(([v, text]) => inQuotes(`${model.variables[v].name}=${text}`)),
].map((text) => `${option} ${inShell(text)}`);

// What is known of a number as an interval, as people write it; none if it is no interval.
function intervalOf(model, situation, v) {
  const { number } = model.variables[v], range = number && rangeOf(situation[v]?.likelihoods);
  if (!range) return null;
  const from = number.from[range[0]], to = number.to[range[1]];
  if (!from && !to) return null;
  if (!to) return `>=${from}`;
  if (number.hasEnds) return `${from}..${to}`;
  return from ? `[${from}, ${to})` : `<${to}`;
}

const intervalsOf = (model, situation) =>
  situation.map((_, v) => [v, intervalOf(model, situation, v)]).filter(([, text]) => text !== null);

const quoted = (text) => JSON.stringify(text);
const inShell = (text) => (/^[\w./=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

// Commas and quotes are read as part of a name between double quotes; two of these are one.
function assignment({ name, categories }, value) {
  return inQuotes(`${name}=${categories[value]}`);
}

const inQuotes = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
