// A table of text as codes of a model.

import { logDensity } from "./numbers.js";

// What stands for a missing value, where it is no category.
const MISSING = new Set(["", "NA", "N/A", "#N/A", "n/a", "nan", "NaN", "NULL", "null", "None"]);

// Cells of CSV or TSV: quotes may hold anything, two of them are one.
export function cellsOf(text) {
  const firstLine = text.slice(0, text.search(/\r|\n|$/));
  const separator = [",", "\t", ";"].sort((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0];
  const rows = [];
  let row = [], cell = "", isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (isQuoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else isQuoted = false;
    } else if (c === '"' && cell === "") isQuoted = true;
    else if (c === separator) { row.push(cell); cell = ""; }
    else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (cell !== "" || row.length > 0) endRow();
  return rows;
}

// Codes of each row, -1 where unknown, its texts, and the log-density of its numbers within their intervals. Values that
// the model has never seen count as unknown, and are told by row.
export function codesOf(cells, variables) {
  const [header, ...rows] = cells;
  if (!header || rows.length === 0) throw new Error("expected a header line and at least one row, found none");
  const columns = variables.map(({ name }) => header.findIndex((cell) => cell.trim() === name));
  if (columns.every((column) => column < 0))
    throw new Error(`expected columns of the model, such as ${variables.slice(0, 3).map(({ name }) => name).join(", ")}; found ${header.slice(0, 3).join(", ")}`);
  const readers = variables.map(readerOf);
  const logDensities = new Float64Array(rows.length), unseen = new Map();
  const codes = rows.map((row, number) => {
    if (row.length !== header.length) throw new Error(`row ${number + 1}: expected ${header.length} values, found ${row.length}`);
    return columns.map((column, v) => {
      const text = column < 0 ? "" : row[column].trim();
      const [code, value] = text === "" ? [-1] : readers[v](text);
      if (value !== undefined && variables[v].number) logDensities[number] += logDensity(variables[v].number.spread, value);
      if (code < 0 && !MISSING.has(text)) unseen.set(number, [...(unseen.get(number) ?? []), v]);
      return code;
    });
  });
  const texts = rows.map((row) => columns.map((column) => (column < 0 ? "" : row[column].trim())));
  const ignored = header.filter((cell) => !variables.some(({ name }) => name === cell.trim()));
  return { codes, texts, logDensities, unseen, ignored, lacking: variables.filter((_, v) => columns[v] < 0).map(({ name }) => name) };
}

// From a text to a code, and to the number that it is.
function readerOf({ categories, edges, number: kind }) {
  const byText = new Map(categories.map((category, code) => [category, code]));
  const byNumber = new Map(categories.flatMap((category, code) => (category !== "" && Number.isFinite(Number(category)) ? [[Number(category), code]] : [])));
  const byLower = new Map(categories.filter((c) => c === "True" || c === "False").map((c) => [c.toLowerCase(), byText.get(c)]));
  return (text) => {
    if (byText.has(text)) return [byText.get(text)];
    const isDate = kind?.isDate && /^\d{4}-\d{2}-\d{2}/.test(text);
    const number = isDate ? Date.parse(text.length > 10 && !/Z|[+-]\d{2}:?\d{2}$/.test(text) ? `${text.replace(" ", "T")}Z` : text) / 1000 / kind.secondsOfUnit : Number(text);
    if (edges && Number.isFinite(number)) {
      const code = edges.findIndex((edge) => number < edge);
      return [code < 0 ? edges.length : code, number];
    }
    return [byNumber.get(number) ?? byLower.get(text.toLowerCase()) ?? -1];
  };
}
