// What sets two attempts apart, in words, and where it is to be marked.

/**
 * Compare two attempts by what they have left, with their lanes. `lines` has, by the
 * name of a transcript, those to mark on each side; `at_us` where to mark the plots.
 */
function differencesOf(both, evidence, lanes) {
  const talks = comparedFiles(both, evidence, transcriptNames, (pair, cut) => talkDifference(both, evidence, pair, cut));
  const traces = comparedFiles(both, evidence, (each) => Object.keys(each.traces || {}),
    (pair, cut) => samplesDifference(both, lanesOf(lanes, pair), cut));
  const waves = comparedFiles(both, evidence, (each) => Object.keys(each.waves || {}),
    (pair, cut) => edgesDifference(both, lanesOf(lanes, pair), cut));
  const first = earliest([...traces.found, ...waves.found].map((each) => each.first));
  const words = [...talks.words, ...traces.words, ...waves.words];
  return {
    words: words.length ? words : ["Neither has a transcript, samples of a plant or edges of nets."],
    lines: [0, 1].map((side) => new Map(talks.found.map((talk) => [talk.pair[side], talk.alone[side]]))),
    at_us: first ? first.at_us.map((each) => (each === undefined ? first.us : each)) : [null, null],
  };
}

function transcriptNames(evidence) {
  return Object.keys(evidence.logs || {}).filter(isTranscript);
}

function lanesOf(lanes, pair) {
  return pair.map((file, side) => lanes[side].filter((lane) => lane.file === file));
}

/** Compare files of one kind, pair by pair; what one side has alone is said. */
function comparedFiles(both, evidence, namesOf, compare) {
  const { pairs, alone } = pairedFiles(...evidence.map(namesOf));
  const isOne = pairs.length === 1 && !alone.flat().length && pairs[0][0] === pairs[0][1];
  const found = pairs.map((pair) => ({ pair, ...comparedPair(evidence, pair, compare) }));
  const words = found.flatMap((each) => each.words.map((one) => (isOne ? "" : pairTitle(each.pair) + ": ") + one));
  const missing = alone.flatMap((names, side) =>
    names.map((name) => printable(name) + " is of " + attemptOf(both[side]) + " alone."));
  return { found, words: [...words, ...missing] };
}

function pairTitle([left, right]) {
  return left === right ? printable(left) : printable(left) + " against " + printable(right);
}

/** Compare two files; those that are not all in the page are equal if their digests are. */
function comparedPair(evidence, pair, compare) {
  const digests = pair.map((name, side) => (evidence[side].digests || {})[name]);
  const cut = digests.map(Boolean);
  if (!cut.some(Boolean)) return compare(pair, cut);
  if (digests[0] === digests[1]) return { words: ["The files are equal, byte by byte."], alone: [new Set(), new Set()] };
  const compared = compare(pair, cut);
  const more = "The files differ, and are not all in this page: the rest was not compared.";
  return { ...compared, words: [...compared.words, more] };
}

const CUT = /^\.\.\. .* are left out of this page \.\.\.$/;

/** Return the lines of a transcript, up to where it is cut. */
function linesBeforeCut(text, isCut) {
  const lines = transcriptLines(text);
  const at = isCut ? lines.findIndex((line) => line.at_us === null && CUT.test(line.text)) : -1;
  return at < 0 ? lines : lines.slice(0, at);
}

function talkDifference(both, evidence, pair, cut) {
  const lines = pair.map((name, side) => linesBeforeCut(evidence[side].logs[name], cut[side]));
  const talk = { lines, cut, ...comparedLines(...lines, cut) };
  return { alone: talk.alone, words: [talkWords(talk, both)] };
}

function talkWords(talk, both) {
  const [left, right] = talk.alone.map(least);
  if (!talk.alone[0].size && !talk.alone[1].size) return equalWords(talk);
  const before = [pairedBefore(talk, 0, left), pairedBefore(talk, 1, right)];
  const isPair = Number.isFinite(left) && Number.isFinite(right) && before[0] === before[1];
  const side = Number.isFinite(left) && (!Number.isFinite(right) || before[0] <= before[1]) ? 0 : 1;
  const first = isPair
    ? lineAt(talk.lines[0], left) + ": " + againstWords(talk.lines[0][left], talk.lines[1][right])
    : lineAt(talk.lines[side], [left, right][side]) + ": " + quoted(talk.lines[side][[left, right][side]]) +
      " is of " + attemptOf(both[side]) + " alone";
  const counts = talk.alone.map((alone, index) => count(alone.size) + " of " + attemptOf(both[index]));
  const rest = talk.tooUnlike ? "From there on they are too unlike to be laid side by side." : "Lines of one side alone: " + counts.join(", ") + ".";
  return "First differing line: " + first + ". " + rest;
}

