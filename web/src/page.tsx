// The explorer in a page that has the data inside.
import { render } from "preact";
import { keepAddress } from "./address";
import { App } from "./app";
import { type Overview, type Source, Store, unpacked } from "./data";
import { State } from "./state";

const inside = (id: string) => unpacked(document.getElementById(id)!.textContent ?? "");

const packed: Source = {
  overview: () => inside("x-overview") as Promise<Overview>,
  chunk: (number) => inside(`x-chunk-${number}`),
};

async function fetched(name: string, question?: unknown): Promise<unknown> {
  const answer = await fetch(name, question === undefined ? {} : { method: "POST", body: JSON.stringify(question) }).catch(() => null);
  if (!answer?.ok) throw new Error(`${answer ? `the server says ${answer.status}` : "no answer"}; is tla2py explore still running?`);
  return answer.json();
}

const served: Source = {
  overview: () => fetched("overview") as Promise<Overview>,
  chunk: (number) => fetched(`chunk-${number}`),
  ask: (question) => fetched("ask", question),
};

const root = document.getElementById("explorer");
if (root) {
  Store.open(root.dataset.served === undefined ? packed : served).then(
    (store) => {
      const state = new State(store);
      keepAddress(state);
      state.start();
      document.documentElement.classList.add("x-script");
      root.dataset.page = "";
      render(<App state={state} root={root} />, root);
    },
    (error: unknown) => {
      root.textContent = `The explorer does not start: ${String(error)}`;
    },
  );
}
