// Positions of the stack game. A pile is chosen, then cards are clicked to lie on it: the stock,
// one of the stacks, or the foundation, where all cards before a played one lie too.

import { element, setText } from "./dom.js";
import { count, percent } from "./text.js";

const PLAYED = "played";
const STOCK = ".";
const LANES = ["A", "B"];

/** A lane as it is written. */
function notation(cards) {
  return cards.filter((pile) => pile !== PLAYED).join("") || "-";
}

/** Where the cards of a written lane lie, or null if it is no lane. The last card is number n. */
function parse(text, stacks, n) {
  const cards = text === "-" ? [] : [...text];
  const known = (pile) => pile === STOCK || (pile >= "0" && pile < String(stacks));
  if (text === "" || cards.length > n || !cards.every(known)) return null;
  return [...Array(n - cards.length).fill(PLAYED), ...cards];
}

function nameOf(pile) {
  if (pile === PLAYED) return "foundations";
  return pile === STOCK ? "stock" : `stack ${pile}`;
}

export function stackForm(place, table, prober) {
  const { stacks, cards: n } = table;
  const lanes = LANES.map(() => Array(n).fill(STOCK));
  const piles = [PLAYED, STOCK, ...Array.from({ length: stacks }, (_, s) => String(s))];
  let chosen = "0";

  const probe = prober((found) => [
    element("strong", "share", percent(found.share)),
    element("span", "", table.rule === "choice-1" ? " playing value" : " won with best play"),
    element("small", "", `${found.position.join("  ")}: ${count(found.value)} / 65535, entry ${count(found.entry)}`),
  ]);

  const pileButtons = piles.map((pile) => {
    const button = element("button", "pile", element("b", "", nameOf(pile)), element("span", "cards"));
    button.type = "button";
    button.dataset.pile = pile;
    button.addEventListener("click", () => {
      chosen = pile;
      update();
    });
    return button;
  });
  const cardButtons = lanes.map((_, lane) => Array.from({ length: n }, (_, i) => {
    const button = element("button", "card-button", element("b", "", `${LANES[lane]}${i + 1}`), element("span"));
    button.type = "button";
    button.dataset.card = `${LANES[lane]}${i + 1}`;
    button.addEventListener("click", () => {
      move(lanes[lane], i);
      changed();
    });
    return button;
  }));
  const texts = LANES.map((name, lane) => {
    const input = element("input");
    input.id = `lane-${name}`;
    input.spellcheck = false;
    input.autocomplete = "off";
    input.addEventListener("input", () => {
      const parsed = parse(input.value.trim(), stacks, n);
      input.setAttribute("aria-invalid", String(!parsed));
      if (!parsed) return;
      lanes[lane] = parsed;
      changed(input);
    });
    return input;
  });

  function move(cards, i) {
    if (chosen === PLAYED) {
      cards.fill(PLAYED, 0, i + 1);
      return;
    }
    // A card that is not played was needed before all that follow it.
    for (let later = i; later < n; later += 1) {
      if (cards[later] === PLAYED) cards[later] = STOCK;
    }
    cards[i] = chosen;
  }

  function changed(typedIn) {
    update(typedIn);
    probe({ position: lanes.map(notation).join(" ") });
  }

  function update(typedIn) {
    for (const button of pileButtons) {
      const { pile } = button.dataset;
      button.setAttribute("aria-pressed", String(pile === chosen));
      const lying = lanes.flatMap((cards, lane) =>
        cards.flatMap((where, i) => (where === pile ? [`${LANES[lane]}${i + 1}`] : [])));
      setText(button.lastElementChild, pile === PLAYED || pile === STOCK ? `${lying.length} cards` : lying.join(" ") || "empty");
    }
    lanes.forEach((cards, lane) => cards.forEach((where, i) => {
      const button = cardButtons[lane][i];
      button.dataset.where = where;
      setText(button.lastElementChild, where === PLAYED ? "✓" : where === STOCK ? "stock" : where);
      button.setAttribute("aria-label", `card ${i + 1} of lane ${LANES[lane]}: ${nameOf(where)}`);
    }));
    texts.forEach((input, lane) => {
      if (input === typedIn) return;
      input.value = notation(lanes[lane]);
      input.removeAttribute("aria-invalid");
    });
  }

  const label = (input, text) => {
    const made = element("label", "", text);
    made.htmlFor = input.id;
    return made;
  };
  place.append(
    element("p", "hint", "Choose where cards lie, then click the cards. Each lane's cards are needed in order from 1 on."),
    element("div", "piles", ...pileButtons),
    ...cardButtons.map((buttons, lane) => element("div", "lane", label(texts[lane], `lane ${LANES[lane]}`), texts[lane], element("div", "lane-cards", ...buttons))),
  );
  changed();
}
