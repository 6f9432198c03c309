/** The page's end of the messages: calls to the worker as promises. */

export class EngineClient {
  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker;
    this.calls = new Map();
    this.last = 0;
    this.gone = null; // why the worker hears nothing any more
    worker.onmessage = ({ data }) => this._hear(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      this._fail(`the page's engine stopped (${event.message ?? 'for an unknown reason'})`);
    };
  }

  /**
   * Call a method; the promise fails with words for the user.
   * @param {string} method @param {any} [args] @param {(progress: any) => void} [onProgress]
   */
  call(method, args = {}, onProgress = () => {}) {
    if (this.gone) return Promise.reject(new Error(this.gone));
    const id = ++this.last;
    const promise = new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, onProgress });
    });
    this.worker.postMessage({ id, method, args });
    return promise;
  }

  /** Stop everything that is under way. */
  cancel() {
    for (const id of this.calls.keys()) this.worker.postMessage({ cancel: id });
  }

  _hear({ id, progress, result, error }) {
    const call = this.calls.get(id);
    if (!call) return;
    if (progress !== undefined) {
      call.onProgress(progress);
      return;
    }
    this.calls.delete(id);
    if (error !== undefined) call.reject(new Error(error));
    else call.resolve(result);
  }

  _fail(words) {
    this.gone = words;
    for (const { reject } of this.calls.values()) reject(new Error(words));
    this.calls.clear();
  }
}
