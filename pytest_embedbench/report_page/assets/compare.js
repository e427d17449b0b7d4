// Two attempts at a test, side by side, on one time.

async function showCompared(host, first, second) {
  const both = [first, second];
  const evidence = await Promise.all(both.map(async (test) => (await evidenceOf(test)) || {}));
  const lanes = evidence.map(allLanes);
  const timeline = timelineOf(lanes.flat());
  const talks = sharedTalks(...evidence.map((each) => each.logs || {}));
  const sample = firstSample(...lanes);
  const edge = firstEdge(...lanes);
  const mark = sample || edge;
  const [file, name] = parted(first.group);
  const words = [...talks.map((talk) => talkWords(talk, both)), sampleWords(sample, lanes), edgeWords(edge, lanes)];
  show(
    host,
    h("nav", { "aria-label": "Where you are" }, backLink(),
      h("a", { href: linkTo({ test: second.key, with: first.key }) }, "Swap")),
    h("p", { class: "file" }, printable(file)),
    h("h2", { tabindex: "-1" }, printable(name) + ": compared"),
    h("ul", { class: "differences", "aria-label": "Differences" },
      words.filter(Boolean).map((each) => h("li", {}, each))),
    h("div", { class: "compared" }, both.map((test, side) =>
      h("section", { "aria-label": attemptOf(test) },
        h("h3", {}, h("a", { href: linkTo({ test: test.key }) }, attemptOf(test))),
        verdictLine(test, evidence[side]), reasonOf(test, evidence[side]),
        evidenceView(test, evidence[side], lanes[side], timeline, {
          lines: new Map(talks.map((talk) => [talk.names[side], talk.alone[side]])),
          us: mark ? mark.at_us[side] : null,
        })))),
    metricsCompared(both, evidence));
}

/** Return the transcripts that both have, compared: by name, or the first of each. */
function sharedTalks(...logs) {
  const names = logs.map((each) => Object.keys(each).filter(isTranscript));
  let pairs = names[0].filter((name) => names[1].includes(name)).map((name) => [name, name]);
  if (!pairs.length && names.every((each) => each.length)) pairs = [names.map((each) => each[0])];
  return pairs.map((pair) => {
    const lines = pair.map((name, side) => transcriptLines(logs[side][name]));
    return { names: pair, isOne: pairs.length === 1, lines, ...comparedLines(...lines) };
  });
}

function talkWords(talk, both) {
  const title = talk.isOne ? "" : printable(talk.names[0]) + ": ";
  const [left, right] = talk.alone.map((alone) => Math.min(...alone));
  if (!talk.alone[0].size && !talk.alone[1].size) return title + equalWords(talk);
  const quoted = (side, index) => "\u201c" + printable(talk.lines[side][index].text) + "\u201d";
  const at = (side, index) => "line " + (index + 1) + " at " + seconds(talk.lines[side][index].at_us || 0);
  const isPair = Number.isFinite(left) && Number.isFinite(right) && pairedBefore(talk, 0, left) === pairedBefore(talk, 1, right);
  const isLeft = Number.isFinite(left) && (!Number.isFinite(right) || pairedBefore(talk, 0, left) < pairedBefore(talk, 1, right));
  const [side, index] = isPair || isLeft ? [0, left] : [1, right];
  const first = isPair
    ? at(0, left) + ": " + quoted(0, left) + " against " + quoted(1, right)
    : at(side, index) + ": " + quoted(side, index) + " is of " + attemptOf(both[side]) + " alone";
  const counts = talk.alone.map((alone, index) => count(alone.size) + " of " + attemptOf(both[index]));
  const rest = talk.tooUnlike ? "From there on they are too unlike to be laid side by side." : "Lines of one side alone: " + counts.join(", ") + ".";
  return title + "First differing line: " + first + ". " + rest;
}

/** Return how many lines before this one the other side has, too. */
function pairedBefore(talk, side, index) {
  return index - [...talk.alone[side]].filter((each) => each < index).length;
}

function equalWords(talk) {
  if (!talk.lines[0].length && !talk.lines[1].length) return "Neither says anything.";
  if (!talk.apart.us) return "The transcripts are equal, stamps included.";
  return "The lines are equal; they come at most " + number(talk.apart.us / 1000) + " ms apart: line " + (talk.apart.first + 1) + ".";
}

function sampleWords(sample, lanes) {
  if (!sample) return lanes.every((side) => side.some((lane) => lane.stamps)) ? "No sample of a plant differs." : null;
  const words = sample.values.map((value) => (value === undefined ? "nothing more" : number(value)));
  return "First differing sample: " + sample.lane + " at " + seconds(sample.at_us[0]) + " (sample " +
    (sample.index + 1) + "): " + words.join(" against ") + ".";
}

function edgeWords(edge, lanes) {
  if (!edge) return lanes.every((side) => side.some((lane) => lane.ends_us !== undefined)) ? "No edge of a net differs." : null;
  const words = edge.at_us.map((at_us, side) =>
    at_us === undefined ? "nothing more" : levelWords(edge.values[side]) + " at " + seconds(at_us));
  return "First differing edge: " + edge.lane + ": " + words.join(" against ") + ".";
}

function metricsCompared(both, evidence) {
  const figures = evidence.map((each) => Object.values(each.metrics || {})[0] || {});
  const names = [...new Set(figures.flatMap(Object.keys))].sort();
  if (!names.length) return h("p", { class: "note" }, "Neither has metrics.");
  const rows = names.map((name) => {
    const values = figures.map((each) => (name in each ? number(each[name]) : "-"));
    const same = values[0] === values[1];
    return [name, ...values.map((value) => (same ? value : h("strong", { class: "differs" }, value))), same ? "" : "differs"];
  });
  return table("Metrics", ["figure", ...both.map(attemptOf), ""], rows, PAIRS);
}
