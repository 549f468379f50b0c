// Rows of a table dropped on the page: how likely each is, the strangest ones, what is strange about them, their gaps.

import { cellsOf, codesOf } from "./csv.js";
import { valueText } from "./numbers.js";
import { announceProblem, h, percent } from "./text.js";

const MOST_SHOWN = 200, MOST_ROWS = 20000;

export class RowsView {
  constructor(container, model, situation, asking, onShow) {
    Object.assign(this, { container, model, situation, asking, onShow });
    const input = h("input", { type: "file", accept: ".csv,.tsv,.txt,text/csv", "aria-label": "A table to read", onchange: (event) => this.read(event.target.files[0]) });
    this.drop = h("div", { class: "drop" }, h("p", {}, h("b", {}, "Drop a CSV file here"), model.isServed ? " – only the server of this page sees it." : " – it stays on your computer."),
      h("p", { class: "quiet" }, "How likely is each row? Which are strange, and why? What belongs in their gaps?"), input);
    this.result = h("div", {});
    container.append(this.drop, this.result);
    for (const kind of ["dragover", "drop"])
      addEventListener(kind, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        this.drop.classList.toggle("over", kind === "dragover");
        if (kind === "drop") { this.onShow(); this.read(event.dataTransfer.files[0]); }
      });
  }

  async read(file) {
    if (!file) return;
    announceProblem(null);
    try {
      const { codes, texts, logDensities, lacking } = codesOf(cellsOf(await file.text()), this.model.variables);
      if (codes.length > MOST_ROWS) throw new Error(`expected at most ${MOST_ROWS} rows for a page, found ${codes.length}: use the command learnac score`);
      this.texts = texts;
      await this.score(file.name, codes, logDensities, lacking);
    } catch (error) {
      announceProblem(`${file.name}: ${error.message}`);
    }
  }

  async score(name, rows, logDensities, lacking) {
    const progress = h("progress", { max: 1, value: 0, "aria-label": "Rows scored" });
    this.result.replaceChildren(progress);
    const ofIntervals = await this.asking.ask("scores", { rows }, { onProgress: (share) => (progress.value = share) });
    if (ofIntervals === null) return;
    const logs = Array.from(ofIntervals, (log, row) => log + logDensities[row]);
    const order = [...logs.keys()].sort((a, b) => logs[a] - logs[b]);
    const possible = [...logs].filter((log) => log > -Infinity);
    const mean = possible.reduce((sum, log) => sum + log, 0) / Math.max(1, possible.length);
    this.detail = h("section", { class: "card", style: "margin-top:14px", "aria-live": "polite" }, h("p", { class: "quiet" }, "Pick a row to see what is strange about it."));
    this.body = h("tbody", {}, order.slice(0, MOST_SHOWN).map((row) => this.line(rows, logs, row)));
    this.result.replaceChildren(
      h("p", { style: "margin-bottom:8px" }, h("b", {}, name), `: ${rows.length} rows, mean log-likelihood ${mean.toFixed(4)}`,
        logs.length - possible.length > 0 ? `, ${logs.length - possible.length} impossible` : "", lacking.length ? `; unknown throughout: ${lacking.slice(0, 5).join(", ")}${lacking.length > 5 ? ", …" : ""}` : ""),
      h("div", { class: "sheet stage", tabindex: 0, role: "region", "aria-label": "Rows, the strangest first" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "row"), h("th", { scope: "col" }, "log-likelihood"), h("th", { scope: "col" }, "per known value"), h("th", { scope: "col" }, "unknown"))), this.body)),
      this.detail);
  }

  line(rows, logs, row) {
    const nKnown = rows[row].filter((code) => code >= 0).length;
    const pick = () => this.showRow(rows[row], row);
    return h("tr", { tabindex: 0, "data-row": row, onclick: pick, onkeydown: (event) => { if (event.key === "Enter") pick(); } },
      h("td", {}, String(row + 1)), h("td", {}, logs[row].toFixed(3)), h("td", {}, (logs[row] / Math.max(1, nKnown)).toFixed(3)),
      h("td", {}, String(rows[row].length - nKnown)));
  }

  async showRow(codes, row) {
    for (const line of this.body.children) line.setAttribute("aria-selected", String(Number(line.dataset.row) === row));
    const found = await this.asking.ask("rowDetails", { row: codes });
    if (found === null) return;
    const { variables } = this.model;
    const take = h("button", { class: "plain", onclick: () => { this.situation.change({ known: codes.map((code) => (code < 0 ? null : { is: code })) }); } }, "Take it as evidence");
    if (found.others === null)
      return void this.detail.replaceChildren(h("h2", {}, `Row ${row + 1}`, take), h("p", {}, "This row is impossible under the model."));
    let start = 0;
    const lines = variables.map((variable, v) => {
      const { name, categories } = variable, own = Array.from(found.others.slice(start, start + categories.length));
      start += categories.length;
      const best = own.indexOf(Math.max(...own)), filled = found.filled && valueText(variable, found.filled[v]);
      return { name, categories, text: this.texts[row][v], code: codes[v], p: codes[v] < 0 ? null : own[codes[v]], best, bestP: own[best], filled };
    });
    const strange = lines.filter(({ p }) => p !== null).sort((a, b) => a.p - b.p).slice(0, 8);
    const gaps = lines.filter(({ code }) => code < 0);
    this.detail.replaceChildren(h("h2", {}, `Row ${row + 1}`, take),
      h("h3", {}, "Least expected, given the rest of the row"),
      h("table", {}, h("tbody", {}, strange.map(({ name, categories, text, code, p, best, bestP }) => h("tr", {}, h("td", {}, `${name} = ${text}`), h("td", { class: "num" }, percent(p)),
        h("td", { class: "quiet" }, best === code ? "" : `rather ${categories[best]}, ${percent(bestP)}`))))),
      ...(gaps.length && found.filled ? [h("h3", {}, "Gaps, filled with their most probable values together"),
        h("p", {}, gaps.slice(0, 40).map(({ name, filled }) => `${name} = ${filled}`).join(", "))] : []));
  }
}
