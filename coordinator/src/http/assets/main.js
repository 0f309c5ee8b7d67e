// Asks the coordinator again and again, and shows what it says.

import { setText } from "./dom.js";
import * as jobs from "./jobs.js";
import * as plot from "./plot.js";
import { bytes, count, moment, percent, rate, span } from "./text.js";
import * as workers from "./workers.js";

const POLL = 2000;
const POLL_HIDDEN = 15000;
const PATIENCE = 10000;

/** The disk is shown as nearly full below this share of free space. */
const SCARCE = 0.1;

const find = (id) => document.getElementById(id);

/** When the coordinator last answered, by the browser's clock; null before the first answer. */
let answered = null;
const opened = Date.now();
let failing = false;
let timer = null;

async function ask(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(PATIENCE), cache: "no-store" });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}

async function poll() {
  clearTimeout(timer);
  timer = null;
  try {
    const [status, rates] = await Promise.all([
      ask("/api/status"),
      ask(`/api/rates?since=${plot.newest()}`),
    ]);
    plot.add(rates);
    show(status);
    answered = Date.now();
    failing = false;
  } catch (error) {
    failing = true;
  }
  showContact();
  timer = setTimeout(poll, document.hidden ? POLL_HIDDEN : POLL);
}

function show(status) {
  showTiles(status);
  jobs.update(find("jobs"), status.jobs);
  find("no-jobs").hidden = status.jobs.length > 0;
  workers.update(find("workers"), status.workers);
  find("no-workers").hidden = status.workers.length > 0;
  plot.draw(find("plot"));
  setText(find("version"), `retrotab ${status.version}`);
  const trouble = status.ready ? "" : `The coordinator is not ready: ${status.message}`;
  showTrouble(trouble);
  const active = status.jobs.find((job) => job.phase === "running" || job.phase === "merging");
  const computed = active && active.entries_done + active.entries_running;
  const told = active ? `${percent(computed, active.entries)} ${active.name} – ` : "";
  if (document.title !== `${told}retrotab`) document.title = `${told}retrotab`;
}

function showTiles({ jobs, workers, disk }) {
  const total = jobs.reduce((sum, job) => sum + job.entries_per_second, 0);
  setText(find("tile-rate"), rate(total));
  const phases = new Map();
  for (const job of jobs) phases.set(job.phase, (phases.get(job.phase) ?? 0) + 1);
  setText(find("tile-jobs"), count(jobs.length));
  const told = [...phases].map(([phase, number]) => `${count(number)} ${phase}`);
  setText(find("tile-jobs-detail"), told.join(", ") || "none submitted");
  const busy = workers.filter((worker) => worker.leases > 0).length;
  const threads = workers.reduce((sum, worker) => sum + worker.threads, 0);
  setText(find("tile-workers"), count(workers.length));
  const detail = `${count(busy)} busy, ${count(threads)} threads`;
  setText(find("tile-workers-detail"), detail);
  const known = disk.size > 0;
  setText(find("tile-disk"), known ? bytes(disk.free) : "–");
  setText(find("tile-disk-detail"), known ? `free of ${bytes(disk.size)}` : "not known");
  const scarce = known && disk.free < SCARCE * disk.size;
  find("tile-disk").closest(".tile").classList.toggle("scarce", scarce);
}

function showContact() {
  const state = failing ? "lost" : "live";
  document.body.dataset.contact = state;
  find("contact").dataset.state = state;
  setText(find("contact-text"), failing ? "no contact" : "live");
  if (failing) {
    const since = answered ?? opened;
    const lasted = span((Date.now() - since) / 1000);
    const shown = answered === null ? "" : " What is shown is from then.";
    showTrouble(
      `No answer from the coordinator since ${moment(since)}, for ${lasted}.${shown} ` +
        "Trying again every few seconds.",
    );
  }
}

function showTrouble(text) {
  const node = find("trouble");
  setText(node, text);
  node.hidden = text === "";
}

document.addEventListener("visibilitychange", () => {
  // A poll that is under way sets the next one itself.
  if (!document.hidden && timer !== null) poll();
});
new ResizeObserver(() => plot.draw(find("plot"))).observe(find("plot"));
poll();
