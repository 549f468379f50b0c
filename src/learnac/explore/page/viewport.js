// The part of a picture that is seen: it moves with the pointer or a finger, and grows with the wheel, two fingers or a
// button.

import { h } from "./text.js";

// Pixels for a unit of the picture, at first: boxes are not blown up, and where names could not be read, a part is seen.
const LARGEST = 1.25, SMALLEST = 0.5, READABLE = 0.7;
const STEP = 1.4; // of the buttons

export class Viewport {
  constructor() {
    const button = (text, label, act) => h("button", { class: "icon", title: label, "aria-label": label, onclick: act }, text);
    this.buttons = h("div", { class: "zoom", role: "group", "aria-label": "Size of the picture" },
      button("+", "Larger", () => this.scale(1 / STEP)), button("−", "Smaller", () => this.scale(STEP)), button("⤢", "Show all of it", () => this.fit()));
  }

  // What was drawn before, drawn again, stays where it is. All of a small picture is seen, of a large one what is around
  // a place.
  show(picture, drawn, extent, around) {
    Object.assign(this, { picture, extent, fingers: new Map() });
    this.listen();
    if (drawn === this.drawn && this.size().join() === this.sizeThen) return this.set(this.box);
    this.drawn = drawn;
    this.sizeThen = this.size().join();
    if (this.fittingScale() >= SMALLEST) return this.fit();
    const [width, height] = this.size().map((pixels) => pixels / READABLE);
    this.set([within(around.x - width / 2, width, extent.left, extent.right), within(around.y - height / 2, height, extent.top, extent.bottom), width, height]);
  }

  size() {
    return [this.picture.clientWidth || 1, this.picture.clientHeight || 1];
  }

  fittingScale() {
    const { left, right, top, bottom } = this.extent, [width, height] = this.size();
    return Math.min(width / (right - left), height / (bottom - top));
  }

  fit() {
    const { left, right, top, bottom } = this.extent;
    const [width, height] = this.size().map((pixels) => pixels / Math.min(LARGEST, this.fittingScale()));
    this.set([(left + right - width) / 2, (top + bottom - height) / 2, width, height]);
  }

  set(box) {
    this.box = box;
    this.picture.setAttribute("viewBox", box.join(" "));
  }

  // Around a point, in shares of the picture.
  scale(factor, px = 0.5, py = 0.5) {
    const [x, y, width, height] = this.box;
    this.set([x + width * px * (1 - factor), y + height * py * (1 - factor), width * factor, height * factor]);
  }

  move(dx, dy) {
    const [x, y, width, height] = this.box, unit = width / this.size()[0];
    this.set([x - dx * unit, y - dy * unit, width, height]);
  }

  listen() {
    const { picture, fingers } = this;
    const shareOf = ({ clientX, clientY }) => {
      const { left, top, width, height } = picture.getBoundingClientRect();
      return [(clientX - left) / width, (clientY - top) / height];
    };
    picture.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.target.closest(".node")) return;
      fingers.set(event.pointerId, event);
      if (!event.target.closest(".node")) picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      fingers.set(event.pointerId, event);
      const other = [...fingers.values()].find(({ pointerId }) => pointerId !== event.pointerId);
      if (!other) return this.move(event.clientX - before.clientX, event.clientY - before.clientY);
      const apart = (a) => Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY) || 1;
      this.scale(apart(before) / apart(event), ...shareOf(other));
    });
    for (const kind of ["pointerup", "pointercancel"]) picture.addEventListener(kind, ({ pointerId }) => fingers.delete(pointerId));
    picture.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.scale(Math.exp(event.deltaY * 0.001), ...shareOf(event));
    }, { passive: false });
  }
}

// Where a window of some width begins that shows as much as it can of what lies between two ends.
function within(wanted, width, from, to) {
  return Math.max(from, Math.min(wanted, to - width));
}
