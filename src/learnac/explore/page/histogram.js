// Numbers as histograms: the area of a bar is its probability.

import { intervalText } from "./situation.js";
import { h } from "./text.js";

const MOST_HEIGHT = 8; // Of all numbers alike, 1. Higher bars are cut off, or a single number would leave nothing of the others.

// Heights of the bars now and before, in shares of the picture; and which are cut off.
export function heightsOf({ widths }, posterior, prior) {
  const heights = (shares) => widths.map((width, value) => (shares ? shares[value] / width : 0));
  const [now, then] = [heights(posterior), heights(prior)];
  const most = Math.min(MOST_HEIGHT, Math.max(...now, ...then));
  const drawn = (height) => Math.min(1, height / most);
  return { now: now.map(drawn), then: then.map(drawn), isCut: now.map((height) => height > most * 1.001) };
}

// The first number and the last, and the border between bars that is nearest to the middle.
export function axisOf({ first, last, from, widths }) {
  let left = 0;
  const borders = widths.map((width, value) => [(left += width) - width, from[value]]).slice(1);
  const middle = borders.reduce((best, each) => (Math.abs(each[0] - 0.5) < Math.abs(best[0] - 0.5) ? each : best), [0, ""]);
  const isClear = Math.abs(middle[0] - 0.5) < 0.2;
  return h("p", { class: "ends", "aria-hidden": "true" }, h("span", {}, first),
    isClear ? h("span", { class: "middle", style: `left:${100 * middle[0]}%` }, middle[1]) : null, h("span", {}, last));
}

// Mean, and the interval that at least nine of ten lie in, in whole bars.
export function toldOf(number, posterior) {
  const mean = number.means.reduce((sum, each, value) => sum + each * posterior[value], 0);
  const shown = number.isDate ? new Date(mean * number.secondsOfUnit * 1000).toISOString().slice(0, 10) : Number(mean.toPrecision(4)).toLocaleString("en");
  let below = 0, first = 0, last = posterior.length - 1, above = 0;
  while (below + posterior[first] <= 0.05) below += posterior[first++];
  while (above + posterior[last] <= 0.05) above += posterior[last--];
  if (below + above === 0) return `mean ${shown}`; // All of it is in there.
  const interval = intervalText(number, first, last);
  return `mean ${shown} · 90 %${/^[≤≥<]/.test(interval) ? "" : number.from[first] === number.to[last] ? " at" : " in"} ${interval}`;
}
