// The site's search runs in a worker, which browsers refuse to pages that were opened from disk. There, a hidden frame
// stands in for it: the same script, in a window of its own.
class IFrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.body.append(this.frame);
    this.inside = this.frame.contentWindow;
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    const script = this.inside.document.createElement("script");
    script.src = new URL(url, document.baseURI).href;
    this.ready = new Promise((resolve) => (script.onload = resolve));
    this.inside.document.body.append(script);
  }

  postMessage(data) {
    this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
  }

  terminate() {
    this.frame.remove();
  }
}

if (location.protocol === "file:") {
  window.IFrameWorker = IFrameWorker;  // The script looks for it, to find its own files.
  window.Worker = IFrameWorker;
}
