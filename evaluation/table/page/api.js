// Requests to the server. The token comes in the page's address, after the #, which browsers never send. Once it has
// opened the table, it leaves the address, and the storage of this origin has it for all pages: also for those that were
// open when the table was started anew.

let given = null; // the address had it, and no request has tried it yet

export const token = () => given ?? stored() ?? "";
export const link = (...parts) => "#" + ["", ...parts].join("/");
export function admit(secret) {
  given = secret;
}

function stored() {
  try {
    return localStorage.getItem("token");
  } catch {
    return null; // the browser keeps nothing for this page
  }
}
function store(secret) {
  try {
    localStorage.setItem("token", secret);
    given = null;
  } catch {
    // this page alone will have it
  }
}

async function send(path, options) {
  const used = token();
  const response = await fetch(`/api/${path}`, { ...options, headers: { ...options.headers, authorization: `Bearer ${used}` } });
  const wrong = response.status === 401;
  if (used === given && response.ok) store(used);
  if (used === given && wrong) given = null;
  return wrong && token() !== used ? send(path, options) : response;
}

async function ask(method, path, body) {
  const options = body === undefined ? { method } : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await send(path, options);
  } catch {
    throw new Error("The table does not answer; is `ludarium table` still running?");
  }
  const data = await response.json();
  if (!response.ok) {
    const sentence = data.error ?? "The request was refused.";
    throw Object.assign(new Error(sentence[0].toUpperCase() + sentence.slice(1)), { status: response.status });
  }
  return data;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);

// Server-sent events, read by hand since EventSource cannot send the token in a header. Returns how to stop.
export function listen(path, onData, onState) {
  const stopping = new AbortController();
  const deliver = (data) => {
    try {
      onData(data);
    } catch (error) {
      reportError(error); // a fault of the page is no reason to connect again
    }
  };
  (async () => {
    while (!stopping.signal.aborted) {
      let locked = false;
      try {
        const response = await send(path, { signal: stopping.signal });
        if (response.status === 404) return onState("gone");
        locked = response.status === 401;
        if (!locked) onState("open");
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          const events = (rest + value).split("\n\n");
          rest = events.pop();
          for (const event of events) if (event.startsWith("data: ")) deliver(JSON.parse(event.slice(6)));
        }
      } catch {
        if (stopping.signal.aborted) return;
      }
      if (stopping.signal.aborted) return;
      onState(locked ? "locked" : "lost");
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  })();
  return () => stopping.abort();
}
