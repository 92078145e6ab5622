// A whole state as a tree.
import { pathText, type Trace } from "./data";
import { pathKey, type State } from "./state";

const MOST_SHOWN = 200;
const SHORT = 60;

export function Tree({ state, trace }: { state: State; trace: Trace }) {
  const step = state.step.value;
  const hidden = new Set(state.hidden.value);
  return (
    <div class="x-pane x-state">
      <h4>State {step + 1}</h4>
      <ul class="x-tree" aria-label={`state ${step + 1}`}>
        {trace.steps.variables
          .filter((name) => !hidden.has(pathKey([name])))
          .map((name) => (
            <Branch key={name} state={state} trace={trace} path={[name]} label={name} />
          ))}
      </ul>
    </div>
  );
}

function Branch({ state, trace, path, label }: { state: State; trace: Trace; path: readonly string[]; label: string }) {
  const step = state.step.value;
  const node = trace.at(path)[step]!;
  if (node < 0) return null;
  const { nodes } = trace;
  const children = nodes.children(node);
  const text = nodes.text(node);
  const changed = step > 0 && trace.at(path)[step - 1] !== node;
  const small = children.length === 0 || text.length <= SHORT;
  const key = `tree ${pathKey(path)}`;
  const closed = state.opened.value.has(key);
  const same = sameForAll(children.map((each) => each.node));
  return (
    <li class={changed ? "x-changed" : ""}>
      {!small && (
        <button
          type="button"
          aria-expanded={!closed}
          aria-label={`parts of ${pathText(path)}`}
          onClick={() => {
            const opened = new Set(state.opened.peek());
            if (!opened.delete(key)) opened.add(key);
            state.opened.value = opened;
          }}
        >
          {closed ? "▸" : "▾"}
        </button>
      )}
      <button type="button" class="x-path" title={`who wrote ${pathText(path)}`} onClick={() => (state.path.value = path)}>
        {label}
      </button>{" "}
      {small ? (
        <code>{text}</code>
      ) : closed ? (
        <span class="x-dim">{children.length} parts</span>
      ) : same ? (
        <>
          <span class="x-dim">the same for all {children.length}</span>
          <ul>
            <Same trace={trace} node={children[0]!.node} />
          </ul>
        </>
      ) : (
        <ul>
          {children.slice(0, MOST_SHOWN).map((child) => (
            <Branch key={child.step} state={state} trace={trace} path={[...path, child.step]} label={child.step} />
          ))}
          {children.length > MOST_SHOWN && <li class="x-dim">and {children.length - MOST_SHOWN} more</li>}
        </ul>
      )}
    </li>
  );
}

const sameForAll = (nodes: number[]) => nodes.length > 1 && nodes.every((each) => each === nodes[0]);

/** A value that several parts share. */
function Same({ trace, node }: { trace: Trace; node: number }) {
  const children = trace.nodes.children(node);
  const text = trace.nodes.text(node);
  if (children.length === 0 || text.length <= SHORT)
    return (
      <li>
        <code>{text}</code>
      </li>
    );
  return (
    <>
      {children.slice(0, MOST_SHOWN).map((child) => (
        <li key={child.step}>
          <span class="x-path">{child.step}</span> <code>{trace.nodes.text(child.node)}</code>
        </li>
      ))}
    </>
  );
}
