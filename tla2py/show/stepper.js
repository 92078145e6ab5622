// The stepper's front end: draws the steps and syncs `index` with Python.
function render({ model, el }) {
  const steps = model.get("steps");
  const first = steps[0].index;
  el.classList.add("t2");

  const make = (tag, parent, attributes = {}) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    parent.append(made);
    return made;
  };
  make("h3", el).textContent = model.get("title");
  const bar = make("div", el, { role: "group", "aria-label": "steps" });
  const button = (text, label) => {
    const made = make("button", bar, { type: "button", "aria-label": label, title: label });
    made.textContent = text;
    return made;
  };
  const back = button("◀", "previous step");
  const play = button("▶ play", "play");
  const next = button("▶", "next step");
  const slider = make("input", bar, {
    type: "range", min: first, max: first + steps.length - 1, step: 1, "aria-label": "step",
  });
  slider.style.cssText = "width:22em;max-width:60%;vertical-align:middle;margin:0 .6em";
  const place = make("span", bar);
  const head = make("p", el, { "aria-live": "polite" });
  const body = make("div", el);

  const show = () => {
    const index = model.get("index");
    const step = steps[index - first];
    slider.value = index;
    place.textContent = `${index} of ${first + steps.length - 1}${step.loop && `, ${step.loop}`}`;
    head.textContent = `${step.index}. ${step.title}`;
    head.className = step.loop ? "t2-act t2-loop" : "t2-act";
    // Built and escaped by tla2py.show.markup.
    body.innerHTML = step.html;
    back.disabled = index <= first;
    next.disabled = index >= first + steps.length - 1;
  };
  const go = (index) => {
    const last = first + steps.length - 1;
    model.set("index", Math.min(Math.max(index, first), last));
    model.save_changes();
  };

  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ play";
  };
  play.onclick = () => {
    if (timer !== null) return stop();
    if (next.disabled) go(first);
    play.textContent = "■ stop";
    timer = setInterval(() => (next.disabled ? stop() : go(model.get("index") + 1)), 1200);
  };
  back.onclick = () => go(model.get("index") - 1);
  next.onclick = () => go(model.get("index") + 1);
  slider.oninput = () => go(Number(slider.value));
  model.on("change:index", show);
  show();
  return () => {
    stop();
    model.off("change:index", show);
  };
}
export default { render };
