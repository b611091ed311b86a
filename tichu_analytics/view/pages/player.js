"use strict";
(() => {
  const source = document.getElementById("data");
  const player = document.getElementById("player");
  if (!source || !player) return;
  const game = JSON.parse(source.textContent);
  const $ = (id) => document.getElementById(id);
  const SUITS = { S: "sword", B: "pagoda", G: "jade", R: "star" };
  const RANKS = { J: "jack", Q: "queen", K: "king", A: "ace" };
  const SPECIAL = { Ma: "Mah Jong", Do: "Dog", Ph: "Phoenix", Dr: "Dragon", "?": "unreadable card" };
  const PLACES = ["first", "second", "third", "fourth"];
  const CALLS = { tichu: "Tichu", grand: "Grand Tichu" };
  const CARRIED = ["trick", "move", "table", "passed", "turn", "wish", "active", "out", "points", "calls", "over"];
  const PAUSE = 1200;
  const ADDRESS_PAUSE = 350;

  let round = 0;
  let at = 0;
  let timer = 0;
  let scenes = [];
  const opened = new Map();

  // Elements: text gets into the page by textContent only.
  function make(tag, className, text) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function name(text) {
    return make("bdi", "", text);
  }
  function picture(symbol) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", "#tichu-" + symbol);
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("aria-hidden", "true");
    svg.append(use);
    return svg;
  }
  const split = (codes) => (codes ? codes.split(" ") : []);
  const isSpecial = (code) => code in SPECIAL;
  function cardName(code) {
    if (isSpecial(code)) return SPECIAL[code];
    const rank = code.slice(1);
    return SUITS[code[0]] + " " + (RANKS[rank] || rank);
  }
  function card(code, options) {
    const special = isSpecial(code);
    const item = make("li", "card " + (special ? "special" : code[0]) + (options.marked ? " marked" : ""));
    const stands = code === "Ph" && options.stands ? options.stands : "";
    item.append(make("span", "sr", cardName(code) + (stands ? " as " + stands : "") + (options.marked ? ", " + options.marked : "")));
    const rank = make("span", "", special ? code : code.slice(1));
    rank.setAttribute("aria-hidden", "true");
    item.append(rank);
    if (code !== "?") item.append(picture(special ? code : code[0]));
    if (stands) {
      const badge = make("span", "stands", "= " + stands);
      badge.setAttribute("aria-hidden", "true");
      item.append(badge);
    }
    return item;
  }
  function cardList(codes, className, options) {
    const list = make("ul", className);
    const marked = new Set(split(options.markedCodes));
    for (const code of split(codes)) list.append(card(code, { ...options, marked: marked.has(code) ? options.marked : "" }));
    return list;
  }
  function said(words, labels, plain) {
    const whole = document.createDocumentFragment();
    for (const part of words) {
      if (typeof part === "number") {
        const who = plain ? name(labels[part]) : make("b");
        if (!plain) who.append(name(labels[part]));
        whole.append(who);
      } else if (typeof part === "string") {
        whole.append(part);
      } else {
        split(part[0]).forEach((code, index) => {
          if (index) whole.append(", ");
          whole.append(plain ? make("span", "code " + (isSpecial(code) ? "" : code[0]), code) : cardName(code));
        });
      }
    }
    return whole;
  }
  function sign(number) {
    return String(number).replace("-", "\u2212");
  }
  function pair(numbers) {
    return numbers.map((number) => (number === null ? "?" : sign(number))).join(" : ");
  }

  // The scenes of a round, each with everything that holds in it.
  function expand(index) {
    if (opened.has(index)) return opened.get(index);
    let now = {
      trick: 0, move: 0, table: [0, 0], passed: [], turn: null, wish: "", active: [0, 1, 2, 3], out: [],
      points: [0, 0, 0, 0], calls: ["", "", "", ""], over: false,
    };
    let hands = ["", "", "", ""];
    const whole = game.rounds[index].scenes.map((scene) => {
      now = { ...now };
      for (const key of CARRIED) if (key in scene) now[key] = scene[key];
      hands = hands.map((hand, seat) => (scene.hands && String(seat) in scene.hands ? scene.hands[seat] : hand));
      return {
        ...now, kind: scene.kind, line: scene.line, said: scene.said, seat: "seat" in scene ? scene.seat : null,
        hands, marked: scene.marked || ["", "", "", ""], findings: scene.findings || [],
      };
    });
    opened.set(index, whole);
    return whole;
  }
  const withFindings = [];
  game.rounds.forEach((one, index) => one.scenes.forEach((scene, place) => {
    if (scene.findings) for (const finding of scene.findings) withFindings.push({ round: index, at: place, finding });
  }));

  // Drawing -----------------------------------------------------------------------------------------------------------
  function drawSeat(seat, scene, one) {
    const box = $("seat-" + seat);
    box.replaceChildren();
    box.classList.toggle("turn", scene.turn === seat);
    box.classList.toggle("acts", scene.seat === seat);
    const heading = make("h2");
    const label = one.names[seat] || one.labels[seat];
    const shown = name(label);
    shown.title = label;
    heading.append(shown);
    box.append(heading);
    const tags = make("p", "tags");
    const add = (text, className) => tags.append(make("span", className || "", text));
    add("team " + (seat % 2));
    if (scene.turn === seat) add("to act", "acting");
    if (scene.calls[seat]) add(CALLS[scene.calls[seat]], "call");
    const out = scene.out.indexOf(seat);
    if (out >= 0) add("out " + PLACES[out]);
    if (scene.passed.includes(seat)) add("passed");
    const count = split(scene.hands[seat]).length;
    if (count) add(count === 1 ? "1 card" : count + " cards");
    else if (out < 0) add(scene.active.includes(seat) ? "cards not known" : "no cards");
    add(sign(scene.points[seat]) + (scene.points[seat] === 1 ? " point" : " points"));
    box.append(tags);
    const marked = scene.kind === "exchange" ? "gives it away" : "received";
    box.append(cardList(scene.hands[seat], "hand", { marked, markedCodes: scene.marked[seat] }));
  }
  function drawTable(scene, one) {
    $("wish").hidden = !scene.wish;
    $("wish").textContent = scene.wish ? "Wish: " + scene.wish : "";
    const list = $("laid");
    list.replaceChildren();
    for (let place = scene.table[1] - 1; place >= scene.table[0]; place--) {
      const [seat, codes, words, stands, bomb, outOfTurn] = one.laid[place];
      const item = make("li");
      item.append(cardList(codes, "cards", { stands }));
      const whose = make("span", "whose");
      whose.append(name(one.labels[seat]));
      if (words) whose.append(": " + words);
      if (outOfTurn) whose.append(bomb ? " (out of turn)" : " (not in turn)");
      item.append(whose);
      list.append(item);
    }
  }
  function findingBox(finding) {
    const box = make("div", "finding " + finding.severity);
    const head = make("p");
    head.append(make("b", "", finding.code + " " + finding.name), " (" + finding.severity + ", line " + finding.line + "): ");
    head.append(name(finding.message));
    box.append(head);
    const list = make("dl");
    for (const key of ["expected", "found"]) {
      if (key in finding) {
        list.append(make("dt", "", key));
        const value = make("dd");
        value.append(name(finding[key]));
        list.append(value);
      }
    }
    if (list.childElementCount) box.append(list);
    return box;
  }
  function draw() {
    const one = game.rounds[round];
    const scene = scenes[at];
    const where = [];
    if (scene.trick) where.push("trick " + scene.trick);
    if (scene.move) where.push("move " + scene.move);
    where.push("line " + scene.line);
    $("place").textContent = where.join(", ");
    $("total").textContent = "Total " + pair(scene.kind === "result" ? one.after : one.before);
    $("said").replaceChildren(said(scene.said, one.labels, false));
    $("here").replaceChildren(...scene.findings.map(findingBox));
    for (let seat = 0; seat < 4; seat++) drawSeat(seat, scene, one);
    drawTable(scene, one);
    const slider = $("slider");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", "step " + (at + 1) + " of " + scenes.length + ", " + where.join(", "));
    disable("back", !round && !at);
    disable("trick-back", !round && !at);
    disable("to-first", !at);
    disable("on", isEnd());
    disable("to-last", at === scenes.length - 1);
    disable("trick-on", isEnd());
    const current = document.querySelector("#tricks [aria-current]");
    if (current) current.removeAttribute("aria-current");
    const entry = document.querySelector('#tricks button[data-at="' + at + '"]');
    if (entry) {
      entry.setAttribute("aria-current", "step");
      const list = $("tricks");
      const top = entry.offsetTop - list.clientHeight / 2;
      list.scrollTop = Math.max(0, top);
    }
    remember(scene);
  }
  function disable(id, off) {
    $(id).setAttribute("aria-disabled", String(off));
  }
  function isEnd() {
    return round === game.rounds.length - 1 && at === scenes.length - 1;
  }

  // What stays the same within a round.
  function drawRound() {
    const one = game.rounds[round];
    $("round").value = String(round);
    $("printed").textContent = "Round " + one.number;
    const slider = $("slider");
    slider.max = String(scenes.length - 1);
    const marks = $("marks");
    marks.replaceChildren();
    scenes.forEach((scene, place) => {
      if (!scene.findings.length) return;
      const mark = make("i", worst(scene.findings));
      mark.style.left = (100 * place) / Math.max(1, scenes.length - 1) + "%";
      marks.append(mark);
    });
    $("what").classList.toggle("faulty", scenes.some((scene) => scene.findings.length));
    for (const row of $("scores").tBodies[0].rows) row.classList.toggle("current", row.dataset.round === String(round));
    [0, 1].forEach((team) => $("team-" + team).replaceChildren(name(one.labels[team]), ", ", name(one.labels[team + 2])));
    drawScore(one);
    drawExchange(one);
    drawCourse(one);
  }
  function worst(findings) {
    return ["error", "warning", "note"].find((severity) => findings.some((finding) => finding.severity === severity)) || "note";
  }
  function cell(row, text, className) {
    const one = make("td", className || "", text);
    row.append(one);
    return one;
  }
  function drawScore(one) {
    const body = $("score").tBodies[0];
    body.replaceChildren();
    for (const [words, first, second] of one.rows) {
      const row = make("tr");
      const head = make("th");
      head.scope = "row";
      head.append(said(words, one.labels, true));
      row.append(head);
      cell(row, sign(first), "n");
      cell(row, sign(second), "n");
      body.append(row);
    }
  }
  function drawExchange(one) {
    const calls = $("calls");
    calls.replaceChildren();
    scenes.forEach((scene, place) => {
      if (!["call", "tichu", "grand"].includes(scene.kind)) return;
      const item = make("li");
      const button = jump(place, "");
      button.append(said(scene.said, one.labels, true));
      item.append(button);
      calls.append(item);
    });
    if (!calls.childElementCount) calls.append(make("li", "quiet", "Nobody called Tichu."));
    const body = $("exchange").tBodies[0];
    body.replaceChildren();
    $("exchange").hidden = one.exchange.every((cards) => cards === null);
    one.exchange.forEach((cards, seat) => {
      const row = make("tr");
      const head = make("th");
      head.scope = "row";
      head.append(name(one.labels[seat]));
      row.append(head);
      for (const place of [0, 1, 2]) cell(row).append(cards ? cardList(cards[place], "cards", {}) : "not known");
      body.append(row);
    });
  }
  function jump(place, className) {
    const button = make("button", className);
    button.type = "button";
    button.dataset.at = String(place);
    button.addEventListener("click", () => show(round, place));
    return button;
  }
  function drawCourse(one) {
    const list = $("tricks");
    list.replaceChildren();
    let group = null;
    let number = -1;
    scenes.forEach((scene, place) => {
      const ends = scene.kind === "result" ? Infinity : scene.trick;
      if (group === null || ends !== number) {
        number = ends;
        const item = make("li");
        item.append(courseHeading(one, scene));
        group = make("ol");
        item.append(group);
        list.append(item);
      }
      const button = jump(place, "");
      button.append(make("span", "line", String(scene.line)));
      const text = make("span", scene.findings.length ? "bad " + worst(scene.findings) : "");
      text.append(said(scene.said, one.labels, true));
      if (scene.findings.length) text.append(make("span", "sr", " Findings: " + scene.findings.map((one) => one.code).join(", ")));
      button.append(text);
      const entry = make("li");
      entry.append(button);
      group.append(entry);
    });
  }
  function courseHeading(one, scene) {
    const heading = make("h3");
    const trick = one.tricks[scene.trick - 1];
    if (scene.kind === "result") heading.append("Result");
    else if (!trick) heading.append("Before the first trick");
    else {
      heading.append("Trick " + scene.trick + ", led by ", name(one.labels[trick.lead]));
      if (!trick.complete) heading.append(", not finished");
      else if (trick.taker !== null) heading.append(trick.dragon ? ", given to " : ", taken by ", name(one.labels[trick.taker]), ": " + sign(trick.points));
    }
    return heading;
  }

  // Once for the page.
  function drawGame() {
    const several = game.rounds.length > 1;
    game.rounds.forEach((one, index) => {
      const last = game.rounds[game.rounds.length - 1].number;
      // A round by itself does not know how many there are.
      const option = make("option", "", several || last === 1 ? one.number + " of " + last : String(one.number));
      option.value = String(index);
      $("round").append(option);
      const row = make("tr");
      row.dataset.round = String(index);
      const button = make("button", "", String(one.number));
      button.type = "button";
      button.setAttribute("aria-label", "Round " + one.number);
      button.addEventListener("click", () => show(index, 0));
      cell(row).append(button);
      const score = one.score || one.logged;
      cell(row, score[0] === null ? "?" : sign(score[0]), "n");
      cell(row, score[1] === null ? "?" : sign(score[1]), "n");
      cell(row, pair(one.after), "n");
      $("scores").tBodies[0].append(row);
    });
    $("findings-panel").hidden = !withFindings.length;
    $("finding-on").hidden = !withFindings.length;
    for (const entry of withFindings) {
      const item = make("li");
      const button = make("button");
      button.type = "button";
      button.append(make("span", entry.finding.severity, entry.finding.code + " " + entry.finding.name));
      button.append((several ? ", round " + game.rounds[entry.round].number : "") + ", line " + entry.finding.line);
      button.addEventListener("click", () => show(entry.round, entry.at));
      item.append(button);
      $("findings").append(item);
    }
  }

  // Walking -----------------------------------------------------------------------------------------------------------
  function show(newRound, newAt, keepRunning) {
    if (!keepRunning) stop();
    const other = newRound !== round || !scenes.length;
    round = newRound;
    scenes = expand(round);
    at = Math.max(0, Math.min(scenes.length - 1, newAt));
    if (other) drawRound();
    draw();
  }
  function step(by, keepRunning) {
    if (at + by >= 0 && at + by < scenes.length) show(round, at + by, keepRunning);
    else if (by > 0 && round + 1 < game.rounds.length) show(round + 1, 0, keepRunning);
    else if (by < 0 && round > 0) show(round - 1, Infinity, keepRunning);
    else stop();
  }
  function trick(by) {
    const starts = game.rounds[round].tricks.map((one) => one.scene);
    const found = by > 0 ? starts.find((start) => start > at) : starts.filter((start) => start < at).pop();
    if (found !== undefined) show(round, found);
    else if (by < 0 && at > 0) show(round, 0);
    else if (by < 0 && round > 0) {
      const before = game.rounds[round - 1].tricks;
      show(round - 1, before.length ? before[before.length - 1].scene : 0);
    } else if (by > 0 && round + 1 < game.rounds.length) show(round + 1, 0);
    else if (by > 0) show(round, Infinity);
  }
  function otherRound(by) {
    if (round + by >= 0 && round + by < game.rounds.length) show(round + by, 0);
  }
  function finding(by) {
    const order = (entry) => entry.round - round || entry.at - at;
    const found = by > 0 ? withFindings.find((entry) => order(entry) > 0) : withFindings.filter((entry) => order(entry) < 0).pop();
    const again = by > 0 ? withFindings[0] : withFindings[withFindings.length - 1];
    const entry = found || again;
    if (entry) show(entry.round, entry.at);
  }
  // While it plays nothing is read out: every step would cut off the sentence before it. The last one is read when it ends.
  function read(aloud) {
    for (const id of ["said", "here"]) $(id).setAttribute("aria-live", aloud ? "polite" : "off");
  }
  function run() {
    if (timer) return stop();
    read(false);
    if (isEnd()) show(0, 0);
    timer = window.setInterval(() => step(1, true), PAUSE);
    $("run").classList.add("running");
    $("run").setAttribute("aria-label", "Pause");
  }
  function stop() {
    if (timer) {
      read(true);
      $("said").replaceChildren(said(scenes[at].said, game.rounds[round].labels, false));
    }
    window.clearInterval(timer);
    timer = 0;
    $("run").classList.remove("running");
    $("run").setAttribute("aria-label", "Play");
  }

  // The address: #round=3&move=17, or with trick=4 or step=21 in place of move.
  // Browsers complain of more than a few addresses a second, as come from a key that is held down; the last one counts.
  let remembered = "";
  let written = -Infinity;
  let writer = 0;
  function remember(scene) {
    const isMove = scene.kind === "play" || scene.kind === "pass";
    const first = isMove && scenes.findIndex((one) => one.move === scene.move) === at;
    remembered = "#round=" + game.rounds[round].number + (first ? "&move=" + scene.move : "&step=" + (at + 1));
    window.clearTimeout(writer);
    const wait = written + ADDRESS_PAUSE - performance.now();
    if (wait > 0) writer = window.setTimeout(write, wait);
    else write();
  }
  function write() {
    written = performance.now();
    try {
      window.history.replaceState(null, "", remembered);
    } catch {
      // A page within a notebook has no address.
    }
  }
  function place(hash) {
    const asked = new URLSearchParams(hash.replace(/^#/, ""));
    const number = (key) => (/^[0-9]{1,9}$/.test(asked.get(key) || "") ? Number(asked.get(key)) : null);
    const index = game.rounds.findIndex((one) => one.number === number("round"));
    if (index < 0) return null;
    const whole = expand(index);
    let found = 0;
    if (number("move") !== null) found = whole.findIndex((scene) => scene.move === number("move"));
    else if (number("trick") !== null) found = (game.rounds[index].tricks[number("trick") - 1] || { scene: -1 }).scene;
    else if (number("step") !== null) found = number("step") - 1;
    return [index, Math.max(0, found)];
  }

  function key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const tag = event.target.tagName;
    if (tag === "SELECT") return;
    const by = event.shiftKey ? -1 : 1;
    const letter = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const inSlider = tag === "INPUT";
    const actions = { f: () => finding(by), r: () => otherRound(by), p: run };
    if (!inSlider) {
      actions.ArrowRight = () => (event.shiftKey ? trick(1) : step(1));
      actions.ArrowLeft = () => (event.shiftKey ? trick(-1) : step(-1));
      actions.Home = () => show(round, 0);
      actions.End = () => show(round, Infinity);
    }
    if (tag !== "BUTTON") actions[" "] = run;
    if (!Object.hasOwn(actions, letter)) return;
    event.preventDefault();
    if (event.repeat && actions[letter] === run) return;
    actions[letter]();
  }

  drawGame();
  const clicks = {
    "to-first": () => show(round, 0), "trick-back": () => trick(-1), back: () => step(-1), run,
    on: () => step(1), "trick-on": () => trick(1), "to-last": () => show(round, Infinity), "finding-on": () => finding(1),
  };
  for (const id of Object.keys(clicks)) $(id).addEventListener("click", clicks[id]);
  $("slider").addEventListener("input", (event) => show(round, Number(event.target.value)));
  $("round").addEventListener("change", (event) => show(Number(event.target.value), 0));
  document.addEventListener("keydown", key);
  window.addEventListener("hashchange", (event) => {
    // Not the address of now: one that waited to be written may have come in between.
    const hash = new URL(event.newURL).hash;
    const asked = place(hash);
    written = -Infinity;
    if (asked) show(asked[0], asked[1]);
    else remember(scenes[at]);
  });
  player.hidden = false;
  const [firstRound, firstScene] = place(window.location.hash) || game.start;
  show(firstRound, firstScene);
})();
