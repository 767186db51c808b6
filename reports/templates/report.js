"use strict";
// Sorting of tables, and the match viewer. Nothing here knows the rules: it moves the cards that
// each step names. All text goes in as text, never as markup.

function make(name, about, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(about || {})) {
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// --- tables whose headings sort -------------------------------------------------------------

function valueOf(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = parseFloat(text.replace(/,/g, "").replace("\u2212", "-"));
  return Number.isNaN(number) ? text : number;
}

function sortBy(table, column, heading) {
  const falling = heading.getAttribute("aria-sort") !== "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row, place) => [valueOf(row, column), place, row]);
  const sign = falling ? -1 : 1;
  rows.sort(([a, i], [b, j]) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // what is unknown stands last
    const order = typeof a === "number" ? a - b : a.localeCompare(b);
    return sign * order || i - j;
  });
  body.append(...rows.map(([, , row]) => row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading) => {
    if (!heading.textContent.trim()) return;
    const button = make("button", { type: "button", class: "sort" }, ...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading.cellIndex, heading));
    heading.append(button);
  });
}

// --- the match viewer -----------------------------------------------------------------------

const RANKS = "23456789TJQKA\u2605";
const SUITS = "\u2663\u2666\u2665\u2660";
const TEAMS = ["a", "b"]; // seats 0 and 2, seats 1 and 3

function cardNode(card, by) {
  const joker = card >= 52;
  const red = !joker && (card % 4 === 1 || card % 4 === 2);
  const text = joker ? "\u2605" : RANKS[card >> 2] + SUITS[card & 3];
  const about = { class: `card${red ? " red" : ""}${by === undefined ? "" : ` by-${TEAMS[by & 1]}`}`, text };
  if (by !== undefined) about.title = `laid by seat ${by}`;
  return make("span", about);
}

function positionAt(deal, count) {
  const hands = deal.hands.map((hand) => new Set(hand));
  const pile = [...deal.pile];
  const sets = new Map();
  const runs = new Map();
  let stock = deal.stock;
  for (const [seat, letter, cards] of deal.steps.slice(0, count)) {
    if (letter === "S") stock -= 1;
    if (letter === "T") pile.length -= cards.length;
    for (const card of cards) {
      if (letter === "S" || letter === "T") hands[seat].add(card);
      else hands[seat].delete(card);
      if (letter === "D") pile.push(card);
      if (letter === "=") sets.set(card, seat);
      if (letter === "-") runs.set(card, seat);
    }
  }
  return { hands, pile, sets, runs, stock };
}

function meldsOf({ sets, runs }) {
  const groups = [];
  for (let rank = 0; rank < 14; rank += 1) {
    const group = [0, 1, 2, 3].map((suit) => 4 * rank + suit).filter((card) => sets.has(card));
    if (group.length) groups.push(group.map((card) => cardNode(card, sets.get(card))));
  }
  for (let suit = 0; suit < 4; suit += 1) {
    let group = [];
    for (let rank = 0; rank <= 13; rank += 1) {
      const card = 4 * rank + suit;
      if (rank < 13 && runs.has(card)) group.push(cardNode(card, runs.get(card)));
      else if (group.length) {
        groups.push(group);
        group = [];
      }
    }
  }
  return groups.map((group) => make("span", { class: "meld" }, ...group));
}

