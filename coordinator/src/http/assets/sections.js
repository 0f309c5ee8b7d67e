// The sections of a table as a picture, each a cell that fills up. Stack tables, whose sections
// are named `k,l` with k >= l, are a triangle; all others a strip.

import { element, setAttributes, setText, svg } from "./dom.js";
import { count, percent } from "./text.js";

const CELL = 20;
const STEP = 22;
const MARGIN = 18;
const STRIP = 26;

/** Most open sections that are named below the picture. */
const NAMED = 6;

/** The picture of no sections yet. */
export function make() {
  const legend = element("ul", "legend");
  for (const [state, text] of [
    ["complete", "complete"],
    ["open", "open, filled as far as computed"],
    ["blocked", "needs others first"],
  ]) {
    const mark = svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true", class: "mark" });
    mark.append(...parts(state));
    place(mark.children, 0, 0);
    if (state === "open") fill(mark.children, 0.35, 0.25);
    legend.append(element("li", "", mark, text));
  }
  const picture = element("div", "picture");
  const told = element("p", "told");
  const node = element("div", "sections", picture, legend, told);
  node.addEventListener("pointerover", (event) => {
    const cell = event.target.closest("g[data-told]");
    if (cell) setText(told, cell.dataset.told);
  });
  node.addEventListener("pointerleave", () => setText(told, node.dataset.told ?? ""));
  return node;
}

/** Brings the picture up to date. */
export function update(node, sections) {
  const [picture, , told] = node.children;
  const names = sections.map((section) => section.name).join(" ");
  if (picture.dataset.names !== names) {
    picture.dataset.names = names;
    picture.replaceChildren(draw(sections));
  }
  const cells = picture.querySelectorAll("g.cell");
  sections.forEach((section, i) => updateCell(cells[i], section));
  const summary = summarize(sections);
  setAttributes(picture.firstElementChild, { "aria-label": summary });
  node.dataset.told = summary;
  const pointed = picture.querySelector("g:hover");
  setText(told, pointed ? pointed.dataset.told : summary);
}

function draw(sections) {
  const places = triangle(sections) ?? strip(sections);
  const right = Math.max(...places.cells.map(([x]) => x)) + CELL + 1;
  const bottom = Math.max(...places.cells.map(([, y]) => y)) + CELL + 1 + places.below;
  const drawing = svg("svg", {
    viewBox: `0 0 ${right} ${bottom}`,
    width: right * 1.5,
    role: "img",
    class: places.kind,
  });
  for (const [x, y] of places.cells) {
    const cell = svg("g", { class: "cell" }, svg("title"), ...parts("blocked"));
    place([...cell.children].slice(1), x, y);
    drawing.append(cell);
  }
  for (const [x, y, text] of places.labels) {
    drawing.append(svg("text", { x, y, class: "axis" }, text));
  }
  return drawing;
}

/** Section `k,l` at column k, row l from below; null if the names are others. */
function triangle(sections) {
  const pairs = sections.map((section) => /^(\d+),(\d+)$/.exec(section.name)?.slice(1).map(Number));
  if (!pairs.every((pair) => pair && pair[0] >= pair[1])) return null;
  const top = Math.max(...pairs.map(([, l]) => l));
  const bottom = (top + 1) * STEP;
  const columns = [...new Set(pairs.map(([k]) => k))];
  const rows = [...new Set(pairs.map(([, l]) => l))];
  return {
    kind: "triangle",
    cells: pairs.map(([k, l]) => [MARGIN + k * STEP, (top - l) * STEP + 1]),
    labels: [
      ...columns.map((k) => [MARGIN + k * STEP + CELL / 2, bottom + 11, String(k)]),
      ...rows.map((l) => [MARGIN - 9, (top - l) * STEP + CELL / 2 + 4.5, String(l)]),
    ],
    below: 14,
  };
}

function strip(sections) {
  const columns = Math.min(STRIP, Math.max(1, sections.length));
  const cell = (i) => [(i % columns) * STEP + 1, Math.floor(i / columns) * STEP + 1];
  return { kind: "strip", cells: sections.map((_, i) => cell(i)), labels: [], below: 0 };
}

/** The rectangles of a cell: ground, what is done, what is computed but not done, frame. */
function parts(state) {
  const rect = (name) => svg("rect", { class: name, width: CELL, rx: 2 });
  return [rect(`ground ${state}`), rect("done"), rect("running"), rect(`frame ${state}`)];
}

function place(rects, x, y) {
  for (const rect of rects) setAttributes(rect, { x, y, height: CELL, "data-y": y });
  fill(rects, 0, 0);
}

function fill([, doneRect, runningRect], done, running) {
  const y = Number(doneRect.getAttribute("data-y"));
  const doneHeight = done * CELL;
  const runningHeight = Math.min(CELL - doneHeight, running * CELL);
  setAttributes(doneRect, { y: y + CELL - doneHeight, height: doneHeight });
  setAttributes(runningRect, {
    y: y + CELL - doneHeight - runningHeight,
    height: runningHeight,
  });
}

function updateCell(cell, section) {
  const [title, ground, , , frame] = cell.children;
  setAttributes(ground, { class: `ground ${section.phase}` });
  setAttributes(frame, { class: `frame ${section.phase}` });
  const entries = Math.max(1, section.entries);
  const complete = section.phase === "complete";
  fill(
    [...cell.children].slice(1),
    complete ? 0 : section.entries_done / entries,
    complete ? 0 : section.entries_running / entries,
  );
  const computed = section.entries_done + section.entries_running;
  const text =
    `Section ${section.name}: ${complete ? "complete" : section.phase}, ` +
    `${percent(computed, section.entries)} of ${count(section.entries)} entries, ` +
    `${section.units_done} of ${section.units} units done`;
  setText(title, text);
  if (cell.dataset.told !== text) cell.dataset.told = text;
}

/** The picture in words. */
function summarize(sections) {
  const complete = sections.filter((section) => section.phase === "complete").length;
  const open = sections.filter((section) => section.phase === "open");
  const told = open.slice(0, NAMED).map((section) => {
    const computed = section.entries_done + section.entries_running;
    return `${section.name} (${percent(computed, section.entries)})`;
  });
  if (open.length > NAMED) told.push(`and ${open.length - NAMED} more`);
  const now = open.length > 0 ? ` Open: ${told.join("; ")}.` : "";
  return `${complete} of ${sections.length} sections are complete.${now}`;
}
