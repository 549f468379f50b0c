// Places for the nodes of a graph: in layers, parents above children, each near the ones it is joined to.

export const NODE = { width: 118, height: 34, gapX: 26, gapY: 74 };
const SWEEPS = 24;

// `arcs` are pairs [from, to] without cycles; or, if they have no direction, with any order that has none. An arc that
// passes layers has a place in each of them too, under `bendOf`, so that it goes around the boxes there.
export function layered(nodes, arcs) {
  const layers = foldedLayers(nodes, ...neighbours(nodes, arcs));
  const layerOf = new Map(layers.flatMap((layer, y) => layer.map((v) => [v, y])));
  const links = [];
  for (const [from, to] of arcs) {
    let last = from;
    for (let y = layerOf.get(from) + 1; y < layerOf.get(to); y++) {
      const bend = bendOf(from, to, y - layerOf.get(from));
      layers[y].push(bend);
      links.push([last, bend]);
      last = bend;
    }
    links.push([last, to]);
  }
  const [above, below] = neighbours(layers.flat(), links);
  const x = new Map();
  layers.forEach((layer) => layer.forEach((v, place) => x.set(v, place - layer.length / 2)));
  const mean = (v, near) => (near.length ? near.reduce((sum, u) => sum + x.get(u), 0) / near.length : x.get(v));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 === 0 ? layers : [...layers].reverse();
    for (const layer of order) {
      const wanted = new Map(layer.map((v) => [v, mean(v, sweep % 3 === 2 ? [...above.get(v), ...below.get(v)] : (sweep % 2 === 0 ? above : below).get(v))]));
      layer.sort((a, b) => wanted.get(a) - wanted.get(b));
      spread(layer, wanted, x, layerOf);
    }
  }
  const places = new Map();
  layers.forEach((layer, y) => layer.forEach((v) => places.set(v, { x: x.get(v) * (NODE.width + NODE.gapX), y: y * NODE.gapY })));
  return places;
}

// The name of the place where an arc passes the n-th layer below its beginning.
export const bendOf = (from, to, n) => `${from} to ${to}, ${n}`;

function neighbours(nodes, links) {
  const above = new Map(nodes.map((v) => [v, []])), below = new Map(nodes.map((v) => [v, []]));
  for (const [from, to] of links) {
    above.get(to).push(from);
    below.get(from).push(to);
  }
  return [above, below];
}

// Layers by the longest way from above; wide ones are folded into several.
function foldedLayers(nodes, above, below) {
  const depth = new Map(), pending = new Map(nodes.map((v) => [v, above.get(v).length]));
  const ready = nodes.filter((v) => pending.get(v) === 0);
  for (const v of ready) {
    depth.set(v, Math.max(-1, ...above.get(v).map((u) => depth.get(u))) + 1);
    for (const u of below.get(v)) {
      pending.set(u, pending.get(u) - 1);
      if (pending.get(u) === 0) ready.push(u);
    }
  }
  const layers = [];
  for (const v of ready) (layers[depth.get(v)] ??= []).push(v);
  const widest = Math.max(6, Math.ceil(Math.sqrt(nodes.length) * 1.5));
  return layers.flatMap((layer) => {
    const parts = Math.ceil(layer.length / widest), size = Math.ceil(layer.length / parts);
    return Array.from({ length: parts }, (_, i) => layer.slice(i * size, (i + 1) * size)).filter((part) => part.length);
  });
}

// Boxes at least 1 apart, bends less, and all as near to what is wanted as the order allows.
function spread(layer, wanted, x, boxes) {
  const half = (v) => (boxes.has(v) ? 0.5 : 0.09);
  let right = -Infinity;
  for (const v of layer) {
    x.set(v, Math.max(right + half(v), wanted.get(v)));
    right = x.get(v) + half(v);
  }
  const shift = layer.reduce((sum, v) => sum + wanted.get(v) - x.get(v), 0) / layer.length;
  for (const v of layer) x.set(v, x.get(v) + shift);
}

const STEPS = 320;

