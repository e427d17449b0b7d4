// Two attempts at a test, side by side, on one time.

async function showCompared(host, first, second) {
  const both = [first, second];
  const evidence = await Promise.all(both.map(async (test) => (await evidenceOf(test)) || {}));
  const lanes = evidence.map(allLanes);
  const timeline = timelineOf(lanes.flat());
  const lines = evidence.map(mainTranscript);
  const differing = firstDifference(...lines, (line) => line.way + " " + line.text);
  const sample = firstSample(...lanes);
  const [file, name] = parted(first.group);
  show(
    host,
    h("nav", { "aria-label": "Where you are" }, backLink(),
      h("a", { href: linkTo({ test: second.key, with: first.key }) }, "Swap")),
    h("p", { class: "file" }, printable(file)),
    h("h2", { tabindex: "-1" }, printable(name) + ": compared"),
    h("ul", { class: "differences", "aria-label": "Differences" },
      h("li", {}, lineWords(lines, differing)), h("li", {}, sampleWords(sample))),
    h("div", { class: "compared" }, both.map((test, side) =>
      h("section", { "aria-label": attemptOf(test) },
        h("h3", {}, h("a", { href: linkTo({ test: test.key }) }, attemptOf(test))),
        verdictLine(test, evidence[side]), reasonOf(test, evidence[side]),
        evidenceView(test, evidence[side], lanes[side], timeline,
          { line: differing, us: sample ? sample.at_us[side] : null })))),
    metricsCompared(both, evidence));
}

function mainTranscript(evidence) {
  const name = Object.keys(evidence.logs || {}).find(isTranscript);
  return name ? transcriptLines(evidence.logs[name]) : [];
}

/** Return the index of the first entry that the two lists do not share; -1 without one. */
function firstDifference(left, right, shown) {
  const most = Math.max(left.length, right.length);
  for (let index = 0; index < most; index++) {
    if (!left[index] || !right[index] || shown(left[index]) !== shown(right[index])) return index;
  }
  return -1;
}

/** Return the earliest sample of a plant's lane that differs, or null. */
function firstSample(left, right) {
  let found = null;
  for (const lane of left.filter((each) => each.kind !== "marks" && !each.ends_us)) {
    const other = right.find((each) => each.name === lane.name && each.kind === lane.kind);
    if (!other) continue;
    const at = firstDifference(lane.values, other.values, String);
    if (at < 0) continue;
    const times = [lane, other].map((each) => each.times[Math.min(at, each.times.length - 1)]);
    if (found === null || times[0] < found.at_us[0])
      found = { lane: lane.name, index: at, at_us: times, values: [lane.values[at], other.values[at]] };
  }
  return found;
}

function lineWords(lines, differing) {
  if (!lines[0].length && !lines[1].length) return "Neither has a transcript.";
  if (differing < 0) {
    const late = firstDifference(...lines, (line) => String(line.at_us));
    return late < 0 ? "The transcripts are equal, stamps included."
      : "The lines are equal; the first other stamp is that of line " + (late + 1) + ".";
  }
  const words = lines.map((side) => (side[differing] ? "\u201c" + printable(side[differing].text) + "\u201d" : "nothing more"));
  return "First differing line: " + (differing + 1) + ": " + words.join(" against ") + ".";
}

function sampleWords(sample) {
  if (!sample) return "No sample of a plant differs.";
  const words = sample.values.map((value) => (value === undefined ? "nothing more" : number(value)));
  return "First differing sample: " + sample.lane + " at " + seconds(sample.at_us[0]) + " (sample " +
    (sample.index + 1) + "): " + words.join(" against ") + ".";
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
