// Browsers start no worker from a disk: there, the site's search runs in a hidden frame instead.
if (location.protocol === 'file:') {
  window.Worker = class {
    constructor(url) {
      const frame = document.createElement('iframe');
      frame.hidden = true;
      document.documentElement.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (message) => {
        const data = structuredClone(message); // as a worker's messages are
        setTimeout(() => this.onmessage?.({ data }));
      };
      const script = this.inner.document.createElement('script');
      this.ready = new Promise((resolve) => { script.onload = resolve; });
      script.src = url;
      this.inner.document.documentElement.append(script);
    }

    postMessage(message) {
      const data = structuredClone(message);
      this.ready.then(() => this.inner.onmessage({ data }));
    }
  };
}
