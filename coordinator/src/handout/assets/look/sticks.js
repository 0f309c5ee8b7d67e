// A board of sticks: clicking a stick strikes it or puts it back, and clicking a best move makes
// it.

import { element, setAttributes } from "./dom.js";

export function sticksForm(place, table, prober) {
  const { rows } = table;
  const whole = () => Array.from({ length: rows }, (_, r) => Array(r + 1).fill(true));
  let board = whole();
  const text = () => board.map((row) => row.map((stick) => (stick ? "|" : ".")).join("")).join("/");
  const read = (written) => written.split("/").map((row) => [...row].map((stick) => stick === "|"));

  const probe = prober((found) => {
    const outcome = found.outcome === "win" ? "The player to move wins" : "The player to move loses";
    const moves = found.best.map((best) => {
      const button = element("button", "best", describe(best));
      button.type = "button";
      button.dataset.board = best.board;
      button.addEventListener("click", () => {
        board = read(best.board);
        changed();
      });
      return element("li", "", button);
    });
    const answer = [
      element("strong", "outcome", outcome),
      element("span", "", ` in ${found.moves} moves with best play. `),
      element("small", "", `segments ${found.position.join(" ") || "none"}, entry ${found.entry}`),
    ];
    if (moves.length > 0) answer.push(element("p", "hint", "Best moves; click one to make it:"), element("ul", "moves", ...moves));
    return answer;
  });

  function describe({ row, first, further, board: after }) {
    const number = further + 1;
    return `row ${row}, ${number} from place ${first}: ${after}`;
  }

  const sticks = board.map((row, r) => row.map((_, i) => {
    const button = element("button", "stick");
    button.type = "button";
    button.dataset.place = `${r + 1},${i + 1}`;
    button.addEventListener("click", () => {
      board[r][i] = !board[r][i];
      changed();
    });
    return button;
  }));
  const again = element("button", "", "all sticks");
  again.type = "button";
  again.id = "again";
  again.addEventListener("click", () => {
    board = whole();
    changed();
  });

  function changed() {
    board.forEach((row, r) => row.forEach((stick, i) => setAttributes(sticks[r][i], {
      "aria-pressed": !stick,
      "aria-label": `row ${r + 1}, place ${i + 1}: ${stick ? "a stick" : "struck"}`,
    })));
    probe({ board: text() });
  }

  place.append(
    element("p", "hint", "Click sticks to strike them, or to put them back. Whoever strikes the last one loses."),
    element("div", "board", ...sticks.map((row) => element("div", "row", ...row))),
    element("div", "piles", again),
  );
  changed();
}
