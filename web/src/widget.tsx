// The explorer in a notebook: the data come with the widget.
import { effect } from "@preact/signals";
import { render as draw } from "preact";
import { App } from "./app";
import { type Overview, Store, unpacked } from "./data";
import { State } from "./state";

interface Model {
  get(name: "overview"): string;
  get(name: "chunks"): string[];
  get(name: "number" | "index"): number | null;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(message: unknown): void;
  on(event: string, act: (message: { id?: number; answer?: unknown }) => void): void;
  off(event: string, act: unknown): void;
}

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const waiting = new Map<number, (answer: unknown) => void>();
  const answered = (message: { id?: number; answer?: unknown }) => {
    waiting.get(message.id ?? -1)?.(message.answer);
    waiting.delete(message.id ?? -1);
  };
  let asked = 0;
  model.on("msg:custom", answered);
  const store = await Store.open({
    overview: () => unpacked(model.get("overview")) as Promise<Overview>,
    chunk: (number) => unpacked(model.get("chunks")[number] ?? ""),
    ask: (question) =>
      new Promise((resolve) => {
        waiting.set(++asked, resolve);
        model.send({ id: asked, question });
      }),
  });
  const state = new State(store);
  const shown = model.get("number");
  if (shown !== null) state.open(shown, (model.get("index") ?? 1) - 1);
  const end = state.start();
  const moved = () => {
    const [number, index] = [model.get("number"), model.get("index")];
    if (number !== null && number !== state.number.peek()) state.open(number, (index ?? 1) - 1);
    else state.goto((index ?? 1) - 1);
  };
  model.on("change:number", moved);
  model.on("change:index", moved);
  const keep = effect(() => {
    const [number, index] = [state.number.value, state.step.value + 1];
    if (model.get("number") === number && model.get("index") === index) return;
    model.set("number", number);
    model.set("index", index);
    model.save_changes();
  });
  draw(<App state={state} root={el} />, el);
  return () => {
    end();
    keep();
    model.off("msg:custom", answered);
    model.off("change:number", moved);
    model.off("change:index", moved);
    draw(null, el);
  };
}

export default { render };
