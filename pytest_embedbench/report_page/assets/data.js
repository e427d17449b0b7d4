// The tests of the page, and what they have left, unpacked when it is looked at.

const FIELDS = [
  "run", "index", "test", "group", "outcome", "board", "blame", "reason", "submission",
  "started_at", "duration_s", "attempt", "folder", "brief", "trial",
];
const DATA = { runs: [], all: [], tests: [], byKey: new Map(), byGroup: new Map() };
const UNPACKED = new Map();
const MOST_UNPACKED = 12;

function loadData() {
  const light = JSON.parse(document.getElementById("embedbench-data").textContent);
  DATA.runs = light.runs;
  DATA.all = light.tests.map((row) =>
    Object.fromEntries(FIELDS.map((name, index) => [name, row[index]])),
  );
  DATA.tests = DATA.all.filter((test) => !test.trial); // a search's own trials are no tests
  for (const test of DATA.all) {
    test.key = keyOf(test);
    DATA.byKey.set(test.key, test);
    if (!DATA.byGroup.has(test.group)) DATA.byGroup.set(test.group, []);
    DATA.byGroup.get(test.group).push(test);
  }
}

/** Return what a link calls a test; it is the same in every page of its runs. */
function keyOf(test) {
  const own = test.folder || test.test + (test.submission ? "@" + test.submission : "");
  const whole = DATA.runs.length > 1 ? DATA.runs[test.run].name + ":" + own : own;
  return DATA.byKey.has(whole) ? whole + "#" + test.index : whole;
}

/** Return what sets one attempt at a test apart from the others of its group. */
function columnOf(test) {
  const words = [test.board || "no board"];
  if (test.submission) words.unshift(test.submission);
  if (DATA.runs.length > 1) words.unshift(DATA.runs[test.run].name);
  return words.join(" / ");
}

function attemptOf(test) {
  if (test.trial) return columnOf(test) + ", trial: " + printable(test.trial);
  return columnOf(test) + (test.attempt > 1 ? ", attempt " + test.attempt : "");
}

/** Return what a test has left; null, if there was no room for it in the page. */
async function evidenceOf(test) {
  if (UNPACKED.has(test.index)) return UNPACKED.get(test.index);
  const element = document.getElementById("evidence-" + test.index);
  const evidence = element ? await inflated(element.textContent.trim()) : null;
  if (UNPACKED.size >= MOST_UNPACKED) UNPACKED.delete(UNPACKED.keys().next().value);
  UNPACKED.set(test.index, evidence);
  return evidence;
}

async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