function lineAt(lines, index) {
  const at_us = lines[index].at_us;
  return "line " + (index + 1) + (at_us === null ? "" : " at " + seconds(at_us));
}

function quoted(line) {
  return "\u201c" + printable(line.text) + "\u201d";
}

function againstWords(left, right) {
  const ways = { "fw->": " from the firmware", "->fw": " to the firmware", "--": " as a note" };
  const way = (line) => (left.text === right.text ? ways[line.way] || "" : "");
  return quoted(left) + way(left) + " against " + quoted(right) + way(right);
}

/** Return how many lines before this one the other side has, too. */
function pairedBefore(talk, side, index) {
  return index - [...talk.alone[side]].filter((each) => each < index).length;
}

function equalWords(talk) {
  if (!talk.lines[0].length && !talk.lines[1].length) return "Neither says anything.";
  const what = talk.cut.some(Boolean) ? "The first " + count(Math.min(...talk.lines.map((each) => each.length))) + " lines are equal" : null;
  if (!talk.apart.us) return what ? what + ", stamps included." : "The transcripts are equal, stamps included.";
  return (what || "The lines are equal") + "; they come at most " + number(talk.apart.us / 1000) + " ms apart: line " + (talk.apart.first + 1) + ".";
}

/** Return in words what signals, or nets, one side has alone. */
function aloneWords(what, alone, both) {
  return alone.flatMap((names, side) =>
    names.length ? [what + " of " + attemptOf(both[side]) + " alone: " + names.map(printable).join(", ") + "."] : []);
}

function samplesDifference(both, lanes, cut) {
  const sampled = lanes.map((side) => side.filter((lane) => lane.stamps));
  const { pairs, alone } = pairedLanes(...sampled);
  const first = earliest(pairs.map((pair) => firstSample(...pair, cut.some(Boolean))));
  const words = aloneWords("Signals", alone, both);
  if (first) return { first, words: [sampleWords(first), ...words] };
  if (!pairs.length) return { words: words.length ? words : ["Neither has a signal."] };
  const times = sharedTimes(...pairs[0]);
  const has = pairs[0].some((lane) => lane.stamps.length);
  if (!has) return { words: ["Neither has a sample.", ...words] };
  if (!times.count) return { words: ["The samples have no time in common.", ...words] };
  return { words: ["No sample of a plant differs" + (times.areAll ? "." : " at the times that both have."), ...words] };
}

function sampleWords(sample) {
  const words = sample.words.map((word) => (word === undefined ? "nothing more" : printable(word) || "nothing"));
  const side = sample.indexes[0] === null ? 1 : 0;
  return "First differing sample: " + printable(sample.lane) + " at " + seconds(sample.at_us[side]) + " (sample " +
    (sample.indexes[side] + 1) + "): " + words.join(" against ") + ".";
}

function edgesDifference(both, lanes, cut) {
  const { pairs, alone } = pairedLanes(...lanes);
  const until_us = least(lanes.flatMap((side, index) => (cut[index] ? side.map((lane) => lane.ends_us) : [])));
  const first = earliest(pairs.map((pair) => firstEdge(...pair, until_us)));
  const words = aloneWords("Nets", alone, both);
  if (first) return { first, words: [edgeWords(first), ...words] };
  if (!pairs.length) return { words: words.length ? words : ["Neither has an edge."] };
  return { words: ["No edge of a net differs.", ...words] };
}

function edgeWords(edge) {
  const words = edge.at_us.map((at_us, side) =>
    at_us === undefined ? "nothing more" : levelWords(edge.levels[side]) + " at " + seconds(at_us, 9));
  return "First differing edge: " + printable(edge.lane) + ": " + words.join(" against ") + ".";
}
