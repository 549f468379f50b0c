// Elements and numbers as people read them.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(tag, properties = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function percent(p) {
  if (p === 0 || p === 1) return `${100 * p} %`;
  const scaled = 100 * p;
  if (scaled >= 99.95) return "> 99.9 %";
  return scaled < 0.05 ? "< 0.1 %" : `${scaled.toFixed(1)} %`;
}

export function probability(log) {
  if (log > Math.log(1e-4)) return percent(Math.exp(log));
  const tens = log / Math.LN10, exponent = Math.floor(tens);
  return `${(10 ** (tens - exponent)).toFixed(1)} × 10${raised(exponent)}`;
}

const raised = (number) => String(number).replace(/./g, (c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]));

// With a real minus.
export const minus = (x, digits = 3) => x.toFixed(digits).replace("-", "−");
export const signed = (x) => (Number.isFinite(x) ? `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}` : x > 0 ? "+∞" : "−∞");
export const nats = (x) => `${x.toFixed(3)} nats`;

// A bar from the middle, to the left if it speaks against.
export function balanceMeter(value, most) {
  const share = Math.min(1, Math.abs(value) / (most || 1)) * 50;
  const side = value < 0 ? `right:50%` : `left:50%`;
  return h("span", { class: "meter", "aria-hidden": "true" },
    h("i", { class: value < 0 ? "minus" : "plus", style: `${side};width:${Number.isFinite(share) ? share : 50}%` }));
}

export function shareMeter(share) {
  return h("span", { class: "meter", "aria-hidden": "true" }, h("i", { style: `left:0;width:${100 * Math.min(1, share)}%` }));
}

export function announceProblem(message) {
  const problem = document.getElementById("problem");
  problem.hidden = message === null;
  problem.textContent = message ?? "";
}
