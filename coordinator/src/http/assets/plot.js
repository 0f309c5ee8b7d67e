// The rate over the last hour, drawn as SVG.

import { svg } from "./dom.js";
import { clock, rate, short } from "./text.js";

const HEIGHT = 180;
const LEFT = 56;
const RIGHT = 12;
const TOP = 10;
const BOTTOM = 24;

/** Most samples that are kept, and how long they are shown. */
const SAMPLES = 720;
const HOUR = 3600e3;
const SHORTEST = 300e3;

const samples = [];
let interval = 5000;

/** Adds what `/api/rates` gave. */
export function add(rates) {
  interval = rates.interval_millis;
  samples.push(...rates.samples);
  samples.splice(0, Math.max(0, samples.length - SAMPLES));
}

/** When the newest sample was taken, in milliseconds since 1970; 0 if there is none. */
export function newest() {
  return samples.at(-1)?.unix_millis ?? 0;
}

/** Draws the plot into an element, as wide as that is. */
export function draw(parent) {
  const width = Math.max(240, parent.clientWidth);
  const end = newest();
  const shown = samples.filter((sample) => sample.unix_millis >= end - HOUR);
  const start = Math.min(shown[0]?.unix_millis ?? end, end - SHORTEST);
  const peak = Math.max(0, ...shown.map((sample) => sample.entries_per_second));
  const step = niceStep(peak / 4);
  const top = Math.max(1, Math.ceil(peak / step)) * step;
  const x = (millis) => LEFT + ((millis - start) / (end - start)) * (width - LEFT - RIGHT);
  const y = (value) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    role: "img",
    "aria-label": summarize(shown, peak),
  });
  drawGrid(drawing, width, top, step, y);
  if (shown.length > 0) {
    drawTimes(drawing, width, start, end, x);
    for (const run of runs(shown)) drawRun(drawing, run, x, y);
  }
  parent.replaceChildren(drawing);
}

function summarize(shown, peak) {
  if (shown.length === 0) return "No samples yet.";
  const now = shown.at(-1).entries_per_second;
  return `Entries a second: now ${rate(now)}, highest ${rate(peak)}.`;
}

/** The next of 1, 2, 5, 10, ... */
function niceStep(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value);
}

function drawGrid(drawing, width, top, step, y) {
  for (let value = 0; value <= top * 1.001; value += step) {
    const height = y(value);
    drawing.append(
      svg("line", { x1: LEFT, x2: width - RIGHT, y1: height, y2: height, class: "grid" }),
      svg("text", { x: LEFT - 8, y: height + 4, class: "y-label" }, short(value)),
    );
  }
}

function drawTimes(drawing, width, start, end, x) {
  const most = Math.max(1, Math.floor((width - LEFT - RIGHT) / 90));
  const steps = [1, 2, 5, 10, 15, 30, 60].map((minutes) => minutes * 60e3);
  const step = steps.find((candidate) => (end - start) / candidate <= most) ?? HOUR;
  for (let time = Math.ceil(start / step) * step; time <= end; time += step) {
    const place = Math.min(width - RIGHT - 14, Math.max(LEFT + 14, x(time)));
    drawing.append(
      svg("line", { x1: x(time), x2: x(time), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }),
      svg("text", { x: place, y: HEIGHT - 6, class: "x-label" }, clock(time)),
    );
  }
}

/** Runs of samples without a gap, such as a restart of the coordinator leaves. */
function runs(shown) {
  const found = [];
  let last = -Infinity;
  for (const sample of shown) {
    if (sample.unix_millis - last > 4 * interval) found.push([]);
    found.at(-1).push(sample);
    last = sample.unix_millis;
  }
  return found;
}

function drawRun(drawing, run, x, y) {
  const point = (sample) =>
    `${x(sample.unix_millis).toFixed(1)},${y(sample.entries_per_second).toFixed(1)}`;
  const points = run.map(point).join(" ");
  const first = x(run[0].unix_millis).toFixed(1);
  const last = x(run.at(-1).unix_millis).toFixed(1);
  const area = `${first},${y(0)} ${points} ${last},${y(0)}`;
  drawing.append(
    svg("polygon", { points: area, class: "area" }),
    svg("polyline", { points, class: "line" }),
  );
}
