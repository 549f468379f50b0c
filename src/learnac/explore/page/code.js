// The situation as Python and as a command, to be copied.

import { rangeOf } from "./situation.js";

export function asPython(model, situation, target) {
  const of = (pick) => situation.flatMap((known, v) => (pick(known) === undefined ? [] : [[v, pick(known)]]));
  const entry = ([v, value]) => `${quoted(model.variables[v].name)}: ${model.variables[v].python[value]}`;
  const dict = (pairs, more = []) => `{${[...pairs.map(entry), ...more].join(", ")}}`;
  const intervals = intervalsOf(model, situation).map(([v, text]) => `${quoted(model.variables[v].name)}: ${quoted(text)}`);
  const known = dict(of((k) => k?.is), intervals), sets = of((k) => k?.sets);
  const soft = of((k) => k?.likelihoods).filter(([v]) => !intervalOf(model, situation, v));
  const softText = soft.map(([v, likelihoods]) => `${quoted(model.variables[v].name)}: [${likelihoods.join(", ")}]`);
  const lines = [
    "from learnac import load", "",
    `model = load(${quoted(model.title)})`,
    ...(sets.length ? [`model = model.do(${dict(sets)})`] : []),
    `given = ${known}`,
    ...(soft.length ? [`soft = {${softText.join(", ")}}`] : []),
    `posteriors = model.marginals(given${soft.length ? ", soft=soft" : ""})`,
  ];
  if (target !== null) {
    const more = soft.length ? ", soft=soft" : "", name = quoted(model.variables[target].name);
    if (situation[target] !== null) lines.push(`given.pop(${name}, None)  # Nothing is known of a target.`);
    if (soft.some(([v]) => v === target)) lines.push(`soft.pop(${name})`);
    lines.push(`why = model.explain(${name}, given${more})`);
    lines.push(`ask = model.next_question(${name}, given${more})`);
  }
  return lines.join("\n");
}

export function asCommand(model, situation, target) {
  const lines = commandLines(model, situation, null, ["marginals"]);
  // Nothing is known of a target.
  if (target !== null) lines.push(...commandLines(model, situation.map((known, v) => (v === target ? null : known)), target, ["explain", "next-question"]));
  const softNames = situation.flatMap((known, v) => (known?.likelihoods && !intervalOf(model, situation, v) ? [model.variables[v].name] : []));
  if (softNames.length) lines.unshift(`# soft evidence needs Python: ${softNames.join(", ")}`);
  return lines.join("\n");
}

function commandLines(model, situation, target, names) {
  const typed = (pick) => situation.flatMap((known, v) => (pick(known) === undefined ? [] : [assignment(model.variables[v], pick(known))]));
  const options = [
    ...typed((k) => k?.is).map((text) => `--given ${inShell(text)}`),
    ...intervalsOf(model, situation).map(([v, text]) => `--given ${inShell(`${model.variables[v].name}=${text}`)}`),
    ...typed((k) => k?.sets).map((text) => `--do ${inShell(text)}`),
  ].join(" ");
  const named = target === null ? "" : `--target ${inShell(model.variables[target].name)}`;
  return names.map((name) => [`learnac ${name} ${inShell(model.title)}`, named, options].filter(Boolean).join(" "));
}

// Of a number whose interval can be written with both ends, as 25..34; one that lies anywhere needs its likelihoods.
function intervalOf(model, situation, v) {
  const { number } = model.variables[v], range = number && rangeOf(situation[v]?.likelihoods);
  if (!range) return null;
  const from = number.from[range[0]], to = number.to[range[1]];
  if (!from && !to) return null;
  if (!to) return `>=${from}`;
  return number.hasEnds ? `${from}..${to}` : from ? null : `<${to}`;
}

const intervalsOf = (model, situation) =>
  situation.map((_, v) => [v, intervalOf(model, situation, v)]).filter(([, text]) => text !== null);

const quoted = (text) => JSON.stringify(text);
const inShell = (text) => (/^[\w./=+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

// Commas and quotes are read as part of a name between double quotes; two of these are one.
function assignment({ name, categories }, value) {
  const text = `${name}=${categories[value]}`;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
