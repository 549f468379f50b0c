// Places for the nodes of a graph: in layers, parents above children, each near the ones it is joined to.

export const NODE = { width: 118, height: 34, gapX: 26, gapY: 74 };
const SWEEPS = 24;

// `arcs` are pairs [from, to] without cycles; or, if they have no direction, with any order that has none.
export function layered(nodes, arcs) {
  const above = new Map(nodes.map((v) => [v, []])), below = new Map(nodes.map((v) => [v, []]));
  for (const [from, to] of arcs) {
    above.get(to).push(from);
    below.get(from).push(to);
  }
  const layers = foldedLayers(nodes, above, below);
  const x = new Map();
  layers.forEach((layer) => layer.forEach((v, place) => x.set(v, place - layer.length / 2)));
  const mean = (v, neighbours) => (neighbours.length ? neighbours.reduce((sum, u) => sum + x.get(u), 0) / neighbours.length : x.get(v));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 === 0 ? layers : [...layers].reverse();
    for (const layer of order) {
      const wanted = new Map(layer.map((v) => [v, mean(v, sweep % 3 === 2 ? [...above.get(v), ...below.get(v)] : (sweep % 2 === 0 ? above : below).get(v))]));
      layer.sort((a, b) => wanted.get(a) - wanted.get(b));
      spread(layer, wanted, x);
    }
  }
  const places = new Map();
  layers.forEach((layer, y) => layer.forEach((v) => places.set(v, { x: x.get(v) * (NODE.width + NODE.gapX), y: y * NODE.gapY })));
  return places;
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

// At least 1 apart, and as near to what is wanted as the order allows.
function spread(layer, wanted, x) {
  let last = -Infinity;
  for (const v of layer) {
    last = Math.max(last + 1, wanted.get(v));
    x.set(v, last);
  }
  const shift = layer.reduce((sum, v) => sum + wanted.get(v) - x.get(v), 0) / layer.length;
  for (const v of layer) x.set(v, x.get(v) + shift);
}
