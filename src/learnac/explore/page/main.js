// The page: reads the model, listens to everything, and shows each situation as soon as its answer is there.

import { engineOf } from "./answer.js";
import { AskingHere, AskingServer, AskingWorker, Newest, Refusal } from "./asking.js";
import { asCommand, asPython } from "./code.js";
import { divergences, showComparison } from "./compared.js";
import { Monitors } from "./monitors.js";
import { NetworkView } from "./network.js";
import { RowsView } from "./rows.js";
import { Situation } from "./situation.js";
import { showChips, showStatus, showSummary } from "./summary.js";
import { TargetPanel } from "./target.js";
import { announceProblem, h } from "./text.js";

const $ = (id) => document.getElementById(id);
const VIEWS = ["monitors", "network", "rows", "answers"]; // The last only where there is no room for it beside the others.

async function start() {
  const model = JSON.parse($("model").textContent);
  showTheme();
  const asking = model.isServed ? new AskingServer(location.pathname) : await withCircuit(model);
  const { prior } = asking.engine ?? (await asking.ask("load"));
  const explorer = new Explorer(model, asking, prior);
  $("loading").remove();
  await explorer.begin();
  window.learnacExplorer = explorer;
}

// The page and its worker both have the circuit.
async function withCircuit(model) {
  const buffer = await decompressed(model.packed);
  delete model.packed;
  const worker = new AskingWorker($("worker-code").textContent), engine = engineOf(model, buffer.slice());
  await worker.ask("load", { document: model, buffer }, { transfer: [buffer] });
  return new AskingHere(worker, engine);
}

