// Sorts and filters the points, draws the heatmap over any two parameters, and follows links to a point or a step.
"use strict";
(() => {
  const table = document.getElementById("points");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const find = (id) => document.getElementById(id);
  const make = (tag, text, set = {}) => Object.assign(document.createElement(tag), { textContent: text }, set);
  document.documentElement.classList.add("script");

  const sortedBy = (cell) => cell.dataset.value ?? cell.textContent;
  const compare = (one, other) => {
    if (one === "" || other === "") return (one === "") - (other === ""); // unknown values come last
    return isNaN(one) || isNaN(other) ? one.localeCompare(other) : one - other;
  };
  heads.forEach((head, place) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => sortedBy(row.cells[place]);
    const known = (row) => key(row) !== "";
    const order = [...rows].sort((one, other) =>
      (down && known(one) && known(other) ? -1 : 1) * compare(key(one), key(other)));
    body.append(...order);
  }));

  const filter = () => {
    const words = find("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = find("verdict").value;
    let left = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !(words.every((word) => text.includes(word)) && (!verdict || row.dataset.verdict === verdict));
      left += !row.hidden;
    }
    find("count").textContent = `${left} of ${rows.length} points`;
  };
  for (const name of new Set(rows.map((row) => row.dataset.verdict))) find("verdict").append(make("option", name));
  find("filter").addEventListener("input", filter);
  find("verdict").addEventListener("change", filter);
  document.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
  filter();

  const worst = ["broken", "inconclusive", "holds", "excluded"];
  const styles = { holds: "t2-good", excluded: "t2-none" };
  const violations = new Map(rows.map((row) => [row, JSON.parse(row.dataset.violations)]));
  const column = (key) => heads.findIndex((head) => head.dataset.key === key);
  const fill = (cell, found, key) => {
    const link = (row, text) => cell.append(make("a", text, { href: `#${row.id}` }));
    if (key === "verdict") {
      // The same as ``cell_text`` in Python, with links to the shortest counterexample.
      const total = found.filter((row) => row.dataset.verdict !== "excluded").length;
      const names = new Set(found.flatMap((row) => Object.keys(violations.get(row))));
      if (found.some((row) => row.dataset.minimal)) cell.append("★ ");
      [...names].forEach((name, index) => {
        const length = (row) => violations.get(row)[name];
        const those = found.filter((row) => name in violations.get(row));
        const sorted = [...those.filter((row) => length(row) !== null)].sort((one, other) => length(one) - length(other));
        const span = sorted.length ? ` ${[...new Set([length(sorted[0]), length(sorted.at(-1))])].join("-")}` : "";
        if (index) cell.append(", ");
        link(sorted[0] ?? those[0], name + span + (those.length < total ? ` (${those.length} of ${total})` : ""));
      });
      const violated = found.filter((row) => row.dataset.verdict === "violated").length;
      worst.filter((verdict) => !names.size || ["broken", "inconclusive"].includes(verdict)).forEach((verdict) => {
        const first = found.find((row) => row.dataset.verdict === verdict);
        if (first && cell.childNodes.length) cell.append("; ");
        if (first) link(first, verdict);
      });
      const verdict = worst.find((one) => found.some((row) => row.dataset.verdict === one));
      cell.className = violated ? "t2-bad" : found.length ? styles[verdict] ?? "t2-odd" : "t2-none";
      if (violated && violated < total) cell.style.background = `rgba(248,81,73,${(0.03 + (0.19 * violated) / total).toFixed(2)})`;
      return;
    }
    const known = found.filter((row) => sortedBy(row.cells[column(key)]) !== "");
    if (!known.length) return void (cell.className = "t2-none");
    const number = (row) => Number(sortedBy(row.cells[column(key)]));
    const largest = known.reduce((one, other) => (number(other) > number(one) ? other : one));
    const text = largest.cells[column(key)].textContent;
    // If a run did not finish, the maximum is unknown.
    link(largest, found.length > 1 && !found.some((row) => row.cells[column(key)].textContent.startsWith("≥")) ? `≤ ${text}` : text);
    cell.className = "t2-n";
    const most = Math.max(...rows.map(number));
    const shade = most > 0 ? Math.log1p(number(largest)) / Math.log1p(most) : 0;
    cell.style.background = `rgba(56,139,253,${(0.04 + 0.5 * shade).toFixed(2)})`;
  };
  const values = (key) => {
    const seen = new Map();
    if (key) rows.forEach((row) => seen.set(row.cells[column(key)].textContent, Number(row.cells[column(key)].dataset.value)));
    return key ? [...seen].sort((one, other) => one[1] - other[1]).map(([text]) => text) : [""];
  };
  const draw = () => {
    const [across, down, value] = ["across", "down", "value"].map((id) => find(id).value);
    const has = (row, key, text) => !key || row.cells[column(key)].textContent === text;
    const drawn = make("table", "");
    drawn.append(make("caption", `${value}: ${[down, across].filter(Boolean).join(" by ")}`));
    const top = drawn.createTHead().insertRow();
    top.append(make("th", down, { scope: "col" }), ...values(across).map((text) => make("th", text, { scope: "col" })));
    if (values(across).length * values(down).length > 20000) {
      find("heatmap").replaceChildren(make("p", "These parameters have too many values for a table."));
      return;
    }
    const inside = drawn.createTBody();
    for (const label of values(down)) {
      const line = inside.insertRow();
      line.append(make("th", label, { scope: "row" }));
      for (const text of values(across))
        fill(line.insertCell(), rows.filter((row) => has(row, across, text) && has(row, down, label)), value);
    }
    find("heatmap").replaceChildren(drawn);
  };
  if (find("heatmap")) {
    const parameters = heads.filter((head) => head.dataset.kind === "parameter").map((head) => head.dataset.key);
    for (const id of ["across", "down"]) {
      if (id === "down") find(id).append(make("option", "", { value: "" }));
      parameters.forEach((name) => find(id).append(make("option", name)));
      find(id).value = find("heatmap").dataset[id === "across" ? "x" : "y"];
    }
    heads.filter((head) => ["verdict", "number"].includes(head.dataset.kind))
      .forEach((head) => find("value").append(make("option", head.dataset.kind === "verdict" ? "verdict" : head.textContent, { value: head.dataset.key })));
    ["across", "down", "value"].forEach((id) => find(id).addEventListener("change", draw));
    draw();
  }

  // A link's target is unfolded and unfiltered; for a step, the whole state is unfolded.
  const follow = () => {
    const goal = location.hash && find(decodeURIComponent(location.hash.slice(1)));
    if (!goal) return;
    if (goal.hidden) {
      find("filter").value = find("verdict").value = "";
      filter();
    }
    for (let outer = goal.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    if (goal.matches("article tr")) goal.querySelectorAll("details").forEach((part) => (part.open = true));
    goal.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", follow);
  addEventListener("beforeprint", () => document.querySelectorAll("article details").forEach((part) => (part.open = true)));
  follow();
})();
