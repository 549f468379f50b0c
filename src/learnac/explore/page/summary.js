// What is always in view: chips of evidence, its probability and conflict, the most probable explanation.

import { intervalText, rangeOf } from "./situation.js";
import { valueText } from "./numbers.js";
import { h, probability, signed } from "./text.js";

export function pieceText(model, v, piece) {
  const { name, categories, number } = model.variables[v];
  const is = (value) => (number ? (categories[value].startsWith("= ") ? " " : ": ") : " = ") + categories[value]; // Intervals
  if (piece.sets !== undefined) return `set ${name}${is(piece.sets)}`;
  if (piece.is !== undefined) return `${name}${is(piece.is)}`;
  const range = number && rangeOf(piece.likelihoods);
  if (range) return `${name}: ${intervalText(number, ...range)}`;
  return `${name}: ${softText(categories, piece.likelihoods)}`;
}

// A value that is alone above or below the others, and by how much; else the one that is best.
function softText(categories, likelihoods) {
  const [least, most] = [Math.min(...likelihoods), Math.max(...likelihoods)];
  const alone = (l) => likelihoods.indexOf(l) === likelihoods.lastIndexOf(l);
  const times = least > 0 ? ` ${Number((most / least).toPrecision(2)).toLocaleString("en")} times` : "";
  if (!alone(most) && alone(least)) return `${categories[likelihoods.indexOf(least)]}${times} less likely`;
  return `${categories[likelihoods.indexOf(most)]}${likelihoods.length === 2 || likelihoods.filter((l) => l === least).length === likelihoods.length - 1 ? times : ""} more likely`;
}

export function showChips(list, model, situation, onPick) {
  const chips = situation.known.flatMap((piece, v) => piece === null ? [] : [
    h("li", { class: piece.sets === undefined ? "" : "sets" },
      h("button", { class: "name", title: "Show it", onclick: () => onPick(v) }, pieceText(model, v, piece)),
      h("button", { class: "off", "aria-label": `Forget ${pieceText(model, v, piece)}`, onclick: () => situation.set(v, null) }, "✕")),
  ]);
  if (chips.length === 0) chips.push(h("li", { class: "none" }, "Nothing is known yet. Click a bar to say what is."));
  if (chips.length > 1)
    chips.push(h("li", { class: "clear" }, h("button", { onclick: () => situation.change({ known: situation.known.map(() => null) }) }, "clear all")));
  list.replaceChildren(...chips);
}

export function showStatus(line, answer, known) {
  const nSeen = known.filter((piece) => piece !== null && piece.sets === undefined).length;
  if (answer.posteriors === null)
    return void line.replaceChildren(h("b", { class: "bad" }, "This cannot be: the evidence has probability zero."));
  if (nSeen === 0) return void line.replaceChildren(); // What is set has no probability.
  const parts = ["probability ", h("b", {}, probability(answer.logProbability))];
  if (Object.keys(answer.support).length > 1)
    parts.push(" · conflict ", h("b", { class: answer.conflict < -0.5 ? "bad" : answer.conflict > 0.5 ? "good" : "" }, signed(answer.conflict)));
  line.replaceChildren(...parts);
}

export function showSummary(card, model, situation, answer, found) {
  const parts = [h("h2", {}, "This situation")];
  if (answer.posteriors === null) {
    parts.push(h("p", {}, "The evidence has probability zero: no row can look like this. Take a piece of it away."));
    return void card.replaceChildren(...parts);
  }
  if (situation.known.some((piece) => piece !== null && piece.sets === undefined))
    parts.push(fact("Probability of the evidence", probability(answer.logProbability)), fact("Its logarithm", answer.logProbability.toFixed(4).replace("-", "−")));
  else if (!situation.known.some(Boolean)) parts.push(h("p", { class: "quiet" }, "Nothing is known: the bars show how often each value comes up."));
  const odd = Object.entries(answer.support).sort((a, b) => a[1] - b[1]);
  if (odd.length > 1) {
    parts.push(fact("Conflict", signed(answer.conflict)));
    parts.push(h("p", { class: "quiet" }, verdict(answer.conflict)));
    const [v, support] = odd[0];
    if (support < -0.5 && odd.length > 2)
      parts.push(h("p", { class: "quiet" }, `Odd one out: ${pieceText(model, Number(v), situation.known[v])}; the rest makes it ${Math.exp(-support).toFixed(1)} times less likely.`));
  }
  if (model.causality && situation.known.some((piece) => piece?.sets !== undefined))
    parts.push(h("p", { class: "quiet" }, h("b", {}, "Setting is not seeing. "), `Here, ${model.causality}.`));
  if (found) parts.push(...explanation(model, situation, found));
  const open = card.querySelector("details")?.open;
  card.replaceChildren(...parts);
  if (open) card.querySelector("details").open = true;
}

const fact = (name, value) => h("p", { class: "fact" }, h("span", {}, name), h("b", {}, value));

function verdict(conflict) {
  if (conflict < -0.5) return "The pieces are seen together less often than if they were unrelated: is one of them wrong?";
  return conflict > 0.5 ? "The pieces support each other." : "The pieces are nearly unrelated.";
}

function explanation(model, situation, { best, second, isProven }) {
  const open = situation.known.flatMap((piece, v) => (piece === null || piece.likelihoods ? [v] : []));
  if (open.length === 0) return [];
  const name = (v) => model.variables[v].name, category = (world, v) => valueText(model.variables[v], world[v]);
  const parts = [
    h("h3", { title: isProven ? "No other is more probable" : "The best that was found: others may be more probable" }, isProven ? "Most probable explanation" : "Best explanation found"),
    // Numbers have densities, which may be above 1.
    model.variables.some(({ number }) => number) ? fact("Log-density", best.log.toFixed(2).replace("-", "−")) : fact("Its probability", probability(best.log)),
  ];
  if (second) {
    const times = Math.exp(best.log - second.log);
    const less = `${times < 1000 ? times.toPrecision(3) : times.toExponential(1)} times less probable`;
    parts.push(fact("Runner-up", times < 1.005 ? "as probable" : less));
    const differing = open.filter((v) => best.world[v] !== second.world[v]).slice(0, 6);
    parts.push(h("p", { class: "quiet" }, differing.map((v) => `${name(v)}: ${category(second.world, v)} instead of ${category(best.world, v)}`).join("; ")));
  }
  const details = h("details", {}, h("summary", {}, `Its ${open.length} values`));
  details.addEventListener("toggle", () => { // There may be hundreds: they wait until somebody looks.
    if (details.open && details.childElementCount === 1) details.append(valuesTable(open, best, second, name, category));
  });
  parts.push(details);
  return parts;
}


function valuesTable(open, best, second, name, category) {
  const title = (text) => h("th", { scope: "col" }, text);
  const rows = open.map((v) => h("tr", {}, h("td", {}, name(v)), h("td", {}, category(best.world, v)),
    second ? h("td", { class: best.world[v] === second.world[v] ? "quiet" : "differs" }, category(second.world, v)) : null));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Most probable explanation" },
    h("table", {}, h("thead", {}, h("tr", {}, title("variable"), title("best"), second ? title("runner-up") : null)), h("tbody", {}, rows)));
}
