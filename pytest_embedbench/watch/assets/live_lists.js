// Beside the test that is shown: boards with what they do, cells, and all tests.

const MOST_LISTED = 400;

function drawLists(host, state, chosen, choose) {
  const scrolled = host.scrollTop;
  const focused = document.activeElement && document.activeElement.dataset.key;
  show(host,
    state.boards.length ? [h("h2", {}, "Boards"), h("ul", {}, state.boards.map(boardRow))] : null,
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

function boardRow(board) {
  const ended = Object.entries(board.ended).map(([name, count]) =>
    h("span", { class: stateClass(name) }, count + " " + printable(name) + " "));
  const now = board.tests.length
    ? h("span", { class: "running" }, "runs " + board.tests.map(printable).join(", "))
    : h("span", { class: "hint" }, "idle");
  return h("li", {}, h("strong", {}, printable(board.board)), " ", now, h("div", {}, ended));
}

function pickList(rows, chosen, choose) {
  const list = h("ul", {}, rows.slice(0, MOST_LISTED).map((row) =>
    h("li", { class: "pick" }, h("a", {
      href: "#test=" + encodeURIComponent(row.key), "data-key": row.key,
      "aria-current": row.key === chosen ? "true" : null,
      click: (event) => { event.preventDefault(); choose(row.key); },
    }, h("span", { class: "name" }, printable(row.test)),
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
  for (const row of [...state.tests, ...state.cells]) counts[row.state] = (counts[row.state] || 0) + 1;
  show(document.getElementById("counts"), Object.entries(counts).sort().map(([name, count]) =>
    h("li", { class: stateClass(name) }, h("strong", {}, String(count)), " " + printable(name))));
}
