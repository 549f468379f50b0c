// Rows of a table dropped on the page: how likely each is, the strangest ones, what is strange about them, their gaps.

import { cellsOf, codesOf } from "./csv.js";
import { valueText } from "./numbers.js";
import { announceProblem, h, minus, percent } from "./text.js";

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
      const table = codesOf(cellsOf(await file.text()), this.model.variables);
      if (table.codes.length > MOST_ROWS) throw new Error(`expected at most ${MOST_ROWS} rows for a page, found ${table.codes.length}: use the command learnac score`);
      await this.score(file.name, table);
    } catch (error) {
      announceProblem(`${file.name}: ${error.message}`);
    }
  }

  async score(name, table) {
    const progress = h("progress", { max: 1, value: 0, "aria-label": "Rows scored" });
    this.result.replaceChildren(progress);
    const { codes, logDensities } = table;
    const ofIntervals = await this.asking.ask("scores", { rows: codes }, { onProgress: (share) => (progress.value = share) });
    if (ofIntervals === null) return;
    const logs = Array.from(ofIntervals, (log, row) => log + logDensities[row]);
    const nKnown = codes.map((row) => row.filter((code) => code >= 0).length);
    Object.assign(this, { name, table, logs, nKnown, by: "log" });
    this.detail = h("section", { class: "card", style: "margin-top:14px", "aria-live": "polite" }, h("p", { class: "quiet" }, "Pick a row to see what is strange about it."));
    this.showTable();
  }

  // What a column of the list says of a row. Values that were never seen are stranger than any likelihood.
  keys() {
    const { logs, nKnown, table: { unseen } } = this, nUnseen = (row) => unseen.get(row)?.length ?? 0;
    return {
      row: { title: "row", of: (row) => row, text: (row) => String(row + 1) },
      log: { title: "log-likelihood", of: (row) => logs[row] - 1e6 * nUnseen(row), text: (row) => minus(logs[row]) },
      share: { title: "per known value", of: (row) => logs[row] / Math.max(1, nKnown[row]) - 1e6 * nUnseen(row), text: (row) => minus(logs[row] / Math.max(1, nKnown[row])) },
      unknown: { title: "unknown", of: (row) => nKnown[row], text: (row) => `${this.model.variables.length - nKnown[row]}${nUnseen(row) ? `, ${nUnseen(row)} never seen` : ""}` },
    };
  }

  showTable() {
    const { logs, by } = this, keys = this.keys(), order = [...logs.keys()].sort((a, b) => keys[by].of(a) - keys[by].of(b) || a - b);
    const heading = (key) => h("th", { scope: "col", "aria-sort": key === by ? "ascending" : "none" },
      h("button", { title: `Sort by ${keys[key].title}`, onclick: () => { this.by = key; this.showTable(); } }, keys[key].title, key === by ? " ↑" : ""));
    this.body = h("tbody", {}, order.slice(0, MOST_SHOWN).map((row) => this.line(keys, row)));
    const shown = logs.length > MOST_SHOWN ? h("p", { class: "quiet" }, `The first ${MOST_SHOWN} of ${logs.length} rows; the download has all.`) : null;
    this.result.replaceChildren(...this.told(), h("div", { class: "sheet stage", tabindex: 0, role: "region", "aria-label": "Rows" },
      h("table", {}, h("thead", {}, h("tr", {}, Object.keys(keys).map(heading))), this.body)), ...(shown ? [shown] : []), this.detail);
  }

  // What the table comes to, and what was not as expected.
  told() {
    const { logs, name, table: { unseen, ignored, lacking, texts } } = this;
    const possible = logs.filter((log) => log > -Infinity), mean = possible.reduce((sum, log) => sum + log, 0) / Math.max(1, possible.length);
    const some = (names) => `${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}`;
    const cells = [...unseen].flatMap(([row, all]) => all.map((v) => `row ${row + 1}, ${this.model.variables[v].name} = ${texts[row][v]}`));
    const notes = [
      logs.length > possible.length ? `${logs.length - possible.length} impossible` : null,
      lacking.length ? `unknown throughout: ${some(lacking)}` : null,
      ignored.length ? `not in the model, and left out: ${some(ignored)}` : null,
      cells.length ? `never seen, and taken as unknown: ${some(cells)}` : null,
    ].filter(Boolean);
    const download = h("button", { class: "plain", onclick: () => this.download() }, "Download scores");
    return [h("div", { class: "told" }, h("p", {}, h("b", {}, name), `: ${logs.length} rows, mean log-likelihood ${minus(mean, 4)}`), download),
      ...notes.map((note) => h("p", { class: "quiet" }, `${note[0].toUpperCase()}${note.slice(1)}.`))];
  }

  download() {
    const lines = this.logs.map((log, row) => `${row + 1},${log},${this.nKnown[row]}`);
    const link = h("a", { href: URL.createObjectURL(new Blob([["row,log_likelihood,known_values", ...lines, ""].join("\n")], { type: "text/csv" })), download: `scores of ${this.name}` });
    link.click();
    URL.revokeObjectURL(link.href);
  }

  line(keys, row) {
    const pick = () => this.showRow(this.table.codes[row], row);
    return h("tr", { tabindex: 0, "data-row": row, onclick: pick, onkeydown: (event) => { if (event.key === "Enter") pick(); } },
      Object.entries(keys).map(([key, { text }]) => h("td", { class: key === "unknown" && this.table.unseen.has(row) ? "odd" : "" }, text(row))));
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
      return { name, categories, text: this.table.texts[row][v], code: codes[v], p: codes[v] < 0 ? null : own[codes[v]], best, bestP: own[best], filled };
    });
    // Beside the most probable value: one of many intervals is never probable by itself.
    const strange = lines.filter(({ p, bestP }) => p !== null && p < bestP).sort((a, b) => a.p / a.bestP - b.p / b.bestP).slice(0, 8);
    const unseen = (this.table.unseen.get(row) ?? []).map((v) => h("p", { class: "odd" }, `${variables[v].name} = ${this.table.texts[row][v]} was never seen.`));
    const gaps = lines.filter(({ code }) => code < 0);
    this.detail.replaceChildren(h("h2", {}, `Row ${row + 1}`, take), ...unseen,
      h("h3", {}, strange.length ? "Least expected, given the rest of the row" : "Every value is the most probable one, given the rest of the row"),
      h("table", {}, h("tbody", {}, strange.map(({ name, categories, text, code, p, best, bestP }) => h("tr", {}, h("td", {}, `${name} = ${text}`), h("td", { class: "num" }, percent(p)),
        h("td", { class: "quiet" }, best === code ? "" : `rather ${categories[best].replace(/^= /, "")}, ${percent(bestP)}`))))),
      ...(gaps.length && found.filled ? [h("h3", {}, "Gaps, filled with their most probable values together"),
        h("p", {}, gaps.slice(0, 40).map(({ name, filled }) => `${name} = ${filled}`).join(", "))] : []));
  }
}
