// What is known, set and looked at: one value that can be undone, and that the address holds.

export class Situation {
  constructor(variables, onChange) {
    this.variables = variables;
    this.onChange = onChange;
    this.known = variables.map(() => null);
    this.target = null;
    this.pinned = null; // another situation's `known`, to compare with
    this.past = [];
    this.future = [];
  }

  get state() {
    return { known: this.known, target: this.target, pinned: this.pinned };
  }

  // `isDone` is false while a bar is dragged: only the end of that is a step to undo.
  change(changes, { isDone = true } = {}) {
    this.before ??= this.state;
    Object.assign(this, changes);
    if (isDone) {
      if (JSON.stringify(this.before) !== JSON.stringify(this.state)) {
        this.past.push(this.before);
        this.future = [];
      }
      this.before = null;
      this.keepAddress();
    }
    this.onChange(this);
  }

  set(variable, piece, options) {
    this.change({ known: this.with(variable, piece) }, options);
  }

  with(variable, piece) {
    return this.known.map((was, v) => (v === variable ? piece : was));
  }

  // What would be known after a click on a value.
  toggled(variable, value, isSet) {
    const was = this.known[variable];
    const same = isSet ? was?.sets === value : was?.is === value;
    return this.with(variable, same ? null : isSet ? { sets: value } : { is: value });
  }

  step(from, to) {
    if (from.length === 0) return;
    to.push(this.state);
    Object.assign(this, from.pop());
    this.keepAddress();
    this.onChange(this);
  }

  undo() { this.step(this.past, this.future); }
  redo() { this.step(this.future, this.past); }

  // Not before the answer is shown: it takes the browser a while.
  keepAddress() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => history.replaceState(null, "", this.address()));
  }

  address() {
    const words = new URLSearchParams();
    const write = (known, before) =>
      known.forEach((piece, v) => {
        if (piece === null) return;
        const { name, categories } = this.variables[v];
        if (piece.is !== undefined) words.append(`${before}is:${name}`, categories[piece.is]);
        else if (piece.sets !== undefined) words.append(`${before}do:${name}`, categories[piece.sets]);
        else words.append(`${before}soft:${name}`, piece.likelihoods.map((l) => String(l)).join(" "));
      });
    write(this.known, "");
    if (this.pinned) {
      words.append("pinned", "");
      write(this.pinned, "pinned-");
    }
    if (this.target !== null) words.append("target", this.variables[this.target].name);
    const text = words.toString();
    return text ? `#${text}` : location.pathname + location.search;
  }

  // From an address. What this model does not have is left out, and told.
  read(address) {
    const words = new URLSearchParams(address.replace(/^#/, ""));
    const places = new Map(this.variables.map((variable, v) => [variable.name, v]));
    const known = this.variables.map(() => null), unknown = [];
    let pinned = words.has("pinned") ? this.variables.map(() => null) : null;
    for (const [key, text] of words) {
      const found = /^(pinned-)?(is|do|soft):(.*)$/s.exec(key);
      if (!found) continue;
      const v = places.get(found[3]);
      const piece = v === undefined ? null : this.readPiece(v, found[2], text);
      if (piece === null) unknown.push(`${found[3]} = ${text}`);
      else (found[1] ? (pinned ??= this.variables.map(() => null)) : known)[v] = piece;
    }
    const target = places.get(words.get("target")) ?? null;
    if (words.has("target") && target === null) unknown.push(`target ${words.get("target")}`);
    Object.assign(this, { known, pinned, target });
    return unknown;
  }

  readPiece(v, kind, text) {
    const { categories } = this.variables[v];
    if (kind === "soft") {
      const likelihoods = text.split(" ").map(Number);
      const isRight = likelihoods.length === categories.length && likelihoods.every((l) => l >= 0 && l < Infinity);
      return isRight && likelihoods.some((l) => l > 0) ? { likelihoods } : null;
    }
    const value = categories.indexOf(text);
    return value < 0 ? null : kind === "is" ? { is: value } : { sets: value };
  }
}

// Likelihoods that move a value to a share, from what all other evidence says: the bar goes where it is dragged.
export function likelihoodsFor(others, value, share) {
  const rest = 1 - others[value];
  if (!(others[value] > 0) || !(rest > 0)) return null;
  const wanted = Math.min(0.999, Math.max(0.001, share));
  const ratio = (wanted / (1 - wanted)) * (rest / others[value]);
  const most = Math.max(1, ratio);
  return Array.from(others, (_, v) => (v === value ? ratio : 1) / most);
}

// The first and the last value of an interval: likelihoods of 1 side by side, and of 0 elsewhere.
export function rangeOf(likelihoods) {
  if (!likelihoods?.every((l) => l === 0 || l === 1)) return null;
  const first = likelihoods.indexOf(1), last = likelihoods.lastIndexOf(1);
  return first < 0 || likelihoods.slice(first, last + 1).includes(0) ? null : [first, last];
}

export function intervalText(number, first, last) {
  const from = number.from[first], to = number.to[last];
  if (!from && !to) return "any number";
  if (!from) return `${number.hasEnds ? "≤" : "<"} ${to}`;
  if (!to) return `≥ ${from}`;
  if (!number.hasEnds) return `[${from}, ${to})`;
  return from === to ? from : `${from} to ${to}`;
}
