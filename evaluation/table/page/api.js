// Requests to the server. The token stands in the page's address, after the #, which browsers never send.

export const token = () => location.hash.slice(1).split("/")[0];
export const link = (...parts) => "#" + [token(), ...parts].join("/");

async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token()}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(`/api/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
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
      try {
        const headers = { authorization: `Bearer ${token()}` };
        const response = await fetch(`/api/${path}`, { headers, signal: stopping.signal });
        if (response.status === 404 || response.status === 401) return onState("gone");
        onState("open");
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
      onState("lost");
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  })();
  return () => stopping.abort();
}