function viewer(root, matches) {
  const at = { match: 0, step: 0 };
  const part = (name) => root.querySelector(`[data-part="${name}"]`);
  const chooser = part("match");
  const slider = part("slider");
  matches.forEach((match, index) => {
    const names = `${match.seats[0]} & ${match.seats[2]} \u2013 ${match.seats[1]} & ${match.seats[3]}`;
    const title = match.title ? `${match.title}: ` : "";
    chooser.append(make("option", { value: index, text: `${title}${names}, ${match.score[0]} to ${match.score[1]}` }));
  });

  // A place is counted through the whole match: each deal has a step 0, before its first action.
  const length = (match) => match.deals.reduce((sum, deal) => sum + deal.steps.length + 1, 0);
  function dealAt(match, step) {
    let first = 0;
    for (const [number, deal] of match.deals.entries()) {
      if (step <= first + deal.steps.length) return [number, deal, step - first];
      first += deal.steps.length + 1;
    }
    throw new RangeError(`step ${step} is beyond the match`);
  }

  function show(share) {
    const match = matches[at.match];
    const [number, deal, count] = dealAt(match, at.step);
    const position = positionAt(deal, count);
    const last = deal.steps[count - 1];
    const next = deal.steps[count];
    chooser.value = at.match;
    slider.max = length(match) - 1;
    slider.value = at.step;
    slider.setAttribute("aria-valuetext", `deal ${number + 1}, step ${count} of ${deal.steps.length}`);
    for (let seat = 0; seat < 4; seat += 1) {
      const place = part(`seat-${seat}`);
      const hand = [...position.hands[seat]].sort((x, y) => x - y).map((card) => cardNode(card));
      const marks = [deal.dealer === seat ? "dealer" : "", next && next[0] === seat ? "to act" : ""];
      const head = `${match.seats[seat]} (seat ${seat})`;
      place.classList.toggle("acting", Boolean(next && next[0] === seat));
      place.replaceChildren(
        make("p", { class: `who by-${TEAMS[seat & 1]}` }, head,
          ...marks.filter(Boolean).map((mark) => make("span", { class: "mark", text: mark }))),
        make("p", { class: "cards" }, ...(hand.length ? hand : [make("span", { class: "none", text: "no cards" })])),
      );
    }
    part("pile").replaceChildren(...position.pile.map((card) => cardNode(card)));
    part("stock").textContent = position.stock;
    const melds = meldsOf(position);
    part("melds").replaceChildren(...(melds.length ? melds : [make("span", { class: "none", text: "none yet" })]));
    const points = last ? [last[4], last[5]] : [0, 0];
    part("points").textContent = `on the table ${points[0]} to ${points[1]}`;
    const before = match.deals.slice(0, number).map((d) => d.score.join(" to ")).join(", ");
    part("deal").textContent = `Deal ${number + 1} of ${match.deals.length}${before ? ` (before: ${before})` : ""}`;
    const over = count === deal.steps.length;
    const end = over ? ` ${deal.end}: ${deal.score[0]} to ${deal.score[1]}.` : "";
    part("words").textContent = last
      ? `Turn ${last[6]}: ${match.seats[last[0]]} (seat ${last[0]}) ${last[3]}.${end}`
      : `Seat ${deal.dealer} has dealt; seat ${(deal.dealer + 1) % 4} begins.`;
    for (const name of ["first", "back-turn", "back"]) part(name).disabled = at.step === 0;
    for (const name of ["next", "next-turn", "last"]) part(name).disabled = at.step === length(match) - 1;
    const link = `#m-${match.id}-${at.step}`;
    part("link").setAttribute("href", link);
    if (share) history.replaceState(null, "", link);
  }

  function turnAt(step) {
    const [number, deal, count] = dealAt(matches[at.match], step);
    return count ? `${number}/${deal.steps[count - 1][6]}` : `${number}/0`;
  }

  function go(step, share = true) {
    at.step = Math.max(0, Math.min(length(matches[at.match]) - 1, step));
    show(share);
  }

  function turn(direction) { // to the last step of the next or of the previous turn
    const end = length(matches[at.match]) - 1;
    let step = at.step;
    if (direction > 0) {
      const mine = turnAt(step);
      while (step < end && turnAt(step) === mine) step += 1;
      const its = turnAt(step);
      while (step < end && turnAt(step + 1) === its) step += 1;
    } else {
      const mine = turnAt(step);
      while (step > 0 && turnAt(step) === mine) step -= 1;
    }
    go(step);
  }

  const moves = {
    first: () => go(0),
    "back-turn": () => turn(-1),
    back: () => go(at.step - 1),
    next: () => go(at.step + 1),
    "next-turn": () => turn(1),
    last: () => go(Infinity),
  };
  for (const [name, move] of Object.entries(moves)) part(name).addEventListener("click", move);
  slider.addEventListener("input", () => go(Number(slider.value)));
  chooser.addEventListener("change", () => {
    at.match = Number(chooser.value);
    go(0);
  });
  const keys = {
    ArrowLeft: "back", ArrowRight: "next", ArrowUp: "back-turn", ArrowDown: "next-turn", Home: "first", End: "last",
  };
  root.addEventListener("keydown", (event) => {
    const name = keys[event.key];
    if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === chooser || event.target === slider) return; // they have their own keys
    event.preventDefault();
    moves[name]();
  });

  function follow() { // a link to a position, such as #m-upset-37
    const found = /^#m-([a-z]+)-(\d+)$/.exec(location.hash);
    const index = found ? matches.findIndex((match) => match.id === found[1]) : -1;
    if (index < 0) return false;
    at.match = index;
    go(Number(found[2]), false);
    root.scrollIntoView();
    return true;
  }
  window.addEventListener("hashchange", follow);
  root.hidden = false;
  if (!follow()) show(false);
}

const data = document.getElementById("matches-data");
if (data) viewer(document.getElementById("viewer"), JSON.parse(data.textContent));
