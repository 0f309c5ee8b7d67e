// Two hands of poker cards, by clicking cards.

import { element, setText } from "./dom.js";
import { count, percent } from "./text.js";

const RANKS = [..."AKQJT98765432"];
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const HOLE_CARDS = { holdem: 2, omaha: 4 };

function bar(shares) {
  const parts = shares.map(([name, share]) => {
    const part = element("span", `part ${name}`);
    part.style.flexGrow = share;
    return part;
  });
  const made = element("div", "bar", ...parts);
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", shares.map(([name, share]) => `${name} ${percent(share)}`).join(", "));
  return made;
}

function show(found) {
  const { first, second, wins, ties, losses, placements, equity } = found;
  const names = `${first.class} (${first.hand}) against ${second.class} (${second.hand})`;
  if (equity === null) return [element("strong", "", "no placement"), element("small", "", `${names}: these hands cannot be dealt together`)];
  const boards = wins + ties + losses;
  const shares = [["wins", wins / boards], ["ties", ties / boards], ["losses", losses / boards]];
  return [
    element("strong", "share", percent(equity)),
    element("span", "", " of the pot"),
    bar(shares),
    element("small", "", `${names}, ${placements} placements: ${count(wins)} boards won, ${count(ties)} tied, ${count(losses)} lost`),
  ];
}

export function handsForm(place, table, prober) {
  const size = HOLE_CARDS[table.game];
  const hands = [[], []];
  let active = 0;
  const probe = prober(show);
  const answer = document.getElementById("answer");

  const slots = hands.map((_, i) => {
    const button = element("button", "hand", element("b", "", i === 0 ? "first hand" : "second hand"), element("span", "cards"));
    button.type = "button";
    button.id = `hand-${i + 1}`;
    button.addEventListener("click", () => {
      active = i;
      update();
    });
    return button;
  });
  const clear = element("button", "", "clear");
  clear.type = "button";
  clear.id = "clear";
  clear.addEventListener("click", () => {
    hands.forEach((hand) => hand.splice(0));
    active = 0;
    changed();
  });
  const cards = new Map();
  const grid = Object.entries(SUITS).map(([suit, sign]) => element("div", "suit", ...RANKS.map((rank) => {
    const button = element("button", `playing suit-${suit}`, rank, sign);
    button.type = "button";
    button.dataset.card = rank + suit;
    button.addEventListener("click", () => click(rank + suit));
    cards.set(rank + suit, button);
    return button;
  })));

  function click(card) {
    const holder = hands.find((hand) => hand.includes(card));
    if (holder) {
      holder.splice(holder.indexOf(card), 1);
      active = hands.indexOf(holder);
    } else {
      // A full hand passes on to the other one.
      if (hands[active].length === size) active = 1 - active;
      if (hands[active].length === size) return;
      hands[active].push(card);
      if (hands[active].length === size && hands[1 - active].length < size) active = 1 - active;
    }
    changed();
  }

  function changed() {
    update();
    if (hands.every((hand) => hand.length === size)) {
      probe({ position: hands.map((hand) => hand.join("")).join(" ") });
    } else {
      answer.dataset.state = "open";
      setText(answer, `Choose ${size} cards for each hand.`);
    }
  }

  function update() {
    slots.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === active));
      const shown = hands[i].map((card) => card[0] + SUITS[card[1]]).join(" ");
      setText(button.lastElementChild, shown || "–");
    });
    for (const [card, button] of cards) {
      const hand = hands.findIndex((found) => found.includes(card));
      button.dataset.hand = hand < 0 ? "" : String(hand + 1);
      button.setAttribute("aria-pressed", String(hand >= 0));
      button.setAttribute("aria-label", card + (hand < 0 ? "" : `, hand ${hand + 1}`));
    }
  }

  place.append(
    element("p", "hint", `Click ${size} cards for each hand; click one again to take it back.`),
    element("div", "piles", ...slots, clear),
    element("div", "deck", ...grid),
  );
  changed();
}
