/* Search where the site is opened from the disk: browsers give pages of "file:" no workers, so a hidden frame takes the
   part of one. The theme's search looks for the name IFrameWorker to know that it runs in a frame. */
(function () {
  "use strict";
  if (location.protocol !== "file:") {
    return;
  }

  class FramedWorker extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const start = () => {
        document.body.append(this.frame);
        const inner = this.frame.contentWindow;
        // What the script posts comes here; it has no other window to talk to.
        inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        inner.importScripts = (...all) =>
          all.reduce((before, one) => before.then(() => this.load(one)), Promise.resolve());
        this.load(address).then(() => {
          const waiting = this.waiting;
          this.waiting = null;
          waiting.forEach((data) => this.postMessage(data));
        });
      };
      if (document.body) {
        start();
      } else {
        document.addEventListener("DOMContentLoaded", start);
      }
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href).href;
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      if (this.waiting) {
        this.waiting.push(data);
      } else {
        const inner = this.frame.contentWindow;
        inner.dispatchEvent(new inner.MessageEvent("message", { data }));
      }
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = FramedWorker;
  window.Worker = FramedWorker;
})();
