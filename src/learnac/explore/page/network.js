// The learned network, or what tells most about what under the present evidence; and the decision tree of a variable.

import { h, percent, svg } from "./text.js";
import { arranged, bendOf, layered, NODE, pulled } from "./layout.js";
import { toldOf } from "./histogram.js";
import { Viewport } from "./viewport.js";

const MOST_ARCS = 150, MOST_LAYERED = 30;
const MOST_AT_LEAF = 6;

export class NetworkView {
  constructor(container, model, situation, asking, onPick) {
    Object.assign(this, { container, model, situation, asking, onPick });
    this.mode = model.network ? "arcs" : "information";
    this.nArcs = model.variables.length > 100 ? 30 : 60;
    this.chosen = null;
    const modes = h("label", {}, "Show ", h("select", { id: "graph-mode", onchange: (event) => this.change({ mode: event.target.value }) },
      model.network ? h("option", { value: "arcs" }, model.isMixture ? "the network of its structure" : "the learned network") : null,
      h("option", { value: "information" }, "what tells about what, under the evidence")));
    this.slider = h("input", { type: "range", min: 5, max: MOST_ARCS, value: this.nArcs, "aria-label": "Number of lines", oninput: (event) => this.change({ nArcs: Number(event.target.value) }) });
    this.note = h("span", { class: "quiet", role: "status" });
    this.stage = h("div", { class: "stage" });
    this.viewport = new Viewport();
    this.tree = h("section", { class: "card", "aria-live": "polite" });
    container.append(h("div", { class: "bar" }, modes, h("label", {}, "Strongest lines ", this.slider), this.note), h("div", { class: "staged" }, this.stage, this.viewport.buttons), this.tree);
  }

  change(changes) {
    Object.assign(this, changes);
    this.show(this.shown, this.starts);
  }

  async show(shown, starts) {
    Object.assign(this, { shown, starts });
    if (this.container.hidden || shown === undefined) return;
    let arcs = this.model.network?.arcs ?? [];
    if (this.mode === "information") {
      this.note.textContent = "working it out…";
      arcs = await this.asking.ask("information", { situation: shown.known }, { onProgress: (share) => (this.note.textContent = `working it out… ${percent(share)}`) });
      if (arcs === null || this.shown !== shown) return;
    }
    this.slider.max = Math.min(MOST_ARCS, Math.max(arcs.length, 5));
    const strongest = [...arcs].sort((a, b) => b[2] - a[2]).slice(0, this.nArcs);
    this.note.textContent = strongest.length < arcs.length ? `${strongest.length} of ${arcs.length} lines` : `${arcs.length} lines`;
    this.draw(strongest);
    this.showTree();
  }

