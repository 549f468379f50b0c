// Who answers, as functions that answer later: the page itself, a worker with the circuit, or the server that the page
// came from.

import { answerOf } from "./answer.js";

// A question that has no answer: what it asks is not possible. Any other error is trouble on the way.
export class Refusal extends Error {}

// All have `ask(operation, given)`. It gives null if a newer question of the same kind came before the answer.
export class AskingWorker {
  constructor(code) {
    this.worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    this.waiting = new Map();
    this.count = 0;
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = (event) => {
      for (const { failed } of this.waiting.values()) failed(new Error(event.message));
      this.waiting.clear();
    };
  }

  heard({ id, found, error, progress, isDropped }) {
    const asked = this.waiting.get(id);
    if (!asked) return;
    if (progress !== undefined) return void asked.onProgress?.(progress);
    this.waiting.delete(id);
    if (error !== undefined) asked.failed(new Refusal(error));
    else asked.answered(isDropped ? null : found);
  }

  ask(operation, given, { onProgress, transfer = [] } = {}) {
    const id = ++this.count;
    return new Promise((answered, failed) => {
      this.waiting.set(id, { answered, failed, onProgress });
      this.worker.postMessage({ id, operation, given }, transfer);
    });
  }
}

const AT_ONCE_MS = 8;

// Answers about a situation are worked out at once, so that the frame that follows a click has them already; a browser
// draws it before it hears a worker. All else is for the worker, as are answers while they take too long here.
export class AskingHere {
  constructor(worker, engine) {
    Object.assign(this, { worker, engine, took: 0 });
  }

  async ask(operation, given, options) {
    if (operation !== "answer") return this.worker.ask(operation, given, options);
    if (this.took > AT_ONCE_MS) {
      this.took /= 2; // Sooner or later it is tried again.
      return this.worker.ask(operation, given, options);
    }
    const begun = performance.now();
    try {
      return answerOf(this.engine, given.situation);
    } catch (error) {
      throw new Refusal(error.message);
    } finally {
      this.took = performance.now() - begun;
    }
  }
}

export class AskingServer {
  constructor(address) {
    Object.assign(this, { address, underWay: new Map() });
  }

  async ask(operation, given = {}) {
    const stopping = new AbortController();
    // Answers are about situations side by side; of what takes long, only the newest matters.
    if (operation !== "answer") this.underWay.get(operation)?.abort();
    this.underWay.set(operation, stopping);
    try {
      const body = JSON.stringify({ operation, given });
      const headers = { "content-type": "application/json" };
      const response = await fetch(this.address, { method: "POST", headers, body, signal: stopping.signal });
      const found = JSON.parse(await response.text(), asNumbers);
      if (!response.ok) throw new (response.status === 422 ? Refusal : Error)(found.error.message);
      return found.answer;
    } catch (error) {
      if (stopping.signal.aborted) return null;
      throw error instanceof TypeError ? new Error("the server does not answer: does learnac still run?") : error;
    }
  }
}

// JSON has no infinities: in an answer, where all else is numbers, they are texts.
function asNumbers(key, value) {
  if (typeof value === "string" && /^(-?Infinity|NaN)$/.test(value)) return Number(value);
  return Array.isArray(value) && (key === "posteriors" || key === "others") ? Float64Array.from(value) : value;
}

// At most one answer is under way; of the situations that come meanwhile, only the newest is asked about.
export class Newest {
  constructor(work) {
    Object.assign(this, { work, next: null, isBusy: false });
  }

  async ask(given) {
    this.next = given;
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      while (this.next !== null) {
        const now = this.next;
        this.next = null;
        await this.work(now);
      }
    } finally {
      this.isBusy = false;
    }
  }
}
