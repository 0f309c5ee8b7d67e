// The page of one table: a form to look positions up, and the statistics.

import { handsForm } from "./hands.js";
import { showStats } from "./stats.js";
import { stackForm } from "./stack.js";
import { sticksForm } from "./sticks.js";
import { setText } from "./dom.js";

const FORMS = { stack: stackForm, hands: handsForm, sticks: sticksForm };

// The page is at tables/NAME/look, so the names of all that belongs to the table are relative.
async function ask(url) {
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? `the server answered ${answer.status}`);
  return found;
}

function trouble(error) {
  const place = document.getElementById("trouble");
  place.hidden = false;
  setText(place, error.message);
}

/**
 * Looks positions up one at a time; of those asked for meanwhile only the last one. Calls `show`
 * with what is found, and says it in words if nothing is.
 */
function prober(show) {
  const place = document.getElementById("answer");
  let running = false;
  let waiting = null;
  return async function probe(question) {
    waiting = question;
    if (running) return;
    running = true;
    while (waiting) {
      const asked = waiting;
      waiting = null;
      place.dataset.state = "asking";
      try {
        const found = await ask(`probe?${new URLSearchParams(asked)}`);
        if (!waiting) {
          place.replaceChildren(...show(found, asked));
          place.dataset.state = "found";
        }
      } catch (error) {
        if (!waiting) {
          place.replaceChildren(error.message);
          place.dataset.state = "bad";
        }
      }
    }
    running = false;
  };
}

async function start() {
  const manifest = await ask("manifest.json");
  const name = decodeURIComponent(location.pathname.split("/").at(-2));
  setText(document.getElementById("name"), name);
  document.title = `${name} · retrotab`;
  const form = FORMS[manifest.table.family];
  form(document.getElementById("form"), manifest.table, prober);
  const stats = await ask("stats.json");
  document.getElementById("reading").hidden = true;
  setText(document.getElementById("title"), stats.title);
  showStats(document.getElementById("stats"), stats);
}

start().catch(trouble);