  draw(arcs) {
    const nodes = [...new Set(arcs.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
    if (nodes.length === 0) return void this.stage.replaceChildren(h("p", { class: "quiet", style: "padding:20px" }, "Nothing depends on anything here."));
    const places = arranged(nodes, arcs, (some, own) => (this.mode === "arcs" && some.length <= MOST_LAYERED ? layered : pulled)(some, own));
    const most = Math.max(...arcs.map((arc) => arc[2]), 1e-9);
    const picture = svg("svg", { role: "group", "aria-label": "Network" },
      svg("defs", {}, svg("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", markerUnits: "userSpaceOnUse" }, svg("path", { d: "M0 0 8 4 0 8z" }))));
    for (const [from, to, strength] of arcs) picture.append(this.arc(wayOf(places, from, to), strength / most, from === this.chosen || to === this.chosen));
    for (const v of nodes) picture.append(this.node(v, places.get(v)));
    const focused = document.activeElement?.dataset?.node;
    this.stage.replaceChildren(picture);
    const drawn = JSON.stringify([this.mode, arcs.map(([from, to]) => [from, to])]);
    this.viewport.show(picture, drawn, extentOf([...places.values()]), places.get(this.chosen ?? strongestOf(arcs)) ?? places.get(nodes[0]));
    if (focused !== undefined) picture.querySelector(`[data-node="${focused}"]`)?.focus();
  }

  arc(way, share, isNear) {
    const [a, b] = [way[0], way.at(-1)], name = isNear ? "arc near" : "arc";
    if (this.mode !== "arcs") return svg("path", { class: name, d: `M${a.x} ${a.y}L${b.x} ${b.y}`, "stroke-width": 0.8 + 5 * share, "stroke-opacity": 0.25 + 0.7 * share });
    const down = Math.sign(b.y - a.y), edge = (down * NODE.height) / 2;
    const ends = [{ x: a.x, y: a.y + edge }, ...way.slice(1, -1), { x: b.x, y: b.y - edge }];
    const d = down === 0 ? `M${a.x} ${a.y - NODE.height / 2}C${a.x} ${a.y - 50} ${b.x} ${b.y - 50} ${b.x} ${b.y - NODE.height / 2}` : curve(ends);
    return svg("path", { class: name, d, "stroke-width": 0.8 + 3.2 * Math.sqrt(share), "stroke-opacity": 0.35 + 0.6 * share, "marker-end": "url(#head)" });
  }

  node(v, { x, y }) {
    const { name, categories } = this.model.variables[v], { answer, before, known, target } = this.shown;
    const own = answer.posteriors?.slice(this.starts[v], this.starts[v + 1]);
    const moved = own ? own.reduce((sum, p, value) => sum + Math.abs(p - before[this.starts[v] + value]), 0) / 2 : 0;
    const best = own ? own.indexOf(Math.max(...own)) : -1;
    const label = best < 0 ? name : `${name}: ${categories[best]} ${percent(own[best])}`;
    const classes = ["node", known[v]?.sets !== undefined ? "is-set" : known[v] ? "is-known" : "", target === v ? "is-target" : "", this.chosen === v ? "is-chosen" : ""];
    const short = name.length > 16 ? `${name.slice(0, 15)}…` : name;
    const element = svg("g", { class: classes.join(" "), transform: `translate(${x} ${y})`, role: "button", tabindex: 0, "aria-label": label, "data-node": v },
      svg("title", {}, label),
      svg("rect", { x: -NODE.width / 2, y: -NODE.height / 2, width: NODE.width, height: NODE.height, rx: 8 }),
      svg("rect", { class: "heat", x: -NODE.width / 2 + 8, y: NODE.height / 2 - 6, width: (NODE.width - 16) * moved, height: 3, rx: 1.5, style: "stroke:none;fill:var(--bar)" }),
      svg("text", { y: 3 }, short));
    const pick = () => this.change({ chosen: v });
    element.addEventListener("click", pick);
    element.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(); } });
    return element;
  }

  showTree() {
    const v = this.chosen;
    if (v === null) return void this.tree.replaceChildren(h("p", { class: "quiet" }, "Pick a variable in the picture to see what it depends on. The small bar in a box is how much the evidence has moved it."));
    const { name } = this.model.variables[v];
    const nodes = this.model.network?.trees[v];
    this.tree.replaceChildren(
      h("h2", {}, name, h("button", { class: "plain", onclick: () => this.onPick(v) }, "Show its bars")),
      nodes ? h("ul", { class: "tree" }, this.branch(v, nodes, 0, 0, true)) : h("p", { class: "quiet" }, "This model has no network."));
  }

  // The distribution at a leaf: of a number where it lies, of many values the most probable ones.
  leaf(v, shares) {
    const { categories, number } = this.model.variables[v];
    if (number) return h("span", {}, toldOf(number, shares));
    const most = [...shares.keys()].sort((a, b) => shares[b] - shares[a] || a - b).slice(0, MOST_AT_LEAF).sort((a, b) => a - b);
    const rest = shares.reduce((sum, p, value) => sum + (most.includes(value) ? 0 : p), 0);
    return [...most.map((value) => h("span", {}, `${categories[value]}: ${percent(shares[value])}`)), rest > 0 ? h("span", {}, `others: ${percent(rest)}`) : null];
  }

  // What a node of the tree asks, and where each answer leads; the way that the evidence leaves open is in bold.
  branch(v, nodes, at, depth, isLive, before = []) {
    const node = nodes[at];
    if (Array.isArray(node)) return h("li", { class: isLive ? "live" : "dead" }, before, h("span", { class: "leaf" }, this.leaf(v, node)));
    const asked = this.model.variables[node.asks];
    const children = node.branches.map(([values, next]) => {
      const known = this.shown.known[node.asks], value = known?.is ?? known?.sets;
      const stays = isLive && (value === undefined || values.includes(value));
      return this.branch(v, nodes, next, depth + 1, stays, [h("span", {}, condition(asked, values))]);
    });
    const list = h("ul", {}, children);
    if (depth === 0) return list;
    return h("li", { class: isLive ? "live" : "dead" }, depth < 3 ? [before, list] : h("details", {}, h("summary", {}, before), list));
  }
}

// What the values of a branch say of the variable that is asked: those up to one of an ordered variable as "age < 37".
function condition({ name, categories, edgeTexts, isOrdered }, values) {
  const last = values.length - 1, isRange = isOrdered && (last > 0 || edgeTexts) && values[last] - values[0] === last;
  if (isRange && values[0] === 0) return edgeTexts ? `${name} < ${edgeTexts[last]} ` : `${name} <= ${categories[last]} `;
  if (isRange && values[last] === categories.length - 1) {
    const before = values[0] - 1;
    return edgeTexts ? `${name} >= ${edgeTexts[before]} ` : `${name} > ${categories[before]} `;
  }
  return `${name} = ${values.map((k) => categories[k]).join(" or ")} `;
}

// The variable that the strongest lines meet at.
function strongestOf(arcs) {
  const sums = new Map();
  for (const [from, to, strength] of arcs) for (const v of [from, to]) sums.set(v, (sums.get(v) ?? 0) + strength);
  return [...sums].reduce((best, each) => (each[1] > best[1] ? each : best))[0];
}

function extentOf(places) {
  const xs = places.map(({ x }) => x), ys = places.map(({ y }) => y), margin = NODE.width / 2 + 24;
  return { left: Math.min(...xs) - margin, right: Math.max(...xs) + margin, top: Math.min(...ys) - 40, bottom: Math.max(...ys) + 40 };
}

// The places that an arc goes through, its ends among them.
function wayOf(places, from, to) {
  const way = [places.get(from)];
  for (let n = 1; places.has(bendOf(from, to, n)); n++) way.push(places.get(bendOf(from, to, n)));
  return [...way, places.get(to)];
}

// Through all points, upright at each.
function curve([first, ...rest]) {
  let [d, last] = [`M${first.x} ${first.y}`, first];
  for (const point of rest) {
    const bend = (point.y - last.y) / 2;
    d += `C${last.x} ${last.y + bend} ${point.x} ${point.y - bend} ${point.x} ${point.y}`;
    last = point;
  }
  return d;
}
