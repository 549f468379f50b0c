// The worker, as functions that answer later.

export class Asking {
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
    if (error !== undefined) asked.failed(new Error(error));
    else asked.answered(isDropped ? null : found); // null: a newer question came
  }

  ask(operation, given, { onProgress, transfer = [] } = {}) {
    const id = ++this.count;
    return new Promise((answered, failed) => {
      this.waiting.set(id, { answered, failed, onProgress });
      this.worker.postMessage({ id, operation, given }, transfer);
    });
  }
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
