// A card for each variable: a bar for each value, with what it was before as a mark on it. A bar is the background of one
// element, so that hundreds are painted at once: its lengths are the shares --now and --before.

import { h, percent } from "./text.js";
import { axisOf, heightsOf, toldOf } from "./histogram.js";
import { likelihoodsFor, rangeOf } from "./situation.js";

const MOST_VALUES = 10; // shown before somebody asks for more
const ROW = 26, REST = 26 + 16 + 2 + 12; // heights: a value; header, padding, border and gap
const HISTOGRAM = 118; // height of the bars of a number, and of what is written below
const DRAG_PIXELS = 5;

export class Monitors {
  constructor(container, model, situation, onPress) {
    Object.assign(this, { container, model, situation, onPress, shown: null });
    this.starts = [0];
    for (const { categories } of model.variables) this.starts.push(this.starts.at(-1) + categories.length);
    // Only what can be seen is painted.
    this.watch = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const card = this.cards[Number(target.dataset.variable)];
        card.isSeen = isIntersecting;
        if (isIntersecting && card.isStale) this.paint(card);
      }
    }, { rootMargin: "300px" });
    this.cards = model.variables.map((variable, v) => this.card(variable, v));
    for (const { element } of this.cards) this.watch.observe(element);
    matchMedia("(max-width: 900px)").addEventListener("change", () => this.cards.forEach((card) => this.size(card)));
  }

  card(variable, v) {
    const values = variable.categories.map((category, value) => this.value(variable, v, category, value));
    const tag = h("span", { class: "tag" });
    const target = h("button", {
      class: "mini", "aria-pressed": "false", title: "Make this the target (T)", tabindex: -1,
      "aria-label": `Target ${variable.name}`, onclick: () => this.toggleTarget(v),
    }, "◎");
    const off = h("button", {
      class: "mini", title: "Forget what is known of it (Delete)", "aria-label": `Forget ${variable.name}`, tabindex: -1,
      hidden: true, onclick: () => this.situation.set(v, null),
    }, "✕");
    const set = h("button", {
      class: "mini word", "aria-pressed": "false", title: "Set it from outside, an intervention, instead of seeing it (Shift + click on a bar)",
      "aria-label": `Set ${variable.name}`, tabindex: -1, hidden: true, onclick: () => this.toggleSet(v),
    }, "set");
    const list = h("div", { class: "values", role: "group", "aria-labelledby": `name-${v}` }, values.map((row) => row.button));
    const isNumber = Boolean(variable.number);
    const element = h("section", { class: isNumber ? "monitor is-number" : "monitor", id: `monitor-${v}`, "data-variable": v, "aria-labelledby": `name-${v}` },
      h("header", {}, h("h2", { id: `name-${v}`, title: variable.name }, variable.name), tag, set, off, target), list);
    const card = { v, element, values, tag, set, target, off, isNumber, isSeen: false, isStale: true, isOpen: isNumber || values.length <= MOST_VALUES + 1 };
    if (isNumber) {
      card.told = h("p", { class: "told" });
      values.forEach(({ button }, value) => (button.style.flexGrow = variable.number.widths[value]));
      element.append(axisOf(variable.number), card.told);
    }
    if (!card.isOpen) {
      for (const { button } of values.slice(MOST_VALUES)) button.hidden = true;
      card.more = h("button", { class: "more", onclick: () => this.open(card) }, `${values.length - MOST_VALUES} more values`);
      element.append(card.more);
    }
    values[0].button.tabIndex = 0;
    this.size(card);
    return card;
  }

  value(variable, v, category, value) {
    const number = h("span", { class: "number" }), label = h("span", { class: "label", title: category }, category || "(empty)");
    const track = h("span", { class: "track" });
    const button = h("button", { class: "value", "aria-pressed": "false", tabindex: -1, "data-value": value }, label, track, number);
    button.addEventListener("click", (event) => this.clicked(event, v, value));
    button.addEventListener("keydown", (event) => this.pressed(event, v, value));
    button.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.onPress(this.situation.toggled(v, value, this.isSetting(event)));
    });
    if (variable.number) {
      button.title = category;
      button.addEventListener("pointerdown", (event) => this.brushed(event, v, value, button));
    } else button.addEventListener("pointerdown", (event) => this.grabbed(event, v, value, button, track));
    return { button, track, number, label, written: {} };
  }

  open(card) {
    card.isOpen = true;
    card.more.remove();
    this.size(card);
    card.values[MOST_VALUES].button.focus();
  }

  size(card) {
    const row = matchMedia("(max-width: 900px)").matches ? 32 : ROW;
    if (card.isOpen) for (const { button } of card.values) button.hidden = false;
    if (card.isNumber) return void (card.element.style.gridRowEnd = `span ${Math.ceil((HISTOGRAM + REST) / 2)}`);
    const rows = card.isOpen ? card.values.length : MOST_VALUES + 1;
    card.element.style.gridRowEnd = `span ${Math.ceil((rows * row + REST) / 2)}`;
  }

  clicked(event, v, value) {
    if (this.wasDragged) return void (this.wasDragged = false);
    this.situation.change({ known: this.situation.toggled(v, value, this.isSetting(event)) });
  }

  isSetting(event) {
    return event.shiftKey && this.model.canIntervene;
  }

  // A drag moves the bar to where the pointer is, by likelihoods for this value; a short one is a click.
  grabbed(event, v, value, button, track) {
    if (event.button !== 0 || event.shiftKey || !this.shown?.answer.others) return;
    const others = this.shown.answer.others.slice(this.starts[v], this.starts[v + 1]);
    const begin = event.clientX;
    let isDragged = false;
    this.wasDragged = false;
    const move = (moved) => {
      if (!isDragged && Math.abs(moved.clientX - begin) < DRAG_PIXELS) return;
      if (!isDragged) {
        isDragged = true;
        button.setPointerCapture(event.pointerId);
        this.container.classList.add("dragging");
      }
      const { left, width } = track.getBoundingClientRect();
      const likelihoods = likelihoodsFor(others, value, (moved.clientX - left) / width);
      if (likelihoods) this.situation.set(v, { likelihoods }, { isDone: false });
    };
    const end = () => {
      button.removeEventListener("pointermove", move);
      this.container.classList.remove("dragging");
      this.wasDragged = isDragged;
      if (isDragged) this.situation.change({});
    };
    button.addEventListener("pointermove", move);
    button.addEventListener("pointerup", end, { once: true });
    button.addEventListener("pointercancel", end, { once: true });
  }

  // A drag over the bars of a number says that it lies in the interval from the first of them to the last.
  brushed(event, v, value, button) {
    if (event.button !== 0 || event.shiftKey) return;
    const { values } = this.cards[v], begin = event.clientX, bars = button.parentElement; // A bar is soon left.
    let isDragged = false;
    this.wasDragged = false;
    const places = values.map((row) => row.button.getBoundingClientRect());
    const move = (moved) => {
      if (!isDragged && Math.abs(moved.clientX - begin) < DRAG_PIXELS) return;
      if (!isDragged) {
        isDragged = true;
        button.setPointerCapture(event.pointerId);
        this.container.classList.add("dragging");
      }
      const found = places.findIndex(({ right }) => moved.clientX < right);
      this.situation.set(v, this.interval(v, value, found < 0 ? values.length - 1 : found), { isDone: false });
    };
    const end = () => {
      bars.removeEventListener("pointerup", end);
      bars.removeEventListener("pointercancel", end);
      bars.removeEventListener("pointermove", move);
      this.container.classList.remove("dragging");
      this.wasDragged = isDragged;
      if (isDragged) this.situation.change({});
    };
    bars.addEventListener("pointermove", move);
    bars.addEventListener("pointerup", end);
    bars.addEventListener("pointercancel", end);
  }

  interval(v, a, b) {
    const [first, last] = a < b ? [a, b] : [b, a];
    return { likelihoods: this.cards[v].values.map((_, value) => (first <= value && value <= last ? 1 : 0)) };
  }

  // Shift and an arrow make the interval that is known wider by a bar, or narrower.
  widen(v, value, step) {
    const range = rangeOf(this.situation.known[v]?.likelihoods) ?? [value, value];
    const end = Math.min(this.cards[v].values.length - 1, Math.max(range[0], range[1] + step));
    this.situation.set(v, this.interval(v, range[0], end));
  }

  pressed(event, v, value) {
    const card = this.cards[v];
    const act = {
      ArrowDown: () => this.focus(v, (value + 1) % card.values.length),
      ArrowUp: () => this.focus(v, (value + card.values.length - 1) % card.values.length),
      ArrowRight: () => (event.altKey ? this.nudge(v, value, 0.05) : this.focusNext(v, 1)),
      ArrowLeft: () => (event.altKey ? this.nudge(v, value, -0.05) : this.focusNext(v, -1)),
      Delete: () => this.situation.set(v, null),
      Backspace: () => this.situation.set(v, null),
      t: () => this.toggleTarget(v),
      ...(card.isNumber && event.shiftKey ? { ArrowDown: () => this.widen(v, value, 1), ArrowUp: () => this.widen(v, value, -1) } : {}),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  }

  nudge(v, value, step) {
    const { answer } = this.shown;
    if (answer.others === null) return;
    const others = answer.others.slice(this.starts[v], this.starts[v + 1]);
    const likelihoods = likelihoodsFor(others, value, answer.posteriors[this.starts[v] + value] + step);
    if (likelihoods) this.situation.set(v, { likelihoods });
  }

  // What is seen becomes what is set, and the other way round.
  toggleSet(v) {
    const { is, sets } = this.situation.known[v];
    this.situation.set(v, sets === undefined ? { sets: is } : { is: sets });
  }

  toggleTarget(v) {
    this.situation.change({ target: this.situation.target === v ? null : v });
  }

  focus(v, value = this.cards[v].values.findIndex(({ button }) => button.tabIndex === 0)) {
    const card = this.cards[v];
    if (!card.isOpen && card.values[value].button.hidden) this.open(card);
    card.values.forEach(({ button }, place) => (button.tabIndex = place === value ? 0 : -1));
    card.values[value].button.focus();
    card.element.scrollIntoView({ block: "nearest" });
  }

  focusNext(v, step) {
    const place = this.order.indexOf(v);
    const next = this.order[place + step];
    if (next !== undefined) this.focus(next);
  }

  // Puts the cards in groups, each with a heading, and in order within. Cards that are there already are only moved.
  arrange(groups) {
    this.order = groups.flatMap(({ variables }) => variables);
    const signature = JSON.stringify(groups.map(({ title, variables }) => [title, variables]));
    if (signature === this.signature) return;
    this.signature = signature;
    const focused = document.activeElement?.closest?.(".monitor") ? document.activeElement : null;
    this.container.replaceChildren(...groups.map(({ title, variables }) =>
      h("div", { class: "group" }, title ? h("h2", {}, title) : null,
        h("div", { class: "grid" }, variables.map((v) => this.cards[v].element)))));
    focused?.focus({ preventScroll: true });
  }

  show(shown) {
    this.shown = shown;
    for (const card of this.cards) {
      card.isStale = true;
      if (card.isSeen) this.paint(card);
    }
  }

  paint(card) {
    if (this.shown === null) return;
    const { v } = card, { answer, before, known, best, target } = this.shown;
    const piece = known[v], start = this.starts[v];
    card.isStale = false;
    card.element.classList.toggle("is-known", piece !== null && piece.sets === undefined);
    card.element.classList.toggle("is-set", piece?.sets !== undefined);
    card.element.classList.toggle("is-target", target === v);
    card.target.setAttribute("aria-pressed", String(target === v));
    card.off.hidden = piece === null;
    card.set.hidden = !this.model.canIntervene || (piece?.is === undefined && piece?.sets === undefined);
    card.set.setAttribute("aria-pressed", String(piece?.sets !== undefined));
    card.tag.classList.toggle("soft", Boolean(piece?.likelihoods));
    card.tag.textContent = piece?.likelihoods ? (card.isNumber && rangeOf(piece.likelihoods) ? "range" : "soft") : "";
    if (card.isNumber) return this.paintNumber(card, piece, start, answer, before);
    if (!card.isOpen) this.fold(card, piece, answer, start, best?.[v]);
    card.values.forEach((row, value) => {
      const p = answer.posteriors ? answer.posteriors[start + value] : 0;
      write(row, "--now", p);
      write(row, "--before", before[start + value]);
      write(row, "number", answer.posteriors ? percent(p) : "–");
      row.button.setAttribute("aria-pressed", String((piece?.is ?? piece?.sets) === value));
      row.label.classList.toggle("best", best?.[v] === value && piece?.is === undefined && piece?.sets === undefined);
    });
  }

  // Of many values the first are seen; in place of the least probable, those that are known, explain best, or are more
  // than twice as probable.
  fold(card, piece, answer, start, best) {
    const known = piece?.is ?? piece?.sets, now = (value) => answer.posteriors?.[start + value] ?? 0;
    const rank = (value) => (value === known ? 5 : value === best ? 2.5 : now(value));
    const shown = new Set([...card.values.keys()].slice(0, MOST_VALUES));
    const others = [...card.values.keys()].slice(MOST_VALUES).sort((a, b) => rank(b) - rank(a));
    for (const value of others) {
      const least = [...shown].reduce((worst, each) => (rank(each) <= rank(worst) ? each : worst));
      if (rank(value) <= 2 * rank(least)) break;
      shown.delete(least);
      shown.add(value);
    }
    const focused = card.values.findIndex(({ button }) => button === document.activeElement);
    if (focused >= 0 && !shown.has(focused)) return; // Nothing goes away from under the keyboard.
    card.values.forEach(({ button }, value) => (button.hidden = !shown.has(value)));
    const places = [...shown].sort((a, b) => a - b);
    if (!places.some((value) => card.values[value].button.tabIndex === 0))
      card.values.forEach(({ button }, value) => (button.tabIndex = value === places[0] ? 0 : -1));
  }

  paintNumber(card, piece, start, answer, before) {
    const { number } = this.model.variables[card.v], n = card.values.length;
    const shown = answer.posteriors ? answer.posteriors.subarray(start, start + n) : null;
    const { now, then, isCut } = heightsOf(number, shown, before.subarray(start, start + n));
    card.values.forEach((row, value) => {
      const p = shown ? shown[value] : 0;
      write(row, "--now", now[value]);
      write(row, "--before", then[value]);
      row.track.classList.toggle("cut", isCut[value]);
      write(row, "number", shown ? percent(p) : "–");
      row.button.title = `${this.model.variables[card.v].categories[value]}: ${row.number.textContent}`;
      const isIn = (piece?.is ?? piece?.sets) === value || (piece?.likelihoods && piece.likelihoods[value] > 0 && rangeOf(piece.likelihoods));
      row.button.setAttribute("aria-pressed", String(Boolean(isIn)));
    });
    card.told.textContent = shown ? toldOf(number, shown) : "–";
    card.told.title = card.told.textContent;
  }
}

// Only what is new: whatever is written is laid out and painted again.
function write(row, part, text) {
  if (row.written[part] === text) return;
  row.written[part] = text;
  if (part === "number") row.number.textContent = text;
  else row.track.style.setProperty(part, text);
}
