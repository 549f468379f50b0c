// Target mode: why is it so, what to ask next, and what would change it.

import { balanceMeter, h, nats, percent, shareMeter, signed } from "./text.js";
import { pieceText } from "./summary.js";

const MOST_LINES = 8;

export class TargetPanel {
  constructor(card, model, situation, asking, onPick) {
    Object.assign(this, { card, model, situation, asking, onPick, chosen: null, picked: null, gains: null });
  }

  // Asks for all of it, after the posteriors are there.
  async show(shown, starts) {
    this.shown = shown;
    const { target } = shown;
    this.gains = null;
    if (target === null) return this.showNothing();
    const { posteriors } = shown.answer;
    if (posteriors === null) return this.showNothing("The evidence has probability zero: nothing can be said about the target.");
    // What is known of the target itself is left out, here as in all that is asked about it.
    const own = Array.from(shown.answer.others.slice(starts[target], starts[target + 1]));
    if (this.of !== target) this.picked = null;
    this.of = target;
    this.chosen = this.picked ?? own.indexOf(Math.max(...own));
    const situation = shown.known;
    const [why, next] = await Promise.all([
      this.asking.ask("explain", { situation, target }),
      this.asking.ask("nextQuestion", { situation, target }),
    ]);
    if (why === null || next === null || this.shown !== shown) return;
    this.gains = new Map(next.map(({ variable, gain }) => [variable, gain]));
    this.found = { own, why, next };
    this.paint();
  }

  showNothing(why = "Pick a variable (◎ on its card, or T) to see what speaks for it, what to ask next, and what would change it.") {
    this.card.replaceChildren(h("h2", {}, "Target"), h("p", { class: "quiet" }, why));
  }

  paint() {
    const { target } = this.shown, { categories, name } = this.model.variables[target];
    const choice = h("select", { "aria-label": `Value of ${name} to explain`, onchange: (event) => { this.chosen = this.picked = Number(event.target.value); this.paint(); } },
      categories.map((category, value) => h("option", { value, selected: value === this.chosen }, `${category}: ${percent(this.found.own[value])}`)));
    this.card.replaceChildren(
      h("h2", {}, `Target: ${name}`, h("button", { class: "mini off", "aria-label": "No target", onclick: () => this.situation.change({ target: null }) }, "✕")),
      choice, this.shown.known[target] === null ? "" : h("p", { class: "quiet" }, `What is known of ${name} itself is left out here.`),
      ...this.why(), ...this.ask(), ...this.changes());
  }

  why() {
    const { pieces, alone, shares } = this.found.why;
    if (pieces.length === 0) return [];
    const worth = (piece) => (shares ?? alone)[piece][this.chosen];
    const most = Math.max(...pieces.map((piece) => Math.abs(worth(piece))).filter(Number.isFinite), 0.1);
    const lines = [...pieces].sort((a, b) => Math.abs(worth(b)) - Math.abs(worth(a))).map((piece) =>
      h("div", { class: "line", title: `without it: ${signed(-alone[piece][this.chosen])}` },
        h("span", { class: "text" }, pieceText(this.model, piece, this.shown.known[piece])), balanceMeter(worth(piece), most),
        h("span", { class: "num" }, signed(worth(piece)))));
    const how = shares ? "Share of each piece in the log-odds (Shapley)." : "What would be lost without the piece, in log-odds: too many pieces for shares.";
    return [h("h3", {}, "Why"), ...lines, h("p", { class: "quiet" }, how)];
  }

  ask() {
    const next = this.found.next.filter(({ gain }) => gain > 1e-4).slice(0, MOST_LINES);
    if (next.length === 0) return [];
    return [h("h3", {}, "What to ask next"), ...next.map(({ variable, gain }) =>
      h("button", { class: "line", title: nats(gain), onclick: () => this.onPick(variable) },
        h("span", { class: "text" }, this.model.variables[variable].name), shareMeter(gain / next[0].gain), h("span", { class: "num" }, gain.toFixed(3)))),
    h("p", { class: "quiet" }, "Expected information gain in nats.")];
  }

  // The answers that would move the chosen value most, each way.
  changes() {
    const now = this.found.own[this.chosen];
    const all = this.found.next.flatMap(({ variable, answers }) => answers.flatMap(({ probability: p, posterior }, value) =>
      p > 0.005 ? [{ variable, value, to: posterior[this.chosen] }] : []));
    const found = all.filter(({ to }) => Math.abs(to - now) > 0.005).sort((a, b) => Math.abs(b.to - now) - Math.abs(a.to - now)).slice(0, MOST_LINES);
    if (found.length === 0) return [];
    return [h("h3", {}, "What would change it"), ...found.map(({ variable, value, to }) =>
      h("button", { class: "line", title: "Say that this is so", onclick: () => this.situation.set(variable, { is: value }) },
        h("span", { class: "text" }, pieceText(this.model, variable, { is: value })), balanceMeter(to - now, 0.5), h("span", { class: "num" }, percent(to))))];
  }
}
