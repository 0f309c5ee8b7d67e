// The statistics of the whole table: the picture, and the numbers as tables.

import { element } from "./dom.js";
import { bytes, count, percent } from "./text.js";

/** Groups that are shown as rows; a table of more clusters is left to stats.json. */
const MOST_ROWS = 200;

function heading(words) {
  return element("thead", "", element("tr", "", ...words.map((word) => {
    const cell = element("th", "", word);
    cell.scope = "col";
    return cell;
  })));
}

function table(caption, words, rows) {
  const body = element("tbody", "", ...rows.map((cells) => element("tr", "", ...cells.map((cell) => element("td", "", cell)))));
  const made = element("table", "", element("caption", "", caption), heading(words), body);
  // Wide tables scroll in a box of their own.
  const box = element("div", "scroll", made);
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", caption);
  return box;
}

function mean(tally) {
  return tally.mean === null ? "–" : tally.mean.toFixed(6);
}

export function showStats(place, stats) {
  const { all, groups, sections, counted, grouped_by: by } = stats;
  const picture = element("img", "picture");
  picture.src = "stats.svg";
  picture.alt = `Curves by ${by}, and the histogram of all values: mean ${mean(all)}`;
  const shares = (tally) => [percent(tally.lost_share), percent(tally.won_share)];
  const [lost, won] = shares(all);
  const summary = `${count(all.counted)} ${counted}; the value is the ${stats.value}, ${mean(all)} on average; ` +
    `${lost} are surely lost (${stats.lost_means}), ${won} surely won (${stats.won_means}).`;
  place.replaceChildren(element("p", "", summary), picture);
  if (groups.length <= MOST_ROWS) {
    const rows = groups.map((group) => [group.name, count(group.counted), mean(group), ...shares(group)]);
    place.append(table(`By ${by}`, [by, counted, "mean", "lost", "won"], rows));
  }
  const sizes = sections.map(({ name, entries, raw_bytes: raw, stored_bytes: stored }) =>
    [name, count(entries), bytes(raw), bytes(stored), (stored / raw).toFixed(3)]);
  place.append(table("Sections", ["section", "entries", "raw", "stored", "stored/raw"], sizes));
  const json = element("a", "", "All numbers as JSON");
  json.href = "stats.json";
  place.append(element("p", "", json));
}
