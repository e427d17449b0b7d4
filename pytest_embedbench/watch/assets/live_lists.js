// Beside the test that is shown: boards with what they do, cells, and all tests.

const MOST_LISTED = 400;

function drawLists(host, state, chosen, choose) {
  const scrolled = host.scrollTop;
  const focused = document.activeElement && document.activeElement.dataset.key;
  show(host,
    state.boards.length || state.lab.length
      ? [h("h2", {}, "Boards"), h("ul", { "aria-label": "Boards" }, withLab(state).map(boardRow))] : null,
    state.cells.length ? [h("h2", {}, "Runs of agents"), pickList(state.cells, chosen, choose)] : null,
    state.tests.length ? [h("h2", {}, "Tests"), pickList([...state.tests].reverse(), chosen, choose)] : null,
    state.tests.length || state.cells.length ? null : h("p", { class: "hint" }, waitingWords(state)));
  host.scrollTop = scrolled;
  if (focused) [...host.querySelectorAll("a")].find((link) => link.dataset.key === focused)?.focus();
}

function waitingWords(state) {
  if (!state.run) return "There is no run below " + printable(state.root) + " yet: it will show here once it begins.";
  return state.board ? "No test of this run is on " + printable(state.board) + " so far." : "No test has begun.";
}

/** Return what each board does, those of a lab first, with how they stand. */
function withLab(state) {
  const busy = new Map(state.boards.map((board) => [board.board, board]));
  const own = state.lab.filter((row) => !state.board || row.board === state.board)
    .map((row) => ({ tests: [], ended: {}, ...busy.get(row.board), board: row.board, lab: row }));
  const named = new Set(own.map((each) => each.board));
  return [...own, ...state.boards.filter((board) => !named.has(board.board))];
}

function labWords(lab) {
  if (!lab) return null;
  const about = [lab.kind, lab.labels.length ? "[" + lab.labels.join(" ") + "]" : "", lab.port];
  const waiting = lab.waiters.length ? ["waited for by " + lab.waiters.join("; ")] : [];
  return [
    h("div", { class: "hint" }, printable(about.filter(Boolean).join(" "))),
    h("div", { class: "lab " + lab.state }, printable([[lab.state, lab.words].filter(Boolean).join(" "), ...waiting].join("; "))),
  ];
}

function boardRow(board) {
  const ended = Object.entries(board.ended).sort().map(([name, count]) =>
    h("span", { class: stateClass(name) }, count + " " + printable(name) + " "));
  const now = board.tests.length
    ? h("span", { class: "running" }, "runs " + board.tests.map((test) => printable(parted(test)[1])).join(", "))
    : h("span", { class: "hint" }, "idle");
  return h("li", {}, h("strong", {}, printable(board.board)), " ", now, labWords(board.lab), h("div", {}, ended));
}

/** Return the name of a test, and its file where that is not the one of the row above. */
function nameOf(row, above) {
  const [file, name] = parted(row.test);
  const isNew = file !== name && (!above || parted(above.test)[0] !== file);
  return [isNew ? h("span", { class: "of" }, printable(file)) : null, printable(name)];
}

function pickList(rows, chosen, choose) {
  const list = h("ul", {}, rows.slice(0, MOST_LISTED).map((row, index) =>
    h("li", { class: "pick" }, h("a", {
      href: "#test=" + encodeURIComponent(row.key), "data-key": row.key,
      "aria-current": row.key === chosen ? "true" : null,
      click: (event) => { event.preventDefault(); choose(row.key); },
    }, h("span", { class: "name" }, nameOf(row, rows[index - 1])),
    row.trial ? h("span", { class: "hint" }, "trial") : null,
    row.submitted ? h("span", { class: "hint" }, row.submitted + " handed in") : null,
    h("span", { class: "state " + stateClass(row.state) }, printable(row.state))))));
  if (rows.length > MOST_LISTED)
    list.append(h("li", { class: "hint" }, rows.length - MOST_LISTED + " more are not listed"));
  return list;
}

function drawHead(state) {
  document.getElementById("run").textContent =
    (state.run ? printable(state.run) : "no run yet") + (state.board ? ", tests on " + printable(state.board) : "");
  const going = document.getElementById("going");
  going.className = state.is_going ? "running" : "";
  going.textContent = state.is_going ? "running" : state.run ? "over; the next run will show here" : "waiting";
  if (state.is_fixed && !state.is_going) going.textContent = "over";
  const counts = {};
  for (const row of [...state.tests.filter((test) => !test.trial), ...state.cells]) counts[row.state] = (counts[row.state] || 0) + 1;
  show(document.getElementById("counts"), Object.entries(counts).sort().map(([name, count]) =>
    h("li", { class: stateClass(name) }, h("strong", {}, String(count)), " " + printable(name))));
}
