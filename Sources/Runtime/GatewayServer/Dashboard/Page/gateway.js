// All requests to the gateway. The token is here, in a private field: not in a URL or in storage, so
// that it is not kept across a reload, in another tab or in a request log.

export class Gateway extends EventTarget {
  #token = null;

  get hasToken() { return this.#token !== null; }

  /** For the first message of a WebSocket, the only place where it can be sent. */
  get tokenMember() { return this.#token === null ? {} : { token: this.#token }; }

  use(token) {
    this.#token = token || null;
    this.dispatchEvent(new Event("token"));
  }

  url(path) { return new URL(path, document.baseURI); }

  get streamURL() {
    const url = this.url("v1/stream");
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    return url;
  }

  get(path, patience = 10_000) { return this.#ask(path, {}, patience); }

  post(path, body, patience = 70_000) {
    return this.#ask(path, { method: "POST", body: JSON.stringify(body) }, patience);
  }

  /**
   * `{ body }`, or `{ problem }`: a problem document, with `status` 0 if there was no answer.
   */
  async #ask(path, options, patience) {
    const headers = { ...(options.body && { "Content-Type": "application/json" }) };
    if (this.#token !== null) headers.Authorization = `Bearer ${this.#token}`;
    let answer, text;
    try {
      answer = await fetch(this.url(path), {
        ...options, headers, cache: "no-store", credentials: "omit", redirect: "error",
        referrerPolicy: "no-referrer", signal: AbortSignal.timeout(patience),
      });
      text = await answer.text();
    } catch {
      // A change may have been executed although its answer was lost.
      return { problem: {
        status: 0, detail: "The gateway does not answer.",
        ...(options.method && { may_have_happened: true }) } };
    }
    let body;
    try {
      body = parsed(text);
    } catch {
      const detail = `What answers is no gateway (${answer.status}).`;
      return { problem: { status: answer.status, detail } };
    }
    if (answer.ok) return { body, status: answer.status };
    if (answer.status === 401) this.dispatchEvent(new CustomEvent("unknown", { detail: body.detail }));
    return { problem: { ...body, status: answer.status } };
  }
}

/** JSON; integers that JavaScript would round stay text. */
export function parsed(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? "")
      ? context.source : value);
}