async function decompressed(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

class Explorer {
  constructor(model, asking, prior) {
    Object.assign(this, { model, asking, prior, view: "monitors" });
    this.situation = new Situation(model.variables, () => this.changed());
    this.monitors = new Monitors($("monitors"), model, this.situation, (known) => this.foresee(known));
    this.starts = this.monitors.starts;
    const pick = (v) => this.pick(v);
    this.target = new TargetPanel($("target"), model, this.situation, asking, pick);
    this.network = new NetworkView($("view-network"), model, this.situation, asking, pick);
    this.rows = new RowsView($("view-rows"), model, this.situation, asking, () => this.open("rows"));
    this.answering = new Newest((known) => this.answer(known));
    this.listen();
    const parts = [`${model.variables.length} variables`, model.isMixture ? `${model.nComponents} components` : null, `${(model.nEdges * model.nComponents).toLocaleString("en")} edges`, model.provenance.rows ? `learned from ${model.provenance.rows.toLocaleString("en")} rows` : null];
    $("where").textContent = model.isServed ? "All answers are worked out by the program that serves this page, exactly." : "Nothing leaves this page: all answers are worked out in it, exactly.";
    $("about").textContent = parts.filter(Boolean).join(" · ");
  }

  async begin() {
    const unknown = this.situation.read(location.hash);
    if (unknown.length) announceProblem(`The address names what this model does not have: ${unknown.join("; ")}`);
    await this.answering.ask(this.situation.state);
  }

  changed() {
    const { situation } = this;
    announceProblem(null);
    document.documentElement.dataset.settled = "false";
    this.answering.ask(situation.state); // All that changes is shown with the answer, in one frame.
  }

  async answer(state) {
    let answer, pinned;
    try {
      [answer, pinned] = await Promise.all([
        this.answerTo(state.known),
        state.pinned ? this.asking.ask("answer", { situation: state.pinned }) : null,
      ]);
    } catch (error) {
      return error instanceof Refusal ? this.refused(error) : this.troubled(error);
    }
    const before = pinned?.posteriors ?? this.prior.posteriors;
    this.shown = { ...state, answer, before, best: this.best };
    this.show();
    this.settle(this.shown); // Not waited for: the next click is answered meanwhile.
  }

  // As long as a button is held down, its click is foreseen: when it comes, its answer only has to be shown.
  foresee(known) {
    const answer = this.asking.ask("answer", { situation: known });
    answer.catch(() => {}); // The click tells what is wrong.
    this.foreseen = { known: JSON.stringify(known), answer };
  }

  answerTo(known) {
    const { foreseen } = this;
    this.foreseen = null;
    if (foreseen?.known === JSON.stringify(known)) return foreseen.answer;
    return this.asking.ask("answer", { situation: known });
  }

  // What takes longer, once the frame with the posteriors is drawn, unless something newer is shown by then.
  async settle(shown) {
    await drawn();
    try {
      if (this.shown === shown) await this.showRest(shown);
    } catch (error) {
      if (this.shown === shown) this.troubled(error);
    }
    if (this.shown === shown && !this.answering.isBusy) document.documentElement.dataset.settled = "true";
  }

  troubled(error) {
    announceProblem(`This could not be answered: ${error.message}`);
    document.documentElement.dataset.settled = "true";
  }

  // What cannot be answered is taken back, and told.
  refused(error) {
    if (this.situation.past.length > 0) this.situation.undo();
    else this.situation.change({ known: this.situation.known.map(() => null), pinned: null });
    announceProblem(`Not possible here: ${error.message}.`);
  }

  show() {
    const { shown, situation } = this;
    this.monitors.arrange(this.groups());
    this.monitors.show(shown);
    $("monitors").classList.toggle("compared", shown.pinned !== null);
    showComparison($("compared"), this.model, shown, this.starts, (v) => this.pick(v));
    showStatus($("status"), shown.answer, shown.known);
    showChips($("chips"), this.model, situation, (v) => this.pick(v));
    $("sort").querySelector("[value=target]").disabled = shown.target === null;
    $("undo").disabled = situation.past.length === 0;
    $("redo").disabled = situation.future.length === 0;
    $("pin").setAttribute("aria-pressed", String(shown.pinned !== null));
    $("pin").textContent = shown.pinned === null ? "Pin" : "Unpin";
    document.documentElement.dataset.probability = shown.answer.logProbability;
  }

  async showRest(shown) {
    const found = shown.answer.posteriors && !this.situation.before ? await this.asking.ask("mpe", { situation: shown.known }) : null;
    if (this.shown !== shown) return;
    this.best = shown.best = found?.best.world;
    this.monitors.show(shown);
    showSummary($("summary"), this.model, this.situation, shown.answer, found);
    await this.target.show(shown, this.starts);
    if (this.shown !== shown) return;
    if ($("sort").value === "target") this.monitors.arrange(this.groups());
    this.network.show(shown, this.starts);
  }

  // Names that match, in order, in groups.
  groups() {
    const wanted = $("search").value.trim().toLowerCase();
    const { variables } = this.model;
    const matching = variables.map((_, v) => v).filter((v) => !wanted || variables[v].name.toLowerCase().includes(wanted) || variables[v].categories.some((c) => c.toLowerCase() === wanted));
    const keys = this.sortKeys($("sort").value);
    if (keys) matching.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
    $("count").textContent = matching.length === 0 ? `No variable and no value is called ${wanted}` : matching.length < variables.length ? `${matching.length} of ${variables.length} variables` : "";
    const titles = this.groupTitles($("group").value);
    if (!titles) return [{ title: null, variables: matching }];
    const groups = new Map();
    for (const v of matching) groups.set(titles[v], [...(groups.get(titles[v]) ?? []), v]);
    const place = ({ title }) => (title === "Known" ? -1 : title === "Others" ? 1 : 0);
    return [...groups].map(([title, members]) => ({ title, variables: members })).sort((a, b) => place(a) - place(b));
  }

  sortKeys(by) {
    const { variables } = this.model, { answer, before } = this.shown;
    if (by === "name") return variables.map(({ name }) => name.toLowerCase());
    if (by === "target") return variables.map((_, v) => -(this.target.gains?.get(v) ?? (v === this.shown.target ? Infinity : -1)));
    if (!answer.posteriors || by === "table") return null;
    if (by === "change") return divergences(this.starts, answer.posteriors, before).map((change) => -change);
    return variables.map((_, v) => answer.posteriors.subarray(this.starts[v], this.starts[v + 1]).reduce((sum, p) => sum + (p > 0 ? p * Math.log(p) : 0), 0));
  }

  groupTitles(by) {
    const { variables } = this.model;
    if (by === "known") return this.shown.known.map((piece) => (piece === null ? "Unknown" : "Known"));
    if (by !== "prefix") return null;
    const prefixes = variables.map(({ name }) => /^[^\s_.:\-\d]+/.exec(name)?.[0] ?? name);
    const counts = new Map();
    for (const prefix of prefixes) counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    return prefixes.map((prefix) => (counts.get(prefix) > 1 ? `${prefix}…` : "Others"));
  }

  pick(v) {
    this.open("monitors");
    if (!this.monitors.order.includes(v)) {
      $("search").value = "";
      this.monitors.arrange(this.groups());
    }
    this.monitors.focus(v);
  }

  open(view) {
    this.view = view;
    document.body.dataset.view = view;
    for (const name of VIEWS) {
      if (name !== "answers" && view !== "answers") $(`view-${name}`).hidden = name !== view;
      $(`tab-${name}`).setAttribute("aria-selected", String(name === view));
      $(`tab-${name}`).tabIndex = name === view ? 0 : -1;
    }
    if (view === "network") this.network.show(this.shown, this.starts);
  }

  listen() {
    const { situation } = this;
    for (const [place, name] of VIEWS.entries()) {
      $(`tab-${name}`).addEventListener("click", () => this.open(name));
      $(`tab-${name}`).addEventListener("keydown", ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (!step) return;
        const shown = VIEWS.filter((each) => $(`tab-${each}`).offsetParent !== null);
        const next = shown[(place + step + shown.length) % shown.length];
        this.open(next);
        $(`tab-${next}`).focus();
      });
    }
    for (const id of ["search", "sort", "group"]) $(id).addEventListener("input", () => { this.monitors.arrange(this.groups()); this.monitors.show(this.shown); });
    $("undo").addEventListener("click", () => situation.undo());
    $("redo").addEventListener("click", () => situation.redo());
    $("pin").addEventListener("click", () => situation.change({ pinned: situation.pinned === null ? situation.known : null }));
    $("copy").addEventListener("click", () => this.showCode());
    $("help").addEventListener("click", () => $("helping").showModal());
    $("theme").addEventListener("click", () => showTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    addEventListener("hashchange", () => { situation.read(location.hash); this.changed(); });
    addEventListener("keydown", (event) => this.pressed(event));
  }

  pressed(event) {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if ((event.ctrlKey || event.metaKey) && !isTyping && ["z", "y"].includes(event.key.toLowerCase())) {
      event.preventDefault();
      if (event.shiftKey || event.key.toLowerCase() === "y") this.situation.redo();
      else this.situation.undo();
    } else if (event.key === "/" && !isTyping) {
      event.preventDefault();
      this.open("monitors");
      $("search").focus();
    } else if (event.key === "?" && !isTyping) $("helping").showModal();
    else if (event.key === "Escape" && event.target === $("search")) {
      $("search").value = "";
      $("search").dispatchEvent(new Event("input"));
    }
  }

  showCode() {
    const { state } = this.situation;
    const block = (title, text) => [h("h3", {}, title), h("pre", { tabindex: 0 }, text), h("button", { class: "plain", onclick: (event) => copied(event.target, text) }, "Copy")];
    $("copying").replaceChildren(h("h2", { id: "copying-title" }, "This situation as code"),
      ...block("Python", asPython(this.model, state)), ...block("Command", asCommand(this.model, state)),
      ...block("Address", location.href), h("form", { method: "dialog", style: "margin-top:12px;text-align:right" }, h("button", { class: "plain", autofocus: true }, "Close")));
    $("copying").showModal();
    $("copying").scrollTop = 0;
  }
}

// After the next frame; at once where none is drawn.
function drawn() {
  return document.hidden ? Promise.resolve() : new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const range = document.createRange(); // From disk, some browsers have no clipboard: select it for the person.
    range.selectNodeContents(button.previousSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Selected: press Ctrl+C";
  }
}

function showTheme(chosen) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let kept = null;
  try {
    if (chosen) localStorage.setItem("learnac-theme", chosen);
    kept = localStorage.getItem("learnac-theme");
  } catch { /* Some browsers keep nothing for pages from disk. */ }
  document.documentElement.dataset.theme = chosen ?? kept ?? (dark.matches ? "dark" : "light");
}

start().catch((error) => {
  $("loading")?.remove();
  announceProblem(`The model could not be read: ${error.message}. This page needs a browser of 2023 or later.`);
});
