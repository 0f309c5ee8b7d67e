// The table of workers; on narrow screens its rows are cards.

import { element, follow, setText } from "./dom.js";
import { bytes, count, rate, span } from "./text.js";

/** A worker that has not called for so long looks lost. */
const SILENT_SECONDS = 30;

const COLUMNS = ["Doing", "Rate", "Leases", "Units done", "Threads", "Memory", "Last heard"];

/** Brings the table up to date. */
export function update(table, workers) {
  table.hidden = workers.length === 0;
  follow(table.tBodies[0], workers, (worker) => worker.worker, makeRow, updateRow);
}

function makeRow() {
  const name = element("th", "", element("span", "name"), element("span", "address"));
  name.scope = "row";
  const row = element("tr", "", name);
  for (const column of COLUMNS) {
    const cell = element("td", column === "Doing" ? "doing" : "number");
    cell.dataset.label = column;
    row.append(cell);
  }
  return row;
}

function updateRow(row, worker) {
  setText(row.querySelector(".name"), worker.name);
  setText(row.querySelector(".address"), `${worker.address} · ${worker.version}`);
  const silent = worker.silent_seconds >= SILENT_SECONDS;
  row.classList.toggle("silent", silent);
  const texts = [
    worker.doing || (worker.leases > 0 ? "computing" : "idle"),
    rate(worker.entries_per_second),
    count(worker.leases),
    count(worker.units_done),
    count(worker.threads),
    bytes(worker.memory),
    silent ? `silent for ${span(worker.silent_seconds)}` : `${span(worker.silent_seconds)} ago`,
  ];
  row.querySelectorAll("td").forEach((cell, i) => setText(cell, texts[i]));
}
