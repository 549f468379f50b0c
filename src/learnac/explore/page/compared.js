// Two situations side by side: what differs most between this one and the one that was pinned.

import { pieceText } from "./summary.js";
import { h, percent } from "./text.js";

const MOST_DIFFERENCES = 8, LEAST_DIFFERENCE = 1e-4;

// Jensen-Shannon divergence of two posteriors of each variable, in nats.
export function divergences(starts, p, q) {
  const term = (a, b) => (a > 0 ? a * Math.log((2 * a) / (a + b)) : 0);
  return starts.slice(0, -1).map((start, v) => {
    let sum = 0;
    for (let i = start; i < starts[v + 1]; i++) sum += (term(p[i], q[i]) + term(q[i], p[i])) / 2;
    return sum;
  });
}

export function showComparison(card, model, shown, starts, onPick) {
  const { answer, before, pinned } = shown;
  card.hidden = pinned === null || answer.posteriors === null;
  if (card.hidden) return;
  const all = divergences(starts, answer.posteriors, before);
  const most = [...all.keys()].filter((v) => all[v] > LEAST_DIFFERENCE).sort((a, b) => all[b] - all[a]).slice(0, MOST_DIFFERENCES);
  const known = pinned.flatMap((piece, v) => (piece === null ? [] : [pieceText(model, v, piece)]));
  card.replaceChildren(
    h("h2", {}, "Beside the pinned situation"),
    h("p", { class: "legend" }, h("i", { class: "now" }), "now", h("i", { class: "pinned" }), `pinned: ${known.join(", ") || "nothing known"}`),
    ...(most.length ? most.map((v) => differenceLine(model, v, starts[v], answer.posteriors, before, onPick)) : [h("p", { class: "quiet" }, "The two are the same.")]),
  );
}

// The value that differs most, with both its bars.
function differenceLine(model, v, start, now, before, onPick) {
  const { categories } = model.variables[v];
  const change = (value) => Math.abs(now[start + value] - before[start + value]);
  const value = categories.reduce((best, _, each) => (change(each) > change(best) ? each : best), 0);
  const [to, from] = [now[start + value], before[start + value]];
  return h("button", { class: "line", title: `${pieceText(model, v, { is: value })}: ${percent(from)} pinned, ${percent(to)} now`, onclick: () => onPick(v) },
    h("span", { class: "text" }, pieceText(model, v, { is: value })),
    h("span", { class: "meter two", "aria-hidden": "true" }, h("i", { class: "now", style: `width:${100 * to}%` }), h("i", { class: "pinned", style: `width:${100 * from}%` })),
    h("span", { class: "num" }, percent(to), h("small", {}, percent(from))));
}
