// A card for each job: where it stands, its sections, and what happened.

import { element, follow, setText } from "./dom.js";
import * as sections from "./sections.js";
import { bytes, count, moment, percent, rate, short, span } from "./text.js";

/** Most events that are shown; the coordinator may remember more. */
const EVENTS = 50;

const FACTS = ["Rate", "Time left", "Units", "Entries", "Stored", "Submitted"];

/** Brings all cards up to date. */
export function update(parent, jobs) {
  follow(parent, jobs, (job) => job.job_digest, makeCard, updateCard);
}

function isOver(job) {
  return job.phase === "finished" || job.phase === "cancelled";
}

function makeCard(job) {
  const head = element(
    "div",
    "job-head",
    element("h3", "job-name"),
    element("span", "phase"),
    element("span", "percent"),
  );
  const bar = element("div", "bar", element("div", "done"), element("div", "running"));
  bar.setAttribute("role", "progressbar");
  bar.setAttribute("aria-valuemin", "0");
  bar.setAttribute("aria-valuemax", "100");
  const facts = element("dl", "facts");
  for (const fact of FACTS) {
    facts.append(element("div", "", element("dt", "", fact), element("dd")));
  }
  const events = element("ol", "events");
  events.tabIndex = 0;
  events.setAttribute("aria-label", "Recent events, the newest first");
  const happened = element("div", "happened", element("h4", "", "Recent events"), events);
  const picture = element("div", "pictured", element("h4", "", "Sections"), sections.make());
  const details = element(
    "details",
    "",
    element("summary", "", "Sections and events"),
    element("div", "job-details", picture, happened),
  );
  details.open = !isOver(job);
  const about = element("p", "about");
  const message = element("p", "message");
  const identity = element("p", "identity");
  return element("article", "card job", head, about, bar, message, facts, identity, details);
}

function updateCard(card, job) {
  card.dataset.phase = job.phase;
  const find = (selector) => card.querySelector(selector);
  setText(find(".job-name"), job.name);
  setText(find(".phase"), job.phase);
  setText(find(".about"), job.table);
  setText(find(".message"), job.message);
  find(".message").hidden = job.message === "";
  setText(find(".identity"), job.identity && `identity ${job.identity}`);
  find(".identity").hidden = job.identity === "";
  updateBar(card, job);
  updateFacts(card, job);
  const told = job.sections.length > 0 || job.events.length > 0;
  find("details").hidden = !told;
  find(".pictured").hidden = job.sections.length === 0;
  if (job.sections.length > 0) sections.update(find(".sections"), job.sections);
  updateEvents(find(".events"), job.events);
  find(".happened").hidden = job.events.length === 0;
}

function updateBar(card, job) {
  const entries = Math.max(1, job.entries);
  const computed = job.entries_done + job.entries_running;
  const told = percent(computed, job.entries);
  setText(card.querySelector(".percent"), told);
  const bar = card.querySelector(".bar");
  bar.setAttribute("aria-label", `Progress of ${job.name}`);
  bar.setAttribute("aria-valuenow", Math.floor((100 * computed) / entries));
  bar.setAttribute("aria-valuetext", told);
  bar.firstElementChild.style.width = `${(100 * job.entries_done) / entries}%`;
  bar.lastElementChild.style.width = `${(100 * job.entries_running) / entries}%`;
}

function updateFacts(card, job) {
  const running = job.units_running > 0 ? `, ${count(job.units_running)} running` : "";
  const works = job.phase === "running";
  const facts = [
    works ? rate(job.entries_per_second) : "–",
    works && job.eta_seconds !== null ? span(job.eta_seconds) : "–",
    `${count(job.units_done)} of ${count(job.units)}${running}`,
    `${short(job.entries_done + job.entries_running)} of ${short(job.entries)}`,
    bytes(job.stored_bytes),
    moment(job.created_unix_seconds * 1000),
  ];
  card.querySelectorAll(".facts dd").forEach((node, i) => setText(node, facts[i]));
}

function updateEvents(list, events) {
  const newest = events.slice(-EVENTS).reverse();
  // Two events may say the same in the same millisecond.
  const seen = new Map();
  const key = (event) => {
    const said = `${event.unix_millis} ${event.text}`;
    const times = (seen.get(said) ?? 0) + 1;
    seen.set(said, times);
    return `${said} ${times}`;
  };
  follow(list, newest, key, makeEvent, () => {});
}

function makeEvent(event) {
  const time = element("time", "", moment(event.unix_millis));
  time.dateTime = new Date(event.unix_millis).toISOString();
  const item = element("li", event.warning ? "warning" : "", time);
  if (event.warning) item.append(element("span", "flag", "warning"));
  item.append(element("span", "text", event.text));
  return item;
}