// Places for a graph without a direction, or one too large for layers: lines pull, nodes push, always the same way.
export function pulled(nodes, arcs) {
  const count = nodes.length, at = new Map(nodes.map((v, i) => [v, i]));
  const x = nodes.map((_, i) => Math.cos(2.4 * i) * Math.sqrt(i + 1)), y = nodes.map((_, i) => Math.sin(2.4 * i) * Math.sqrt(i + 1));
  const pairs = arcs.map(([from, to]) => [at.get(from), at.get(to)]);
  for (let step = 0; step < STEPS; step++) {
    const dx = new Float64Array(count), dy = new Float64Array(count), heat = 0.35 * (1 - step / STEPS) + 0.01;
    for (let a = 0; a < count; a++)
      for (let b = 0; b < a; b++) {
        const [ux, uy] = [x[a] - x[b], y[a] - y[b]], push = 1.1 / (ux * ux + uy * uy + 0.05);
        dx[a] += ux * push; dy[a] += uy * push; dx[b] -= ux * push; dy[b] -= uy * push;
      }
    for (const [a, b] of pairs) {
      const [ux, uy] = [x[a] - x[b], y[a] - y[b]], pull = 0.35 * Math.hypot(ux, uy);
      dx[a] -= ux * pull; dy[a] -= uy * pull; dx[b] += ux * pull; dy[b] += uy * pull;
    }
    for (let a = 0; a < count; a++) {
      dx[a] -= 0.06 * x[a]; dy[a] -= 0.06 * y[a];
      const length = Math.hypot(dx[a], dy[a]) || 1, most = Math.min(length, heat * Math.sqrt(count));
      x[a] += (dx[a] / length) * most; y[a] += (dy[a] / length) * most;
    }
  }
  const places = nodes.map((_, i) => ({ x: x[i] * 150, y: y[i] * 84 }));
  apart(places);
  return new Map(nodes.map((v, i) => [v, places[i]]));
}

// Boxes that overlap move apart, along the shorter way.
function apart(places) {
  const [width, height] = [NODE.width + 14, NODE.height + 16];
  for (let round = 0, isMoved = true; isMoved && round < 80; round++) {
    isMoved = false;
    for (let a = 0; a < places.length; a++)
      for (let b = 0; b < a; b++) {
        const [ux, uy] = [places[a].x - places[b].x, places[a].y - places[b].y];
        const [overX, overY] = [width - Math.abs(ux), height - Math.abs(uy)];
        if (overX <= 0 || overY <= 0) continue;
        isMoved = true;
        if (overX / width < overY / height) {
          places[a].x += (ux < 0 ? -1 : 1) * overX / 2; places[b].x -= (ux < 0 ? -1 : 1) * overX / 2;
        } else {
          places[a].y += (uy < 0 ? -1 : 1) * overY / 2; places[b].y -= (uy < 0 ? -1 : 1) * overY / 2;
        }
      }
  }
}

// Parts that no line joins, each by itself, side by side in shelves: the largest first.
export function arranged(nodes, arcs, layout) {
  const parts = partsOf(nodes, arcs).map((members) => {
    const inside = new Set(members);
    const places = layout(members, arcs.filter(([from]) => inside.has(from)));
    const xs = [...places.values()].map(({ x }) => x), ys = [...places.values()].map(({ y }) => y);
    const [left, top] = [Math.min(...xs) - NODE.width / 2, Math.min(...ys) - NODE.height / 2];
    return { places, left, top, width: Math.max(...xs) + NODE.width / 2 - left, height: Math.max(...ys) + NODE.height / 2 - top };
  }).sort((a, b) => b.height - a.height);
  const gap = 34, area = parts.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0);
  const widest = Math.max(...parts.map(({ width }) => width), 1.5 * Math.sqrt(area));
  const all = new Map();
  let [x, y, shelf] = [0, 0, 0];
  for (const { places, left, top, width, height } of parts) {
    if (x > 0 && x + width > widest) [x, y, shelf] = [0, y + shelf + gap, 0];
    for (const [v, place] of places) all.set(v, { x: place.x - left + x, y: place.y - top + y });
    x += width + gap;
    shelf = Math.max(shelf, height);
  }
  return all;
}

function partsOf(nodes, arcs) {
  const near = new Map(nodes.map((v) => [v, []]));
  for (const [from, to] of arcs) {
    near.get(from).push(to);
    near.get(to).push(from);
  }
  const seen = new Set(), parts = [];
  for (const v of nodes) {
    if (seen.has(v)) continue;
    const part = [v];
    seen.add(v);
    for (const u of part) for (const w of near.get(u)) if (!seen.has(w)) { seen.add(w); part.push(w); }
    parts.push(part.sort((a, b) => a - b));
  }
  return parts;
}
