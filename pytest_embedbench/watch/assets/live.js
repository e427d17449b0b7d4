// Asks again and again what is new, and shows it.

const ASK_EVERY_MS = 700;
const LIVE = { state: null, version: "", test: null, follows: true };

async function ask(what, query) {
  const answer = await fetch(what + "?" + new URLSearchParams(query), { cache: "no-store" });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

function rowOf(key) {
  return [...LIVE.state.cells, ...LIVE.state.tests].find((row) => row.key === key);
}

/** Return what is looked at if nobody says: the test that began last, running ones first. */
function newest() {
  const rows = [...LIVE.state.cells, ...LIVE.state.tests];
  const running = rows.filter((row) => row.state === "running");
  const begun = rows.filter((row) => !["waiting", "not run"].includes(row.state));
  return (running.length ? running : begun).at(-1);
}

function choose(key, { byHand = true } = {}) {
  if (byHand) {
    LIVE.follows = false;
    document.getElementById("follow").checked = false;
    history.replaceState(null, "", "#" + new URLSearchParams({ test: key }));
  }
  if (LIVE.test && LIVE.test.key === key && LIVE.test.run === LIVE.state.run) return;
  CHARTS.length = 0;
  LIVE.test = new LiveTest(LIVE.state.run, key);
  show(document.getElementById("shown"), LIVE.test.element);
  drawAll();
  if (byHand) news();
}

function drawAll() {
  const row = LIVE.test && rowOf(LIVE.test.key);
  if (row) LIVE.test.describe(row);
  drawHead(LIVE.state);
  drawLists(document.getElementById("lists"), LIVE.state, LIVE.test && LIVE.test.key, choose);
}

function follow() {
  const row = newest();
  const isGone = !LIVE.test || LIVE.test.run !== LIVE.state.run || !rowOf(LIVE.test.key);
  if (row && (LIVE.follows || isGone)) choose(row.key, { byHand: false });
  else if (isGone) {
    LIVE.test = null;
    show(document.getElementById("shown"), h("p", { class: "hint" }, "Nothing has run yet."));
  }
}

async function news() {
  const test = LIVE.test;
  if (!test || test.isAsking) return;
  test.isAsking = true; // or an answer would be taken twice
  try {
    test.take(await ask("news", { run: test.run, key: test.key, have: JSON.stringify(test.offsets) }));
  } finally {
    test.isAsking = false;
  }
}

async function look() {
  const trouble = document.getElementById("trouble");
  try {
    const answer = await ask("state", { have: LIVE.version });
    if (answer.state) {
      LIVE.version = answer.version;
      LIVE.state = answer.state;
      const wanted = LIVE.test ? null : new URLSearchParams(location.hash.slice(1)).get("test");
      if (wanted && rowOf(wanted)) choose(wanted);
      follow();
      drawAll();
    }
    await news();
    trouble.hidden = true;
  } catch (error) {
    trouble.hidden = false;
    trouble.textContent = "embedbench watch has ended, or does not answer (" + printable(error.message) + ").";
  }
  document.documentElement.dataset.ready = "yes";
  setTimeout(look, ASK_EVERY_MS);
}

function start() {
  startTheme();
  document.getElementById("follow").addEventListener("change", (event) => {
    LIVE.follows = event.target.checked;
    if (LIVE.follows && LIVE.state) follow();
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    document.getElementById("main").focus();
  });
  look();
}

document.addEventListener("DOMContentLoaded", start);
